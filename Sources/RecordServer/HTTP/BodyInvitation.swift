import HTTPTypes
import HummingbirdCore
import NIOCore
import Synchronization

/// Asks a client that waits before it sends a body (`Expect: 100-continue`, RFC 9110 section 10.1.1) to send it.
///
/// It is asked only when the body is about to be read: whoever is refused before that need not send it at all.
final class BodyInvitation: Sendable {
    private let channel: any Channel
    private let isOpen: Atomic<Bool>

    init(_ request: Request, _ channel: any Channel) {
        self.channel = channel
        isOpen = Atomic(request.headers[.expect]?.lowercased() == "100-continue")
    }

    /// Whether the client waits, and was not asked yet.
    var isAwaited: Bool { isOpen.load(ordering: .relaxed) }

    /// Asks for the body, once.
    func send() {
        guard isOpen.exchange(false, ordering: .relaxed) else { return }
        // Events and writes reach the connection in the order in which one task makes them, so this one comes
        // after the answer to the request before and before the one to this.
        channel.triggerUserOutboundEvent(InterimResponse(), promise: nil)
    }
}
