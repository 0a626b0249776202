internal import Dispatch
internal import Synchronization

/// When the work of a connection has to end: at a time, or when whom it is for is gone.
///
/// Each use of the connection is a period of its own, so that who gives up one cannot end the next.
public final class Deadline: Sendable {
    private let uptime = Atomic<UInt64>(.max)
    private let period = Atomic<UInt64>(1)
    private let given = Atomic<UInt64>(0)
    private let listener = Mutex<(@Sendable () -> Void)?>(nil)

    init() {}

    /// Has a closure called whenever a period begins, before and after each use of a connection: to forget what was kept for
    /// the last one. There is one such closure.
    public func onBegin(_ listener: @escaping @Sendable () -> Void) {
        self.listener.withLock { $0 = listener }
    }

    /// Begins a period that ends at a time (nanoseconds of `DispatchTime`), or never by itself.
    ///
    /// - Returns: the period's number, for ``giveUp(_:)``.
    func begin(until end: UInt64?) -> UInt64 {
        uptime.store(end ?? .max, ordering: .relaxed)
        listener.withLock { $0 }?()
        return period.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
    }

    /// Ends a period now, if it has not ended yet. May be called by any thread.
    public func giveUp(_ period: UInt64) {
        given.max(period, ordering: .sequentiallyConsistent)
        assert(given.load(ordering: .relaxed) <= self.period.load(ordering: .sequentiallyConsistent))
    }

    /// Ends the period that runs, for who knows whose it is. May be called by any thread.
    public func giveUp() { giveUp(period.load(ordering: .sequentiallyConsistent)) }

    /// Whether the end has come.
    public var isOver: Bool {
        if given.load(ordering: .relaxed) == period.load(ordering: .relaxed) { return true }
        let end = uptime.load(ordering: .relaxed)
        return end != .max && DispatchTime.now().uptimeNanoseconds > end
    }
}
