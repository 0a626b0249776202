import NIOCore

/// Ends a connection whose client takes nothing of what waits for it, whatever the answer is.
///
/// It stands next to the socket and counts bytes, so a slow client of a large answer goes on as long as it takes
/// some of it, and a connection on which nothing waits may be quiet for as long as it likes.
final class StalledAnswerHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// How many looks there are until a client counts as stalled.
    private static let looks: Int64 = 6

    private let stall: TimeAmount
    /// The bytes that were given to the socket so far.
    private var given = 0
    /// How many of them it had sent at the last look.
    private var sent = 0
    /// When that number grew last.
    private var progress = NIODeadline.uptimeNanoseconds(0)
    private var look: Scheduled<Void>?

    init(stall: TimeAmount) { self.stall = stall }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        given &+= unwrapOutboundIn(data).readableBytes
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        guard look == nil else { return }
        let waiting = waiting(context)
        guard waiting > 0 else { return }
        sent = given &- waiting
        progress = .now()
        lookSoon(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        look?.cancel()
        look = nil
    }

    private func lookSoon(_ context: ChannelHandlerContext) {
        let pause = TimeAmount.nanoseconds(stall.nanoseconds / Self.looks)
        look = context.eventLoop.assumeIsolated().scheduleTask(in: pause) { [self] in
            look = nil
            lookAgain(context)
        }
    }

    private func lookAgain(_ context: ChannelHandlerContext) {
        let waiting = waiting(context)
        guard waiting > 0 else { return }
        if given &- waiting != sent {
            sent = given &- waiting
            progress = .now()
        }
        guard .now() - progress < stall else { return context.channel.abort() }
        lookSoon(context)
    }

    /// What the socket has not taken yet.
    private func waiting(_ context: ChannelHandlerContext) -> Int {
        // A channel that is gone has nothing that waits.
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}
