import NIOCore
import NIOHTTP2
import RecordModel

/// Counts the frames of answers that are short because a client opens its windows by a few bytes at a time, which costs
/// the server as much for each as a whole frame does.
///
/// A window seldom ends where a frame does, so a client that opens it by halves makes a short frame now and then. Whole
/// frames make up for them.
struct ShortFrames {
    private static let window = TimeAmount.seconds(Int64(Limits.frameCountSeconds))

    private var surplus = 0
    private var since = NIODeadline.uptimeNanoseconds(0)

    /// Counts a frame that was sent.
    ///
    /// - Returns: whether there were more than ``Limits/shortFrames``; once for them.
    mutating func isTooMuch(_ part: HTTP2Frame.FramePayload.Data, at now: NIODeadline = .now()) -> Bool {
        // The end of an answer is as short as it is.
        guard !part.endStream else { return false }
        guard part.data.readableBytes < Limits.shortFrameBytes else {
            surplus = max(0, surplus - 1)
            return false
        }
        if now - since >= Self.window {
            since = now
            surplus = 0
        }
        surplus += 1
        return surplus == Limits.shortFrames + 1
    }
}
