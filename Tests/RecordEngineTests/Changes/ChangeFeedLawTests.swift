import RecordWire
import TestSupport
import Testing

/// Law: who follows a feed from any token has what is there.
@Suite struct ChangeFeedLawTests {
    /// A client of one zone's feed.
    struct Follower {
        var records: [String: JSONValue] = [:]
        var token: String?

        /// Follows to the end.
        mutating func follow(
            _ cloud: TestCloud, zone: String, as sender: TestCloud.Sender, _ random: inout Random
        ) async throws {
            let isFirst = token == nil
            var moreComing = true
            while moreComing {
                let feed = try await cloud.changes(
                    zone: zone, since: token, limit: random.int(1...7), as: sender)
                for record in feed.records {
                    let name = record["recordName"].string ?? ""
                    if record["deleted"] == true {
                        #expect(!isFirst, "a new client was told of a deletion: \(name)")
                        records[name] = nil
                    } else {
                        records[name] = record
                    }
                }
                #expect(feed.records.isEmpty || feed.token != token)
                token = feed.token
                moreComing = feed.moreComing
            }
        }
    }

    @Test(arguments: Seed.some(3))
    func `Following a feed gives what is there`(_ seed: Seed) async throws {
        var random = seed.random
        try await TestCloud.run { cloud in
            let senders: [TestCloud.Sender] = [.alice, .bob]
            for sender in senders { try await cloud.makeZones("A", "B", as: sender) }
            var followers: [(sender: TestCloud.Sender, zone: String, Follower)] = []
            for step in 0..<60 {
                for _ in 0..<random.int(1...4) { try await Self.write(cloud, &random, senders) }
                if step % 10 == 0 {
                    for sender in senders {
                        for zone in ["A", "B"] { followers.append((sender, zone, Follower())) }
                    }
                }
                for index in followers.indices where random.oneIn(3) {
                    let (sender, zone, _) = followers[index]
                    try await followers[index].2.follow(cloud, zone: zone, as: sender, &random)
                }
            }
            for (sender, zone, follower) in followers {
                var follower = follower
                try await follower.follow(cloud, zone: zone, as: sender, &random)
                let answer = try await cloud.query(["recordType": "Note"], zone: zone, as: sender)
                let other = try await cloud.query(["recordType": "Other"], zone: zone, as: sender)
                let live = Dictionary(
                    (answer.records + other.records).map { ($0["recordName"].string ?? "", $0) },
                    uniquingKeysWith: { $1 })
                #expect(follower.records == live)
                // Nothing new: the same token again, and no records.
                let end = try await cloud.changes(zone: zone, since: follower.token, as: sender)
                #expect(end.records.isEmpty && !end.moreComing)
            }
        }
    }

    /// Creates, changes and deletes some of a few records, in any of the zones.
    private static func write(_ cloud: TestCloud, _ random: inout Random, _ senders: [TestCloud.Sender])
        async throws
    {
        let sender = random.pick(senders, else: .alice)
        let zone = random.pick(["A", "B", nil], else: "A")
        let names = Set((0..<random.int(1...5)).map { _ in random.int(0...11) }).sorted()
        let operations = names.map { number -> JSONValue in
            let name = "r\(number)"
            let type = number % 3 == 0 ? "Other" : "Note"
            if random.oneIn(3) { return TestCloud.operation("forceDelete", name, type: type) }
            return TestCloud.operation(
                "forceUpdate", name, type: type, fields: ["n": ["value": .int(Int64(random.int(0...99)))]])
        }
        // Some batches fail as a whole and leave nothing.
        let failing = random.oneIn(6) ? [TestCloud.operation("update", "never", tag: "1")] : []
        try await cloud.modify(operations + failing, zone: zone, as: sender)
    }
}
