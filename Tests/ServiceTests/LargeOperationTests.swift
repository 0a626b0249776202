import CloudKit
import Testing

/// Operations as large as CloudKit documents them: apps cut their work into 400 items.
@Suite struct LargeOperationTests {
    private let zone = CKRecordZone(zoneName: "Import")

    private func id(_ number: Int) -> CKRecord.ID {
        CKRecord.ID(recordName: "r\(number)", zoneID: zone.zoneID)
    }

    private func records(_ numbers: Range<Int>) -> [CKRecord] {
        numbers.map { number in
            let record = CKRecord(recordType: "Item", recordID: id(number))
            record["number"] = number
            return record
        }
    }

    /// The numbers of the records that are there.
    private func stored(in database: CKDatabase, _ numbers: Range<Int>) async throws -> Set<Int> {
        let found = try await database.records(for: numbers.map(id))
        return Set(numbers.filter { found[id($0)].flatMap { try? $0.get() } != nil })
    }

    private func run(
        _ database: CKDatabase, saving records: [CKRecord], deleting ids: [CKRecord.ID] = []
    ) async -> CKError? {
        await withCheckedContinuation { continuation in
            let operation = CKModifyRecordsOperation(recordsToSave: records, recordIDsToDelete: ids)
            operation.modifyRecordsResultBlock = { result in
                if case .failure(let error) = result {
                    continuation.resume(returning: error as? CKError)
                } else {
                    continuation.resume(returning: nil)
                }
            }
            database.add(operation)
        }
    }

    @Test(
        "400 records of a zone are saved at once, and so are 200 saves with 200 deletions",
        arguments: CloudKind.allCases)
    func fourHundred(kind: CloudKind) async throws {
        try await withCloud(kind) { container in
            let database = try await container("ada").privateCloudDatabase
            try await database.save(zone)
            #expect(await run(database, saving: records(0..<400)) == nil)
            #expect(try await stored(in: database, 0..<400).count == 400)
            #expect(await run(database, saving: records(400..<600), deleting: (0..<200).map(id)) == nil)
            #expect(try await stored(in: database, 0..<600) == Set(200..<600))
        }
    }

    @Test("They are saved whole or not at all", arguments: [201, 400])
    func whole(count: Int) async throws {
        try await withCloud(.engine) { container in
            let database = try await container("ada").privateCloudDatabase
            try await database.save(zone)
            #expect(await run(database, saving: records(count - 1..<count)) == nil)
            // The last one exists, and was not fetched.
            let error = await run(database, saving: records(0..<count))
            let errors = error?.partialErrorsByItemID ?? [:]
            #expect((errors[id(count - 1)] as? CKError)?.code == .serverRecordChanged)
            #expect((errors[id(0)] as? CKError)?.code == .batchRequestFailed && errors.count == count)
            #expect(try await stored(in: database, 0..<count) == [count - 1])
        }
    }

    @Test("One more is refused, and nothing is saved; without atomicity any number is saved")
    func more() async throws {
        try await withCloud(.engine) { container in
            let database = try await container("ada").privateCloudDatabase
            try await database.save(zone)
            #expect(await run(database, saving: records(0..<401))?.code == .limitExceeded)
            #expect(try await stored(in: database, 0..<401).isEmpty)
            let results = try await database.modifyRecords(
                saving: records(0..<401), deleting: [], savePolicy: .ifServerRecordUnchanged,
                atomically: false)
            #expect(results.saveResults.values.allSatisfy { (try? $0.get()) != nil })
            #expect(try await stored(in: database, 0..<401).count == 401)
        }
    }
}
