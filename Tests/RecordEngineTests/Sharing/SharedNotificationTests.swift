import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

/// What participants and owners are told of each other's changes.
@Suite struct SharedNotificationTests {
    private static let all: JSONValue = ["subscriptionID": "shared", "subscriptionType": "database"]

    @Test func `A participant is told where an owner changes what is shared, and whose zone it is`()
        async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.shareList(with: .bob)
            try await cloud.subscribe(Self.all, as: .bob, in: .shared)
            let courier = try await Courier.make(cloud, as: .bob)
            try await cloud.save("item", ["n": ["value": 2]], zone: "Z")
            let told = try #require(try await courier.next())
            #expect(told["ck"]["met"]["dbs"].int == 3)
            #expect(told["ck"]["met"]["zid"].string == "Z")
            #expect(told["ck"]["met"]["zoid"].string == TestCloud.Sender.alice.userName)
            #expect(told["ck"]["ckuserid"].string == TestCloud.Sender.bob.userName)
            #expect(told["ck"]["met"]["sid"].string == "shared")
            #expect(try await courier.all() == [])
        }
    }

    @Test func `Nobody is told of what is not shared with them`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.shareList(with: .bob)
            try await cloud.save("other", ["n": ["value": 1]], zone: "Z")
            try await cloud.share("other", named: "others", with: [.carol])
            try await cloud.makeZones("Own")
            for person in [TestCloud.Sender.bob, .carol] {
                try await cloud.subscribe(Self.all, as: person, in: .shared)
            }
            // The log has everything: the owner listens, too.
            try await cloud.subscribe(
                ["subscriptionID": "own", "subscriptionType": "database"], as: .alice)
            let (bob, carol) = (
                try await Courier.make(cloud, as: .bob), try await Courier.make(cloud, as: .carol)
            )
            try await cloud.save("other", ["n": ["value": 2]], zone: "Z")
            try await cloud.save("secret", ["n": ["value": 2]], zone: "Z")
            try await cloud.save("x", ["n": ["value": 2]], zone: "Own")
            try await cloud.save("y", ["n": ["value": 2]])
            try await cloud.modify([TestCloud.operation("forceDelete", "secret", type: nil)], zone: "Z")
            #expect(try await bob.all() == [])
            // Who was invited and did not come yet is told nothing either.
            #expect(try await carol.all() == [])
            try await cloud.save("item", ["n": ["value": 3]], zone: "Z")
            #expect(try await bob.all() == ["shared:Z"])
            #expect(try await carol.all() == [])
        }
    }

    @Test func `Coming in, a change of rights, a deletion and the end of a share are all told`() async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.subscribe(Self.all, as: .bob, in: .shared)
            let courier = try await Courier.make(cloud, as: .bob)
            #expect(try await courier.next() == nil)
            try await cloud.shareList(with: .bob, .carol)
            // Another device of bob's sees the zone, and that carol came in.
            #expect(try await courier.all() == ["shared:Z", "shared:Z"])
            try await cloud.modify([TestCloud.operation("forceDelete", "item", type: nil)], zone: "Z")
            #expect(try await courier.all() == ["shared:Z"])
            try await cloud.dismiss([.bob])
            // That carol is out.
            #expect(try await courier.all() == ["shared:Z"])
            try await cloud.dismiss()
            #expect(try await courier.all() == ["shared:Z"])
            try await cloud.save("list", ["n": ["value": 5]], zone: "Z")
            #expect(try await courier.all() == [])
        }
    }

    @Test func `Stopping to share and deleting the zone are told once to each participant`() async throws {
        try await TestCloud.run { cloud in
            for zone in ["Z", "Y"] { try await cloud.shareList(with: .bob, .carol, zone: zone) }
            try await cloud.subscribe(Self.all, as: .bob, in: .shared)
            let courier = try await Courier.make(cloud, as: .bob)
            try await cloud.modify(
                [TestCloud.operation("forceDelete", "share", type: nil)], zone: "Z")
            #expect(try await courier.all() == ["shared:Z"])
            let answer = try await cloud.send(
                .zonesModify,
                ["operations": [["operationType": "delete", "zone": ["zoneID": ["zoneName": "Y"]]]]])
            #expect(answer.status == 200)
            #expect(try await courier.all() == ["shared:Y"])
        }
    }

    @Test func `A record that leaves the hierarchy or comes into it is told`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.shareList(with: .bob)
            try await cloud.save("aside", ["n": ["value": 1]], zone: "Z")
            try await cloud.subscribe(Self.all, as: .bob, in: .shared)
            let courier = try await Courier.make(cloud, as: .bob)
            try await cloud.modify(
                [TestCloud.operation("forceUpdate", "aside", fields: [:], parent: "list")], zone: "Z")
            #expect(try await !courier.all().isEmpty)
            try await cloud.modify(
                [
                    [
                        "operationType": "forceUpdate",
                        "record": [
                            "recordType": "Note", "recordName": "aside", "parent": .null, "fields": [:],
                        ],
                    ]
                ], zone: "Z")
            #expect(try await !courier.all().isEmpty)
            try await cloud.save("aside", ["n": ["value": 9]], zone: "Z")
            #expect(try await courier.all() == [])
        }
    }

    @Test func `The owner's subscriptions fire on what participants write`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.shareList(with: .bob)
            try await cloud.subscribe(["subscriptionID": "db", "subscriptionType": "database"])
            try await cloud.subscribe(
                ["subscriptionID": "zone", "subscriptionType": "zone", "zoneID": ["zoneName": "Z"]])
            try await cloud.subscribe(TestCloud.notes("q", atLeast: 5))
            let courier = try await Courier.make(cloud)
            let answer = try await cloud.modifyShared([
                TestCloud.operation("create", "new", fields: ["n": ["value": 7]], parent: "list")
            ])
            #expect(answer.codes == [nil])
            let told = Set(try await courier.all())
            #expect(told.isSuperset(of: ["db:Z", "zone:Z", "q:created:new"]))
        }
    }

    @Test func `In the shared database query and zone subscriptions are refused, and names are its own`()
        async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.shareList(with: .bob)
            for subscription in [
                TestCloud.notes("q"),
                [
                    "subscriptionID": "z", "subscriptionType": "zone", "zoneID": TestCloud.zone("Z"),
                ],
            ] as [JSONValue] {
                let answer = try await cloud.send(
                    .subscriptionsModify,
                    ["operations": [["operationType": "create", "subscription": subscription]]], as: .bob,
                    in: .shared)
                #expect(answer.json["subscriptions"][0]["serverErrorCode"].string == "BAD_REQUEST")
                #expect(answer.json["subscriptions"][0]["ckErrorCode"].int == 24)
            }
            try await cloud.subscribe(Self.all, as: .bob, in: .shared)
            func names(_ scope: DatabaseScope) async throws -> [String?] {
                try await cloud.send(.subscriptionsList, [:], as: .bob, in: scope).json["subscriptions"]
                    .elements.map { $0["subscriptionID"].string }
            }
            #expect(try await names(.shared) == ["shared"])
            #expect(try await names(.private) == [])
            try await cloud.subscribe(Self.all, as: .bob, in: .private)
            let tenant = Tenant(container: cloud.container, environment: .development)
            let listed = try await cloud.store.read(.short) {
                try Subscribers.subscriptions(
                    of: TestCloud.Sender.bob.userName, in: tenant, limit: 10, $0)
            }
            #expect(listed.map(\.scope) == [.private, .shared])
            let answer = try await cloud.send(
                .subscriptionsModify,
                [
                    "operations": [
                        ["operationType": "delete", "subscription": ["subscriptionID": "shared"]]
                    ]
                ], as: .bob, in: .shared)
            #expect(answer.json["subscriptions"][0]["deleted"].bool == true)
            #expect(try await names(.shared) == [])
            #expect(try await names(.private) == ["shared"])
        }
    }

    @Test func `A subscription to one type fires on shared records of this type only`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.shareList(with: .bob)
            try await cloud.modify(
                [TestCloud.operation("create", "tag", type: "Tag", fields: [:], parent: "list")], zone: "Z")
            try await cloud.subscribe(Self.all.with("recordType", "Tag"), as: .bob, in: .shared)
            let courier = try await Courier.make(cloud, as: .bob)
            try await cloud.save("item", ["n": ["value": 2]], zone: "Z")
            #expect(try await courier.all() == [])
            try await cloud.save("tag", ["n": ["value": 2]], type: "Tag", zone: "Z")
            #expect(try await courier.all() == ["shared:Z"])
        }
    }

    @Test func `One change of an owner costs one entry of the log for all who take part`() async throws {
        try await TestCloud.run { cloud in
            let link = try await cloud.shareList(with: .bob, .carol)
            _ = link
            for person in [TestCloud.Sender.bob, .carol] {
                try await cloud.subscribe(Self.all, as: person, in: .shared)
            }
            func log() async throws -> [LoggedChange] {
                try await cloud.store.read(.short) { try $0.loggedChanges(after: 0, in: nil, limit: 1_000) }
            }
            let before = try await log().count
            try await cloud.save("item", ["n": ["value": 2]], zone: "Z")
            let new = try await log().dropFirst(before)
            #expect(new.map(\.kind) == [.shareChanged])
            #expect(new.first?.name == "share")
        }
    }

    @Test func `A waiting participant learns of a share that was accepted while it waits`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.subscribe(Self.all, as: .bob, in: .shared)
            let courier = try await Courier.make(cloud, as: .bob)
            let waiting = Task { try await courier.next(seconds: 60) }
            #expect(try await eventually { await cloud.service.receiverCount == 1 })
            try await cloud.shareList(with: .bob)
            let told = try #require(try await waiting.value)
            #expect(Courier.text(told) == "shared:Z")
        }
    }

    @Test func `A hundred who wait are all told, and the owner writes one entry for each change`()
        async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Z")
            try await cloud.save("list", ["n": ["value": 1]], zone: "Z")
            let link = try await cloud.share("list", with: [], publicly: "READ_WRITE")
            try await cloud.accept(link, as: .bob)
            let tenant = Tenant(container: cloud.container, environment: .development)
            let names = (0..<110).map { "_guest\($0)" }
            try await cloud.store.write { store in
                let bob = TestCloud.Sender.bob.userName
                guard let row = try store.participations(ofUser: bob, of: tenant).first else { return }
                for name in names {
                    var guest = row
                    (guest.user, guest.id) = (name, "user-\(name)")
                    try store.put(guest)
                }
            }
            var couriers: [Courier] = []
            for name in names {
                try await cloud.addToken(name, .web, tenant, user: name)
                let credentials = Credentials(
                    apiToken: "\(tenant)-api", webAuthToken: "\(tenant)-\(name)")
                let body: JSONValue = [
                    "operations": [["operationType": "create", "subscription": Self.all]]
                ]
                let stored = try await cloud.send(
                    .subscriptionsModify, bytes: body.bytes, credentials: credentials, tenant: tenant,
                    in: .shared)
                #expect(stored.json["subscriptions"][0]["subscriptionType"].string == "database")
                let receiver: JSONValue = ["apnsEnvironment": "development", "clientId": "c"]
                let made = try await cloud.send(
                    .tokensCreate, bytes: receiver.bytes, credentials: credentials, tenant: tenant,
                    in: .public)
                couriers.append(
                    Courier(cloud: cloud, token: try #require(made.json["apnsToken"].string)))
            }
            let start = try await cloud.store.read(.short) { try $0.lastSequence() }
            try await withThrowingTaskGroup(of: String?.self) { group in
                for courier in couriers {
                    group.addTask { try await courier.next(seconds: 60).map(Courier.text) }
                }
                #expect(try await eventually { await cloud.service.receiverCount == couriers.count })
                try await cloud.save("list", ["n": ["value": 2]], zone: "Z")
                for try await told in group { #expect(told == "shared:Z") }
            }
            let log = try await cloud.store.read(.short) {
                try $0.loggedChanges(after: start, in: nil, limit: 1_000)
            }
            #expect(log.map(\.kind) == [.shareChanged])
        }
    }

    @Test func `Who leaves and comes again is told both times, and the owner is, too`() async throws {
        try await TestCloud.run { cloud in
            let link = try await cloud.shareList(with: .bob)
            try await cloud.subscribe(Self.all, as: .bob, in: .shared)
            try await cloud.subscribe(["subscriptionID": "db", "subscriptionType": "database"])
            let (bob, alice) = (try await Courier.make(cloud, as: .bob), try await Courier.make(cloud))
            let answer = try await cloud.modifyShared([
                TestCloud.operation("forceDelete", "share", type: nil)
            ])
            #expect(answer.codes == [nil])
            #expect(try await bob.all() == ["shared:Z"])
            #expect(try await alice.all() == ["db:Z"])
            try await cloud.save("item", ["n": ["value": 4]], zone: "Z")
            #expect(try await bob.all() == [])
            try await cloud.accept(link, as: .bob)
            #expect(try await bob.all() == ["shared:Z"])
            #expect(try await alice.all().last == "db:Z")
        }
    }

    @Test func `Webhooks and receivers of the owner's database get nothing that is for participants`()
        async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.shareList(with: .bob)
            let hook = try await cloud.addHook(["Note"], on: [.create])
            let receiver = HookReceiver()
            try await cloud.delivering(to: receiver) { () async throws in
                try await cloud.modifyShared([
                    TestCloud.operation("create", "new", fields: ["n": ["value": 7]], parent: "list")
                ])
                try await cloud.dismiss()
                try await cloud.save("last", ["n": ["value": 1]], zone: "Z")
                #expect(try await eventually { receiver.texts.contains("create:last=1") })
            }
            #expect(receiver.texts == ["create:new=7", "create:last=1"])
            #expect(try await cloud.hook(hook.id).state.held.isEmpty)
        }
    }
}
