import CloudKit

/// Strict concurrency: an actor, sendable values only.
actor RecordCache {
    private var records: [CKRecord.ID: CKRecord] = [:]
    private let database: CKDatabase

    init(database: CKDatabase) {
        self.database = database
    }

    func text(of recordID: CKRecord.ID) async throws -> String? {
        if let record = records[recordID] { return record["text"] }
        let record = try await database.record(for: recordID)
        records[recordID] = record
        return record["text"]
    }
}
