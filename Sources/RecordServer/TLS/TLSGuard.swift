import NIOCore
import NIOTLS

/// Stands after the handler of TLS: ends a connection whose client does not finish the handshake in time, since until
/// then nobody is known and nothing else looks at the connection, and keeps what goes wrong with TLS to itself.
final class TLSGuard: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let patience: TimeAmount
    private var deadline: Scheduled<Void>?
    private var isDone = false

    init(patience: TimeAmount) { self.patience = patience }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: patience) { channel.abort() }
    }

    func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case TLSUserEvent.handshakeCompleted:
            isDone = true
            deadline?.cancel()
        // What would answer is not there yet.
        case is ChannelShouldQuiesceEvent where !isDone: context.close(promise: nil)
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Somebody speaks plain HTTP, offers no version that is allowed, or left without saying so: none of it is a
        // failure of ours, and the connection is of no more use.
        context.close(promise: nil)
    }
}
