import CloudKit
import Foundation
import RecordWire
import TestSeeds
import Testing

@testable import StratusCloudKit

@Suite struct AssetUploadTests {
    @Test("A file is asked an address for, sent there, and its dictionary goes into the field unchanged")
    func upload() async throws {
        try await withFile(Array("a photo".utf8)) { file in
            let cloud = TestCloud(AssetService.transport())
            let record = pictured("r1", file)
            record["name"] = "Nonna"
            try await cloud.database.save(record)
            let bodies = cloud.transport.bodies
            #expect(bodies.count == 2)
            #expect(
                bodies[0]
                    == #"{"tokens":[{"recordName":"r1","recordType":"Restaurant","fieldName":"image"}]}"#)
            #expect(
                cloud.transport.transfers == [
                    .init(address: "https://assets.test/up/r1/0", sent: Array("a photo".utf8))
                ])
            let dictionary = AssetService.dictionary(Array("a photo".utf8))
            let json = try #require(try JSONReader.read(Array(bodies[1].utf8)).object)
            let operation = try #require(try json.objects("operations").first)
            let field = operation["record"]?.object?["fields"]?.object?["image"]?.object
            #expect(field?["type"]?.string == "ASSETID")
            let sent = try #require(field?["value"]?.object)
            let given = try #require(try JSONReader.read(Array(dictionary.utf8)).object)
            for key in ["fileChecksum", "referenceChecksum", "wrappingKey", "receipt"] {
                #expect(sent[key]?.string == given[key]?.string, "\(key)")
            }
            #expect(sent["size"]?.int == 7 && sent["downloadURL"] == nil)
            #expect((record["image"] as? CKAsset)?.fileURL == file, "the app's own file stays where it was")
        }
    }

    @Test("Progress grows as bytes go out, and is 1 just before the record's own block")
    func progress() async throws {
        try await withFile([UInt8](repeating: 7, count: 1_000)) { file in
            let cloud = TestCloud(AssetService.transport())
            let log = EventLog()
            let plain = CKRecord(recordType: "Restaurant", recordID: CKRecord.ID(recordName: "plain"))
            let operation = CKModifyRecordsOperation(recordsToSave: [pictured("r1", file), plain])
            operation.perRecordProgressBlock = { log.note("\($0.recordID.recordName) \($1)") }
            operation.perRecordSaveBlock = { id, _ in log.note("\(id.recordName) saved") }
            operation.modifyRecordsCompletionBlock = { _, _, error in log.note("done \(error == nil)") }
            await run(operation, in: cloud.database)
            #expect(
                log.events == [
                    "r1 0.25", "r1 0.5", "r1 0.75", "r1 1.0", "r1 saved", "plain 1.0", "plain saved",
                    "done true",
                ])
        }
    }

    @Test("A file that is not there fails its record, before anything is sent for it; others are saved")
    func missing() async throws {
        try await withFile([1, 2, 3]) { file in
            let cloud = TestCloud(AssetService.transport())
            let gone = pictured("gone", URL(fileURLWithPath: "/nowhere/photo.jpg"))
            let folder = pictured("folder", FileManager.default.temporaryDirectory)
            let results = try await cloud.database.modifyRecords(
                saving: [gone, folder, pictured("good", file)], deleting: [])
            for record in [gone, folder] {
                let error = #expect(throws: CKError.self) { try results.saveResults[record.recordID]?.get() }
                #expect(error?.code == .assetFileNotFound && error?.recoverySuggestion != nil)
            }
            #expect(cloud.transport.transfers.map(\.address) == ["https://assets.test/up/good/0"])
            #expect(cloud.transport.bodies.last?.contains("gone") == false)
            #expect(throws: Never.self) {
                try results.saveResults[CKRecord.ID(recordName: "good")]?.get()
            }
        }
    }

    @Test("In an atomic batch of a zone, a file that is not there keeps the others from being saved")
    func atomic() async throws {
        try await withFile([1]) { file in
            let cloud = TestCloud(AssetService.transport())
            let zone = CKRecordZone.ID(zoneName: "Guide")
            func record(_ name: String, _ file: URL) -> CKRecord {
                let record = CKRecord(
                    recordType: "Restaurant", recordID: CKRecord.ID(recordName: name, zoneID: zone))
                record["image"] = CKAsset(fileURL: file)
                return record
            }
            let good = record("good", file)
            let gone = record("gone", URL(fileURLWithPath: "/nowhere/photo.jpg"))
            let error = await cloudError {
                _ = try await cloud.privateDatabase.modifyRecords(saving: [good, gone], deleting: [])
            }
            let errors = error?.partialErrorsByItemID ?? [:]
            #expect((errors[good.recordID] as? CKError)?.code == .batchRequestFailed)
            #expect((errors[gone.recordID] as? CKError)?.code == .assetFileNotFound)
            #expect(!cloud.transport.requests.contains { $0.path.hasSuffix("records/modify") })
        }
    }

    @Test("A file that changes while it is sent fails its record")
    func modified() async throws {
        try await withFile([1, 2, 3]) { file in
            let transport = AssetService.transport(files: { transfer in
                try Data([1, 2, 3, 4, 5]).write(to: file)
                return AssetService.file(transfer)
            })
            let cloud = TestCloud(transport)
            let error = await cloudError { try await cloud.database.save(pictured("r1", file)) }
            #expect(error?.code == .assetFileModified)
        }
    }

    @Test("A file that is removed before it is read, or while it is sent, fails its record as not found")
    func removed() async throws {
        for isEarly in [true, false] {
            try await withFile([1, 2, 3]) { file in
                let transport = ScriptedTransport(
                    fallback: { request in
                        if isEarly, request.path.hasSuffix("assets/upload") {
                            do { try FileManager.default.removeItem(at: file) } catch { Issue.record(error) }
                        }
                        return AssetService.answer(request)
                    },
                    files: { transfer in
                        try FileManager.default.removeItem(at: file)
                        return AssetService.file(transfer)
                    })
                let cloud = TestCloud(transport)
                let error = await cloudError { try await cloud.database.save(pictured("r1", file)) }
                #expect(error?.code == .assetFileNotFound, "\(String(describing: error))")
                #expect(error?.localizedDescription.contains(file.path) == true)
            }
        }
    }

    @Test("More files than one request asks for are asked for in several")
    func manyFiles() async throws {
        try await withFile([9]) { file in
            let cloud = TestCloud(AssetService.transport())
            let records = (0..<201).map { pictured("r\($0)", file) }
            let results = try await cloud.database.modifyRecords(saving: records, deleting: [])
            let asked = try cloud.transport.requests.filter { $0.path.hasSuffix("assets/upload") }.map {
                try #require(try JSONReader.read($0.body ?? []).object).objects("tokens").count
            }
            #expect(asked == [200, 1])
            #expect(cloud.transport.transfers.count == 201)
            #expect(results.saveResults.values.allSatisfy { (try? $0.get()) != nil })
        }
    }

    @Test("A list of files is sent file by file, in its order")
    func list() async throws {
        try await withFile([1]) { first in
            try await withFile([2]) { second in
                let cloud = TestCloud(AssetService.transport())
                let record = CKRecord(recordType: "Album", recordID: CKRecord.ID(recordName: "a"))
                record["pages"] = [CKAsset(fileURL: first), CKAsset(fileURL: second)]
                try await cloud.database.save(record)
                #expect(cloud.transport.transfers.map(\.sent) == [[1], [2]])
                #expect(cloud.transport.bodies.last?.contains(#""type":"ASSETID_LIST""#) == true)
            }
        }
    }

    @Test("What the service refuses, and what breaks on the way, as the errors of records")
    func refusals() async throws {
        try await withFile([1]) { file in
            let refusing = AssetService.transport(files: { _ in
                .json(#"{"serverErrorCode":"QUOTA_EXCEEDED","reason":"The file is too large."}"#, status: 413)
            })
            let full = await cloudError {
                try await TestCloud(refusing).database.save(pictured("r1", file))
            }
            #expect(full?.code == .quotaExceeded && full?.errorDescription == "The file is too large.")

            let breaking = AssetService.transport(files: { _ in .failure(.connectionLost("broken")) })
            let cloud = TestCloud(breaking)
            let broken = await cloudError { try await cloud.database.save(pictured("r1", file)) }
            #expect(broken?.code == .networkFailure)
            #expect(breaking.transfers.count == 4, "sending a file again does no harm")
            #expect(!cloud.clock.waits.isEmpty)

            let nobody = TestCloud(.json(#"{"serverErrorCode":"AUTHENTICATION_FAILED"}"#, status: 401))
            let refused = await cloudError { try await nobody.database.save(pictured("r1", file)) }
            #expect(refused?.code == .notAuthenticated)
        }
    }

    @Test("A cancelled operation stops the transfer and tells so once for each record")
    func cancelled() async throws {
        try await withFile([1]) { file in
            let log = EventLog()
            let operation = CKModifyRecordsOperation(recordsToSave: [pictured("r1", file)])
            // The transfer begins, and never ends by itself.
            let transport = AssetService.transport(files: { _ in
                operation.cancel()
                return .never
            })
            operation.perRecordSaveBlock = { id, result in
                if case .failure(let error as CKError) = result { log.note("\(id.recordName) \(error.code)") }
            }
            operation.modifyRecordsResultBlock = { result in
                if case .failure(let error as CKError) = result { log.note("all \(error.code)") }
            }
            await run(operation, in: TestCloud(transport).database)
            #expect(log.events == ["r1 operationCancelled", "all operationCancelled"])
            #expect(!transport.requests.contains { $0.path.hasSuffix("records/modify") })
        }
    }
}
