import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSeeds
import TestSupport
import Testing

/// What an operator is told of somebody's rights is what requests of theirs come to.
@Suite struct AccessExplanationTests {
    @Test(arguments: Seed.some(20))
    func `What is explained of a shared record is what the model says`(_ seed: Seed) async throws {
        try await TestCloud.run { cloud in
            var world = try await ShareWorld(cloud, seed: seed)
            for round in 0..<60 {
                try await world.step()
                if round % 12 == 11 { try await world.checkExplanations() }
            }
        }
    }

    @Test(arguments: Seed.some(10))
    func `What is explained of a public record is what the grants say`(_ seed: Seed) async throws {
        try await TestCloud.run { cloud in
            var random = seed.random
            let ground = try await RightsGround(cloud)
            try await cloud.save("r", ["n": ["value": 1]], in: .public)
            for _ in 0..<12 {
                let grants = (0..<random.int(0...3)).map { _ in
                    SecurityGrant(
                        SecurityPermissions(rawValue: UInt8(random.int(1...7))),
                        to: random.pick(SecurityGrant.systemRoles + ["Editor"], else: "_world"))
                }
                try await ground.set(grants)
                let counting = grants.isEmpty ? SecurityGrant.defaults : grants
                for asker in [RightsGround.Asker.alice, .bob, .carol] {
                    let why = try await explanation(cloud, asker, "r")
                    let isOwn = asker == .alice
                    let reads = RightsGround.allows(.read, counting, asker, isOwn: isOwn)
                    let writes = RightsGround.allows(.write, counting, asker, isOwn: isOwn)
                    #expect(why.reason == .grants, "\(why.sentence)")
                    #expect(why.mayRead == (reads), "\(why.sentence)")
                    #expect(why.mayWrite == writes, "\(why.sentence)")
                    let body: JSONValue = ["records": [["recordName": "r"]]]
                    let answer = try await ground.send(.recordsLookup, body, as: asker)
                    #expect((answer.codes == [nil]) == reads, "\(why.sentence)")
                }
            }
        }
    }

    private func explanation(
        _ cloud: TestCloud, _ asker: RightsGround.Asker, _ record: String
    ) async throws -> AccessExplanation {
        let tenant = Tenant(container: cloud.container, environment: .development)
        let name = asker.sender?.userName ?? ""
        return try await cloud.store.read(.long) { reader in
            let user =
                try reader.user(named: name, of: tenant)
                ?? UserRow(tenant: tenant, recordName: name, label: asker.rawValue, createdAt: 0)
            return try AccessExplanation(
                of: record, in: .init(owner: nil), for: user, of: tenant, reader, now: 0)
        }
    }

    @Test func `The sentence names who, what and why`() async throws {
        try await TestCloud.run { cloud in
            let world = try await ShareWorld(cloud, seed: Seed(1))
            let (key, ben) = (ShareWorld.Key(owner: 0, name: "A"), 2)
            func why(_ record: String) async throws -> String {
                try await world.explanation(of: record, in: key, for: ben).sentence
            }
            func save(_ record: String, _ type: String = "create", as user: Int = 0) async throws {
                let answer = try await world.modify(record, type, key, as: user)
                #expect(answer.code == nil && answer.codes == [nil], "\(answer.json.text)")
            }
            #expect(
                try await why("milk")
                    == "There is no record 'milk' in the zone 'A' of the private database of u0, so nobody sees it."
            )
            try await save(#"{"recordName":"list","recordType":"Item","fields":{}}"#)
            try await save(
                #"{"recordName":"milk","recordType":"Item","fields":{},"parent":{"recordName":"list"}}"#)
            #expect(
                try await why("milk")
                    == "u2 cannot see 'milk': u0 shares neither it nor the zone 'A', and what is above it ('list') is not shared either."
            )
            #expect(
                try await why("list")
                    == "u2 cannot see 'list': u0 shares neither it nor the zone 'A', and no record is above it."
            )
            try await save(
                #"{"recordName":"s","recordType":"cloudkit.share","fields":{},"forRecord":{"recordName":"list"}}"#
            )
            #expect(
                try await why("milk")
                    == "u2 cannot see 'milk': u0 shares 'list' above it with others, and has not invited u2.")
            let name = ShareWorld.name(ben)
            try await save(
                #"{"recordName":"s","participants":[{"permission":"READ_ONLY","userIdentity":{"userRecordName":"\#(name)"}}]}"#,
                "forceUpdate")
            #expect(
                try await why("milk")
                    == "u2 cannot see 'milk': u0 shares 'list' above it and invited u2 on 2023-11-14, and u2 has not accepted."
            )
            let link = try await world.modify(
                #"{"recordName":"list","createShortGUID":true}"#, "forceUpdate", key, as: 0)
            let token = link.records.first?["shortGUID"].string ?? ""
            _ = try await world.send(
                .recordsAccept, #"{"shortGUIDs":[{"value":"\#(token)"}]}"#, as: ben, in: .public)
            #expect(
                try await why("milk")
                    == "u2 may read, and not change, 'milk': u0 shares 'list' above it, and u2 takes part since 2023-11-14."
            )
            #expect(
                try await world.explanation(of: "milk", in: key, for: 0).sentence
                    == "u0 may read and change 'milk': it is in u0's own private database.")
            _ = try await world.modify(#"{"recordName":"s"}"#, "forceDelete", key, as: ben)
            #expect(
                try await why("list")
                    == "u2 cannot see 'list': u0 shares it, and u2 left; its link lets u2 back in.")
        }
    }

    @Test func `Who is shut out, and what lies in a default zone, is said so`() async throws {
        try await TestCloud.run { cloud in
            let world = try await ShareWorld(cloud, seed: Seed(1))
            let key = ShareWorld.Key(owner: 0, name: ZoneID.defaultName)
            let made = try await world.modify(
                #"{"recordName":"d","recordType":"Item","fields":{}}"#, "create", key, as: 0)
            #expect(made.codes == [nil])
            let why = try await world.explanation(of: "d", in: key, for: 1)
            #expect(why.reason == .defaultZone && !why.mayRead)
            let out = try await world.explanation(of: "d", in: key, for: 0, isDisabled: true)
            #expect(out.reason == .userDisabled && !out.mayRead && !out.mayWrite)
            let nowhere = ShareWorld.Key(owner: 0, name: "nowhere")
            #expect(try await world.explanation(of: "d", in: nowhere, for: 1).reason == .zoneMissing)
        }
    }

    @Test func `An operator who looks as a participant sees what they see`() async throws {
        try await TestCloud.run { cloud in
            var world = try await ShareWorld(cloud, seed: Seed(7))
            for _ in 0..<80 { try await world.step() }
            for key in world.model.zones.keys.sorted() {
                for user in 0..<ShareWorld.users where user != key.owner {
                    let should = world.model.visible(user, key).filter { $0.value >= 0 }.keys.sorted()
                    let body: JSONValue = [
                        "zoneID": [
                            "zoneName": .string(key.name),
                            "ownerRecordName": .string(ShareWorld.name(key.owner)),
                        ], "query": ["recordType": "Item"], "resultsLimit": 200,
                    ]
                    let answer = try await cloud.administer(
                        .recordsQuery, body, in: .shared, lookingAs: ShareWorld.name(user))
                    #expect(answer.names.sorted() == should, "u\(user) in \(key)")
                }
            }
        }
    }
}

extension ShareWorld {
    func explanation(
        of record: String, in key: Key, for user: Int, isDisabled: Bool = false
    ) async throws -> AccessExplanation {
        let tenant = tenant
        let owners = Set([user, key.owner])
        return try await cloud.store.write { store in
            for number in owners where try store.user(named: Self.name(number), of: tenant) == nil {
                try store.insert(
                    UserRow(
                        tenant: tenant, recordName: Self.name(number), label: "u\(number)", createdAt: 0))
            }
            guard var row = try store.user(named: Self.name(user), of: tenant) else {
                throw ServiceError(.notFound, "no user")
            }
            row.isDisabled = isDisabled
            return try AccessExplanation(
                of: record, in: .init(owner: Self.name(key.owner), zone: key.name), for: row, of: tenant,
                store, now: 1_800_000_000_000)
        }
    }

    /// Compares what is explained of every record with the model.
    func checkExplanations() async throws {
        for (key, zone) in model.zones.sorted(by: { $0.key < $1.key }) {
            for user in 0..<Self.users {
                let visible = model.visible(user, key)
                for name in zone.items.keys.sorted().prefix(12) + zone.shares.keys.sorted().prefix(4) {
                    let why = try await explanation(of: name, in: key, for: user)
                    expect(
                        why.mayRead == (visible[name] != nil),
                        "u\(user) sees \(name) of \(key): \(why.sentence)")
                    let reasons = reasons(user, name, key, zone)
                    expect(reasons.contains(why.reason), "\(why.reason), not \(reasons): \(why.sentence)")
                    guard zone.items[name] != nil else { continue }
                    let writes = key.owner == user || zone.permission(user, name) == .write
                    expect(why.mayWrite == writes, "u\(user) changes \(name) of \(key): \(why.sentence)")
                }
            }
        }
    }

    /// What the model allows as the reason.
    private func reasons(
        _ user: Int, _ name: String, _ key: Key, _ zone: ShareModel.Zone
    ) -> [AccessExplanation.Reason] {
        if user == key.owner { return [.ownDatabase] }
        guard let share = zone.shares[name] ?? zone.share(of: name).flatMap({ zone.shares[$0] }) else {
            return [.notShared]
        }
        switch share.people[user]?.status {
        case .accepted:
            return share.people[user]?.permission == ShareModel.Permission.none
                ? [.permissionNone] : [.participant]
        case .invited: return [.invited]
        case .left: return [.left]
        case .blocked: return [.blocked]
        // An open share lets everybody in who comes; of who is denied nothing has to be kept.
        case .removed: return share.open == .none ? [.removed, .notInvited] : [.notInvited]
        case .requested: return share.open == .none ? [.requested] : [.notInvited]
        case nil: return share.open == .none ? [.notInvited, .removed] : [.notInvited]
        }
    }
}
