import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import Synchronization
import TestSeeds
import TestSupport
import Testing

/// A client of a live query or count: it keeps the list or the number, and the id to go on with.
final class LiveClient: Sendable {
    private struct State {
        var places: [String: String] = [:]
        var events: [String] = []
        var lastID: String?
        var hasMore = false
        var count: Int64?
        var failure: String?
    }

    private let endpoint: Endpoint
    private let scope: DatabaseScope

    init(_ endpoint: Endpoint = .recordsLive, in scope: DatabaseScope = .private) {
        self.endpoint = endpoint
        self.scope = scope
    }

    private let state = Mutex(State())
    private let task = Mutex<Task<Void, any Error>?>(nil)

    /// The names of the records in the order of their places.
    var names: [String] { state.withLock { $0.places.sorted { $0.value < $1.value }.map(\.key) } }
    var events: [String] { state.withLock { $0.events } }
    var lastID: String? { state.withLock { $0.lastID } }
    /// Why the last connection ended, where it did by itself; said where an expectation fails.
    var failure: String? { state.withLock { $0.failure } }
    /// The number of a live count.
    var count: Int64? { state.withLock { $0.count } }

    func start(_ cloud: TestCloud, _ body: JSONValue, as sender: TestCloud.Sender = .alice) async throws {
        let live = try await LiveClient.open(
            cloud, body, after: lastID, as: sender, in: scope, at: endpoint)
        task.withLock {
            $0 = Task {
                do { try await live.run { $0.forEach(self.take) } } catch {
                    self.state.withLock { $0.failure = "\(error)" }
                    throw error
                }
            }
        }
    }

    static func open(
        _ cloud: TestCloud, _ body: JSONValue, after: String? = nil, as sender: TestCloud.Sender = .alice,
        in scope: DatabaseScope = .private, at endpoint: Endpoint = .recordsLive
    ) async throws -> LiveQuery {
        let tenant = Tenant(container: cloud.container, environment: .development)
        return try await cloud.service.openLive(
            ServiceCall(
                endpoint: endpoint, tenant: tenant, scope: scope,
                credentials: Credentials(
                    apiToken: "\(tenant)-api",
                    webAuthToken: sender == .nobody ? nil : "\(tenant)-\(sender.rawValue)"),
                body: body.bytes, requestID: "live"), after: after)
    }

    func stop() async {
        let task = task.withLock { $0 }
        task?.cancel()
        _ = await task?.result
    }

    private func take(_ event: LiveEvent) {
        let json = event.json.isEmpty ? JSONValue.null : (try? JSONReader.read(event.json)) ?? .null
        state.withLock { state in
            if event.name != .error { state.lastID = event.id }
            let record = json["record"]
            switch event.name {
            case .page:
                state.places = [:]
                for record in json["records"].elements {
                    state.places[record["recordName"].string ?? "?"] = record["place"].string
                }
                state.events.append("page\(json["startAgain"].bool == true ? " again" : "")")
            case .enter, .change:
                state.places[record["recordName"].string ?? "?"] = record["place"].string
                state.events.append("\(event.name.rawValue) \(record["recordName"].string ?? "?")")
            case .leave:
                state.places[json["recordName"].string ?? "?"] = nil
                state.events.append("leave \(json["recordName"].string ?? "?")")
            case .count:
                state.count = json["count"].int
                state.events.append("count \(state.count ?? -1)")
            case .behind, .error: state.events.append(event.name.rawValue)
            case .beat: break
            }
        }
    }
}

@Suite struct LiveQueryTests {
    private static func body(
        atLeast number: Int64 = 0, ascending: Bool = true, zone: String? = nil, limit: Int? = nil
    ) -> JSONValue {
        var body: JSONValue = [
            "query": [
                "recordType": "Note", "predicate": "n >= \(number)",
                "sortBy": [["fieldName": "n", "ascending": .bool(ascending)], ["fieldName": "t"]],
            ]
        ]
        if let zone { body = body.with("zoneID", ["zoneName": .string(zone)]) }
        if let limit { body = body.with("resultsLimit", .int(Int64(limit))) }
        return body
    }

    @Test func `Records enter, change and leave as they cross the predicate`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("a", ["n": ["value": 10], "t": ["value": "x"]])
            try await cloud.save("b", ["n": ["value": 5], "t": ["value": "x"]])
            let client = LiveClient()
            try await client.start(cloud, Self.body(atLeast: 10))
            #expect(try await eventually { client.names == ["a"] })
            try await cloud.save("b", ["n": ["value": 11]])
            try await cloud.save("b", ["n": ["value": 9]])
            try await cloud.save("c", ["n": ["value": 12], "t": ["value": "x"]])
            try await cloud.save("a", ["n": ["value": 20]])
            try await cloud.save("quiet", ["n": ["value": 1], "t": ["value": "x"]])
            try await cloud.delete("c")
            #expect(try await eventually { client.events.last == "leave c" })
            #expect(
                client.events == ["page", "enter b", "leave b", "enter c", "change a", "leave c"])
            await client.stop()
            // Nobody follows any more, so nothing is read.
            #expect(try await eventually { await cloud.service.receiverCount == 0 })
        }
    }

    @Test func `A page that is not all says so, and a zone that goes empties the list`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Z")
            for number in 0..<3 {
                try await cloud.save(
                    "r\(number)", ["n": ["value": .int(Int64(number))], "t": ["value": "x"]], zone: "Z")
            }
            let client = LiveClient()
            try await client.start(cloud, Self.body(zone: "Z", limit: 2))
            #expect(try await eventually { client.names == ["r0", "r1"] })
            let removal: JSONValue = [
                "operations": [["operationType": "delete", "zone": ["zoneID": ["zoneName": "Z"]]]]
            ]
            _ = try await cloud.send(.zonesModify, removal)
            #expect(try await eventually { client.events == ["page", "page again"] && client.names.isEmpty })
            await client.stop()
        }
    }

    @Test func `A client past the horizon gets the page again, and so does one that never was here`()
        async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.save("a", ["n": ["value": 1], "t": ["value": "x"]])
            let client = LiveClient()
            try await client.start(cloud, Self.body())
            #expect(try await eventually { client.names == ["a"] })
            await client.stop()
            try await cloud.save("b", ["n": ["value": 2], "t": ["value": "x"]])
            try await cloud.store.write { store in
                _ = try store.forgetChanges(before: 0, at: 1)
                _ = try store.forgetChanges(before: 1, at: 2)
            }
            try await client.start(cloud, Self.body())
            #expect(try await eventually { client.names == ["a", "b"] })
            #expect(client.events == ["page", "page again"])
            await client.stop()
            let known = try #require(client.lastID?.split(separator: "-").last)
            let future = try await LiveClient.open(
                cloud, Self.body(), after: "\(Int64(1) << 40)-\(known)")
            let events = Mutex<[String]>([])
            let task = Task {
                try await future.run { some in events.withLock { $0 += some.map(\.name.rawValue) } }
            }
            #expect(try await eventually { events.withLock { $0 } == ["page"] })
            task.cancel()
            _ = await task.result
        }
    }

    /// A whole portion of the log that has nothing for the query was read again for ever, and what came before stayed unsent.
    @Test func `Who comes back to many changes of other types is told of its own`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("a", ["n": ["value": 1], "t": ["value": "x"]])
            try await cloud.save("other", ["n": ["value": 1], "t": ["value": "x"]], type: "Other")
            let client = LiveClient()
            try await client.start(cloud, Self.body())
            #expect(try await eventually { client.names == ["a"] })
            await client.stop()
            let other = LiveClient()
            try await other.start(cloud, ["query": ["recordType": "Other"]])
            #expect(try await eventually { other.events == ["page"] })
            await other.stop()
            try await cloud.save("b", ["n": ["value": 2], "t": ["value": "x"]])
            for start in stride(from: 0, to: 512, by: 128) {
                let operations = (start..<start + 128).map {
                    TestCloud.operation("forceUpdate", "o\($0)", type: "Other", fields: ["n": ["value": 1]])
                }
                #expect(try await cloud.modify(operations).status == 200)
            }
            try await client.start(cloud, Self.body())
            #expect(try await eventually { client.names == ["a", "b"] })
            try await cloud.save("c", ["n": ["value": 3], "t": ["value": "x"]])
            #expect(try await eventually { client.names == ["a", "b", "c"] })
            await client.stop()
            #expect(client.events == ["page", "enter b", "enter c"])
        }
    }

    @Test func `A user has so many at once, and what waits for a slow reader has a bound`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("a", ["n": ["value": 1], "t": ["value": "x"]])
            var open: [LiveQuery] = []
            for _ in 0..<Limits.liveQueriesPerUser {
                open.append(try await LiveClient.open(cloud, Self.body()))
            }
            await #expect(throws: ServiceError.self) { try await LiveClient.open(cloud, Self.body()) }
            for live in open { await live.close() }
            let slow = try await LiveClient.open(cloud, Self.body())
            for start in stride(from: 0, to: Limits.waitingChanges + 200, by: 200) {
                let operations = (start..<start + 200).map { number in
                    TestCloud.operation(
                        "forceUpdate", "r\(number)",
                        fields: ["n": ["value": .int(Int64(number))], "t": ["value": "x"]])
                }
                try await cloud.modify(operations)
            }
            try await Task.sleep(for: .milliseconds(300))
            let events = Mutex<[String]>([])
            try await slow.run { some in events.withLock { $0 += some.map(\.name.rawValue) } }
            #expect(events.withLock { $0 } == ["page", "behind"])
        }
    }

    @Test func `Places are in the order of the query, whatever the values are`() async throws {
        try await TestCloud.run { cloud in
            let texts = ["", "a", "a\u{1}", "aa", "b", "ä", "Z", "~"]
            var operations: [JSONValue] = []
            for (number, text) in texts.enumerated() {
                for value in [Int64.min, -1, 0, 1, Int64.max] {
                    operations.append(
                        TestCloud.operation(
                            "create", "r\(number)-\(value)",
                            fields: ["n": ["value": .int(value)], "t": ["value": .string(text)]]))
                }
                operations.append(
                    TestCloud.operation("create", "r\(number)", fields: ["t": ["value": .string(text)]]))
            }
            let saved = try await cloud.modify(operations)
            #expect(saved.codes.allSatisfy { $0 == nil }, "\(saved.json.text.prefix(500))")
            for sort in [
                [["fieldName": "n", "ascending": true], ["fieldName": "t", "ascending": false]],
                [["fieldName": "t", "ascending": false], ["fieldName": "n", "ascending": true]],
                [["fieldName": "createdTimestamp", "ascending": false]],
            ] as [[JSONValue]] {
                let body: JSONValue = ["query": ["recordType": "Note", "sortBy": .array(sort)]]
                let answer = try await cloud.send(.recordsQuery, body)
                try #require(answer.names.count == operations.count, "\(answer.json.text.prefix(500))")
                let client = LiveClient()
                try await client.start(cloud, body)
                try #require(try await eventually(within: .seconds(20)) { !client.events.isEmpty })
                #expect(client.names == answer.names)
                await client.stop()
            }
        }
    }

    /// Records move across the predicate and in the order, the client comes and goes, the server restarts: its list is
    /// always the one that the query gives.
    @Test(arguments: Seed.some(8))
    func `A client's list becomes the query's answer`(_ seed: Seed) async throws {
        try await TestCloud.run { cloud in
            var random = seed.random
            try await cloud.save("seed", ["n": ["value": -1], "t": ["value": "x"]])
            let body = Self.body(
                atLeast: Int64(random.int(0...4)), ascending: !random.oneIn(2))
            let client = LiveClient()
            try await client.start(cloud, body)
            for _ in 0..<60 {
                let name = "r\(random.int(0...7))"
                if random.oneIn(5) {
                    try await cloud.delete(name)
                } else {
                    try await cloud.save(
                        name,
                        [
                            "n": ["value": .int(Int64(random.int(0...8)))],
                            "t": ["value": .string(["a", "b", ""][random.int(0...2)])],
                        ])
                }
                if random.oneIn(8) {
                    await client.stop()
                    if random.oneIn(2) { try await cloud.reopen() }
                    if random.oneIn(2) { try await cloud.delete("r0") }
                    try await client.start(cloud, body)
                }
                guard random.oneIn(6) else { continue }
                let answer = try await cloud.send(.recordsQuery, body)
                #expect(try await eventually { client.names == answer.names })
            }
            let answer = try await cloud.send(.recordsQuery, body)
            #expect(try await eventually { client.names == answer.names })
            // It was never told to start again, which would hide what was missed.
            #expect(client.events.filter { $0.hasPrefix("page") } == ["page"])
            await client.stop()
        }
    }
}

/// What a receiver may not read never reaches it.
@Suite struct NotificationRightsTests {
    /// Only who made a note may read it.
    private static func makeOwn(_ cloud: TestCloud) async throws {
        try await cloud.save("seed", ["n": ["value": -1], "t": ["value": "x"]], in: .public)
        let tenant = Tenant(container: cloud.container, environment: .development)
        try await cloud.store.write { store in
            guard let type = try store.schema(of: tenant).types["Note"] else { throw TestFailure("no type") }
            _ = try store.setAnnotations(
                systemIndexes: [:],
                grants: [
                    SecurityGrant([.create], to: SecurityGrant.signedInRole),
                    SecurityGrant([.read, .write], to: SecurityGrant.creatorRole),
                ], of: type, tenant: tenant)
        }
    }

    @Test func `Subscriptions and live queries tell only what their user may read`() async throws {
        try await TestCloud.run { cloud in
            try await Self.makeOwn(cloud)
            try await cloud.subscribe(TestCloud.notes("s"), as: .bob, in: .public)
            let courier = try await Courier.make(cloud, as: .bob)
            let live = try await LiveClient.open(
                cloud, ["query": ["recordType": "Note"]], as: .bob, in: .public)
            let texts = Mutex<[String]>([])
            let task = Task {
                try await live.run { events in
                    texts.withLock { $0 += events.map { String(decoding: $0.text, as: UTF8.self) } }
                }
            }
            try await cloud.save("hidden", ["n": ["value": 1]], in: .public)
            try await cloud.save("own", ["n": ["value": 2]], as: .bob, in: .public)
            #expect(try await courier.all() == ["s:created:own"])
            #expect(try await eventually { texts.withLock { $0.contains { $0.contains("own") } } })
            #expect(texts.withLock { !$0.contains { $0.contains("hidden") || $0.contains("seed") } })
            task.cancel()
            _ = await task.result
        }
    }
}
