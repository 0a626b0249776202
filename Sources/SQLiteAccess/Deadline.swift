internal import Dispatch
internal import Synchronization

/// When the work of a connection has to end.
public final class Deadline: Sendable {
    private let uptime = Atomic<UInt64>(.max)

    init() {}

    /// Sets the end so many seconds from now, or far away.
    func set(seconds: Int?) {
        let end = seconds.map { DispatchTime.now().uptimeNanoseconds + UInt64($0) * 1_000_000_000 }
        uptime.store(end ?? .max, ordering: .relaxed)
    }

    /// Whether the end has come.
    public var isOver: Bool {
        let end = uptime.load(ordering: .relaxed)
        return end != .max && DispatchTime.now().uptimeNanoseconds > end
    }
}
