import RecordStorage
import TestSeeds
import Testing

@Suite struct PartyQueueTests {
    @Test func `Who comes with one does not wait for all of who comes with many`() {
        var line = PartyQueue<String, Int>()
        for number in 0..<1_000 { line.append(number, of: "many") }
        line.append(-1, of: "one")
        let next = (0..<3).compactMap { _ in line.popFirst()?.element }
        #expect(next == [0, -1, 1])
        #expect(line.count == 998 && line.parties == 1 && line.largest == "many" && line.first == 2)
        let last = line.popLast(of: "many")
        #expect(last == 999)
        let none = line.popLast(of: "one")
        #expect(none == nil)
    }

    @Test(arguments: Seed.some(20))
    func `Everybody comes out once, in turns, and in each party as they came`(seed: Seed) {
        var random = seed.random
        var line = PartyQueue<Int, Int>()
        var model: [Int: [Int]] = [:]
        for number in 0..<2_000 {
            let party = Int.random(in: 0..<12, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                line.append(number, of: party)
                model[party, default: []].append(number)
            case 5..<8:
                let most = model.values.map(\.count).max() ?? 0
                if let largest = line.largest { #expect(model[largest]?.count == most) }
                guard let (own, element) = line.popFirst() else { break }
                #expect(model[own]?.first == element)
                model[own]?.removeFirst()
            case 8:
                let last = line.popLast(of: party)
                #expect(last == model[party]?.last)
                if last != nil { model[party]?.removeLast() }
            default:
                let isMeant = { (element: Int) in element.isMultiple(of: 3) }
                let index = model[party]?.firstIndex(where: isMeant)
                let expected = index.flatMap { model[party]?.remove(at: $0) }
                let removed = line.removeFirst(of: party, where: isMeant)
                #expect(removed == expected)
            }
            model = model.filter { !$0.value.isEmpty }
            #expect(line.count == model.values.reduce(0) { $0 + $1.count } && line.parties == model.count)
        }
        // What is left comes out in rounds, each with one of each party that has any.
        while !line.isEmpty {
            let parties = Set(model.keys)
            var round: Set<Int> = []
            for _ in parties {
                guard let (own, element) = line.popFirst() else { break }
                #expect(model[own]?.first == element, "STRATUS_SEED=\(seed)")
                model[own]?.removeFirst()
                round.insert(own)
            }
            #expect(round == parties)
            model = model.filter { !$0.value.isEmpty }
        }
        #expect(model.isEmpty)
    }
}
