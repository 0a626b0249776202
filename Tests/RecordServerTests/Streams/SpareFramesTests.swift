import NIOCore
import RecordModel
import TestSeeds
import Testing

@testable import RecordServer

@Suite struct SpareFramesTests {
    @Test func `One spare frame too many is told of once, and requests and answers make up for some`() {
        var frames = SpareFrames()
        let now = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
        func told(_ kinds: [FrameHeads.Kind], at time: NIODeadline) -> Int {
            kinds.count { frames.isTooMuch($0, at: time) }
        }
        func spare(_ count: Int) -> [FrameHeads.Kind] { Array(repeating: .spare, count: count) }
        let most = told(spare(Limits.spareFrames) + [.rated, .request], at: now)
        #expect(most == 0)
        frames.noteUseful()
        let madeUp = told(spare(8), at: now)
        #expect(madeUp == 0)
        let beyond = [told(spare(1), at: now), told(spare(100), at: now)]
        #expect(beyond == [1, 0])
        let later = told(spare(Limits.spareFrames), at: now + .seconds(Int64(Limits.frameCountSeconds)))
        #expect(later == 0)
    }

    @Test(arguments: Seed.some(20))
    func `Frames are found however they are cut`(seed: Seed) {
        var random = seed.random
        var bytes = ByteBuffer(string: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        var kinds: [UInt8] = []
        for _ in 0..<200 {
            let kind = UInt8.random(in: 0...16, using: &random)
            let length = Int.random(in: 0...300, using: &random)
            kinds.append(kind)
            bytes.writeBytes([0, UInt8(length >> 8), UInt8(length & 0xFF), kind, 0, 0, 0, 0, 1])
            // What looks like a head in a payload is none.
            bytes.writeRepeatingByte(8, count: length)
        }
        var heads = FrameHeads()
        var found: [FrameHeads.Kind] = []
        while bytes.readableBytes > 0 {
            let count = Int.random(in: 1...min(40, bytes.readableBytes), using: &random)
            guard let piece = bytes.readSlice(length: count) else { break }
            heads.read(piece) { found.append($0) }
        }
        #expect(found == kinds.map { FrameHeads.Kind($0) }, "STRATUS_SEED=\(seed)")
    }
}
