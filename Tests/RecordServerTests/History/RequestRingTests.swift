import TestSupport
import Testing

@testable import RecordServer

/// A ring holds the newest records, whole, in its space.
@Suite struct RequestRingTests {
    @Test(arguments: Seed.some(20)) func holdsTheNewestRecords(_ seed: Seed) {
        var random = seed.random
        let capacity = random.int(1...600)
        let longest = random.int(1...capacity)
        let records = random.int(1...60)
        var ring = RequestRing(bytes: capacity, records: records)
        var all: [(sequence: UInt64, bytes: [UInt8])] = []
        var sequence: UInt64 = 0
        for _ in 0..<400 {
            sequence += UInt64(random.int(1...3))
            let bytes = (0..<random.int(1...longest)).map { _ in UInt8(random.int(0...255)) }
            ring.append(sequence, length: bytes.count) { $0.copyBytes(from: bytes) }
            all.append((sequence, bytes))
            let kept = all.suffix(ring.count)
            #expect(ring.count >= 1 && ring.count <= records)
            #expect(kept.reduce(0) { $0 + $1.bytes.count } <= capacity)
            for (position, record) in kept.enumerated() {
                #expect(ring.sequence(at: position) == record.sequence)
                #expect(ring.withRecord(at: position) { Array($0) } == record.bytes)
            }
            // At most the space of one record is lost at the end of the buffer, and one more makes room.
            let isFull = ring.count == min(records, all.count)
            let length = kept.reduce(0) { $0 + $1.bytes.count }
            #expect(isFull || length + 2 * longest > capacity)
            let wanted = UInt64(random.int(0...Int(sequence) + 1))
            #expect(ring.position(notBelow: wanted) == kept.prefix { $0.sequence < wanted }.count)
        }
    }

    @Test func leavesOutWhatCanNeverFit() {
        var ring = RequestRing(bytes: 10, records: 3)
        ring.append(1, length: 11) { _ in Issue.record("nothing is written") }
        #expect(ring.count == 0)
        ring.append(2, length: 10) { $0.copyBytes(from: [UInt8](repeating: 7, count: 10)) }
        #expect(ring.count == 1)
    }
}
