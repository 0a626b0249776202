import CloudKit
import Foundation
import RecordWire
import Testing

@testable import StratusCloudKit

@Suite struct AssetDownloadTests {
    /// An answer with one record for each content; an empty one has no image.
    private func records(_ contents: [String]) -> ScriptedTransport.Answer {
        let records = contents.enumerated().map { index, content in
            recordJSON(
                "r\(index)", fields: content.isEmpty ? "" : #""image":\#(AssetService.field(content))"#)
        }
        return .json(#"{"records":[\#(records.joined(separator: ","))]}"#)
    }

    private func ids(_ count: Int) -> [CKRecord.ID] {
        (0..<count).map { CKRecord.ID(recordName: "r\($0)") }
    }

    private func text(_ record: CKRecord?) -> String? {
        guard let file = (record?["image"] as? CKAsset)?.fileURL else { return nil }
        return try? String(contentsOf: file, encoding: .utf8)
    }

    @Test("A file comes with its record, from its address with a file name in it")
    func fetch() async throws {
        let cloud = TestCloud(AssetService.transport([records(["sunset"])]))
        let record = try await cloud.database.record(for: ids(1)[0])
        #expect(text(record) == "sunset")
        #expect(
            cloud.transport.transfers == [.init(address: "https://assets.test/sunset/image", sent: nil)])
        #expect(record.changedKeys().isEmpty)
    }

    @Test("What somebody holds is not downloaded again, and each fetch has a file of its own")
    func lifetime() async throws {
        let cloud = TestCloud(AssetService.transport([records(["same"]), records(["same", "same"])]))
        var first: CKRecord? = try await cloud.database.record(for: ids(1)[0])
        let url = try #require((first?["image"] as? CKAsset)?.fileURL)
        let found = try await cloud.database.records(for: ids(2))
        let others = try ids(2).map { try #require(try found[$0]?.get()) }
        let urls = others.compactMap { ($0["image"] as? CKAsset)?.fileURL }
        #expect(Set(urls + [url]).count == 3)
        #expect(cloud.transport.transfers.count == 1, "nobody downloads what is here")
        let asset = first?["image"] as? CKAsset
        first = nil
        #expect(text(others[0]) == "same" && text(others[1]) == "same")
        // The asset alone holds it; the record that it came with is gone.
        #expect(FileManager.default.fileExists(atPath: url.path))
        withExtendedLifetime(asset) {}
    }

    @Test func theFileGoesWithTheLastReference() async throws {
        let cloud = TestCloud(AssetService.transport([records(["gone"])]))
        var record: CKRecord? = try await cloud.database.record(for: ids(1)[0])
        let url = try #require((record?["image"] as? CKAsset)?.fileURL)
        #expect(FileManager.default.fileExists(atPath: url.path))
        withExtendedLifetime(record) {}
        record = nil
        // The task that brought the record may let go of it a moment later.
        for _ in 0..<6_000 where FileManager.default.fileExists(atPath: url.path) {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    @Test("Progress grows and is 1 just before the record's block; a record without a file needs no bytes")
    func progress() async throws {
        let cloud = TestCloud(AssetService.transport([records(["sunset", ""])]))
        let log = EventLog()
        let operation = CKFetchRecordsOperation(recordIDs: ids(2))
        operation.desiredKeys = ["image"]
        operation.perRecordProgressBlock = { log.note("\($0.recordName) \($1)") }
        operation.perRecordCompletionBlock = { record, id, _ in
            log.note("\(id?.recordName ?? "") \(self.text(record) ?? "none")")
        }
        operation.fetchRecordsCompletionBlock = { records, error in
            log.note("\(records?.count ?? 0) \(error == nil)")
        }
        await run(operation, in: cloud.database)
        let events = log.events
        #expect(events.filter { $0.hasPrefix("r0") } == events.prefix(while: { $0.hasPrefix("r0") }))
        #expect(events.suffix(5) == ["r0 1.0", "r0 sunset", "r1 1.0", "r1 none", "2 true"])
        let fractions = events.prefix(while: { $0.hasPrefix("r0") }).compactMap { Double($0.dropFirst(3)) }
        #expect(fractions.count > 2 && fractions == fractions.sorted() && fractions.last == 1)
        #expect(cloud.transport.bodies[0].contains(#""desiredKeys":["image"]"#))
    }

    @Test("A query's records come in its order, whichever file is there first")
    func queryOrder() async throws {
        let contents = (0..<40).map { $0 % 3 == 0 ? "" : "photo\($0)" }
        let cloud = TestCloud(AssetService.transport([records(contents)]))
        let log = EventLog()
        let operation = CKQueryOperation(query: CKQuery(recordType: "Restaurant", predicate: alwaysTrue))
        operation.recordFetchedBlock = { log.note("\($0.recordID.recordName) \(self.text($0) ?? "")") }
        operation.queryCompletionBlock = { _, error in log.note("done \(error == nil)") }
        await run(operation, in: cloud.database)
        #expect(log.events == contents.enumerated().map { "r\($0) \($1)" } + ["done true"])
    }

    @Test("A file that cannot be had fails its record; the others come")
    func failures() async throws {
        let transport = AssetService.transport([records(["good", "missing", "short", "offline", "long"])]) {
            transfer in
            if transfer.address.contains("missing") {
                return .json(#"{"serverErrorCode":"NOT_FOUND","reason":"No such file."}"#, status: 404)
            }
            if transfer.address.contains("short") { return .response(.init(status: 200, body: [1])) }
            if transfer.address.contains("long") {
                return .response(.init(status: 200, body: Array("longer".utf8)))
            }
            if transfer.address.contains("offline") { return .failure(.offline("no network")) }
            return AssetService.file(transfer)
        }
        let results = try await TestCloud(transport).database.records(for: ids(5))
        func code(_ index: Int) -> CKError.Code? {
            do {
                _ = try results[ids(5)[index]]?.get()
                return nil
            } catch {
                return (error as? CKError)?.code
            }
        }
        #expect(code(0) == nil)
        #expect(code(1) == .assetNotAvailable && code(2) == .assetNotAvailable)
        #expect(code(4) == .assetNotAvailable)
        #expect(code(3) == .networkUnavailable, "what can be tried again says so")
    }

    @Test("A cancelled fetch stops the transfer")
    func cancelled() async throws {
        let log = EventLog()
        let operation = CKFetchRecordsOperation(recordIDs: ids(1))
        let transport = AssetService.transport([records(["photo"])]) { _ in
            operation.cancel()
            return .never
        }
        operation.perRecordResultBlock = { id, _ in log.note("\(id.recordName)") }
        operation.fetchRecordsResultBlock = { result in
            if case .failure(let error as CKError) = result { log.note("\(error.code)") }
        }
        await run(operation, in: TestCloud(transport).database)
        #expect(log.events == ["operationCancelled"])
    }

    @Test("What was fetched is saved again without a transfer")
    func saveAgain() async throws {
        let cloud = TestCloud(AssetService.transport([records(["photo"])]))
        let record = try await cloud.database.record(for: ids(1)[0])
        record["name"] = "Nonna"
        _ = try await cloud.database.modifyRecords(saving: [record], deleting: [], savePolicy: .allKeys)
        #expect(
            cloud.transport.requests.map(\.path).map { $0.suffix(14) } == [
                "records/lookup", "records/modify",
            ])
        let body = try #require(cloud.transport.bodies.last)
        #expect(body.contains(#""fileChecksum":"\#(AssetService.checksum("photo".utf8))""#))
        #expect(!body.contains("downloadURL") && !body.contains("receipt"))
        #expect(text(record) == "photo")
    }

    @Test("A fetched file in another record is copied on the service")
    func copy() async throws {
        let copied = AssetService.dictionary(Array("photo".utf8), extra: #","receipt":"copied""#)
        let cloud = TestCloud(
            AssetService.transport([records(["photo"]), .json(#"{"assets":[\#(copied)]}"#)]))
        let record = try await cloud.database.record(for: ids(1)[0])
        let other = CKRecord(recordType: "Restaurant", recordID: CKRecord.ID(recordName: "other"))
        other["cover"] = record["image"]
        try await cloud.database.save(other)
        #expect(cloud.transport.bodies[1] == #"{"assets":[{"recordName":"r0","fieldName":"image"}]}"#)
        #expect(cloud.transport.bodies.last?.contains(#""receipt":"copied""#) == true)
        #expect(cloud.transport.transfers.count == 1, "only the fetch moved bytes")
    }

    @Test("Where the service cannot copy, the file that was fetched is sent")
    func copyBySending() async throws {
        let refusal = #"{"assets":[{"serverErrorCode":"NOT_FOUND","reason":"Record not found"}]}"#
        let cloud = TestCloud(AssetService.transport([records(["photo"]), .json(refusal)]))
        let record = try await cloud.database.record(for: ids(1)[0])
        let other = CKRecord(recordType: "Restaurant", recordID: CKRecord.ID(recordName: "other"))
        other["cover"] = record["image"]
        try await cloud.database.save(other)
        #expect(cloud.transport.transfers.last?.sent == Array("photo".utf8))
        // Another database is another place: nothing to copy there.
        let third = CKRecord(recordType: "Restaurant", recordID: CKRecord.ID(recordName: "third"))
        third["cover"] = record["image"]
        try await cloud.privateDatabase.save(third)
        #expect(cloud.transport.requests.count { $0.path.hasSuffix("assets/rereference") } == 1)
        #expect(cloud.transport.transfers.last?.address == "https://assets.test/up/third/0")
    }

    @Test("An archive keeps what the service knows of a file")
    func archive() async throws {
        let cloud = TestCloud(AssetService.transport([records(["photo"])]))
        let record = try await cloud.database.record(for: ids(1)[0])
        let data = try NSKeyedArchiver.archivedData(withRootObject: record, requiringSecureCoding: true)
        let copy = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: data))
        let asset = try #require(copy["image"] as? CKAsset)
        #expect(asset.isEqual(record["image"]) && asset.fileURL == nil)
    }
}
