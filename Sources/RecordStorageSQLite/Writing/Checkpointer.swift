import CStratusSQLite
import Foundation
import RecordStorage
import SQLiteAccess
import Synchronization

/// Moves the write-ahead log into the database file on a thread of its own, looks there for changes that other
/// processes made to the tables, and after the disk was full, for room.
final class Checkpointer: Sendable {
    private let connection: Connection
    private let catalog: SharedCatalog
    private let log: WriteAheadLog
    private let condition: StoreCondition
    /// What is kept back for a full disk; nil where this is not the server.
    private let room: ReservedRoom?
    private let isStopping = Atomic<Bool>(false)
    /// Has one member, the thread.
    private let threads = DispatchGroup()

    /// How often the thread looks for what nobody wakes it for, in seconds.
    private static let interval = 0.5

    init(
        connection: Connection, catalog: SharedCatalog, log: WriteAheadLog, condition: StoreCondition,
        room: ReservedRoom?
    ) {
        self.connection = connection
        self.catalog = catalog
        self.log = log
        self.condition = condition
        self.room = room
        threads.enter()
        let thread = Thread { [self] in work() }
        thread.name = "stratus-checkpoint"
        thread.start()
    }

    /// Ends the thread; the server moves the log a last time.
    func stop() async {
        isStopping.store(true, ordering: .relaxed)
        log.wake.signal()
        await threads.ended()
    }

    private func work() {
        var lastLook = DispatchTime.now()
        while !isStopping.load(ordering: .relaxed) {
            // Whether it was woken or had waited long enough: it looks at what there is to do.
            _ = log.wake.wait(timeout: .now() + Self.interval)
            log.move(connection)
            guard DispatchTime.now() >= lastLook + Self.interval else { continue }
            lastLook = .now()
            look()
        }
        finish()
        threads.leave()
    }

    private func look() {
        if room != nil, log.isIdle { log.empty(connection) }
        if condition.health == .full { lookForRoom() }
        do { try noticeOtherProcesses() } catch {
            // It is tried again soon. Until then requests are answered by the tables as they were.
            condition.report("catalog", "The schema could not be read: \(error)")
        }
    }

    private func noticeOtherProcesses() throws {
        guard try connection.meta(.schemaVersion) > catalog.current.version else { return }
        catalog.set(try Catalog.load(connection))
    }

    /// Empties the log, with the room that is kept back for it, and takes that room again.
    private func lookForRoom() {
        guard let room else { return }
        emptyLog(room)
        guard room.restore() else { return }
        log.set(LogBounds(reservedBytes: room.bytes))
        condition.noteRoom()
    }

    private func emptyLog(_ room: ReservedRoom) {
        // A reader that holds the log is no reason to give room away: the next look comes soon.
        while log.fileBytes > 0, !log.empty(connection), log.wasFull {
            guard room.giveForLog() else { return }
        }
    }

    private func finish() {
        if let room {
            emptyLog(room)
            // As much as there is for the next start; it takes what it finds.
            _ = room.restore()
        }
        if !condition.isDiskSound {
            // What the disk did not confirm must not be moved: the next start reads it from the log.
            let code = stratus_sqlite3_keep_log(connection.handle)
            assert(code == SQLITE_OK, "the setting is known")
        }
        connection.close()
    }
}
