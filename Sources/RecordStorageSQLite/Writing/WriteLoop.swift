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
/// So durability costs one `fsync` for many requests, not one for each, and an acknowledged write is on disk. Between
/// commits it does a slice of what is left to do in the background (``BackgroundWorker``).
final class WriteLoop: Sendable {
    /// A write that waits. Running it gives what to tell its caller once the commit has succeeded or failed.
    struct Job: Sendable {
        var effort = WriteEffort.short
        var run: @Sendable (SQLiteWriter) throws -> @Sendable ((any Error)?) -> Void
        var fail: @Sendable (any Error) -> Void
    }

    /// Slices that tests ask for one by one.
    private typealias AskedSlice = @Sendable (Result<Bool, any Error>) -> Void

    private struct State {
        var askedSlices: Deque<AskedSlice> = []
        var waiting = WriteQueue()
        var copies: [CopyOrder] = []
        /// What somebody wants to do while nothing is written.
        var visits: [@Sendable () -> Void] = []
        var isOver = false
        var backgroundWork = BackgroundWork()
        var failedSlices = 0
        var isStopping = false
    }

    private let state = Mutex(State())
    /// Where what commits put into the log is copied to; nil where it is not archived.
    private let spool = Mutex<LogSpool?>(nil)
    private let signal = DispatchSemaphore(value: 0)
    /// Has one member, the thread.
    private let threads = DispatchGroup()
    private let catalog: SharedCatalog
    private let zoneCache: DefaultZoneCache
    private let log: WriteAheadLog
    private let condition: StoreCondition

    /// The most writes that one commit gathers.
    private static let jobsPerCommit = 256
    /// How long a commit does writes before it takes no further long one, in nanoseconds: whoever has a short one waits for
    /// the commit under way and for that of its own.
    private static let commitNanoseconds: UInt64 = 20_000_000

    /// Who is told of commits that logged changes.
    let listener = ChangeListener<Void>()
    let revocations = ChangeListener<Void>()
    let background: BackgroundPace.Settings
    private let horizon: DeletionHorizon
    private let clock: @Sendable () -> Int64

    /// Starts the thread.
    init(
        connection: Connection, catalog: SharedCatalog, zoneCache: DefaultZoneCache, log: WriteAheadLog,
        condition: StoreCondition, background: BackgroundPace.Settings, horizon: DeletionHorizon,
        clock: @escaping @Sendable () -> Int64
    ) {
        self.catalog = catalog
        self.zoneCache = zoneCache
        self.log = log
        self.condition = condition
        self.background = background
        self.horizon = horizon
        self.clock = clock
        threads.enter()
        let thread = Thread { [self] in work(connection) }
        thread.name = "stratus-writer"
        thread.start()
    }

    /// What is left to do in the background, as of a moment ago.
    var backgroundWork: BackgroundWork { state.withLock { $0.backgroundWork } }

    /// How many writes wait.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

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

    /// Queues a copy of the database.
    func submit(_ order: CopyOrder) {
        let isTaken = state.withLock { state in
            guard !state.isStopping else { return false }
            state.copies.append(order)
            return true
        }
        guard isTaken else { return order.end(.failure(StorageError.closed)) }
        signal.signal()
    }

    /// Calls a closure between two commits, on the writing thread; at once where that has ended.
    func betweenCommits(_ visit: @escaping @Sendable () -> Void) {
        let isTaken = state.withLock { state in
            guard !state.isOver else { return false }
            state.visits.append(visit)
            return true
        }
        guard isTaken else { return visit() }
        signal.signal()
    }

    /// Copies what commits put into the log from now on.
    func spool(into target: LogSpool) {
        spool.withLock { $0 = target }
        log.isArchived.store(true, ordering: .relaxed)
        // By the writing thread, which knows when what it has answered was committed.
        log.copier.withLock { copier in
            copier = { [weak self] in self?.betweenCommits { [weak self] in self?.takeLog() } }
        }
    }

    /// Copies what was put into the log since the last time.
    ///
    /// - Parameter time: when it was committed; nil for now.
    func takeLog(at time: Int64? = nil) {
        guard let spool = spool.withLock(\.self) else { return }
        spool.take(time: time ?? clock())
    }

    /// Runs a write and returns when the disk has it.
    func perform<Value: Sendable>(
        _ effort: WriteEffort = .short, _ body: @escaping @Sendable (SQLiteWriter) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            submit(
                Job(
                    effort: effort,
                    run: { writer in
                        let value = try body(writer)
                        if let held = value as? any SizedResult { writer.heldBytes += held.heldBytes }
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
        await threads.ended()
    }

    private func work(_ connection: Connection) {
        let writer = SQLiteWriter(
            connection: connection, catalog: catalog.current, zoneCache: zoneCache)
        let worker = BackgroundWorker(background, horizon: horizon, clock: clock)
        let copier = CopyWorker()
        publishBackgroundWork(writer)
        var dataVersion = 0
        while true {
            wait(worker, copier)
            for visit in state.withLock({ state in
                defer { state.visits = [] }
                return state.visits
            }) { visit() }
            let (jobs, isStopping) = state.withLock { state in
                let jobs = state.waiting.take(Self.jobsPerCommit)
                copier.add(state.copies)
                state.copies = []
                return (jobs, state.isStopping)
            }
            // Each job signalled once, and most are gathered by an earlier round.
            if !jobs.isEmpty {
                var rest = commit(jobs[...], writer)
                // What was put off for its size comes first now, or others would keep it waiting for ever.
                while writer.hasPutOff, !rest.isEmpty { rest = commit(rest, writer) }
                putBack(rest)
                if writer.jobsChanged {
                    worker.wake()
                    if worker.isTimeToPublish { publishBackgroundWork(writer) }
                }
            } else if isStopping {
                copier.stop()
                takeLog()
                connection.close()
                let late = state.withLock { state in
                    state.isOver = true
                    return state.visits
                }
                for visit in late { visit() }
                return threads.leave()
            }
            if hasForeignCommit(connection, since: &dataVersion) { worker.wake() }
            if let asked = state.withLock({ $0.askedSlices.popFirst() }) {
                asked(Result { try runNextSlice(worker, writer) })
            }
            copier.work(connection, writesWait: !jobs.isEmpty)
            if worker.isDue { workInBackground(worker, writer, writesWait: !jobs.isEmpty) }
        }
    }

    /// Lets what a commit had no room or no time for wait for the next one, before what came later.
    private func putBack(_ jobs: ArraySlice<Job>) {
        guard !jobs.isEmpty else { return }
        state.withLock { $0.waiting.putBack(jobs) }
        signal.signal()
    }

    /// Whether another process has written, which may have left work: SQLite counts what others commit.
    private func hasForeignCommit(_ connection: Connection, since version: inout Int) -> Bool {
        // What cannot be read now is looked at again in the next round.
        guard let now = try? connection.int("PRAGMA data_version"), now != version else { return false }
        defer { version = Int(now) }
        return version != 0
    }

    /// Sleeps until there is a write, or time for work in the background.
    private func wait(_ worker: BackgroundWorker, _ copier: CopyWorker) {
        guard let sleep = [worker.sleep, copier.sleep].compactMap(\.self).min() else { return signal.wait() }
        // Whether it was woken or slept enough makes no difference: both are looked at.
        _ = signal.wait(timeout: .now() + .nanoseconds(Int(clamping: sleep)))
    }

    /// Does one slice of what is left to do, in a transaction of its own.
    private func workInBackground(_ worker: BackgroundWorker, _ writer: SQLiteWriter, writesWait: Bool) {
        guard condition.health == .good else { return worker.failed(nil) }
        // What waits to be removed can wait longer than a log that is to start over.
        guard !log.isFull else {
            log.restartInPassing(writer.connection)
            return worker.waited()
        }
        let start = Uptime.nanoseconds
        var task: BackgroundWorker.Task?
        do {
            task = try worker.next(writer)
            guard let task else {
                publishBackgroundWork(writer)
                return worker.rest()
            }
            try runSlice(task, worker, writer)
            worker.ended(since: start, writesWait: writesWait)
            if worker.isTimeToPublish { publishBackgroundWork(writer) }
        } catch {
            // It is still to be done; what the disk refuses now it may take later.
            worker.failed(task)
            noteFailedSlice(error)
        }
    }

    /// Tells the operator: what stays undone keeps its room. A full disk and a lock of another process have their own words.
    private func noteFailedSlice(_ error: any Error) {
        state.withLock { $0.failedSlices += 1 }
        if let error = error as? StorageError, error.isFull || error.isTemporary { return }
        condition.report("background", "Work in the background failed, and is tried again: \(error)")
    }

    /// The slices of work in the background that failed.
    var failedSlices: Int { state.withLock { $0.failedSlices } }

    /// Does one slice for a test; false where there was nothing to do.
    private func runNextSlice(_ worker: BackgroundWorker, _ writer: SQLiteWriter) throws -> Bool {
        guard let task = try worker.next(writer) else { return false }
        try runSlice(task, worker, writer)
        publishBackgroundWork(writer)
        return true
    }

    /// Counts what is left to do, for whoever asks.
    private func publishBackgroundWork(_ writer: SQLiteWriter) {
        // A number for people: where the disk refuses it, the last one stays.
        guard let work = try? writer.backgroundWork() else { return }
        state.withLock { $0.backgroundWork = work }
    }

    /// Has the thread do one slice; false where there was nothing to do.
    func runSlice() async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            state.withLock { $0.askedSlices.append { continuation.resume(with: $0) } }
            signal.signal()
        }
    }

    private func runSlice(_ task: BackgroundWorker.Task, _ worker: BackgroundWorker, _ writer: SQLiteWriter)
        throws
    {
        let before = catalog.current
        do {
            try log.makeRoom(writer.connection)
            try begin(writer, task.durability)
            let sequence = writer.sequence
            try worker.work(on: task, writer)
            assert(
                writer.sequence == sequence || task.durability == .disk,
                "A sequence number that clients may see has to be on disk.")
            try writer.prepareCommit()
        } catch {
            rollBack(writer, to: before)
            if let error = error as? StorageError, error.isFull { condition.noteFull() }
            throw error
        }
        try end(writer, before)
        takeLog()
    }

    /// Runs jobs in one transaction and tells their callers.
    ///
    /// - Returns: those that are left, since the transaction has become large or has taken long.
    private func commit(_ jobs: ArraySlice<Job>, _ writer: SQLiteWriter) -> ArraySlice<Job> {
        var rest = jobs
        var outcomes: [@Sendable ((any Error)?) -> Void] = []
        let before = catalog.current
        writer.hasPutOff = false
        do {
            try log.makeRoom(writer.connection)
            try begin(writer)
            let end = Uptime.nanoseconds + Self.commitNanoseconds
            // One that fails as the transaction does is told with the others, so it leaves the queue afterwards.
            while let job = rest.first, !isLarge(writer),
                job.effort == .short || outcomes.isEmpty || Uptime.nanoseconds < end
            {
                writer.admitsLarge = outcomes.isEmpty
                guard let outcome = try run(job, writer) else { break }
                outcomes.append(outcome)
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
            try end(writer, before)
        } catch {
            for outcome in outcomes { outcome(error) }
            return rest
        }
        let time = clock()
        for outcome in outcomes { outcome(nil) }
        // Afterwards: nobody waits for the copy.
        takeLog(at: time)
        return rest
    }

    /// Ends a transaction that failed; SQLite may have done so already.
    private func rollBack(_ writer: SQLiteWriter, to catalog: Catalog) {
        writer.connection.rollBack()
        writer.restore(catalog)
    }

    /// Whether the transaction has put so much into the log, or holds so much for its callers, that what waits goes into
    /// the next one.
    private func isLarge(_ writer: SQLiteWriter) -> Bool {
        writer.heldBytes >= LogBounds.commitHeldBytes
            || spilledPages(writer.connection, resets: false) * log.frameBytes >= LogBounds.commitBytes
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

    /// Commits, and publishes the changes of tables.
    private func end(_ writer: SQLiteWriter, _ before: Catalog) throws {
        do {
            try writer.connection.commit()
        } catch {
            rollBack(writer, to: before)
            condition.noteFailedCommit(error)
            throw error
        }
        assert(!writer.connection.isInTransaction, "a commit ends the transaction")
        if writer.hasLogged { listener.call() }
        if writer.hasRevoked { revocations.call() }
        guard writer.catalogChanged else { return }
        catalog.set(writer.catalog)
        assert(catalog.current.version >= writer.catalog.version, "Readers would miss a change of tables.")
    }

    private func begin(_ writer: SQLiteWriter, _ durability: Connection.Durability = .disk) throws {
        assert(!writer.connection.isInTransaction, "A transaction was left open.")
        writer.heldBytes = 0
        spilledPages(writer.connection, resets: true)
        try writer.connection.begin(durability)
        // What another process committed: this transaction may begin the log again, over it.
        takeLog()
        // Another process, `stratus schema deploy` for example, may have changed the tables.
        if try writer.connection.meta(.schemaVersion) != writer.catalog.version {
            writer.restore(try Catalog.load(writer.connection))
            catalog.set(writer.catalog)
        }
        try writer.begin()
        // What is done in about no time need not be left to the background.
        if background.rowsAtOnce > 0 { writer.inlineBudget = WorkBudget(rows: background.rowsAtOnce) }
    }

    /// Runs one job in a savepoint.
    ///
    /// - Returns: what tells the job's caller, with the commit's error if it has one; of a job that failed by itself, its own.
    ///   Nil where the job is put off to the next transaction.
    private func run(_ job: Job, _ writer: SQLiteWriter) throws -> (@Sendable ((any Error)?) -> Void)? {
        try writer.connection.statement("SAVEPOINT job").run()
        let catalogBefore = writer.catalog
        writer.isInSavepoint = true
        defer { writer.isInSavepoint = false }
        do {
            let outcome = try job.run(writer)
            try writer.connection.statement("RELEASE job").run()
            writer.usageChanges.settle()
            return outcome
        } catch {
            // When even this fails, the transaction is gone and so are all of its jobs: a full disk does that.
            do {
                try writer.connection.execute("ROLLBACK TO job; RELEASE job")
            } catch let consequence {
                throw error is StorageError ? error : consequence
            }
            writer.usageChanges.undo()
            if writer.catalog.version != catalogBefore.version || writer.catalogChanged {
                writer.restore(catalogBefore)
            }
            if error is SQLiteWriter.IsPutOff {
                writer.hasPutOff = true
                return nil
            }
            if let held = error as? any SizedResult { writer.heldBytes += held.heldBytes }
            let told = error
            return { _ in job.fail(told) }
        }
    }
}
