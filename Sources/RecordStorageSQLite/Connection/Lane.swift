import RecordStorage
import SQLiteAccess
import Synchronization

/// Connections that wait to be taken, or takers that wait for a connection.
final class Lane: Sendable {
    private let free: Mutex<[Connection]>
    private let turns: ReadTurns
    private let count: Int

    /// - Parameters:
    ///   - isShared: whether parties are kept from taking all of it.
    ///   - mostWaiting: how many may wait at once.
    ///   - mostWaitingPerParty: how many of one party.
    init(_ connections: [Connection], isShared: Bool, mostWaiting: Int, mostWaitingPerParty: Int) {
        free = Mutex(connections)
        turns = ReadTurns(
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
        guard let connection = free.withLock({ $0.popLast() }) else {
            // There are as many places as connections, and a place is given back after its connection.
            assertionFailure("A place without a connection.")
            turns.give(by: party)
            throw StorageError.tooManyReads
        }
        return connection
    }

    /// Gives a connection back, to whoever is next.
    func give(_ connection: Connection, by party: ReadParty) {
        free.withLock { $0.append(connection) }
        turns.give(by: party)
    }

    /// Waits until nobody reads, and closes the connections.
    func close() async {
        turns.close()
        // Those who read have a deadline, so this ends.
        while free.withLock({ $0.count }) < count { try? await Task.sleep(for: .milliseconds(5)) }
        for connection in free.withLock({ $0 }) { connection.close() }
    }
}
