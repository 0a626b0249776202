import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSeeds
import TestSupport
import Testing

/// What subscriptions tell their receivers.
@Suite struct NotificationTests {
    /// One step, and what a subscription to notes from 10 on says of it, by what it fires on.
    struct Step: Sendable {
        var before: Int64?
        var after: Int64?
        var fires: String?
    }

    static let table = [
        Step(before: nil, after: 10, fires: "create"), Step(before: nil, after: 9, fires: nil),
        // An update counts when the record fulfils the query afterwards.
        Step(before: 9, after: 10, fires: "update"), Step(before: 10, after: 11, fires: "update"),
        Step(before: 10, after: 9, fires: nil), Step(before: 8, after: 9, fires: nil),
        Step(before: 10, after: nil, fires: "delete"), Step(before: 9, after: nil, fires: nil),
    ]

    @Test(arguments: [["create"], ["update"], ["delete"], ["create", "update", "delete"]])
    func `A query subscription fires on what it names, by the record before and after`(
        _ triggers: [String]
    ) async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("first", ["n": ["value": 0]])
            let names = ["create": "created", "update": "updated", "delete": "deleted"]
            for (number, step) in Self.table.enumerated() {
                let name = "r\(number)"
                if let before = step.before { try await cloud.save(name, ["n": ["value": .int(before)]]) }
                try await cloud.subscribe(TestCloud.notes("s\(number)", atLeast: 10, on: triggers))
                let courier = try await Courier.make(cloud)
                if let after = step.after {
                    try await cloud.save(name, ["n": ["value": .int(after)]])
                } else {
                    try await cloud.delete(name)
                }
                let expected = step.fires.flatMap { fires in
                    triggers.contains(fires) ? "s\(number):\(names[fires] ?? ""):\(name)" : nil
                }
                #expect(try await courier.all() == [expected].compactMap { $0 }, "step \(number)")
                _ = try await cloud.unsubscribe("s\(number)")
            }
        }
    }

    @Test func `Zones and databases tell of their records, and databases of their zones`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("A", "B")
            try await cloud.subscribe(
                ["subscriptionID": "z", "subscriptionType": "zone", "zoneID": ["zoneName": "A"]])
            try await cloud.subscribe(["subscriptionID": "d", "subscriptionType": "database"])
            let courier = try await Courier.make(cloud)
            try await cloud.save("a", ["n": ["value": 1]], zone: "A")
            try await cloud.save("b", ["n": ["value": 1]], zone: "B")
            try await cloud.save("quiet", ["n": ["value": 1]])
            try await cloud.delete("a", zone: "A")
            try await cloud.makeZones("C")
            #expect(try await courier.all() == ["z:A", "d:A", "d:B", "z:A", "d:A", "d:C"])
            let removal: JSONValue = [
                "operations": [["operationType": "delete", "zone": ["zoneID": ["zoneName": "A"]]]]
            ]
            _ = try await cloud.send(.zonesModify, removal)
            #expect(try await courier.all() == ["d:A"])
            let left = try await cloud.send(.subscriptionsList, [:])
            #expect(left.json["subscriptions"].elements.map { $0["subscriptionID"].string } == ["d"])
        }
    }

    @Test func `A payload has the alert, the named fields and the record`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("x", ["n": ["value": 1], "t": ["value": "hello"]])
            try await cloud.subscribe(
                TestCloud.notes("s").with(
                    "notificationInfo",
                    [
                        "alertLocalizationKey": "NEW", "alertLocalizationArgs": ["t", "n"],
                        "additionalFields": ["n", "t"], "shouldBadge": true,
                        "shouldSendContentAvailable": true, "soundName": "ping", "category": "c",
                    ]))
            let courier = try await Courier.make(cloud)
            try await cloud.save("x", ["n": ["value": 2]])
            let payload = try #require(try await courier.next())
            let nid = try #require(payload["ck"]["nid"].string)
            let expected: JSONValue = [
                "aps": [
                    "content-available": 1, "alert": ["loc-key": "NEW", "loc-args": ["hello", "2"]],
                    "badge": 1, "sound": "ping", "category": "c",
                ],
                "ck": [
                    "ce": 2, "cid": "iCloud.test", "ckuserid": .string(TestCloud.Sender.alice.userName),
                    "nid": .string(nid),
                    "qry": [
                        "dbs": 1, "fo": 2, "rid": "x", "sid": "s", "zid": "_defaultZone",
                        "zoid": .string(TestCloud.Sender.alice.userName), "af": ["n": 2, "t": "hello"],
                    ],
                ],
            ]
            #expect(payload.text == expected.text)
        }
    }

    @Test func `To store a subscription again changes nothing, and names are each user's own`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("x", ["n": ["value": 1]], in: .public)
            let first = try await cloud.subscribe(TestCloud.notes("s"), in: .public)
            let courier = try await Courier.make(cloud)
            try await cloud.save("x", ["n": ["value": 2]], in: .public)
            // What was committed before stays to be told.
            #expect(try await cloud.subscribe(TestCloud.notes("s"), in: .public) == first)
            try await cloud.subscribe(TestCloud.notes("s", on: ["delete"]), as: .bob, in: .public)
            let bob = try await Courier.make(cloud, as: .bob)
            try await cloud.save("x", ["n": ["value": 3]], in: .public)
            #expect(try await courier.all() == ["s:updated:x", "s:updated:x"])
            #expect(try await bob.all() == [])
            try await cloud.delete("x", in: .public)
            #expect(try await bob.all() == ["s:deleted:x"])
            let found = try await cloud.send(
                .subscriptionsLookup,
                ["subscriptions": [["subscriptionID": "s"], ["subscriptionID": "nothing"]]], in: .public)
            #expect(found.json["subscriptions"][0] == first)
            #expect(found.json["subscriptions"][1]["serverErrorCode"].string == "NOT_FOUND")
            #expect(found.json["subscriptions"][1]["subscriptionID"].string == "nothing")
        }
    }

    @Test func `The first notification is told again to who begins with the id of the receiver`() async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.save("x", ["n": ["value": 1]])
            try await cloud.subscribe(TestCloud.notes("s"))
            let answer = try await cloud.send(
                .tokensCreate, ["apnsEnvironment": "development"], in: .public)
            let start = try #require(answer.json["notificationID"].string)
            let courier = Courier(cloud: cloud, token: try #require(answer.json["apnsToken"].string))
            #expect(try await courier.next(after: start) == nil)
            try await cloud.save("x", ["n": ["value": 2]])
            let told = try await courier.next(after: start)
            #expect(told.map(Courier.text) == "s:updated:x")
            // The answer was lost.
            #expect(try await courier.next(after: start) == told)
            #expect(try await courier.next(after: told?["ck"]["nid"].string) == nil)
        }
    }

    @Test func `Production refuses a condition without an index, and says which line to paste`() async throws
    {
        let operation: JSONValue = [
            "operations": [["operationType": "create", "subscription": TestCloud.notes("s", atLeast: 10)]]
        ]
        let line = "n INT64 QUERYABLE"
        for fields in ["n INT64", line] {
            try await TestCloud.run { cloud in
                try await cloud.importSchema("DEFINE SCHEMA RECORD TYPE Note (\(fields));")
                _ = try await SchemaDeployment.deploy(container: cloud.container, store: cloud.store)
                let answer = try await cloud.send(.subscriptionsModify, operation, environment: .production)
                let stored = answer.json["subscriptions"][0]
                guard fields != line else {
                    #expect(stored["subscriptionID"].string == "s" && stored["serverErrorCode"] == .null)
                    return
                }
                #expect(stored["serverErrorCode"].string == "BAD_REQUEST")
                #expect(stored["reason"].string == "Field 'n' is not marked queryable")
                let remedy = stored["remedy"].string ?? ""
                #expect(remedy.hasPrefix("In the schema's text, in 'Note', write: \(line). "), "\(remedy)")
                #expect(remedy.contains("stratus schema deploy --container \(cloud.container)"))
            }
        }
    }

    @Test func `One that fires once tells each receiver of the same change, and is gone`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("x", ["n": ["value": 1]])
            try await cloud.subscribe(TestCloud.notes("s").with("firesOnce", true))
            let (early, late) = (try await Courier.make(cloud), try await Courier.make(cloud))
            try await cloud.save("a", ["n": ["value": 2]])
            try await cloud.save("b", ["n": ["value": 3]])
            #expect(try await early.all() == ["s:created:a"])
            #expect(try await cloud.send(.subscriptionsList, [:]).json["subscriptions"].elements.isEmpty)
            try await cloud.save("c", ["n": ["value": 4]])
            #expect(try await late.all() == ["s:created:a"])
        }
    }

    @Test func `Each refusal says what is wrong`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("x", ["n": ["value": 1]], in: .public)
            let zone: JSONValue = ["subscriptionType": "zone", "zoneID": ["zoneName": "None"]]
            let cases: [(JSONValue, DatabaseScope, String)] = [
                (["subscriptionType": "database"], .public, "BAD_REQUEST"),
                (zone, .public, "BAD_REQUEST"), (zone, .private, "ZONE_NOT_FOUND"),
                (["subscriptionType": "zone"], .private, "BAD_REQUEST"),
                (TestCloud.notes("s", on: []), .public, "BAD_REQUEST"),
                (
                    [
                        "subscriptionType": "query", "firesOn": ["create"],
                        "query": ["recordType": "Unknown"],
                    ], .public, "NOT_FOUND"
                ),
                (
                    [
                        "subscriptionType": "query", "firesOn": ["create"],
                        "query": ["recordType": "Note", "predicate": "nothing = 1"],
                    ], .public, "BAD_REQUEST"
                ),
                (
                    TestCloud.notes("s").with(
                        "notificationInfo",
                        ["alertBody": .string(String(repeating: "x", count: Limits.subscriptionBytes))]),
                    .public, "QUOTA_EXCEEDED"
                ),
            ]
            for (subscription, scope, code) in cases {
                let answer = try await cloud.send(
                    .subscriptionsModify,
                    ["operations": [["operationType": "create", "subscription": subscription]]], in: scope)
                #expect(
                    answer.json["subscriptions"][0]["serverErrorCode"].string == code,
                    "\(subscription.text.prefix(200)) \(answer.json.text)")
            }
            #expect(
                try await cloud.send(.subscriptionsList, [:], as: .nobody, in: .public).code
                    == "AUTHENTICATION_REQUIRED")
            let foreign = try await cloud.send(
                .tokensRegister, ["apnsEnvironment": "production", "apnsToken": "ab12"], in: .public)
            #expect(foreign.code == "BAD_REQUEST")
            await #expect(throws: ServiceError.self) {
                try await cloud.service.nextNotification(ofReceiver: "unknown", seconds: 0)
            }
        }
    }

    @Test func `A poll that waits gets what comes, also from a subscription that is made meanwhile`()
        async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.save("x", ["n": ["value": 1]])
            let courier = try await Courier.make(cloud)
            async let first = courier.next(seconds: 30)
            try await Task.sleep(for: .milliseconds(50))
            try await cloud.subscribe(TestCloud.notes("s"))
            try await cloud.save("a", ["n": ["value": 2]])
            let told = try #require(try await first)
            #expect(Courier.text(told) == "s:created:a")
        }
    }

    @Test func `A receiver that was away past the horizon is told to start again, once`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("x", ["n": ["value": 1]])
            try await cloud.subscribe(TestCloud.notes("s"))
            let courier = try await Courier.make(cloud)
            try await cloud.save("a", ["n": ["value": 2]])
            try await cloud.store.write { store in
                _ = try store.forgetChanges(before: 0, at: 1)
                _ = try store.forgetChanges(before: 1, at: 2)
            }
            try await cloud.save("b", ["n": ["value": 3]])
            #expect(try await courier.all() == ["start again", "s:created:b"])
        }
    }

    @Test func `A user has so many receivers, and the one that was silent for longest goes`() async throws {
        try await TestCloud.run { cloud in
            let first = try await Courier.make(cloud)
            for _ in 0..<Limits.receiversPerUser { _ = try await Courier.make(cloud) }
            await #expect(throws: ServiceError.self) { try await first.next() }
        }
    }

    /// A subscription of the law, and what the model knows of it.
    private struct Subscribed {
        var least: Int64
        var triggers: [String]
    }

    /// Records cross the border of predicates, receivers stop and go on, the server restarts: each receiver gets
    /// exactly what a model says, in order.
    @Test(arguments: Seed.some(8))
    func `Every receiver is told of every change that matches, in the order of commits`(
        _ seed: Seed
    ) async throws {
        try await TestCloud.run { cloud in
            var random = seed.random
            try await cloud.save("seed", ["n": ["value": 0]])
            var subscriptions: [String: Subscribed] = [:]
            var values: [String: Int64] = [:]
            var couriers: [(courier: Courier, expected: [String], lastID: String?)] = []
            for number in 0..<3 {
                let subscribed = Subscribed(
                    least: Int64(random.int(0...8)),
                    triggers: ["create", "update", "delete"].filter { _ in !random.oneIn(3) })
                guard !subscribed.triggers.isEmpty else { continue }
                try await cloud.subscribe(
                    TestCloud.notes("s\(number)", atLeast: subscribed.least, on: subscribed.triggers))
                subscriptions["s\(number)"] = subscribed
            }
            for _ in 0..<2 { couriers.append((try await Courier.make(cloud), [], nil)) }
            for _ in 0..<80 {
                let name = "r\(random.int(0...5))"
                let old = values[name]
                let new = old != nil && random.oneIn(4) ? nil : Int64(random.int(0...12))
                if let new {
                    try await cloud.save(name, ["n": ["value": .int(new)]])
                } else {
                    try await cloud.delete(name)
                }
                values[name] = new
                for (id, subscribed) in subscriptions.sorted(by: { $0.key < $1.key }) {
                    let trigger = old == nil ? "create" : new == nil ? "delete" : "update"
                    guard subscribed.triggers.contains(trigger), (new ?? old ?? -1) >= subscribed.least else {
                        continue
                    }
                    for index in couriers.indices {
                        couriers[index].expected.append("\(id):\(trigger)d:\(name)")
                    }
                }
                if random.oneIn(15) { try await cloud.reopen() }
                guard random.oneIn(3) else { continue }
                let index = random.int(0...1)
                // A client that says how far it is misses nothing and gets nothing twice, also after a restart.
                while let payload = try await couriers[index].courier.next(after: couriers[index].lastID) {
                    let text = Courier.text(payload)
                    let expected =
                        couriers[index].expected.isEmpty ? nil : couriers[index].expected.removeFirst()
                    #expect(text == expected)
                    couriers[index].lastID = payload["ck"]["nid"].string
                    guard text == expected else { return }
                }
                #expect(couriers[index].expected.isEmpty)
            }
        }
    }
}
