import RecordEngine
import RecordModel
import RecordStorage

/// The passwords that wait to be stretched, and those at work: so many in all, of one address, and of one account from one network.
///
/// Networks take turns, and inside each its addresses. When all places are taken, whoever comes from a network with few of them takes the
/// place of the last of the network with most: however many come from one network, others get in.
struct StretchingLine<Work> {
    /// What waits.
    private struct Entry {
        var number: UInt64
        var party: StretchingParty
        var work: Work
    }

    /// One account as it is tried from one network: whoever tries it from elsewhere does not take its owner's places.
    private struct Target: Hashable {
        var network: String?
        var account: String
    }

    /// What became of somebody who came.
    enum Outcome {
        /// It waits, and nobody had to go.
        case taken
        /// It waits in the place of another one, which has to be told.
        case takenFrom(Work)
        /// There are too many already.
        case refused
    }

    private let most: Int
    /// How many wait or are at work: in all, of each address, of each network and at each account from a network.
    private(set) var count = 0
    private var clients: [String: Int] = [:]
    private var networks: [String: Int] = [:]
    private var targets: [Target: Int] = [:]
    /// Whose turn it is, by network, and the lines of each. Nobody knows where some come from: these are one network.
    private var turns = PartyQueue<String, Void>()
    private var lines: [String: PartyQueue<String, Entry>] = [:]
    private var next: UInt64 = 0

    /// Makes a line with so many places.
    init(most: Int = Limits.waitingPasswords) { self.most = most }

    /// Lets somebody wait.
    mutating func add(_ work: Work, of party: StretchingParty) -> Outcome {
        guard party.client.map({ clients[$0, default: 0] < Limits.waitingPasswordsPerAddress }) ?? true,
            Self.target(party).map({ targets[$0, default: 0] < Limits.waitingPasswordsPerAccount }) ?? true
        else { return .refused }
        var pushed: Work?
        if count >= most {
            guard let last = leave(for: party) else { return .refused }
            pushed = last
        }
        next += 1
        note(party, 1)
        turns.append((), of: party.line)
        lines[party.line, default: PartyQueue()].append(
            Entry(number: next, party: party, work: work), of: party.client ?? "")
        assert(count <= most)
        return pushed.map { .takenFrom($0) } ?? .taken
    }

    /// Takes out whose turn it is; it counts until ``end(_:)``.
    mutating func popFirst() -> (work: Work, party: StretchingParty)? {
        guard let network = turns.popFirst()?.party, let entry = lines[network]?.popFirst()?.element else {
            return nil
        }
        if lines[network]?.isEmpty == true { lines[network] = nil }
        return (entry.work, entry.party)
    }

    /// Notes that somebody is done who was taken out.
    mutating func end(_ party: StretchingParty) { note(party, -1) }

    /// Takes out the last one of the network with most that wait, for somebody of another one, which has fewer by more than one.
    private mutating func leave(for party: StretchingParty) -> Work? {
        guard let network = turns.largest,
            turns.count(of: network) > networks[party.line, default: 0] + 1,
            let client = lines[network]?.largest, let last = lines[network]?.popLast(of: client)
        else { return nil }
        if lines[network]?.isEmpty == true { lines[network] = nil }
        _ = turns.popLast(of: network)
        note(last.party, -1)
        return last.work
    }

    private mutating func note(_ party: StretchingParty, _ change: Int) {
        count += change
        assert(count >= 0)
        if let client = party.client { Self.add(change, to: client, in: &clients) }
        Self.add(change, to: party.line, in: &networks)
        if let target = Self.target(party) { Self.add(change, to: target, in: &targets) }
    }

    private static func target(_ party: StretchingParty) -> Target? {
        party.account.map { Target(network: party.network ?? party.client, account: $0) }
    }

    private static func add<Key>(_ change: Int, to key: Key, in counts: inout [Key: Int]) {
        let sum = counts[key, default: 0] + change
        assert(sum >= 0, "who ends has begun")
        counts[key] = sum > 0 ? sum : nil
    }
}

extension StretchingParty {
    /// The line that it stands in.
    fileprivate var line: String { network ?? client ?? "" }
}
