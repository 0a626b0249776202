import Synchronization

/// A clock that stands until a law moves it.
final class LawClock: Sendable {
    private let time = Atomic<Int64>(1_700_000_000_000)

    /// Milliseconds since 1970.
    var now: Int64 { time.load(ordering: .relaxed) }

    /// Goes one millisecond further, and gives the time then.
    func tick() -> Int64 { time.add(1, ordering: .relaxed).newValue }

    func advance(_ milliseconds: Int64) { time.add(milliseconds, ordering: .relaxed) }
}
