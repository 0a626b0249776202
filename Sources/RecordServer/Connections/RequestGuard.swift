import NIOCore
import NIOHTTP1
import RecordModel

/// Stands between a connection's parser and who answers, and keeps what its client can do to others small.
///
/// One handler for all of it, since each one costs every part of every request and answer:
///
/// - **How many requests**: a client that sends faster than it is answered has what comes beyond
///   ``Limits/pipelinedRequests`` thrown away, and the connection ends with the answers to those before. The last of
///   these says `Connection: close`; a client that pipelines asks again for the rest (RFC 9112, 9.3.2).
/// - **Which server**: a request without a single and valid `Host` (RFC 9112, 3.2) loses it, and is then refused for
///   having none.
/// - **Whether anybody waits**: see ``ClientQuestion``.
/// - **What is sent in vain**: after the last answer a client may go on sending, or it would not see the answer. Beyond the
///   first megabyte that is read slowly, since reading it takes as much of the processor as what others send.
final class RequestGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// How long a client may take to read the last answers: closing at once would take them away from it.
    private static let timeToRead = TimeAmount.seconds(2)

    /// How many reads, of 256 KiB at most, what comes after the last answer is taken without a pause.
    private static let quickReads = 4
    /// The pause between later ones: a body of 16 MiB ends before its connection does (``HummingbirdCore/Response/close(_:)``).
    private static let pauseBetweenReads = TimeAmount.milliseconds(100)

    private let use: ConnectionUse
    private let question = ClientQuestion()
    private var unanswered = 0
    /// Whether nothing that still comes is answered.
    private var isOver = false
    /// How often was read since the last answer was sent; nil before that.
    private var readsInVain: Int?
    private var nextRead: Scheduled<Void>?

    init(_ use: ConnectionUse) { self.use = use }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        guard unanswered < Limits.pipelinedRequests else {
            isOver = true
            // For who answers, it is as if the client had no more to say.
            return context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
        unanswered += 1
        use.begin()
        question.isUnderstood = head.version != .http1_0
        // Who speaks HTTP/1.0 and does not ask for more waits for the end of the connection (RFC 9112, 9.3).
        let endsByVersion = head.version == .http1_0 && !head.isKeepAlive
        if endsByVersion { head.headers.replaceOrAdd(name: "Connection", value: "close") }
        if HostName.repair(&head) || endsByVersion {
            context.fireChannelRead(wrapInboundOut(.head(head)))
        } else {
            context.fireChannelRead(data)
        }
    }

    /// What comes when all is over is thrown away: a client that sends all before it reads would never see its answers
    /// else.
    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        if isOver { read(context: context) }
    }

    func read(context: ChannelHandlerContext) {
        guard let reads = readsInVain else { return context.read() }
        guard reads >= Self.quickReads else {
            readsInVain = reads + 1
            return context.read()
        }
        guard nextRead == nil else { return }
        nextRead = context.eventLoop.assumeIsolated().scheduleTask(in: Self.pauseBetweenReads) { [self] in
            nextRead = nil
            if context.channel.isActive { context.read() }
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            question.answer = head.status.code >= 200 ? ClientQuestion.Answer(head) : nil
            guard isOver, unanswered == 1, head.status.code >= 200 else { break }
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            return context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end:
            // What is no HTTP is answered, too, and was never a request.
            unanswered = max(0, unanswered - 1)
            question.answer = nil
            if unanswered == 0 {
                use.end()
                question.withdraw()
            }
        case .body: break
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
        switch event as? ChannelEvent {
        case .inputClosed where unanswered > 0: question.ask(context)
        case .outputClosed:
            readsInVain = readsInVain ?? 0
            guard isOver else { break }
            let channel = context.channel
            channel.eventLoop.scheduleTask(in: Self.timeToRead) { channel.close(promise: nil) }
        default: break
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        question.withdraw()
        nextRead?.cancel()
    }
}
