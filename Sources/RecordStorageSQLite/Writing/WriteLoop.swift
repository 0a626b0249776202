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
        var health = StoreHealth.good
        var isStopping = false
        var hasStopped = false
    }

    private let state = Mutex(State())
    private let signal = DispatchSemaphore(value: 0)
    private let catalog: SharedCatalog

    /// The most writes that one commit gathers.
    private static let jobsPerCommit = 256

    /// Starts the thread.
    init(connection: Connection, catalog: SharedCatalog) {
        self.catalog = catalog
        let thread = Thread { [self] in work(connection) }
        thread.name = "stratus-writer"
        thread.start()
    }

    var health: StoreHealth { state.withLock { $0.health } }

    /// Queues a write.
    func submit(_ job: Job) {
        let refusal: StorageError? = state.withLock { state in
            if state.isStopping { return .closed }
            if case .readOnly(let reason) = state.health { return .readOnly(reason: reason) }
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
        state.withLock {
            $0.isStopping = true
            $0.health = .closed
        }
        signal.signal()
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
                commit(jobs, writer)
            } else if isStopping {
                connection.close()
                state.withLock { $0.hasStopped = true }
                return
            }
        }
    }

    /// Runs the jobs in one transaction and tells their callers.
    private func commit(_ jobs: [Job], _ writer: SQLiteWriter) {
        var outcomes: [@Sendable ((any Error)?) -> Void] = []
        let before = catalog.current
        do {
            try begin(writer)
            for job in jobs {
                if let outcome = try run(job, writer) { outcomes.append(outcome) }
            }
            try writer.prepareCommit()
        } catch {
            // Nothing was made durable, so all of them failed alike.
            try? writer.connection.execute("ROLLBACK")
            writer.restore(before)
            for outcome in outcomes { outcome(error) }
            for job in jobs.dropFirst(outcomes.count) { job.fail(error) }
            return
        }
        do {
            try writer.connection.execute("COMMIT")
        } catch {
            try? writer.connection.execute("ROLLBACK")
            writer.restore(before)
            noteFailedCommit(error)
            for outcome in outcomes { outcome(error) }
            return
        }
        if writer.catalogChanged { catalog.set(writer.catalog) }
        for outcome in outcomes { outcome(nil) }
    }

    private func begin(_ writer: SQLiteWriter) throws {
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

    /// After a commit that the disk did not confirm, nothing is acknowledged any more: what the file system
    /// holds is unknown, and a second attempt may report a false success. A full disk is no such case: nothing was
    /// lost.
    private func noteFailedCommit(_ error: any Error) {
        guard let storage = error as? StorageError, !storage.isTemporary else { return }
        state.withLock { state in
            if state.health == .good { state.health = .readOnly(reason: storage.description) }
        }
    }
}
