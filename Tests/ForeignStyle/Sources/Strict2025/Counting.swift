import CloudKit
import os

/// A count that several closures share.
func countRecords(of types: [String], in database: CKDatabase) async throws -> Int {
    let count = OSAllocatedUnfairLock(initialState: 0)
    try await withThrowingTaskGroup(of: Void.self) { group in
        for type in types {
            group.addTask {
                let query = CKQuery(recordType: type, predicate: NSPredicate(value: true))
                let (matches, _) = try await database.records(matching: query)
                count.withLock { $0 += matches.count }
            }
        }
        try await group.waitForAll()
    }
    return count.withLock { $0 }
}
