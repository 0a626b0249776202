import NIOCore
import NIOHTTP2
import RecordModel
import Testing

@testable import RecordServer

/// Frames that a client's windows make short.
@Suite struct ShortFramesTests {
    private static func frame(_ bytes: Int, isLast: Bool = false) -> HTTP2Frame.FramePayload.Data {
        .init(data: .byteBuffer(ByteBuffer(repeating: 0, count: bytes)), endStream: isLast)
    }

    private static let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
    private static let short = frame(Limits.shortFrameBytes - 1)

    @Test func `As many as are allowed are not too many, and one more is, once`() {
        var frames = ShortFrames()
        for _ in 0..<Limits.shortFrames {
            let isTooMuch = frames.isTooMuch(Self.short, at: Self.start)
            #expect(!isTooMuch)
        }
        let (first, second) = (
            frames.isTooMuch(Self.short, at: Self.start), frames.isTooMuch(Self.short, at: Self.start)
        )
        #expect(first && !second)
    }

    @Test func `Whole frames make up for short ones, ends of answers do not count, and time forgets`() {
        var frames = ShortFrames()
        for step in 0..<10 * Limits.shortFrames {
            // A window of a client that opens it by halves: a short frame for each whole one.
            let isTooMuch =
                frames.isTooMuch(Self.short, at: Self.start)
                || frames.isTooMuch(Self.frame(Limits.shortFrameBytes), at: Self.start)
                || frames.isTooMuch(Self.frame(step % 2, isLast: true), at: Self.start)
            #expect(!isTooMuch)
        }
        let later = TimeAmount.seconds(Int64(Limits.frameCountSeconds))
        for round in 0..<3 {
            for _ in 0..<Limits.shortFrames {
                let isTooMuch = frames.isTooMuch(Self.short, at: Self.start + later * (round + 1))
                #expect(!isTooMuch)
            }
        }
    }
}
