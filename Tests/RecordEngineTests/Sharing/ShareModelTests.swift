import RecordModel
import RecordWire
import TestSeeds
import TestSupport
import Testing

/// Users who share at random: what each of them reads, asks for and follows is what the model says, and nothing else.
@Suite struct ShareModelTests {
    /// Very many on the engine that is fastest, some on the others.
    @Test(arguments: [(StoreEngine.memory, 300), (.sqlite, 40), (.postgres, 6)])
    func `Everybody has what is shared with them, and nothing else`(
        _ engine: StoreEngine, _ count: Int
    ) async throws {
        for seed in Seed.some(count) { try await run(seed, on: engine) }
    }

    private func run(_ seed: Seed, on engine: StoreEngine) async throws {
        try await TestCloud.run(engine: engine) { cloud in
            var world = try await ShareWorld(cloud, seed: seed)
            for _ in 0..<60 {
                try await world.step()
                if world.random.oneIn(4) { try await world.checkOne() }
            }
            for user in 0..<ShareWorld.users { try await world.checkAll(of: user) }
        }
    }
}

extension ShareWorld {
    /// Checks what one user, chosen at random, has of the world.
    mutating func checkOne() async throws {
        let user = random.int(0...Self.users - 1)
        switch random.int(0...3) {
        case 0: try await checkFeeds(of: user)
        case 1: try await checkList(of: user)
        case 2: try await checkQueries(of: user)
        default: try await checkLookups(of: user)
        }
    }

    mutating func checkAll(of user: Int) async throws {
        try await checkFeeds(of: user)
        try await checkList(of: user)
        try await checkQueries(of: user)
        try await checkLookups(of: user)
    }

    private mutating func checkFeeds(of user: Int) async throws {
        note("u\(user) syncs")
        try await devices[user].sync(self)
        let device = devices[user]
        let own = model.zones.keys.filter { $0.owner == user }
        for key in Set(model.open(user) + own).union(device.zones.keys).sorted() {
            let has = device.zones[key] ?? [:]
            let should = model.visible(user, key)
            expect(has == should, "u\(user) has \(has) of \(key), and should have \(should)")
        }
    }

    private func checkList(of user: Int) async throws {
        let answer = try await send(.zonesList, "{}", as: user, in: .shared)
        let names = answer.zones.map {
            "\($0["zoneID"]["zoneName"].string ?? "") \($0["zoneID"]["ownerRecordName"].string ?? "")"
        }
        let should = model.open(user).map { "\($0.name) \(Self.name($0.owner))" }
        expect(names.sorted() == should.sorted(), "u\(user)'s zones should be \(should)", answer)
    }

    private func checkQueries(of user: Int) async throws {
        guard next > 0 else { return }
        for key in model.zones.keys.sorted() {
            let should = model.visible(user, key).filter { $0.value >= 0 }
            let isOpen = key.owner == user || model.open(user).contains(key)
            var found: [String] = []
            var marker: String?
            var pages = 0
            repeat {
                let next = marker.map { #","continuationMarker":"\#($0)""# } ?? ""
                let answer = try await send(
                    .recordsQuery,
                    #"{"zoneID":\#(Self.zoneID(key, user)),"query":{"recordType":"Item"},"resultsLimit":2\#(next)}"#,
                    as: user, in: Self.scope(key, user))
                // The type comes with the first record.
                if answer.code == "NOT_FOUND", should.isEmpty { return }
                guard isOpen else {
                    expect(answer.code == "ZONE_NOT_FOUND", "u\(user) should not find \(key)", answer)
                    break
                }
                expect(answer.status == 200, "u\(user)'s query of \(key)", answer)
                found += answer.names
                marker = answer.json["continuationMarker"].string
                pages += 1
            } while marker != nil && pages < 200
            expect(found.sorted() == should.keys.sorted(), "u\(user) finds \(found) in \(key), not \(should)")
            guard isOpen else { continue }
            let count = try await send(
                .recordsCount, #"{"zoneID":\#(Self.zoneID(key, user)),"query":{"recordType":"Item"}}"#,
                as: user,
                in: Self.scope(key, user))
            expect(
                count.json["count"].int.map { Int($0) } == should.count, "u\(user)'s count of \(key)", count)
        }
    }

    private func checkLookups(of user: Int) async throws {
        for key in model.zones.keys.sorted() {
            let zone = model.zones[key] ?? ShareModel.Zone()
            let names = zone.items.keys.sorted().prefix(20) + zone.shares.keys.sorted().prefix(5) + ["nobody"]
            let list = names.map { #"{"recordName":"\#($0)"}"# }.joined(separator: ",")
            let answer = try await send(
                .recordsLookup, #"{"zoneID":\#(Self.zoneID(key, user)),"records":[\#(list)]}"#, as: user,
                in: Self.scope(key, user))
            guard key.owner == user || model.open(user).contains(key) else {
                expect(answer.code == "ZONE_NOT_FOUND", "u\(user) should not find \(key)", answer)
                continue
            }
            let should = model.visible(user, key)
            for (name, record) in zip(names, answer.records) {
                let isThere = record["serverErrorCode"].string == nil
                expect(isThere == (should[name] != nil), "u\(user) looks up \(name) in \(key)", answer)
            }
        }
    }
}
