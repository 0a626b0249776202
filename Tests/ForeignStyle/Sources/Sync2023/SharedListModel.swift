import CloudKit
import OSLog

/// A view model as samples have it: observable without `import Combine`, which Foundation brings on Apple's platforms.
@MainActor
final class SharedListModel: ObservableObject {
    enum State {
        case idle
        case loaded([String])
        case failed(Error)
    }

    @Published private(set) var state: State = .idle
    @Published var zone: CKRecordZone?
    private let database: CKDatabase
    private let logger = Logger(subsystem: "com.example.lists", category: "model")

    init(database: CKDatabase) {
        self.database = database
    }

    func load() async {
        do {
            let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
            let (results, _) = try await database.records(matching: query, inZoneWith: zone?.zoneID)
            let names = results.map { $0.0.recordName }
            logger.info("loaded \(names) of \(self.zone)")
            state = .loaded(names)
        } catch {
            logger.error(
                "loading \(self.zone?.zoneID) failed: \(error.localizedDescription, privacy: .public)")
            os_log(.error, "loading failed")
            state = .failed(error)
        }
    }
}
