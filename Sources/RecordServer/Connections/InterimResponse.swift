import NIOCore
import NIOHTTP1

/// `100 Continue`, on its way through a connection's handlers: a client is asked for its body, or whether it is still
/// there. It may come where no answer is being written.
struct InterimResponse: Sendable {
    /// Adds what turns the wish into bytes to a new connection.
    static func handlers() -> [any RemovableChannelHandler] { [Installer()] }

    /// The framework's place for handlers knows responses only, and an interim one is none of its own; it leaves
    /// the encoder alone if it is written nearer to the socket.
    private final class Installer: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = Any

        func handlerAdded(context: ChannelHandlerContext) {
            do {
                let pipeline = context.pipeline.syncOperations
                let encoder = try pipeline.handler(type: HTTPResponseEncoder.self)
                try pipeline.addHandler(Writer(), position: .before(encoder))
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
            guard event is InterimResponse else {
                context.triggerUserOutboundEvent(event, promise: promise)
                return
            }
            let bytes = ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")
            context.writeAndFlush(wrapOutboundOut(.byteBuffer(bytes)), promise: promise)
        }
    }
}
