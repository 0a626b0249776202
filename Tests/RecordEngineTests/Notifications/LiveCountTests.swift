import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import Synchronization
import TestSeeds
import TestSupport
import Testing

/// Live counts: the number of a query's records, whenever it is another one.
@Suite struct LiveCountTests {
    private static func body(atLeast number: Int64 = 0, zone: String? = nil, zoneWide: Bool = false)
        -> JSONValue
    {
        var body: JSONValue = [
            "query": [
                "recordType": "Note",
                "filterBy": [
                    [
                        "fieldName": "n", "comparator": "GREATER_THAN_OR_EQUALS",
                        "fieldValue": ["value": .int(number)],
                    ]
                ],
            ]
        ]
        if let zone { body = body.with("zoneID", ["zoneName": .string(zone)]) }
        if zoneWide { body = body.with("zoneWide", true) }
        return body
    }

    private static func save(_ name: String, _ number: Int64, zone: String? = nil, _ cloud: TestCloud)
        async throws
    {
        try await cloud.save(name, ["n": ["value": .int(number)], "t": ["value": "x"]], zone: zone)
    }

    @Test func `The number comes first, and again only when it is another one`() async throws {
        try await TestCloud.run { cloud in
            try await Self.save("a", 10, cloud)
            try await Self.save("b", 5, cloud)
            let client = LiveClient(.recordsLiveCount)
            try await client.start(cloud, Self.body(atLeast: 10))
            #expect(try await eventually { client.events == ["count 1"] })
            try await Self.save("b", 11, cloud)
            #expect(try await eventually { client.count == 2 })
            // These change nothing of it.
            try await Self.save("b", 12, cloud)
            try await Self.save("quiet", 1, cloud)
            try await Self.save("b", 9, cloud)
            #expect(try await eventually { client.count == 1 })
            try await cloud.delete("a")
            #expect(try await eventually { client.count == 0 })
            #expect(client.events == ["count 1", "count 2", "count 1", "count 0"])
            await client.stop()
            #expect(try await eventually { await cloud.service.receiverCount == 0 })
        }
    }

    @Test func `Who comes back is told what changed, and nothing where nothing did`() async throws {
        try await TestCloud.run { cloud in
            try await Self.save("a", 1, cloud)
            let client = LiveClient(.recordsLiveCount)
            try await client.start(cloud, Self.body())
            #expect(try await eventually { client.count == 1 })
            await client.stop()
            let id = try #require(client.lastID)
            for number in 0..<300 { try await Self.save("r\(number % 30)", Int64(number), cloud) }
            try await cloud.delete("a")
            try await cloud.reopen()
            try await client.start(cloud, Self.body())
            #expect(try await eventually { client.count == 30 })
            await client.stop()
            // The id of a number is none of a list, and the other way round.
            let list = LiveClient()
            try await list.start(cloud, Self.body())
            #expect(try await eventually { list.events == ["page"] })
            await list.stop()
            for (endpoint, id, first) in [
                (Endpoint.recordsLive, id, "page"),
                (.recordsLiveCount, try #require(list.lastID), "count"),
            ] {
                let live = try await LiveClient.open(cloud, Self.body(), after: id, at: endpoint)
                let events = Mutex<[String]>([])
                let task = Task {
                    try await live.run { some in events.withLock { $0 += some.map(\.name.rawValue) } }
                }
                #expect(try await eventually { events.withLock { $0.first } == first })
                task.cancel()
                _ = await task.result
            }
        }
    }

    @Test(arguments: [("-1", true), ("9007199254740993", true), ("x", true), ("", true), ("0", false)])
    func `A number that was never told is refused or put right`(_ number: String, _ isRefused: Bool)
        async throws
    {
        try await TestCloud.run { cloud in
            try await Self.save("a", 1, cloud)
            let client = LiveClient(.recordsLiveCount)
            try await client.start(cloud, Self.body())
            #expect(try await eventually { client.count == 1 })
            await client.stop()
            let id = try #require(client.lastID)
            let forged = "\(id.prefix(while: { $0 != "-" }))-\(id.split(separator: "-")[1])-\(number)"
            guard !isRefused else {
                await #expect(throws: ServiceError.self) {
                    try await LiveClient.open(cloud, Self.body(), after: forged, at: .recordsLiveCount)
                }
                return
            }
            try await cloud.delete("a")
            let live = try await LiveClient.open(cloud, Self.body(), after: forged, at: .recordsLiveCount)
            let beats = Mutex(0)
            let task = Task { try await live.run { _ in beats.withLock { $0 += 1 } } }
            // It begins with nothing, loses one and counts again: what there is, is what the client has.
            try await Self.save("b", 1, cloud)
            #expect(try await eventually { beats.withLock { $0 } >= 1 })
            task.cancel()
            _ = await task.result
        }
    }

    @Test func `A slow reader gets the last number, not each, and a zone that goes counts nothing`()
        async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Z")
            try await Self.save("a", 1, zone: "Z", cloud)
            let live = try await LiveClient.open(cloud, Self.body(zone: "Z"), at: .recordsLiveCount)
            let (gate, opening) = AsyncStream.makeStream(of: Void.self)
            let events = Mutex<[String]>([])
            let task = Task {
                try await live.run { some in
                    let isFirst = events.withLock { events in
                        defer {
                            events += some.filter { $0.name != .beat }.map {
                                String(decoding: $0.json, as: UTF8.self)
                            }
                        }
                        return events.isEmpty
                    }
                    if isFirst { for await _ in gate { break } }
                }
            }
            #expect(try await eventually { events.withLock { $0.count } == 1 })
            for start in stride(from: 0, to: Limits.waitingChanges + 200, by: 200) {
                try await cloud.modify(
                    (start..<start + 200).map { number in
                        TestCloud.operation(
                            "create", "r\(number)",
                            fields: ["n": ["value": .int(Int64(number))], "t": ["value": "x"]])
                    }, zone: "Z")
            }
            opening.yield()
            #expect(try await eventually { events.withLock { $0.last } == "{\"count\":1201}" })
            #expect(events.withLock { $0.count } < 50)
            let removal: JSONValue = [
                "operations": [["operationType": "delete", "zone": ["zoneID": ["zoneName": "Z"]]]]
            ]
            _ = try await cloud.send(.zonesModify, removal)
            #expect(try await eventually { events.withLock { $0.last } == "{\"count\":0}" })
            task.cancel()
            _ = await task.result
        }
    }

    @Test func `A number counts only what its asker may read`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("seed", ["n": ["value": 1], "t": ["value": "x"]], in: .public)
            let tenant = Tenant(container: cloud.container, environment: .development)
            try await cloud.store.write { store in
                guard let type = try store.schema(of: tenant).types["Note"] else {
                    throw TestFailure("no type")
                }
                _ = try store.setAnnotations(
                    systemIndexes: [:],
                    grants: [
                        SecurityGrant([.create], to: SecurityGrant.signedInRole),
                        SecurityGrant([.read, .write], to: SecurityGrant.creatorRole),
                    ], of: type, tenant: tenant)
            }
            let client = LiveClient(.recordsLiveCount, in: .public)
            try await client.start(cloud, Self.body(), as: .bob)
            #expect(try await eventually { client.count == 0 })
            try await cloud.save("hidden", ["n": ["value": 2], "t": ["value": "x"]], in: .public)
            try await cloud.save("own", ["n": ["value": 3], "t": ["value": "x"]], as: .bob, in: .public)
            #expect(try await eventually { client.count == 1 })
            #expect(client.events == ["count 0", "count 1"])
            await client.stop()
            // Whose id it was does not say what another may count.
            try await client.start(cloud, Self.body(), as: .alice)
            #expect(try await eventually { client.count == 2 })
            await client.stop()
            await #expect(throws: ServiceError.self) {
                try await LiveClient.open(cloud, Self.body(), as: .nobody, in: .public, at: .recordsLiveCount)
            }
        }
    }

    @Test func `Live counts and live queries of a user share their bound`() async throws {
        try await TestCloud.run { cloud in
            try await Self.save("a", 1, cloud)
            var open: [LiveQuery] = []
            for number in 0..<Limits.liveQueriesPerUser {
                open.append(
                    try await LiveClient.open(
                        cloud, Self.body(), at: number.isMultiple(of: 2) ? .recordsLive : .recordsLiveCount))
            }
            for endpoint in [Endpoint.recordsLive, .recordsLiveCount] {
                await #expect(throws: ServiceError.self) {
                    try await LiveClient.open(cloud, Self.body(), at: endpoint)
                }
            }
            for live in open { await live.close() }
        }
    }

    /// Records move across the predicate and between zones, zones go and come back, the client comes and goes, the server
    /// restarts: its number is always the one that `records/count` gives.
    @Test(arguments: Seed.some(8))
    func `A client's number becomes the answer of a count`(_ seed: Seed) async throws {
        try await TestCloud.run { cloud in
            var random = seed.random
            try await cloud.makeZones("Z")
            try await Self.save("seed", -1, cloud)
            let isWide = !random.oneIn(3)
            let body = Self.body(
                atLeast: Int64(random.int(0...4)), zone: isWide ? nil : "Z", zoneWide: isWide)
            let client = LiveClient(.recordsLiveCount)
            try await client.start(cloud, body)
            // Who asks for a zone that is gone before anything was counted is refused, as by a count.
            #expect(try await eventually { client.count != nil })
            func agrees() async throws {
                let answer = try await cloud.send(.recordsCount, body)
                let isEqual = try await eventually { client.count == answer.json["count"].int }
                #expect(
                    isEqual,
                    "\(answer.json.text), told \(client.events.suffix(4)), \(client.failure ?? "still open")")
            }
            for _ in 0..<60 {
                let name = "r\(random.int(0...7))"
                let zone = random.oneIn(3) ? nil : "Z"
                switch random.int(0...11) {
                case 0...2: try await cloud.delete(name, zone: zone)
                case 3:
                    let operations: [JSONValue] = [
                        ["operationType": "delete", "zone": ["zoneID": ["zoneName": "Z"]]]
                    ]
                    _ = try await cloud.send(.zonesModify, ["operations": .array(operations)])
                    try await cloud.makeZones("Z")
                default: try await Self.save(name, Int64(random.int(0...8)), zone: zone, cloud)
                }
                if random.oneIn(8) {
                    await client.stop()
                    if random.oneIn(2) { try await cloud.reopen() }
                    if random.oneIn(2) { try await cloud.delete("r0", zone: "Z") }
                    try await client.start(cloud, body)
                }
                if random.oneIn(6) { try await agrees() }
            }
            try await agrees()
            await client.stop()
        }
    }
}
