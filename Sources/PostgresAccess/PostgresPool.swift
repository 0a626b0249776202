internal import DequeModule
internal import Dispatch
internal import Foundation
internal import Synchronization

/// Connections to one PostgreSQL, each on a thread of its own that may wait.
///
/// A piece of work has one connection to itself. One that was lost is opened again when it is next needed; a task that
/// is cancelled leaves the queue, or has its statement ended and no other one begun.
public final class PostgresPool: Sendable {
    /// Work that waits, or runs.
    private final class Job: Sendable {
        let run: @Sendable (Result<PostgresConnection, any Error>) -> Void
        /// Whether it must not begin, or has to end.
        let stop: PostgresStop

        init(stop: PostgresStop, run: @escaping @Sendable (Result<PostgresConnection, any Error>) -> Void) {
            self.stop = stop
            self.run = run
        }
    }

    private struct State {
        var waiting: Deque<Job> = []
        var running: [ObjectIdentifier: PostgresCancellation] = [:]
        var isClosed = false
        var threads = 0
        var closing: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>
    private let signal = DispatchSemaphore(value: 0)
    private let connect: @Sendable () throws -> PostgresConnection
    private let waitingLimit: Int

    /// Why work was refused that the pool could not begin.
    public enum Refusal: Error, Sendable {
        /// As much waits as may.
        case busy
        /// The pool was closed.
        case closed
    }

    /// Makes the threads; connections are opened when they are first needed.
    ///
    /// - Parameters:
    ///   - count: how many connections there are at most.
    ///   - waitingLimit: how many pieces of work may wait for one; more are refused.
    ///   - connect: opens a connection and sets it up.
    public init(
        count: Int, waitingLimit: Int, connect: @escaping @Sendable () throws -> PostgresConnection
    ) {
        precondition(count > 0)
        self.connect = connect
        self.waitingLimit = waitingLimit
        state = Mutex(State(threads: count))
        for number in 1...count {
            let thread = Thread { [self] in work() }
            thread.name = "postgres-\(number)"
            thread.start()
        }
    }

    /// Runs a closure with a connection, on a thread that may wait.
    ///
    /// A transaction that the closure leaves open is rolled back.
    /// - Throws: what the closure throws; ``PostgresFailure`` where no connection can be had; ``Refusal``;
    ///   `CancellationError` when the task was cancelled before its turn came, or while the server was at work for it.
    public func run<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async throws -> Value {
        let holder = Mutex<Job?>(nil)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let stop = PostgresStop()
                let job = Job(stop: stop) { connection in
                    let result = Result { try body(connection.get()) }
                    if case .failure(let failure as PostgresFailure) = result, failure.isCancelled,
                        stop.isAsked
                    {
                        continuation.resume(throwing: CancellationError())
                    } else {
                        continuation.resume(with: result)
                    }
                }
                holder.withLock { $0 = job }
                if Task.isCancelled { stop.ask() }
                if let refusal = submit(job) { continuation.resume(throwing: refusal) }
            }
        } onCancel: {
            if let job = holder.withLock({ $0 }) { cancel(job) }
        }
    }

    /// Waits for the work that runs and waits, and ends the connections and threads.
    public func close() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                state.isClosed = true
                if state.threads > 0 { state.closing.append(continuation) }
                return state.threads == 0
            }
            if isOver { continuation.resume() }
            // Threads pass the signal on to each other.
            signal.signal()
        }
    }

    private func submit(_ job: Job) -> Refusal? {
        let refusal: Refusal? = state.withLock { state in
            if state.isClosed { return .closed }
            if state.waiting.count >= waitingLimit { return .busy }
            state.waiting.append(job)
            return nil
        }
        if refusal == nil { signal.signal() }
        return refusal
    }

    private func cancel(_ job: Job) {
        job.stop.ask()
        let (waited, cancellation) = state.withLock { state in
            let position = state.waiting.firstIndex { $0 === job }
            if let position { state.waiting.remove(at: position) }
            return (position != nil, state.running[ObjectIdentifier(job)])
        }
        if waited { return job.run(.failure(CancellationError())) }
        guard let cancellation else { return }
        // Waits for the server; whoever cancels does not.
        DispatchQueue.global().async { self.end(job, cancellation, waiting: 50) }
    }

    /// Has the server end a job's statement, again and again until the job is over: the statement may be on its way still,
    /// and a server that is between two statements forgets the wish.
    private func end(_ job: Job, _ cancellation: PostgresCancellation, waiting milliseconds: Int) {
        guard state.withLock({ $0.running[ObjectIdentifier(job)] != nil }) else { return }
        cancellation.cancel()
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
            self.end(job, cancellation, waiting: min(2 * milliseconds, 1_000))
        }
    }

    // MARK: The threads

    private func work() {
        var connection: PostgresConnection?
        while true {
            signal.wait()
            let (job, isOver) = state.withLock { state in
                let job = state.waiting.popFirst()
                return (job, job == nil && state.isClosed)
            }
            if let job {
                perform(job, &connection)
            } else if isOver {
                connection?.close()
                return end()
            }
        }
    }

    private func end() {
        let closing = state.withLock { state in
            state.threads -= 1
            assert(state.threads >= 0)
            return state.threads == 0 ? state.closing : []
        }
        for continuation in closing { continuation.resume() }
        signal.signal()
    }

    private func perform(_ job: Job, _ connection: inout PostgresConnection?) {
        if job.stop.isAsked { return job.run(.failure(CancellationError())) }
        do {
            if connection?.isOpen != true { connection = try connect() }
        } catch {
            connection = nil
            return job.run(.failure(error))
        }
        guard let open = connection else { return job.run(.failure(PostgresFailure.closed)) }
        if let cancellation = open.makeCancellation() {
            state.withLock { $0.running[ObjectIdentifier(job)] = cancellation }
        }
        // Who cancels from now on ends the statement that runs; who did so before is heard here, and between two statements.
        open.stop = job.stop
        job.run(open.stop?.isAsked == true ? .failure(CancellationError()) : .success(open))
        open.stop = nil
        // A cancellation that is under way may meet the next job's statement, which fails for nothing then: one that
        // was cancelled gets no further use of its connection.
        state.withLock { _ = $0.running.removeValue(forKey: ObjectIdentifier(job)) }
        if job.stop.isAsked { open.close() }
        if open.isInTransaction { open.rollBackOrClose() }
    }
}
