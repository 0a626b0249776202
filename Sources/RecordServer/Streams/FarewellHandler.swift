import NIOCore
import NIOHTTP2
import RecordModel

/// Sees to it that a connection over HTTP/2 ends which was said goodbye to (GOAWAY, RFC 9113, 6.8).
///
/// NIO says it, to a client that broke the rules, that is idle, or when the server stops, and leaves the rest to others: it
/// never closes a connection by an error, and waits for as long as it takes until a client has answered. To a client that
/// makes frames of a few bytes, or sends very many that ask for nothing, it is said here (``ShortFrames``, ``SpareFrames``).
final class FarewellHandler: ChannelInboundHandler, NIOHTTP2FrameDelegate {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame

    private let channel: any Channel
    private var deadline: Scheduled<Void>?
    private var shortFrames = ShortFrames()
    private var spareFrames = SpareFrames()

    init(_ channel: any Channel) { self.channel = channel }

    func wroteFrame(_ frame: HTTP2Frame) {
        switch frame.payload {
        case .data(let part):
            spareFrames.noteUseful()
            if shortFrames.isTooMuch(part) { sayFarewell() }
        case .goAway(let last, let code, _): saidFarewell(last, code)
        default: break
        }
    }

    /// Notes a frame that the client sent.
    func noteFrame(_ kind: FrameHeads.Kind) { if spareFrames.isTooMuch(kind) { sayFarewell() } }

    /// Says that a client asks for too much; not amid the frame that was just written.
    private func sayFarewell() {
        let channel = channel
        channel.eventLoop.execute {
            let payload = HTTP2Frame.FramePayload.goAway(
                lastStreamID: .maxID, errorCode: .enhanceYourCalm, opaqueData: nil)
            channel.writeAndFlush(HTTP2Frame(streamID: .rootStream, payload: payload), promise: nil)
        }
    }

    private func saidFarewell(_ last: HTTP2StreamID, _ code: HTTP2ErrorCode) {
        let channel = channel
        deadline?.cancel()
        if code != .noError {
            // Not before the frame itself went out.
            channel.eventLoop.execute { channel.close(promise: nil) }
        } else if last == .maxID {
            // The second one, which says what is still answered, follows when the client has answered the first.
            deadline = channel.eventLoop.scheduleTask(in: .seconds(Int64(Limits.farewellSeconds))) {
                channel.close(promise: nil)
            }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // Who sends no more cannot say either that there is room for answers.
        if case ChannelEvent.inputClosed? = event as? ChannelEvent { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Its request or its connection ends by a frame; nothing of it is a failure of ours.
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        context.fireChannelInactive()
    }
}
