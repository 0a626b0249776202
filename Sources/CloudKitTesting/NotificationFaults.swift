import Synchronization

/// What goes wrong on purpose between a test's cloud and those who listen to `CKDatabase.notifications()`.
///
/// Each fault is for one notification on its way to one listener. Notifications keep their order whatever happens.
public final class NotificationFaults: Sendable {
    /// One way in which a notification can go wrong.
    public enum Fault: Sendable, Hashable {
        /// It never arrives, as a push that its device never got.
        case lost
        /// It arrives so much later, and those after it have to wait for it.
        case late(by: Duration)
        /// It arrives a second time, as after a break of the connection.
        case twice
    }

    private struct State {
        var next: [Fault] = []
        var always: Fault?
    }

    private let state = Mutex(State())

    init() {}

    /// Lets the next notifications go wrong, each in the given way.
    public func failNext(_ fault: Fault, times: Int = 1) {
        state.withLock { $0.next += Array(repeating: fault, count: max(0, times)) }
    }

    /// Lets every notification go wrong in a way, until it is set to nil.
    public func failAlways(_ fault: Fault?) {
        state.withLock { $0.always = fault }
    }

    /// The fault of the notification that leaves now.
    func take() -> Fault? {
        state.withLock { $0.next.isEmpty ? $0.always : $0.next.removeFirst() }
    }
}
