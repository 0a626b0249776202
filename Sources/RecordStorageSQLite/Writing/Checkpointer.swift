import CStratusSQLite
import Foundation
import RecordStorage
import SQLiteAccess
import Synchronization

/// Moves the write-ahead log into the database file on a thread of its own, and looks there for changes that
/// other processes made to the tables.
final class Checkpointer: Sendable {
    private let connection: Connection
    private let catalog: SharedCatalog
    private let logPath: String
    private let isStopping = Atomic<Bool>(false)
    private let hasStopped = Atomic<Bool>(false)

    /// The size of the log from which it is moved, in bytes; small logs are read faster and large ones are
    /// written with fewer moves of the same page.
    private static let logBytes = 16 << 20
    /// How often the thread looks, in seconds.
    private static let interval = 0.5

    init(connection: Connection, catalog: SharedCatalog, path: String) {
        self.connection = connection
        self.catalog = catalog
        logPath = path + "-wal"
        let thread = Thread { [self] in work() }
        thread.name = "stratus-checkpoint"
        thread.start()
    }

    /// Ends the thread; the log is moved a last time.
    func stop() async {
        isStopping.store(true, ordering: .relaxed)
        while !hasStopped.load(ordering: .acquiring) { try? await Task.sleep(for: .milliseconds(5)) }
    }

    private func work() {
        var pauses = 0.0
        while !isStopping.load(ordering: .relaxed) {
            Thread.sleep(forTimeInterval: 0.05)
            pauses += 0.05
            guard pauses >= Self.interval else { continue }
            pauses = 0
            // Both only help others; what fails now is tried again soon, and a commit reports a broken disk.
            if logSize() > Self.logBytes {
                sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
            }
            try? noticeOtherProcesses()
        }
        sqlite3_wal_checkpoint_v2(connection.handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        connection.close()
        hasStopped.store(true, ordering: .releasing)
    }

    private func logSize() -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: logPath)
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }

    private func noticeOtherProcesses() throws {
        guard try connection.meta(.schemaVersion) > catalog.current.version else { return }
        catalog.set(try Catalog.load(connection))
    }
}
