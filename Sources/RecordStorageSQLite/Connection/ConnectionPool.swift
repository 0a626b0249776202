import Dispatch
import RecordModel
import RecordStorage
import SQLiteAccess

/// Connections for reading, each used by one caller at a time.
///
/// Short reads run on the caller's thread: an index walk is done sooner than a thread could be woken. Long
/// ones run on threads of their own with connections of their own, so that a scan never stands in the way.
final class ConnectionPool: Sendable {
    private let short: Lane
    private let long: Lane
    private let threads: ReadThreads

    init(short: [Connection], long: [Connection]) {
        // As many requests at once as there are connections of clients is bound enough for what takes no time.
        self.short = Lane(short, isShared: false, mostWaiting: .max, mostWaitingPerParty: .max)
        self.long = Lane(
            long, isShared: true, mostWaiting: Limits.waitingLongReads,
            mostWaitingPerParty: Limits.waitingLongReadsPerParty)
        threads = ReadThreads(long.count)
    }

    /// Runs a closure with a connection of its own; waiting for one is a part of the time that it may take.
    func run<Value: Sendable>(
        _ effort: ReadEffort, for party: ReadParty, seconds: Int,
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        let end = DispatchTime.now().uptimeNanoseconds + UInt64(seconds) * 1_000_000_000
        guard effort == .long else {
            let connection = try await short.take(for: party, until: end)
            defer { short.give(connection, by: party) }
            connection.allow(until: end)
            return try body(connection)
        }
        let connection = try await long.take(for: party, until: end)
        defer { long.give(connection, by: party) }
        let period = connection.allow(until: end)
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    threads.run { continuation.resume(with: Result { try body(connection) }) }
                }
            } onCancel: {
                connection.deadline.giveUp(period)
            }
        } catch {
            // SQLite answers alike to who left and to who has no time left.
            if Task.isCancelled { throw CancellationError() }
            throw error
        }
    }

    /// Waits until nobody reads, and closes the connections.
    func close() async {
        await short.close()
        await long.close()
        threads.stop()
    }
}
