import NIOCore
import NIOHPACK
import NIOHTTP2

/// Stands between one request over HTTP/2 and who answers it, as ``RequestGuard`` and ``StalledAnswerHandler`` do over
/// HTTP/1.1.
///
/// - **Whether there is room**: a request without a place is refused with `REFUSED_STREAM`, which says that it may be sent
///   again (RFC 9113, 8.7).
/// - **What it says**: see ``StreamHeaders``.
/// - **Whether its client takes the answer**: one that opens no window for as long as ``TransferLimits/stall`` is reset,
///   and what waits for it goes; the connection and its other requests stay.
/// - **When it ends**: with its answer, whether its body is there or not (RFC 9113, 8.1). The end goes out with the last bytes of
///   an answer whose length was said: a client that has all of them may reset the stream instead of waiting for the end
///   (curl does), and too many resets end the connection.
final class StreamGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload
    typealias OutboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    /// How many looks there are until a client counts as stalled.
    private static let looks: Int64 = 6

    private let stall: TimeAmount
    private let isRefused: Bool
    private var hasHead = false
    private var isRead = false
    private var isAnswered = false
    /// Whether what still comes of the body is thrown away.
    private var isOver = false
    /// What is to come of an answer whose length was said.
    private var remaining: Int?
    /// The last bytes of such an answer, until its end is there.
    private var held: (bytes: ByteBuffer, promise: EventLoopPromise<Void>?)?
    /// The bytes of the answer that the client has not made room for.
    private var waiting = 0
    private var progress = NIODeadline.uptimeNanoseconds(0)
    private var look: Scheduled<Void>?

    init(stall: TimeAmount, isRefused: Bool) {
        self.stall = stall
        self.isRefused = isRefused
    }

    func channelActive(context: ChannelHandlerContext) {
        if isRefused { context.writeAndFlush(wrapOutboundOut(.rstStream(.refusedStream)), promise: nil) }
        context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        look?.cancel()
        look = nil
        held?.promise?.fail(ChannelError.ioOnClosedChannel)
        held = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var payload = unwrapInboundIn(data)
        switch payload {
        case .headers(var headers):
            isRead = isRead || headers.endStream
            if !hasHead {
                hasHead = true
                StreamHeaders.repair(&headers.headers, hasBody: !headers.endStream)
                payload = .headers(headers)
            }
        case .data(let part): isRead = isRead || part.endStream
        default: break
        }
        if !isRefused, !isOver { context.fireChannelRead(wrapInboundOut(payload)) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let refusal = event as? BodyRefusal else { return context.fireUserInboundEventTriggered(event) }
        isOver = true
        context.fireErrorCaught(refusal)
    }

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        guard event is InterimResponse else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        guard !isAnswered, !isRead else { return }
        let interim = HTTP2Frame.FramePayload.Headers(headers: [":status": "100"])
        context.writeAndFlush(wrapOutboundOut(.headers(interim)), promise: promise)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .headers(let headers):
            isAnswered = true
            remaining = headers.headers.first(name: "content-length").flatMap { Int($0) }
            guard headers.endStream else { break }
            return context.write(data, promise: ending(context, promise))
        case .data(let part):
            guard case .byteBuffer(let bytes) = part.data else { break }
            return takeOn(bytes, isLast: part.endStream, context, promise)
        default: break
        }
        context.write(data, promise: promise)
    }

    /// Writes a part of the answer, or holds it until its end is there.
    private func takeOn(
        _ bytes: ByteBuffer, isLast: Bool, _ context: ChannelHandlerContext,
        _ promise: EventLoopPromise<Void>?
    ) {
        if let (last, next) = held {
            // More than was said: that is for others to find out.
            held = nil
            guard !isLast || bytes.readableBytes > 0 else {
                if let promise { next?.futureResult.cascade(to: promise) }
                return write(last, isLast: true, context, next ?? promise)
            }
            write(last, isLast: false, context, next)
        }
        remaining = remaining.map { $0 - bytes.readableBytes }
        guard remaining == 0, !isLast, bytes.readableBytes > 0 else {
            return write(bytes, isLast: isLast, context, promise)
        }
        held = (bytes, promise)
    }

    /// Writes as frames, each of which counts as taken when there was room for it.
    private func write(
        _ bytes: ByteBuffer, isLast: Bool, _ context: ChannelHandlerContext,
        _ promise: EventLoopPromise<Void>?
    ) {
        var bytes = bytes
        waiting += bytes.readableBytes
        while bytes.readableBytes > StreamLimits.frameBytes,
            let piece = bytes.readSlice(length: StreamLimits.frameBytes)
        {
            let frame = HTTP2Frame.FramePayload.Data(data: .byteBuffer(piece))
            context.write(wrapOutboundOut(.data(frame)), promise: taking(piece.readableBytes, context, nil))
        }
        let frame = HTTP2Frame.FramePayload.Data(data: .byteBuffer(bytes), endStream: isLast)
        let promise = taking(bytes.readableBytes, context, isLast ? ending(context, promise) : promise)
        context.write(wrapOutboundOut(.data(frame)), promise: promise)
    }

    private func taking(
        _ count: Int, _ context: ChannelHandlerContext, _ next: EventLoopPromise<Void>?
    ) -> EventLoopPromise<Void>? {
        guard count > 0 else { return next }
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { [self] _ in
            waiting -= count
            progress = .now()
        }
        if let next { promise.futureResult.cascade(to: next) }
        return promise
    }

    /// Ends the request when the end of its answer went out: nobody reads what its client still sends.
    private func ending(
        _ context: ChannelHandlerContext, _ next: EventLoopPromise<Void>?
    ) -> EventLoopPromise<Void> {
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenSuccess { [self] in
            guard !isRead, context.channel.isActive else { return }
            context.writeAndFlush(wrapOutboundOut(.rstStream(.noError)), promise: nil)
        }
        if let next { promise.futureResult.cascade(to: next) }
        return promise
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        guard look == nil, waiting > 0 else { return }
        progress = .now()
        lookSoon(context)
    }

    private func lookSoon(_ context: ChannelHandlerContext) {
        let pause = TimeAmount.nanoseconds(stall.nanoseconds / Self.looks)
        look = context.eventLoop.assumeIsolated().scheduleTask(in: pause) { [self] in
            look = nil
            guard waiting > 0 else { return }
            guard .now() - progress < stall else { return context.close(promise: nil) }
            lookSoon(context)
        }
    }
}
