import CloudKit

/// Async calls, results by id.
struct AsyncStore {
    let database: CKDatabase

    func save(_ texts: [String]) async throws -> [CKRecord.ID] {
        let records = texts.map { text -> CKRecord in
            let record = CKRecord(recordType: "Note")
            record["text"] = text
            return record
        }
        let (saveResults, _) = try await database.modifyRecords(saving: records, deleting: [])
        return try records.map { record in
            guard let result = saveResults[record.recordID] else { throw CKError(.internalError) }
            return try result.get().recordID
        }
    }

    func all() async throws -> [CKRecord] {
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
        var (matches, cursor) = try await database.records(matching: query, resultsLimit: 2)
        while let next = cursor {
            let (more, following) = try await database.records(continuingMatchFrom: next, resultsLimit: 2)
            matches += more
            cursor = following
        }
        return try matches.map { try $0.1.get() }
    }

    func delete(_ recordID: CKRecord.ID) async throws {
        try await database.deleteRecord(withID: recordID)
    }
}
