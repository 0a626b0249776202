import NIOCore
import NIOHTTP1
import RecordModel

/// Keeps a client from sending requests faster than it is answered: what comes beyond
/// ``Limits/pipelinedRequests`` is thrown away, and the connection ends with the answers to those before.
///
/// The last of these says `Connection: close`; a client that pipelines asks again for the rest (RFC 9112, 9.3.2).
final class PipelineLimitHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// How long a client may take to read the last answers: closing at once would take them away from it.
    private static let timeToRead = TimeAmount.seconds(2)

    private var unanswered = 0
    private var isOver = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        if case .head = unwrapInboundIn(data) {
            guard unanswered < Limits.pipelinedRequests else {
                isOver = true
                // For who answers, it is as if the client had no more to say.
                return context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            }
            unanswered += 1
        }
        context.fireChannelRead(data)
    }

    /// What comes then is thrown away: a client that sends all before it reads would never see its answers else.
    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        if isOver { context.read() }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where isOver && unanswered == 1 && head.status.code >= 200:
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            return context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end: unanswered -= 1
        case .head, .body: break
        }
        context.write(data, promise: promise)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let refusal = event as? BodyRefusal {
            // The answer in which the refusal ends is the last one.
            isOver = true
            context.fireErrorCaught(refusal)
            return context.read()
        }
        context.fireUserInboundEventTriggered(event)
        guard isOver, case ChannelEvent.outputClosed = event else { return }
        let channel = context.channel
        channel.eventLoop.scheduleTask(in: Self.timeToRead) { channel.close(promise: nil) }
    }
}
