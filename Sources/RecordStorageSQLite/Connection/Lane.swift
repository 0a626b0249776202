import Dispatch
import RecordModel
import RecordStorage
import SQLiteAccess
import Synchronization

/// Connections that wait to be taken, or takers that wait for a connection.
final class Lane: Sendable {
    private struct Waiter {
        var continuation: CheckedContinuation<Connection, any Error>
        /// When it has waited for long enough, in nanoseconds of `DispatchTime`.
        var end: UInt64
    }

    private struct State {
        var free: [Connection]
        var turns: Turns<Waiter>
        var isClosed = false
        /// Whether somebody will look for those who have waited for long enough.
        var isTimed = false
        var lastID: UInt64 = 0
    }

    private let state: Mutex<State>
    private let count: Int
    private let timer = DispatchQueue(label: "stratus-waiting-reads")

    /// - Parameters:
    ///   - isShared: whether parties are kept from taking all of it.
    ///   - mostWaiting: how many may wait at once.
    ///   - mostWaitingPerParty: how many of one party.
    init(_ connections: [Connection], isShared: Bool, mostWaiting: Int, mostWaitingPerParty: Int) {
        state = Mutex(
            State(
                free: connections,
                turns: Turns(
                    places: connections.count, isShared: isShared, mostWaiting: mostWaiting,
                    mostWaitingPerParty: mostWaitingPerParty)))
        count = connections.count
    }

    /// A connection for the caller alone, when it is its turn.
    ///
    /// - Parameter end: until when to wait.
    /// - Throws: `StorageError`; `CancellationError` as soon as the task is cancelled.
    func take(for party: ReadParty, until end: UInt64) async throws -> Connection {
        if let ready = try state.withLock({ try Self.free(party, &$0) }) { return ready }
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                wait(Waiter(continuation: continuation, end: end), id, party)
            }
        } onCancel: {
            state.withLock { $0.turns.leave(id: id, party) }?.continuation.resume(
                throwing: CancellationError())
        }
    }

    private static func free(_ party: ReadParty, _ state: inout State) throws -> Connection? {
        if state.isClosed { throw StorageError.closed }
        guard state.turns.take(party) else { return nil }
        return state.free.popLast()
    }

    private func wait(_ waiter: Waiter, _ id: UInt64, _ party: ReadParty) {
        let (now, isToBeTimed) = state.withLock { state -> (Result<Connection, any Error>?, Bool) in
            do {
                // Who was cancelled before has nobody left to take it out.
                try Task.checkCancellation()
                if let connection = try Self.free(party, &state) { return (.success(connection), false) }
                guard state.turns.wait(waiter, id: id, party) else { throw StorageError.tooManyReads }
            } catch {
                return (.failure(error), false)
            }
            defer { state.isTimed = true }
            return (nil, !state.isTimed)
        }
        if let now { waiter.continuation.resume(with: now) }
        if isToBeTimed { look(at: waiter.end) }
    }

    /// Gives a connection back, to whoever is next.
    func give(_ connection: Connection, by party: ReadParty) {
        let next = state.withLock { state -> [(Waiter, Connection)] in
            state.free.append(connection)
            let next = state.turns.give(by: party)
            assert(next.count <= state.free.count)
            return next.compactMap { waiter in state.free.popLast().map { (waiter, $0) } }
        }
        for (waiter, connection) in next { waiter.continuation.resume(returning: connection) }
    }

    /// Ends the waiting of those whose time is over, now and as long as anybody waits.
    private func look(at time: UInt64) {
        timer.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: time)) { [weak self] in
            guard let self else { return }
            let now = DispatchTime.now().uptimeNanoseconds
            let (late, next) = state.withLock { state in
                let late = state.turns.removeAll { $0.end <= now }
                let next = state.turns.foremost.map(\.end).min()
                state.isTimed = next != nil
                return (late, next)
            }
            for waiter in late {
                waiter.continuation.resume(throwing: StorageError.waited(seconds: Limits.querySeconds))
            }
            if let next { look(at: next) }
        }
    }

    /// Waits until nobody reads, and closes the connections.
    func close() async {
        let waiting = state.withLock { state in
            state.isClosed = true
            return state.turns.removeAll { _ in true }
        }
        for waiter in waiting { waiter.continuation.resume(throwing: StorageError.closed) }
        // Those who read have a deadline, so this ends.
        while state.withLock({ $0.free.count }) < count { try? await Task.sleep(for: .milliseconds(5)) }
        for connection in state.withLock({ $0.free }) { connection.close() }
    }
}
