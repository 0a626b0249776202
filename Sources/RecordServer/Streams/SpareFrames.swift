import NIOCore
import RecordModel

/// Counts the frames of a client over HTTP/2 that ask for nothing and cost the server something each: WINDOW_UPDATE, and those of
/// kinds that nobody knows, which have to be passed over (RFC 9113, 4.1 and 5.5). NIO has rates for all others.
///
/// A client opens windows for what it is sent, and may say something of its own for each request, as browsers do (PRIORITY_UPDATE),
/// so requests and the frames of answers make up for them.
struct SpareFrames {
    private static let window = TimeAmount.seconds(Int64(Limits.frameCountSeconds))
    /// How many such frames go with a request or a frame of an answer: a window of its own and one of the connection, twice.
    private static let perUsefulFrame = 4

    private var surplus = 0
    private var since = NIODeadline.uptimeNanoseconds(0)

    /// Counts a frame that the client sent.
    ///
    /// - Returns: whether there were more than ``Limits/spareFrames``; once for them.
    mutating func isTooMuch(_ kind: FrameHeads.Kind, at now: NIODeadline = .now()) -> Bool {
        switch kind {
        case .request:
            noteUseful()
            return false
        case .rated: return false
        case .spare: break
        }
        if now - since >= Self.window {
            since = now
            surplus = 0
        }
        surplus += 1
        return surplus == Limits.spareFrames + 1
    }

    /// Notes a request, or a frame of an answer.
    mutating func noteUseful() { surplus = max(0, surplus - Self.perUsefulFrame) }
}

/// Finds the frames in what a client sends over HTTP/2 (RFC 9113, 3.4 and 4.1), and looks at nothing but their kinds.
struct FrameHeads {
    /// What a frame is, for counting.
    enum Kind {
        /// The beginning of a request.
        case request
        /// What NIO counts itself, or what has its own cost and bounds.
        case rated
        case spare

        init(_ byte: UInt8) {
            switch byte {
            case 0x1: self = .request
            case 0x0, 0x2...0x7, 0x9: self = .rated
            // WINDOW_UPDATE and all that came later.
            default: self = .spare
            }
        }
    }

    private static let prefaceBytes = 24
    private static let headBytes = 9
    private static let kindIndex = 3

    /// What is passed over before the next head: the preface at first, then payloads.
    private var rest = prefaceBytes
    /// The head as far as it is there, and what it says.
    private var seen = 0
    private var length = 0
    private var kind: UInt8 = 0

    /// Reads on; tells of each frame when its head is there.
    mutating func read(_ bytes: ByteBuffer, _ tell: (Kind) -> Void) {
        var bytes = bytes
        while bytes.readableBytes > 0 {
            if rest > 0 {
                let count = min(rest, bytes.readableBytes)
                bytes.moveReaderIndex(forwardBy: count)
                rest -= count
                continue
            }
            guard let byte = bytes.readInteger(as: UInt8.self) else { return }
            if seen < Self.kindIndex { length = length << 8 | Int(byte) }
            if seen == Self.kindIndex { kind = byte }
            seen += 1
            guard seen == Self.headBytes else { continue }
            tell(Kind(kind))
            (rest, seen, length) = (length, 0, 0)
        }
    }
}

/// Looks at what a client sends before HTTP/2 is made of it.
final class FrameGuard: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let farewell: FarewellHandler
    private var heads = FrameHeads()

    init(_ farewell: FarewellHandler) { self.farewell = farewell }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        heads.read(unwrapInboundIn(data)) { farewell.noteFrame($0) }
        context.fireChannelRead(data)
    }
}
