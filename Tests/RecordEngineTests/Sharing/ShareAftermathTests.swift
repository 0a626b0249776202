import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

@testable import RecordEngine

/// What is left of shares when people, zones and types go: nobody keeps stale records, and no row stays for ever.
@Suite struct ShareAftermathTests {
    private static func tenant(_ cloud: TestCloud) -> Tenant {
        Tenant(container: cloud.container, environment: .development)
    }

    /// The names of the zones that a participant's feed of the shared database tells of, those that are gone in brackets.
    private static func zones(
        _ cloud: TestCloud, since token: String? = nil, as sender: TestCloud.Sender = .bob
    ) async throws -> (names: [String], token: String?) {
        let body: JSONValue = token.map { ["syncToken": .string($0)] } ?? [:]
        let answer = try await cloud.send(.changesDatabase, body, as: sender, in: .shared)
        guard answer.status == 200 else { return ([answer.code ?? "?"], nil) }
        let names = answer.zones.map { zone in
            let name = zone["zoneID"]["zoneName"].string ?? "?"
            return zone["deleted"].bool == true ? "(\(name))" : name
        }
        return (names, answer.json["syncToken"].string)
    }

    /// The names of the records that a participant's feed of a zone tells of, those that are gone in brackets; or an error's code.
    private static func feed(
        _ cloud: TestCloud, since token: String? = nil, zone: String = "Z",
        as sender: TestCloud.Sender = .bob
    ) async throws -> (names: Set<String>, token: String?) {
        var wish: JSONValue = ["zoneID": TestCloud.zone(zone)]
        if let token { wish = wish.with("syncToken", .string(token)) }
        let answer = try await cloud.send(.changesZone, ["zones": [wish]], as: sender, in: .shared)
        let zone = answer.zones.first ?? .null
        if let code = zone["serverErrorCode"].string ?? answer.code { return ([code], nil) }
        let names = zone["records"].elements.map { record in
            let name = record["recordName"].string ?? "?"
            return record["deleted"].bool == true ? "(\(name))" : name
        }
        return (Set(names), zone["syncToken"].string)
    }

    private static func erase(_ sender: TestCloud.Sender, _ cloud: TestCloud) async throws {
        let row = ErasureRow(
            tenant: tenant(cloud), user: sender.userName, publicRecords: .remove,
            createdAt: cloud.wait(milliseconds: 1))
        try await cloud.store.write { try $0.store(row) }
        var done: Set<ErasureRow> = []
        try await cloud.service.eraseUsers(passing: &done) { _, _ in }
    }

    private static func intake(_ cloud: TestCloud) -> RecordIntake {
        RecordIntake(
            store: cloud.store,
            database: DatabaseID(tenant: tenant(cloud), owner: TestCloud.Sender.alice.userName)
        ) { cloud.wait(milliseconds: 1) }
    }

    /// A record as it comes from elsewhere.
    private static func incoming(_ name: String, n: Int64, parent: String? = nil, at time: Int64) throws
        -> IncomingRecord
    {
        var json: JSONValue = [
            "recordName": .string(name), "recordType": "Note", "fields": ["n": ["value": .int(n)]],
            "created": ["timestamp": .int(time), "userRecordName": "_x"],
            "modified": ["timestamp": .int(time), "userRecordName": "_x"],
        ]
        if let parent { json = json.with("parent", ["recordName": .string(parent)]) }
        return try IncomingRecord(json: json.object ?? JSONObject())
    }

    // MARK: People

    @Test func `What a person who is gone wrote into others' zones stays and names nobody`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.shareList(with: .bob, .carol)
            try await cloud.modifyShared([
                TestCloud.operation("create", "bobs", fields: ["n": ["value": 7]], parent: "list"),
                TestCloud.operation("forceUpdate", "item", fields: ["n": ["value": 8]]),
            ])
            let carol = try await Self.feed(cloud, as: .carol)
            try await Self.erase(.bob, cloud)
            for name in ["bobs", "item"] {
                let record = try #require(try await cloud.record(name, zone: "Z"))
                #expect(!record.text.contains(TestCloud.Sender.bob.userName))
                #expect(record["modified"]["userRecordName"].string == Erasures.nobody)
            }
            #expect(try await cloud.record("bobs", zone: "Z")?["parent"]["recordName"].string == "list")
            let share = try #require(try await cloud.record("share", zone: "Z"))
            #expect(!share.text.contains(TestCloud.Sender.bob.userName))
            #expect(share["participants"].elements.count == 2)
            #expect(try await cloud.record("list", zone: "Z")?["share"]["recordName"].string == "share")
            // Others hear of it by their feeds.
            let news = try await Self.feed(cloud, since: carol.token, as: .carol)
            #expect(news.names.isSuperset(of: ["bobs", "item", "share"]))
            #expect(
                try await cloud.store.read(.short) {
                    try $0.participations(ofUser: TestCloud.Sender.bob.userName, of: Self.tenant(cloud))
                } == [])
        }
    }

    @Test func `The shares of an owner who is gone end for all who took part`() async throws {
        try await TestCloud.run { cloud in
            let link = try await cloud.shareList(with: .bob)
            try await cloud.subscribe(
                ["subscriptionID": "s", "subscriptionType": "database"], as: .bob, in: .shared)
            let courier = try await Courier.make(cloud, as: .bob)
            let before = try await Self.zones(cloud)
            #expect(before.names == ["Z"])
            try await Self.erase(.alice, cloud)
            #expect(try await Self.zones(cloud, since: before.token).names == ["(Z)"])
            #expect(try await Self.zones(cloud).names == [])
            #expect(try await courier.all().contains("s:Z"))
            let answer = try await cloud.send(
                .recordsResolve, ["shortGUIDs": [["value": .string(link)]]], as: .bob, in: .public)
            #expect(answer.json["results"][0]["serverErrorCode"].string == "NOT_FOUND")
            let left = try await cloud.store.read(.short) {
                (
                    try $0.shares(of: Self.tenant(cloud), limit: 10),
                    try $0.shareLinks(after: [], limit: 10)
                )
            }
            #expect(left.0 == [])
            #expect(left.1 == [])
        }
    }

    // MARK: What operators take in

    @Test func `Records that are imported below a root come to participants, and go from them`() async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.shareList(with: .bob)
            let start = try await Self.feed(cloud)
            #expect(start.names.isSuperset(of: ["list", "item", "share"]))
            let zones = try await Self.zones(cloud)
            let time = cloud.wait(milliseconds: 1_000)
            let intake = Self.intake(cloud)
            _ = try await intake.take(
                [
                    Self.incoming("in", n: 5, parent: "list", at: time),
                    Self.incoming("out", n: 5, at: time), Self.incoming("list", n: 6, at: time),
                ], into: "Z")
            #expect(try await Self.zones(cloud, since: zones.token).names == ["Z"])
            let second = try await Self.feed(cloud, since: start.token)
            #expect(second.names == ["in", "list"])
            // The root is still what is shared.
            let root = try #require(try await cloud.record("list", zone: "Z"))
            #expect(root["share"]["recordName"].string == "share")
            #expect(root["shortGUID"].string?.isEmpty == false)
            // Moved out, and deleted.
            _ = try await intake.take(
                [Self.incoming("in", n: 5, at: cloud.wait(milliseconds: 1_000))], into: "Z")
            #expect(try await intake.delete(["item"], from: "Z") == 1)
            let third = try await Self.feed(cloud, since: second.token)
            #expect(third.names == ["(in)", "(item)"])
            #expect(try await intake.delete(["list"], from: "Z") == 1)
            #expect(try await Self.feed(cloud, since: third.token).names == ["ZONE_NOT_FOUND"])
            #expect(try await cloud.record("share", zone: "Z") == nil)
        }
    }

    @Test func `A share that comes from elsewhere is refused in a sentence, and a zone that goes is told`()
        async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.shareList(with: .bob)
            let zones = try await Self.zones(cloud)
            let share = try IncomingRecord(
                json: JSONReader.read(
                    Array(
                        #"{"recordName": "foreign", "recordType": "cloudkit.share", "fields": {}}"#.utf8)
                ).object ?? JSONObject())
            let outcome = try await Self.intake(cloud).take([share], into: "Z")
            #expect(outcome.refusals.map(\.recordName) == ["foreign"])
            #expect(try await Self.intake(cloud).deleteZone(named: "Z"))
            #expect(try await Self.zones(cloud, since: zones.token).names == ["(Z)"])
        }
    }

    @Test func `A zone that is deleted, made again and shared again is told once, as there`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.shareList(with: .bob)
            let (zones, start) = (try await Self.zones(cloud), try await Self.feed(cloud))
            _ = try await cloud.send(
                .zonesModify,
                ["operations": [["operationType": "delete", "zone": ["zoneID": ["zoneName": "Z"]]]]])
            #expect(try await Self.zones(cloud, since: zones.token).names == ["(Z)"])
            try await cloud.shareList(with: .bob)
            #expect(try await Self.zones(cloud, since: zones.token).names == ["Z"])
            // What the client has of the earlier zone is not taken for that of this one.
            #expect(try await Self.feed(cloud, since: start.token).names == ["BAD_REQUEST"])
        }
    }

    // MARK: The schema

    @Test func `When a type goes, nobody keeps its records for ever`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.shareList(with: .bob)
            try await cloud.modify(
                [TestCloud.operation("create", "tag", type: "Tag", fields: [:], parent: "list")], zone: "Z")
            let start = try await Self.feed(cloud)
            #expect(start.names.contains("tag"))
            let tenant = Self.tenant(cloud)
            try await cloud.store.write {
                try SchemaWriting(store: $0, tenant: tenant).apply([.typeRemoved("Tag")])
            }
            #expect(try await Self.feed(cloud, since: start.token).names == ["BAD_REQUEST"])
            let again = try await Self.feed(cloud)
            #expect(again.names.isSuperset(of: ["list", "item"]) && !again.names.contains("tag"))
            // With the root's type the share goes.
            let zones = try await Self.zones(cloud)
            try await cloud.store.write {
                try SchemaWriting(store: $0, tenant: tenant).apply([.typeRemoved("Note")])
            }
            #expect(try await Self.zones(cloud, since: zones.token).names == ["(Z)"])
        }
    }

    @Test func `A reset of development ends its shares`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.shareList(with: .bob)
            let zones = try await Self.zones(cloud)
            _ = try await SchemaReset.apply(container: cloud.container, store: cloud.store)
            #expect(try await Self.zones(cloud, since: zones.token).names == ["(Z)"])
            let tenant = Self.tenant(cloud)
            #expect(try await cloud.store.read(.short) { try $0.shares(of: tenant, limit: 10) } == [])
        }
    }

    // MARK: Time

    private static let day: Int64 = 86_400_000

    @Test func `What left a share is forgotten after a while, and with it tokens from before`() async throws {
        try await TestCloud.run { cloud in
            let link = try await cloud.shareList(with: .bob, .carol)
            let (start, zones) = (try await Self.feed(cloud), try await Self.zones(cloud))
            try await cloud.modify([TestCloud.operation("forceDelete", "item", type: nil)], zone: "Z")
            func departures() async throws -> Int {
                let end = cloud.wait(milliseconds: 1)
                return try await cloud.store.read(.short) {
                    try $0.departures(before: end, limit: 100).count
                }
            }
            #expect(try await departures() == 1)
            cloud.wait(milliseconds: 80 * Self.day)
            try await cloud.service.sweepShares()
            #expect(try await departures() == 1)
            #expect(try await Self.feed(cloud, since: start.token).names == ["(item)"])
            let later = try await Self.zones(cloud, since: zones.token)
            cloud.wait(milliseconds: 14 * Self.day)
            try await cloud.service.sweepShares()
            #expect(try await departures() == 0)
            #expect(try await Self.feed(cloud, since: start.token).names == ["BAD_REQUEST"])
            #expect(try await Self.zones(cloud, since: zones.token).names == ["BAD_REQUEST"])
            #expect(try await Self.zones(cloud, since: later.token).names == [])
            // Who took part in a share that ended is known as long, too.
            try await cloud.modify([TestCloud.operation("forceDelete", "share", type: nil)], zone: "Z")
            func participants() async throws -> Int {
                try await cloud.store.read(.short) { try $0.participants(after: nil, limit: 100).count }
            }
            try await cloud.service.sweepShares()
            #expect(try await participants() == 2)
            cloud.wait(milliseconds: 100 * Self.day)
            try await cloud.service.sweepShares()
            #expect(try await participants() == 0)
            #expect(try await departures() == 0)
            // The link is its root's, and goes with it.
            _ = link
            func links() async throws -> Int {
                try await cloud.store.read(.short) { try $0.shareLinks(after: [], limit: 100).count }
            }
            #expect(try await links() == 1)
            try await cloud.modify([TestCloud.operation("forceDelete", "list", type: nil)], zone: "Z")
            try await cloud.service.sweepShares()
            #expect(try await links() == 0)
        }
    }
}
