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
        // after the answer to the request before and in front of the one to this.
        channel.triggerUserOutboundEvent(Event(), promise: nil)
    }

    /// The wish to ask, on its way through the connection's handlers.
    private struct Event: Sendable {}

    /// Adds what turns the wish into bytes to a new connection.
    static func handlers() -> [any RemovableChannelHandler] { [Installer()] }

    /// The framework's place for handlers knows responses only, and an interim one is none of its own; it leaves
    /// the encoder alone if it is written next to the socket.
    private final class Installer: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = Any

        func handlerAdded(context: ChannelHandlerContext) {
            do {
                try context.pipeline.syncOperations.addHandler(Writer(), position: .first)
            } catch {
                context.fireErrorCaught(error)
            }
        }
    }

    private final class Writer: ChannelOutboundHandler, RemovableChannelHandler {
        typealias OutboundIn = IOData
        typealias OutboundOut = IOData

        func triggerUserOutboundEvent(
            context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
        ) {
            guard event is Event else {
                context.triggerUserOutboundEvent(event, promise: promise)
                return
            }
            let bytes = ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")
            context.writeAndFlush(wrapOutboundOut(.byteBuffer(bytes)), promise: promise)
        }
    }
}
