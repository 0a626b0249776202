import CloudKit
import Foundation
import RecordModel
import Synchronization
import TestSeeds
import TestSupport
import Testing

@testable import DocumentExamples

/// Files with records, from the app's call to the service's disk and back.
@Suite struct AssetClientTests {
    private func bytes(_ count: Int) -> Data {
        var random = Random(seed: UInt64(count))
        return Data(
            (0..<((count + 7) / 8)).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } }.prefix(
                count))
    }

    private func restaurant(_ name: String, _ file: URL) -> CKRecord {
        let record = CKRecord(recordType: "Restaurant", recordID: CKRecord.ID(recordName: name))
        record["name"] = name
        record["image"] = CKAsset(fileURL: file)
        return record
    }

    private func content(_ record: CKRecord) throws -> Data {
        try Data(contentsOf: try #require((record["image"] as? CKAsset)?.fileURL))
    }

    @Test(
        "What was sent comes back, whatever its length", arguments: CloudKind.allCases,
        [0, 1, 65_537, 5_242_880])
    func thereAndBack(kind: CloudKind, count: Int) async throws {
        let sent = bytes(count)
        try await withCloud(kind) { container in
            try await withFile(sent) { file in
                let database = try await container("ada").publicCloudDatabase
                try await database.save(restaurant("r", file))
                let fetched = try await container("bob").publicCloudDatabase.record(
                    for: CKRecord.ID(recordName: "r"))
                #expect(try content(fetched) == sent)
                // Saved again as a whole, by its owner: nothing has to be sent.
                let mine = try await database.record(for: CKRecord.ID(recordName: "r"))
                mine["name"] = "Nonna"
                let results = try await database.modifyRecords(
                    saving: [mine], deleting: [], savePolicy: .allKeys)
                _ = try results.saveResults[mine.recordID]?.get()
                #expect(try content(try await database.record(for: mine.recordID)) == sent)
            }
        }
    }

    @Test(arguments: CloudKind.allCases)
    func aFileIsCopiedIntoAnotherRecord(kind: CloudKind) async throws {
        let sent = bytes(10_000)
        try await withCloud(kind) { container in
            try await withFile(sent) { file in
                let database = try await container("ada").privateCloudDatabase
                try await database.save(restaurant("first", file))
                let first = try await database.record(for: CKRecord.ID(recordName: "first"))
                let second = CKRecord(recordType: "Restaurant", recordID: CKRecord.ID(recordName: "second"))
                second["image"] = first["image"]
                try await database.save(second)
                try await database.deleteRecord(withID: first.recordID)
                #expect(try content(try await database.record(for: second.recordID)) == sent)
            }
        }
    }

    @Test("Names first, then each image, with its progress", arguments: CloudKind.allCases)
    func lazily(kind: CloudKind) async throws {
        let sent = bytes(300_000)
        try await withCloud(kind) { container in
            try await withFile(sent) { file in
                let database = try await container("ada").publicCloudDatabase
                let saved = try await database.modifyRecords(
                    saving: (0..<3).map { restaurant("r\($0)", file) }, deleting: [])
                #expect(saved.saveResults.values.allSatisfy { (try? $0.get()) != nil })
                let (named, _, error) = await withCheckedContinuation { continuation in
                    fetchRestaurantNames(from: database) { continuation.resume(returning: ($0, $1, $2)) }
                }
                #expect(error == nil && named.count == 3)
                #expect(named.allSatisfy { $0.allKeys() == ["name"] && $0["image"] == nil })
                for restaurant in named {
                    let fractions = Mutex<[Double]>([])
                    let image = await withCheckedContinuation {
                        (continuation: CheckedContinuation<CKAsset?, Never>) in
                        let operation = CKFetchRecordsOperation(recordIDs: [restaurant.recordID])
                        operation.desiredKeys = ["image"]
                        operation.queuePriority = .veryHigh
                        operation.perRecordProgressBlock = { _, fraction in
                            fractions.withLock { $0.append(fraction) }
                        }
                        operation.perRecordCompletionBlock = { record, _, _ in
                            continuation.resume(returning: record?.object(forKey: "image") as? CKAsset)
                        }
                        database.add(operation)
                    }
                    #expect(try Data(contentsOf: try #require(image?.fileURL)) == sent)
                    let seen = fractions.withLock { $0 }
                    #expect(seen.last == 1 && seen == seen.sorted())
                }
            }
        }
    }

    @Test func aFileOfAnotherSizeThanAllowedIsRefused() async throws {
        try await withCloud(.live) { container in
            let database = try await container("ada").publicCloudDatabase
            try await withFile(Data()) { file in
                // A file with a hole: long, and nothing on disk.
                truncate(file.path, Limits.assetBytes + 1)
                let error = await #expect(throws: CKError.self) {
                    try await database.save(restaurant("large", file))
                }
                #expect(error?.code == .limitExceeded)
            }
            let gone = await #expect(throws: CKError.self) {
                try await database.save(restaurant("gone", URL(fileURLWithPath: "/nowhere/photo.jpg")))
            }
            #expect(gone?.code == .assetFileNotFound)
        }
    }

    @Test("The whole file goes out in pieces, and comes back in pieces")
    func progressOverTheNetwork() async throws {
        let sent = bytes(5_242_880)
        try await withCloud(.live) { container in
            try await withFile(sent) { file in
                let database = try await container("ada").publicCloudDatabase
                let events = Mutex<[Double]>([])
                await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                    let operation = CKModifyRecordsOperation(recordsToSave: [restaurant("r", file)])
                    operation.perRecordProgressBlock = { _, fraction in
                        events.withLock { $0.append(fraction) }
                    }
                    operation.modifyRecordsCompletionBlock = { _, _, error in
                        #expect(error == nil)
                        continuation.resume()
                    }
                    database.add(operation)
                }
                let seen = events.withLock { $0 }
                #expect(seen.count > 2 && seen == seen.sorted() && seen.last == 1, "\(seen)")
                #expect(Set(seen).count == seen.count)
            }
        }
    }

    @Test func aCancelledOperationLeavesNoRecord() async throws {
        try await withCloud(.live) { container in
            let database = try await container("ada").publicCloudDatabase
            try await withFile(Data(count: 50_000_000)) { file in
                let operation = CKModifyRecordsOperation(recordsToSave: [restaurant("r", file)])
                // The first bytes are out.
                operation.perRecordProgressBlock = { _, _ in operation.cancel() }
                let error = await withCheckedContinuation {
                    (continuation: CheckedContinuation<(any Error)?, Never>) in
                    operation.modifyRecordsCompletionBlock = { continuation.resume(returning: $2) }
                    database.add(operation)
                }
                #expect((error as? CKError)?.code == .operationCancelled)
                let missing = await #expect(throws: CKError.self) {
                    try await database.record(for: CKRecord.ID(recordName: "r"))
                }
                #expect(missing?.code == .unknownItem)
                // The connection and the session are good for the next one.
                try await database.save(restaurant("r", file))
            }
        }
    }

    @Test func aTaskThatIsCancelledAlreadyMovesNothing() async throws {
        try await ServiceFixture.with { fixture in
            try await fixture.withServer { url in
                let transport = HTTPTransport(url: url)
                let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
                let task = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    return try await transport.download(to: file, by: TransferRequest(address: "/healthz")) {
                        _ in
                    }
                }
                await #expect(throws: (any Error).self) { _ = try await task.value }
                #expect(!FileManager.default.fileExists(atPath: file.path))
                // The same session serves the next one.
                let answer = try await transport.download(to: file, by: TransferRequest(address: "/healthz"))
                { _ in }
                #expect(answer.status == 200)
                try? FileManager.default.removeItem(at: file)
            }
        }
    }

    @Test(
        "Only addresses of HTTP are followed",
        arguments: ["file:///etc/passwd", "ftp://host/x", "x", "", "http://"])
    func otherAddresses(address: String) async throws {
        let transport = HTTPTransport(url: try #require(URL(string: "http://127.0.0.1:1")))
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        await #expect(throws: TransportError.self) {
            try await transport.download(to: file, by: TransferRequest(address: address)) { _ in }
        }
    }
}
