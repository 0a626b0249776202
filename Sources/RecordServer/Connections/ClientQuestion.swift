import NIOCore
import NIOHTTP1

/// Finds out whether a client that sends no more is still there.
///
/// A client that has sent all it wants may say so and still wait for the answer, as `nc` does; the same is all that
/// the network tells of a client that has gone. Who is gone answers the next thing that it is sent with a reset, so it
/// is sent an interim response, which every client has to read over (RFC 9110, 15.2), or a comment where the answer is a
/// stream of events. The reset closes the channel, and with it ends what was done for the client.
///
/// Used on the connection's event loop only.
final class ClientQuestion {
    /// How long most answers take at most, so that few clients are asked.
    private static let timeToAnswer = TimeAmount.milliseconds(20)
    /// How often a client is asked that went on waiting.
    private static let timeBetween = TimeAmount.seconds(5)

    /// An answer whose head went out and whose end did not: that answer is the question then.
    enum Answer {
        case events
        case other

        init(_ head: HTTPResponseHead) {
            let type = head.headers.first(name: "content-type")
            self = type?.hasPrefix("text/event-stream") == true ? .events : .other
        }
    }

    /// The answer that is under way. The head itself would be kept for as long as a stream of events goes on.
    var answer: Answer?
    /// Clients of HTTP/1.0 know no interim responses.
    var isUnderstood = false
    private var next: Scheduled<Void>?

    /// Asks soon, and again and again, until it is withdrawn.
    func ask(_ context: ChannelHandlerContext) { ask(context, in: Self.timeToAnswer) }

    /// Asks no more: the client has its answers, or the connection is closed.
    func withdraw() {
        next?.cancel()
        next = nil
    }

    private func ask(_ context: ChannelHandlerContext, in time: TimeAmount) {
        guard isUnderstood, next == nil else { return }
        next = context.eventLoop.assumeIsolated().scheduleTask(in: time) { [self] in
            next = nil
            guard context.channel.isActive else { return }
            if let answer {
                // Events may be far between. Each is written whole, so this is never in the middle of one.
                if answer == .events {
                    let comment = HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: ":\n\n")))
                    context.writeAndFlush(NIOAny(comment), promise: nil)
                }
            } else {
                context.triggerUserOutboundEvent(InterimResponse(), promise: nil)
            }
            ask(context, in: Self.timeBetween)
        }
    }
}
