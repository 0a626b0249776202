import NIOCore
import NIOHTTP1

/// Knows whether requests of a connection wait for their answers, and finds out whether their client is still there.
///
/// A client that has sent all it wants may say so and still wait for the answer, as `nc` does; the same is all that
/// the network tells of a client that has gone. Who is gone answers the next thing that it is sent with a reset, so it
/// is sent an interim response, which every client has to read over (RFC 9110, 15.2). The reset closes the channel, and
/// with it ends what was done for the client.
final class ConnectionUseHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// How long most answers take at the most, so that few clients are asked.
    private static let timeToAnswer = TimeAmount.milliseconds(20)
    /// How often a client is asked that went on waiting.
    private static let timeBetween = TimeAmount.seconds(5)

    private let use: ConnectionUse
    private var unanswered = 0
    /// Whether the head of an answer went out and its end did not.
    private var isAnswering = false
    /// Clients of HTTP/1.0 know no interim responses.
    private var knowsInterim = false
    private var question: Scheduled<Void>?

    init(_ use: ConnectionUse) { self.use = use }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data) {
            unanswered += 1
            knowsInterim = head.version != .http1_0
            use.begin()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head): isAnswering = head.status.code >= 200
        case .end:
            isAnswering = false
            unanswered -= 1
            if unanswered <= 0 { use.end() }
        case .body: break
        }
        context.write(data, promise: promise)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event)
        guard case ChannelEvent.inputClosed = event else { return }
        askSoon(context, in: Self.timeToAnswer)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        question?.cancel()
        question = nil
    }

    private func askSoon(_ context: ChannelHandlerContext, in time: TimeAmount) {
        guard unanswered > 0, knowsInterim, question == nil else { return }
        question = context.eventLoop.assumeIsolated().scheduleTask(in: time) { [self] in
            question = nil
            guard unanswered > 0, context.channel.isActive else { return }
            // In the middle of an answer, that answer is the question.
            if !isAnswering { context.triggerUserOutboundEvent(InterimResponse(), promise: nil) }
            askSoon(context, in: Self.timeBetween)
        }
    }
}
