import CloudKit
import Synchronization

/// Completion handlers are sendable, so what they write is guarded.
final class SendableHandlers: Sendable {
    private let names = Mutex<[String]>([])

    func load(from database: CKDatabase, then done: @escaping @Sendable ([String]) -> Void) {
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "TRUEPREDICATE"))
        database.fetch(withQuery: query) { result in
            switch result {
            case .success(let page):
                let names = self.names.withLock { names in
                    names += page.matchResults.map(\.0.recordName)
                    return names
                }
                done(names.sorted())
            case .failure:
                done([])
            }
        }
    }
}
