import RecordEngine
import RecordModel
import TestSeeds
import Testing

@testable import PasswordStretching

@Suite struct StretchingLineTests {
    private static func party(_ network: Int, _ address: Int = 0, at account: String? = nil)
        -> StretchingParty
    {
        StretchingParty(client: "\(network):\(address)", network: "\(network)", account: account)
    }

    @Test func `A newcomer gets in beside a network that takes all places, and soon has its turn`() {
        var line = StretchingLine<Int>()
        for number in 0..<10_000 { _ = line.add(number, of: Self.party(1, number, at: "account \(number)")) }
        #expect(line.count == Limits.waitingPasswords)
        guard case .takenFrom = line.add(-1, of: Self.party(2)) else {
            Issue.record("The newcomer finds no place.")
            return
        }
        #expect(line.count == Limits.waitingPasswords)
        guard case .refused = line.add(-2, of: Self.party(1, 99_999)) else {
            Issue.record("The crowd takes the newcomer's place.")
            return
        }
        let next = (0..<2).compactMap { _ in line.popFirst()?.work }
        #expect(next.contains(-1))
    }

    @Test func `Strangers who try an account from elsewhere do not keep its owner out`() {
        var line = StretchingLine<Int>()
        for number in 0..<200 { _ = line.add(number, of: Self.party(number % 30, number, at: "ada")) }
        let outcome = line.add(-1, of: Self.party(100, at: "ada"))
        if case .refused = outcome { Issue.record("The owner finds no place.") }
        let next = (0..<32).compactMap { _ in line.popFirst()?.work }
        #expect(next.contains(-1))
    }

    @Test func `An address and an account have so many places, and one more is refused`() {
        var line = StretchingLine<Int>()
        func isTaken(_ party: StretchingParty) -> Bool {
            if case .taken = line.add(0, of: party) { true } else { false }
        }
        for _ in 0..<Limits.waitingPasswordsPerAddress { #expect(isTaken(Self.party(1))) }
        #expect(!isTaken(Self.party(1)) && isTaken(Self.party(1, 1)))
        for number in 0..<Limits.waitingPasswordsPerAccount {
            #expect(isTaken(Self.party(2, number, at: "ada")))
        }
        #expect(!isTaken(Self.party(2, 9, at: "ada")) && isTaken(Self.party(2, 9, at: "bob")))
        // Where it is not known who asks, the account alone counts.
        for _ in 0..<Limits.waitingPasswordsPerAccount { #expect(isTaken(StretchingParty(account: "ada"))) }
        #expect(!isTaken(StretchingParty(account: "ada")))
    }

    @Test(arguments: Seed.some(20))
    func `Whatever comes and goes, places are counted, and each network's turn comes`(seed: Seed) {
        var random = seed.random
        var line = StretchingLine<Int>(most: 20)
        var working: [StretchingParty] = []
        var (waiting, networks) = ([Int: Int](), [Int: StretchingParty]())
        for number in 0..<3_000 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0..<2:
                let network = Int.random(in: 0..<8, using: &random)
                let party = Self.party(network, Int.random(in: 0..<9, using: &random), at: "\(number % 50)")
                switch line.add(number, of: party) {
                case .taken: break
                case .takenFrom(let other):
                    #expect(networks.removeValue(forKey: other) != nil, "Who had to go waited.")
                    waiting[other] = nil
                case .refused: continue
                }
                (waiting[number], networks[number]) = (network, party)
            case 2:
                guard let (work, party) = line.popFirst() else { break }
                #expect(networks.removeValue(forKey: work) == party)
                waiting[work] = nil
                working.append(party)
            default:
                guard let party = working.popLast() else { break }
                line.end(party)
            }
            #expect(line.count == waiting.count + working.count && line.count <= 20, "STRATUS_SEED=\(seed)")
        }
        let most = Set(waiting.values).count
        let first = (0..<most).compactMap { _ in line.popFirst()?.work }.compactMap { waiting[$0] }
        #expect(Set(first).count == most, "Each network has one turn before any has two.")
    }
}
