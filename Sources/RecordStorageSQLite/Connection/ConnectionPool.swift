import DequeModule
import Dispatch
import RecordStorage
import SQLiteAccess
import Synchronization

/// Connections for reading, each used by one caller at a time.
///
/// Short reads run on the caller's thread: an index walk is done sooner than a thread could be woken. Long
/// ones run on threads of their own with connections of their own, so that a scan never stands in the way.
final class ConnectionPool: Sendable {
    private let short: Lane
    private let long: Lane
    private let longQueue = DispatchQueue(label: "stratus-long-reads", attributes: .concurrent)

    init(short: [Connection], long: [Connection]) {
        self.short = Lane(short)
        self.long = Lane(long)
    }

    /// Runs a closure with a connection of its own.
    func run<Value: Sendable>(
        _ effort: ReadEffort, seconds: Int, _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        let lane = effort == .short ? short : long
        let connection = try await lane.take()
        defer { lane.give(connection) }
        connection.allow(seconds: seconds)
        if effort == .short { return try body(connection) }
        return try await withCheckedThrowingContinuation { continuation in
            longQueue.async { continuation.resume(with: Result { try body(connection) }) }
        }
    }

    /// Waits until nobody reads, and closes the connections.
    func close() async {
        await short.close()
        await long.close()
    }
}

/// Connections that wait to be taken, or takers that wait for a connection.
private final class Lane: Sendable {
    private struct State {
        var free: [Connection]
        var waiting: Deque<CheckedContinuation<Connection?, Never>> = []
        var isClosed = false
    }

    private let state: Mutex<State>
    private let count: Int

    init(_ connections: [Connection]) {
        state = Mutex(State(free: connections))
        count = connections.count
    }

    func take() async throws -> Connection {
        let ready = try state.withLock { state in
            if state.isClosed { throw StorageError.closed }
            return state.free.popLast()
        }
        if let ready { return ready }
        let connection = await withCheckedContinuation { continuation in
            let now: (isReady: Bool, connection: Connection?) = state.withLock { state in
                if state.isClosed { return (true, nil) }
                if let connection = state.free.popLast() { return (true, connection) }
                state.waiting.append(continuation)
                return (false, nil)
            }
            if now.isReady { continuation.resume(returning: now.connection) }
        }
        guard let connection else { throw StorageError.closed }
        return connection
    }

    func give(_ connection: Connection) {
        let next = state.withLock { state in
            let next = state.waiting.popFirst()
            if next == nil { state.free.append(connection) }
            return next
        }
        next?.resume(returning: connection)
    }

    func close() async {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: nil) }
        // Those who read have a deadline, so this ends.
        while state.withLock({ $0.free.count }) < count { try? await Task.sleep(for: .milliseconds(5)) }
        for connection in state.withLock({ $0.free }) { connection.close() }
    }
}
