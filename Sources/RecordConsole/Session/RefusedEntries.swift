import Synchronization

/// Counts those whom no secret and no link let in, and says when the audit log should tell of them.
///
/// Guessing must not fill the log: of an hour's refusals the first, second, fourth, eighth and so on are logged,
/// so the last entry names at least half of them.
final class RefusedEntries: Sendable {
    private struct State {
        var hour: Int64 = 0
        var count = 0
    }

    private static let hourMilliseconds: Int64 = 3_600_000

    private let state = Mutex(State())

    /// Counts one more.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: how many there were in this hour, where the log should tell it.
    func count(at now: Int64) -> Int? {
        state.withLock { state in
            let hour = now / Self.hourMilliseconds
            if hour != state.hour { state = State(hour: hour) }
            state.count += 1
            return state.count & (state.count - 1) == 0 ? state.count : nil
        }
    }
}
