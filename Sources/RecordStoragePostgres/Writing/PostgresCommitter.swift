internal import DequeModule
internal import Dispatch
internal import Foundation
internal import PostgresAccess
internal import RecordModel
internal import RecordStorage
internal import Synchronization

/// The one thread of a node that writes: it gathers what waits, runs it as one transaction (``PostgresTransaction``) and
/// commits it together, so that the price of a commit, of the lock and of each question is shared.
///
/// Writes of all nodes follow each other: each transaction locks the row of the sequence number first. A commit whose
/// answer was lost is looked up before anybody gets an answer: the transaction leaves its number in the node's row of
/// `committer`.
final class PostgresCommitter: Sendable {
    /// A write that waits. Running it gives what to tell its caller once the commit has succeeded or failed.
    struct Job: Sendable {
        var run: @Sendable (PostgresWriter) throws -> @Sendable ((any Error)?) -> Void
        var fail: @Sendable (any Error) -> Void
        /// How often it was begun, and another transaction was in its way.
        var conflicts = 0
    }

    private struct State {
        var waiting: Deque<Job> = []
        /// Those that change tables, which run by themselves.
        var alone: Deque<Job> = []
        var postponed = PostponedWrites()
        var failure: String?
        var isStopping = false
    }

    private let state = Mutex(State())
    private let signal = DispatchSemaphore(value: 0)
    private let end = ThreadEnd()
    private let catalog: SharedPostgresCatalog
    private let connect: @Sendable () throws -> PostgresConnection
    private let node: [UInt8]
    private let watched = SharedWatchedTypes()
    /// Who is told of commits of this node that logged changes.
    let listener = ChangeListener<Void>()
    /// Who is told of commits of any node that took something away from callers.
    let revocations = ChangeListener<Void>()

    /// The most writes that one commit gathers: beyond 64 savepoints PostgreSQL keeps them on disk.
    private static let jobsPerCommit = 64
    /// How often a write is begun that another transaction is in the way of: for some twenty seconds where that one keeps a
    /// table from being changed.
    private static let tries = 80
    /// How long others have the thread before a write is tried again that waited for a lock in vain, or that met with
    /// another transaction or an index.
    private static let lockDelay = Duration.milliseconds(250)
    private static let conflictDelay = Duration.milliseconds(20)

    init(
        node: [UInt8], catalog: SharedPostgresCatalog,
        connect: @escaping @Sendable () throws -> PostgresConnection
    ) {
        self.node = node
        self.catalog = catalog
        self.connect = connect
        let thread = Thread { [self] in work() }
        thread.name = "stratus-committer"
        thread.start()
    }

    var health: StoreHealth {
        state.withLock { state in
            state.isStopping ? .closed : state.failure.map { .readOnly(reason: $0) } ?? .good
        }
    }

    /// Runs a write and returns when it is committed.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresWriter) throws -> Value
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

    private func submit(_ job: Job) {
        let refusal: StorageError? = state.withLock { state in
            if state.isStopping { return .closed }
            if state.waiting.count + state.alone.count + state.postponed.count >= Limits.waitingWrites {
                return .busy
            }
            state.waiting.append(job)
            return nil
        }
        if let refusal { return job.fail(refusal) }
        signal.signal()
    }

    /// Finishes what waits, and ends the thread.
    func stop() async {
        state.withLock { $0.isStopping = true }
        signal.signal()
        await end.wait()
    }

    // MARK: The thread

    private func work() {
        var connection: PostgresConnection?
        var batch: Int64 = 0
        while true {
            waitForWork(&connection)
            let (jobs, isDone) = state.withLock { state in
                if let job = state.postponed.take() ?? state.alone.popFirst() { return ([job], false) }
                let count = min(state.waiting.count, Self.jobsPerCommit)
                let jobs = Array(state.waiting.prefix(count))
                state.waiting.removeFirst(count)
                return (jobs, state.isStopping && state.postponed.count == 0)
            }
            // Each job signalled once, and most are gathered by an earlier round.
            if !jobs.isEmpty {
                batch += 1
                commit(jobs, batch: batch, &connection)
            } else if isDone {
                connection?.close()
                return end.come()
            }
        }
    }

    /// How long a node whose database cannot be reached waits before it tries again.
    private static let pauseBetweenTries = DispatchTimeInterval.milliseconds(500)

    /// Waits for a write, or until one that was postponed may be tried; not where only the end is left.
    ///
    /// A node that is not ready gets no writes, so it finds out by itself when the database is there again.
    private func waitForWork(_ connection: inout PostgresConnection?) {
        while state.withLock({ $0.failure != nil && !$0.isStopping }) {
            if signal.wait(timeout: .now() + Self.pauseBetweenTries) == .success { return }
            do {
                if connection?.isOpen != true { connection = try connect() }
                _ = try connection?.run(sql: "SELECT 1")
                state.withLock { $0.failure = nil }
            } catch {
                note(failure: error)
            }
        }
        let (next, isStopping) = state.withLock { ($0.postponed.nextTry, $0.isStopping) }
        if let next {
            let wait = max(.zero, next - .now) / .milliseconds(1)
            _ = signal.wait(timeout: .now() + .milliseconds(Int(wait.rounded(.up))))
        } else if !isStopping {
            signal.wait()
        }
    }

    private func commit(_ jobs: [Job], batch: Int64, _ connection: inout PostgresConnection?) {
        do {
            if connection?.isOpen != true { connection = try connect() }
        } catch {
            note(failure: error)
            for job in jobs { job.fail(StorageError(error)) }
            return
        }
        guard let open = connection else { return }
        state.withLock { $0.failure = nil }
        var left = jobs
        var attempt = 0
        while !left.isEmpty {
            let transaction = PostgresTransaction(
                connection: open, catalog: catalog, node: node, batch: batch, watched: watched,
                listener: listener, revocations: revocations)
            switch transaction.run(left[...]) {
            case .done: return
            case .partly(let rest): return putBack(left.suffix(rest))
            case .changesTables(let number):
                let job = left.remove(at: number)
                state.withLock { $0.alone.append(job) }
                signal.signal()
            case .conflict(let error, let culprit?):
                postpone(left.remove(at: culprit), error, open)
            case .conflict(let error, nil):
                attempt += 1
                makeWay(for: error, attempt: attempt, open)
                if attempt >= Self.tries {
                    for job in left { job.fail(StorageError(error)) }
                    return
                }
                // Alone from now on, so that one that has to wait for others does not hold them up.
                for job in left.dropFirst() { requeue(job) }
                left = Array(left.prefix(1))
            case .lost(let outcomes, let error):
                note(failure: error)
                tell(outcomes, left[...], batch: batch, error, &connection)
                // A full transaction did not begin all of them.
                if let outcomes { putBack(left.dropFirst(outcomes.count)) }
                return
            }
        }
    }

    /// Tries a write again later, between those of others.
    private func postpone(_ job: Job, _ error: any Error, _ connection: PostgresConnection) {
        var job = job
        job.conflicts += 1
        makeWay(for: error, attempt: job.conflicts, connection)
        guard job.conflicts < Self.tries else { return job.fail(StorageError(error)) }
        let delay = (error as? PostgresFailure)?.isLockTimeout == true ? Self.lockDelay : Self.conflictDelay
        state.withLock { $0.postponed.add(job, delay: delay) }
    }

    /// How often a write is tried beside the making of an index, which keeps tables from being changed.
    private static let triesBesideIndexes = 5

    /// Indexes that were made for queries must not keep a write from being stored.
    private func makeWay(for error: any Error, attempt: Int, _ connection: PostgresConnection) {
        if let index = PostgresAutomaticIndex.refusing(error) {
            do {
                try connection.transaction { _ = try connection.run(PostgresAutomaticIndex.removing(index)) }
                catalog.setIndexes(
                    PostgresAutomaticIndex.all(try connection.run([PostgresAutomaticIndex.list])[0]))
                submitQuietly { try $0.takeIndexes() }
            } catch {
                // It is tried again with the write.
            }
        } else if attempt % Self.triesBesideIndexes == 0 {
            // The write is tried again all the same, and says then what is wrong.
            _ = try? connection.run([PostgresAutomaticIndex.stopMaking])
        }
    }

    private func submitQuietly(_ body: @escaping @Sendable (PostgresWriter) throws -> Void) {
        submit(
            Job(
                run: { writer in
                    try body(writer)
                    return { _ in }
                }, fail: { _ in }))
    }

    /// Lets writes be the next ones: of a commit that has its number, no other one may have the same.
    private func putBack(_ jobs: ArraySlice<Job>) {
        guard !jobs.isEmpty else { return }
        state.withLock { $0.waiting.prepend(contentsOf: jobs) }
        signal.signal()
    }

    private func requeue(_ job: Job) {
        state.withLock { $0.waiting.append(job) }
        signal.signal()
    }

    /// Tells the callers of a commit whose answer was lost what became of it.
    private func tell(
        _ outcomes: [@Sendable ((any Error)?) -> Void]?, _ jobs: ArraySlice<Job>, batch: Int64,
        _ error: any Error, _ connection: inout PostgresConnection?
    ) {
        guard let outcomes else {
            for job in jobs { job.fail(StorageError(error)) }
            return
        }
        connection = nil
        for attempt in 0..<20 {
            do {
                let fresh = try connect()
                let rows = try fresh.transaction {
                    // Waits for a transaction that may still be running on the server: the node's own row would not do,
                    // since nobody sees the first one of a node before its commit.
                    try fresh.run(sql: "SELECT value FROM meta WHERE key = 'sequence' FOR UPDATE")
                    return try fresh.run(
                        PostgresStatement("SELECT batch FROM committer WHERE node = $1", .bytea),
                        .bytes(node))
                }
                connection = fresh
                let isStored = rows.count > 0 && rows.int(0, 0) == batch
                for outcome in outcomes { outcome(isStored ? nil : StorageError(error)) }
                return
            } catch {
                Thread.sleep(forTimeInterval: min(1, 0.05 * Double(attempt + 1)))
            }
        }
        for outcome in outcomes { outcome(StorageError.outcomeUnknown(error)) }
    }

    private func note(failure: any Error) {
        state.withLock { $0.failure = "\(failure)" }
    }
}
