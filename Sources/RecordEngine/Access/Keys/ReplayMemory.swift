import Crypto
import RecordModel
import Synchronization

/// Remembers signatures that were used, so that nobody uses one again while its date is good.
///
/// A signature is known by its first number, which is chosen at random for each and cannot be changed, while its second may
/// be turned around and still be good. Room is for ``capacity`` signatures: when it is used up, those of the oldest dates
/// are forgotten, and requests of these dates are refused from then on, so a busy server accepts a shorter past and never a
/// replay. The memory ends with the process; what is dated before the process began, or in the same second, has to be signed again.
final class ReplayMemory: Sendable {
    /// The most signatures that are remembered, at about 60 bytes each.
    static let capacity = 131_072

    private struct State {
        /// The signatures by their dates in seconds.
        var used: [Int64: Set<[UInt8]>] = [:]
        var count = 0
        /// Requests of this second and before are refused.
        var floor: Int64
        /// The second in which the process began.
        let start: Int64
    }

    /// What became of a signature.
    enum Finding: Equatable {
        case new, used, tooOld, full
        /// From before the process began: who signs again after so many seconds is served.
        case early(seconds: Int)
    }

    private let state: Mutex<State>
    private let capacity: Int

    /// - Parameter start: when the process began, in milliseconds.
    init(start: Int64, capacity: Int = ReplayMemory.capacity) {
        state = Mutex(State(floor: start / 1_000, start: start / 1_000))
        self.capacity = capacity
    }

    /// Notes a signature that is good.
    ///
    /// - Parameters:
    ///   - number: its first number.
    ///   - key: the id of the key.
    ///   - date: the request's date, in milliseconds.
    ///   - now: the time, in milliseconds.
    func note(_ number: [UInt8], key: [UInt8], date: Int64, now: Int64) -> Finding {
        let second = date / 1_000
        let fingerprint = Array(SHA256.hash(data: key + number).prefix(16))
        return state.withLock { state in
            Self.forget(before: (now - SignatureHead.skewMilliseconds) / 1_000, &state)
            // What was used before a start is not known any more.
            guard second > state.start else { return .early(seconds: Int(state.start - second) + 1) }
            guard second > state.floor else { return .tooOld }
            if state.used[second]?.contains(fingerprint) == true { return .used }
            while state.count >= capacity {
                // Never those of the same second: the request itself would be too old.
                guard let oldest = state.used.keys.min(), oldest < second else { return .full }
                state.count -= state.used.removeValue(forKey: oldest)?.count ?? 0
                state.floor = max(state.floor, oldest)
            }
            state.used[second, default: []].insert(fingerprint)
            state.count += 1
            return .new
        }
    }

    /// Forgets what is too old to be accepted anyway.
    private static func forget(before second: Int64, _ state: inout State) {
        // Looked at once for each second that passes.
        guard second > state.floor else { return }
        for old in state.used.keys where old <= second {
            state.count -= state.used.removeValue(forKey: old)?.count ?? 0
        }
        state.floor = second
        assert(state.count == state.used.values.reduce(0) { $0 + $1.count })
    }
}
