import RecordStorage
import SQLiteAccess
import Synchronization

/// Connections that wait to be taken, or takers that wait for a connection.
final class Lane: Sendable {
    private struct State {
        var free: [Connection]
        /// Who waits until all of them are free, to close them.
        var closing: CheckedContinuation<Void, Never>?
    }

    private let state: Mutex<State>
    private let turns: FairReadQueue
    private let count: Int

    /// - Parameters:
    ///   - isShared: whether parties are kept from taking all of it.
    ///   - mostWaiting: how many may wait at once.
    ///   - mostWaitingPerParty: how many of one party.
    init(_ connections: [Connection], isShared: Bool, mostWaiting: Int, mostWaitingPerParty: Int) {
        state = Mutex(State(free: connections))
        turns = FairReadQueue(
            places: connections.count, isShared: isShared, mostWaiting: mostWaiting,
            mostWaitingPerParty: mostWaitingPerParty)
        count = connections.count
    }

    /// A connection for the caller alone, when it is its turn.
    ///
    /// - Parameter end: until when to wait.
    /// - Throws: `StorageError`; `CancellationError` as soon as the task is cancelled.
    func take(for party: ReadParty, until end: UInt64) async throws -> Connection {
        try await turns.take(for: party, until: end)
        guard let connection = state.withLock({ $0.free.popLast() }) else {
            // There are as many places as connections, and a place is given back after its connection.
            assertionFailure("A place without a connection.")
            turns.give(by: party)
            throw StorageError.tooManyReads
        }
        return connection
    }

    /// Gives a connection back, to whoever is next.
    func give(_ connection: Connection, by party: ReadParty) {
        let closing = state.withLock { state in
            state.free.append(connection)
            return state.free.count == count ? state.closing.take() : nil
        }
        turns.give(by: party)
        closing?.resume()
    }

    /// Waits until nobody reads, and closes the connections; called once.
    func close() async {
        turns.close()
        // Those who read have a deadline, so this ends.
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                assert(state.closing == nil, "A lane is closed twice.")
                guard state.free.count < count else { return true }
                state.closing = continuation
                return false
            }
            if isIdle { continuation.resume() }
        }
        for connection in state.withLock({ $0.free }) { connection.close() }
    }
}
