import RecordModel
import TestSupport
import Testing

@testable import RecordEngine

/// What a server remembers of signatures: never too little, and not without end.
@Suite struct ReplayMemoryTests {
    @Test(arguments: Seed.some(20))
    func `Nothing is taken twice, and memory stays within its bound`(_ seed: Seed) {
        var random = seed.random
        let memory = ReplayMemory(start: 1_000_000, capacity: 50)
        var now: Int64 = 1_000_000
        var taken: Set<[Int64]> = []
        for _ in 0..<2_000 {
            if random.oneIn(4) { now += Int64(random.int(0...40_000)) }
            let date = now + Int64(random.int(-600_000...600_000))
            let number = Int64(random.int(0...40))
            let finding = memory.note([UInt8(number)], key: [1], date: date, now: now)
            guard finding == .new else { continue }
            #expect(date >= 1_001_000)
            #expect(taken.insert([date / 1_000, number]).inserted, "\(date) was taken twice")
        }
        #expect(!taken.isEmpty)
    }

    @Test func `A full memory forgets the oldest dates and refuses them`() {
        let memory = ReplayMemory(start: 0, capacity: 3)
        for second in [10, 11, 12] as [Int64] {
            #expect(memory.note([1], key: [1], date: second * 1_000, now: 12_000) == .new)
        }
        #expect(memory.note([2], key: [1], date: 12_000, now: 12_000) == .new)
        #expect(memory.note([1], key: [1], date: 10_000, now: 12_000) == .tooOld)
        #expect(memory.note([1], key: [1], date: 11_000, now: 12_000) == .used)
        // Another key's signature of the same number is another one.
        #expect(memory.note([1], key: [2], date: 12_000, now: 12_000) == .new)
        #expect(memory.note([3], key: [1], date: 12_000, now: 12_000) == .full)
        #expect(memory.note([3], key: [1], date: 13_000, now: 13_000) == .new)
    }

    @Test func `What is dated before the process, or in its first second, has to be signed again`() {
        let memory = ReplayMemory(start: 1_000_500)
        // A clock that is behind gets as long as it needs.
        #expect(memory.note([1], key: [1], date: 998_000, now: 1_000_600) == .early(seconds: 3))
        #expect(memory.note([1], key: [1], date: 1_000_900, now: 1_000_950) == .early(seconds: 1))
        #expect(memory.note([1], key: [1], date: 1_001_000, now: 1_000_950) == .new)
    }
}
