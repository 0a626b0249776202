import CStratusSQLite
import DequeModule
import Foundation
import RecordModel
import RecordStorage
import SQLiteAccess
import Synchronization

/// The one thread that writes: it gathers what waits, runs each write in a savepoint of its own, and makes all
/// of them durable with one commit.
///
/// So durability costs one `fsync` for many requests, not one for each, and an acknowledged write is on disk.
final class WriteLoop: Sendable {
    /// A write that waits. Running it gives what to tell its caller once the commit has succeeded or failed.
    struct Job: Sendable {
        var run: @Sendable (SQLiteWriter) throws -> @Sendable ((any Error)?) -> Void
        var fail: @Sendable (any Error) -> Void
    }

    private struct State {
        var waiting: Deque<Job> = []
        var isStopping = false
        var hasStopped = false
    }

    private let state = Mutex(State())
    private let signal = DispatchSemaphore(value: 0)
    private let catalog: SharedCatalog
    private let log: WriteAheadLog
    private let condition: StoreCondition

    /// The most writes that one commit gathers.
    private static let jobsPerCommit = 256

    /// Starts the thread.
    init(
        connection: Connection, catalog: SharedCatalog, log: WriteAheadLog, condition: StoreCondition
    ) {
        self.catalog = catalog
        self.log = log
        self.condition = condition
        let thread = Thread { [self] in work(connection) }
        thread.name = "stratus-writer"
        thread.start()
    }

    /// Queues a write.
    func submit(_ job: Job) {
        let refusal: StorageError? = state.withLock { state in
            if state.isStopping { return .closed }
            if let refusal = condition.refusal { return refusal }
            if state.waiting.count >= Limits.waitingWrites { return .busy }
            state.waiting.append(job)
            return nil
        }
        if let refusal { return job.fail(refusal) }
        signal.signal()
    }

    /// Runs a write and returns when the disk has it.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (SQLiteWriter) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            submit(
                Job(
                    run: { writer in
                        let value = try body(writer)
                        return { error in
                            if let error {
                                continuation.resume(throwing: error)
                            } else {
                                continuation.resume(returning: value)
                            }
                        }
                    },
                    fail: { continuation.resume(throwing: $0) }))
        }
    }

    /// Finishes what waits, and ends the thread.
    func stop() async {
        state.withLock { $0.isStopping = true }
        condition.noteClosed()
        signal.signal()
        // A cancelled task sleeps no more, but the thread has to be waited for all the same.
        while !state.withLock({ $0.hasStopped }) { try? await Task.sleep(for: .milliseconds(2)) }
    }

    private func work(_ connection: Connection) {
        let writer = SQLiteWriter(connection: connection, catalog: catalog.current)
        while true {
            signal.wait()
            let (jobs, isStopping) = state.withLock { state in
                let count = min(state.waiting.count, Self.jobsPerCommit)
                let jobs = Array(state.waiting.prefix(count))
                state.waiting.removeFirst(count)
                return (jobs, state.isStopping)
            }
            // Each job signalled once, and most are gathered by an earlier round.
            if !jobs.isEmpty {
                var rest = jobs[...]
                while !rest.isEmpty { rest = commit(rest, writer) }
            } else if isStopping {
                connection.close()
                state.withLock { $0.hasStopped = true }
                return
            }
        }
    }

    /// Runs jobs in one transaction and tells their callers.
    ///
    /// - Returns: those that are left, since the transaction has become large.
    private func commit(_ jobs: ArraySlice<Job>, _ writer: SQLiteWriter) -> ArraySlice<Job> {
        var rest = jobs
        var outcomes: [@Sendable ((any Error)?) -> Void] = []
        let before = catalog.current
        do {
            try log.makeRoom(writer.connection)
            try begin(writer)
            // One that fails as the transaction does is told with the others, so it leaves the queue afterwards.
            while let job = rest.first, !isLarge(writer.connection) {
                if let outcome = try run(job, writer) { outcomes.append(outcome) }
                rest.removeFirst()
            }
            try writer.prepareCommit()
        } catch {
            // Nothing was made durable, so all of them failed alike.
            rollBack(writer, to: before)
            if let error = error as? StorageError, error.isFull { condition.noteFull() }
            for outcome in outcomes { outcome(error) }
            for job in rest { job.fail(error) }
            return []
        }
        do {
            try writer.connection.execute("COMMIT")
        } catch {
            rollBack(writer, to: before)
            condition.noteFailedCommit(error)
            for outcome in outcomes { outcome(error) }
            return rest
        }
        assert(!writer.connection.isInTransaction, "a commit ends the transaction")
        if writer.catalogChanged { catalog.set(writer.catalog) }
        for outcome in outcomes { outcome(nil) }
        return rest
    }

    /// Ends a transaction that failed; SQLite may have done so already.
    private func rollBack(_ writer: SQLiteWriter, to catalog: Catalog) {
        if writer.connection.isInTransaction {
            do { try writer.connection.execute("ROLLBACK") } catch { condition.noteFailedCommit(error) }
        }
        writer.restore(catalog)
    }

    /// Whether the transaction has put so much into the log that what waits goes into the next one.
    private func isLarge(_ connection: Connection) -> Bool {
        spilledPages(connection, resets: false) * log.frameBytes >= LogBounds.commitBytes
    }

    /// The pages that did not fit into the cache, and so are in the log before the commit.
    @discardableResult
    private func spilledPages(_ connection: Connection, resets: Bool) -> Int {
        var pages: Int32 = 0
        var highest: Int32 = 0
        let code = sqlite3_db_status(
            connection.handle, SQLITE_DBSTATUS_CACHE_SPILL, &pages, &highest, resets ? 1 : 0)
        assert(code == SQLITE_OK, "SQLite knows this figure")
        return Int(pages)
    }

    private func begin(_ writer: SQLiteWriter) throws {
        spilledPages(writer.connection, resets: true)
        try writer.connection.execute("BEGIN IMMEDIATE")
        // Another process, `stratus schema deploy` for example, may have changed the tables.
        if try writer.connection.meta(.schemaVersion) != writer.catalog.version {
            writer.restore(try Catalog.load(writer.connection))
            catalog.set(writer.catalog)
        }
        try writer.begin()
    }

    /// Runs one job in a savepoint; nil when it failed by itself, which its caller knows.
    private func run(_ job: Job, _ writer: SQLiteWriter) throws -> (@Sendable ((any Error)?) -> Void)? {
        try writer.connection.statement("SAVEPOINT job").run()
        let catalogBefore = writer.catalog
        do {
            let outcome = try job.run(writer)
            try writer.connection.statement("RELEASE job").run()
            return outcome
        } catch {
            // When even this fails, the transaction is gone and so are all of its jobs: a full disk does that.
            do {
                try writer.connection.execute("ROLLBACK TO job; RELEASE job")
            } catch let consequence {
                throw error is StorageError ? error : consequence
            }
            if writer.catalog.version != catalogBefore.version || writer.catalogChanged {
                writer.restore(catalogBefore)
            }
            let told = error
            return { _ in job.fail(told) }
        }
    }
}
