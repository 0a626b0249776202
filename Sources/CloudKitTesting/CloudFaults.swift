import Synchronization

/// What goes wrong in a test's cloud on purpose, so that an app's answers to it can be tested.
public final class CloudFaults: Sendable {
    /// One way in which a request can fail.
    public enum Fault: Sendable, Hashable {
        /// The network is gone: no request leaves the device.
        case offline
        /// The request is done, but its answer is lost; the stream of a live query breaks as soon as it was opened.
        case answerLost
        /// The service wants to be left alone for so many seconds.
        case throttled(retryAfterSeconds: Int)
        /// The zone is being changed by somebody else.
        case zoneBusy
        /// The service cannot answer for now.
        case unavailable(retryAfterSeconds: Int)
        /// The user's token is not accepted any more.
        case notAuthenticated
    }

    /// What goes wrong with notifications, whatever becomes of requests.
    public let notifications = NotificationFaults()

    private struct State {
        var next: [Fault] = []
        var always: Fault?
        var requests = 0
    }

    private let state = Mutex(State())

    init() {}

    /// Lets the next requests fail, each in the given way.
    public func failNext(_ fault: Fault, times: Int = 1) {
        state.withLock { $0.next += Array(repeating: fault, count: max(0, times)) }
    }

    /// Lets every request fail in a way, until it is set to nil.
    public func failAlways(_ fault: Fault?) {
        state.withLock { $0.always = fault }
    }

    /// How many requests the cloud was sent, those that failed on purpose among them.
    public var requestCount: Int { state.withLock { $0.requests } }

    /// The fault of the request that comes now.
    func take() -> Fault? {
        state.withLock { state in
            state.requests += 1
            return state.next.isEmpty ? state.always : state.next.removeFirst()
        }
    }
}
