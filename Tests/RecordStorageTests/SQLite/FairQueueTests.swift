import RecordModel
import RecordStorage
import RecordStorageConformance
import TestSupport
import Testing

@testable import RecordStorageSQLite

/// Law: places are never given twice, the last is kept for who has none, and nobody waits while there is one to be had.
@Suite struct FairQueueTests {
    private static func party(_ number: Int) throws -> ReadParty {
        ReadParty(tenant: try Ground.tenant(), name: "user \(number)")
    }

    @Test(arguments: Seed.some(20))
    func `Random comings and goings keep the rules`(_ seed: Seed) throws {
        var random = seed.random
        let places = random.int(1...4)
        var turns = FairQueue<Int>(places: places, isShared: true, mostWaiting: 20, mostWaitingPerParty: 8)
        // The party of each who holds a place, and of each who waits, by number.
        var holding: [Int: Int] = [:]
        var waiting: [(id: Int, party: Int)] = []
        for id in 1...2_000 {
            let number = random.int(0...4)
            let party = try Self.party(number)
            let own = holding.values.filter { $0 == number }.count
            let mayTake = holding.count < places && (places == 1 || own == 0 || holding.count + 1 < places)
            switch random.int(0...5) {
            case 0...2:
                let isTaken = turns.take(party)
                #expect(isTaken == mayTake, "\(seed) \(id)")
                if isTaken {
                    holding[id] = number
                } else {
                    let waitsAlready = waiting.filter { $0.party == number }.count
                    let isIn = turns.wait(id, id: UInt64(id), party)
                    #expect(isIn == (waiting.count < 20 && waitsAlready < 8))
                    if isIn { waiting.append((id, number)) }
                }
            case 3, 4:
                guard let (done, number) = holding.min(by: { $0.key < $1.key }) else { continue }
                holding[done] = nil
                for next in turns.give(by: try Self.party(number)) {
                    let index = try #require(waiting.firstIndex { $0.id == next })
                    let first = waiting.first { $0.party == waiting[index].party }
                    #expect(first?.id == next, "in one party the first comes first")
                    holding[next] = waiting.remove(at: index).party
                }
            default:
                guard !waiting.isEmpty else { continue }
                let gone = waiting.remove(at: random.int(0...waiting.count - 1))
                let goneParty = try Self.party(gone.party)
                let first = turns.leave(id: UInt64(gone.id), goneParty)
                let left = [first, turns.leave(id: UInt64(gone.id), goneParty)]
                #expect(left == [gone.id, nil])
            }
            #expect(turns.free == places - holding.count && turns.waiting == waiting.count)
            for (_, number) in waiting {
                let own = holding.values.filter { $0 == number }.count
                let couldTake =
                    holding.count < places && (places == 1 || own == 0 || holding.count + 1 < places)
                #expect(!couldTake, "\(seed) \(id): somebody waits in front of a place of theirs")
            }
            if places > 1, holding.count == places {
                #expect(Set(holding.values).count > 1, "one party holds all")
            }
        }
    }

    @Test func `Parties take turns, however many one sends`() throws {
        var turns = FairQueue<String>(places: 2, isShared: true)
        let (loud, quiet, other) = (try Self.party(1), try Self.party(2), try Self.party(3))
        var taken = [turns.take(loud), turns.take(other)]
        for number in 1...50 { taken.append(turns.wait("loud \(number)", id: UInt64(number), loud)) }
        taken.append(turns.wait("quiet", id: 100, quiet))
        #expect(taken.allSatisfy { $0 })
        let next = [turns.give(by: other), turns.give(by: loud), turns.give(by: quiet)]
        #expect(next == [["quiet"], ["loud 1"], []], "the last place is not for who holds one")
    }
}
