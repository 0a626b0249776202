import RecordEngine
import RecordModel
import RecordStorage
import RecordStorageSQLite
import RecordWire
import TestSupport
import Testing

/// Law: paging to the end shows every row that does not change exactly once, whatever others do meanwhile.
@Suite struct MarkerLawTests {
    static func query(_ random: inout Random) -> JSONValue {
        var query: JSONValue = [
            "recordType": "Model", "sortBy": .array(SortLawTests.keys(&random).map(\.json)),
        ]
        if random.oneIn(4) { query = query.with("sortBy", []) }
        if random.oneIn(2) { query = query.with("filterBy", [FilterLawTests.filter(&random).json]) }
        return query
    }

    @Test(arguments: Seed.some(3))
    func `Paging shows every row that stays exactly once, while others are written`(_ seed: Seed) async throws
    {
        var random = seed.random
        let records = random.records(160)
        let queries = (0..<12).map { _ in (query: Self.query(&random), limit: random.int(1...40)) }
        var writers = random
        try await TestCloud.run { cloud in
            try await cloud.save(records)
            for (query, limit) in queries {
                let before = try await cloud.query(query)
                let staying = Set(before.names.filter { !$0.hasPrefix("x") })
                var seen: [String] = []
                var marker: String?
                repeat {
                    let page = try await cloud.query(query, limit: limit, marker: marker)
                    #expect(page.code == nil, "\(query.text) \(page.json.text.prefix(300))")
                    #expect(page.names.count <= limit)
                    seen += page.names
                    marker = page.json["continuationMarker"].string
                    if marker != nil { #expect(page.names.count == limit) }
                    try await Self.disturb(cloud, &writers)
                    if writers.oneIn(25) { try await cloud.reopen() }
                } while marker != nil
                let unchanged = seen.filter { !$0.hasPrefix("x") }
                #expect(unchanged.count == Set(unchanged).count, "a row came twice: \(query.text)")
                #expect(Set(unchanged) == staying, "\(query.text)")
                // What the pages show is in the order of one answer.
                #expect(unchanged == before.names.filter { !$0.hasPrefix("x") }, "\(query.text)")
            }
        }
    }

    /// Makes, changes and deletes records whose names begin with x.
    private static func disturb(_ cloud: TestCloud, _ random: inout Random) async throws {
        var names = Set((0..<random.int(1...4)).map { _ in "x\(random.int(0...9))" })
        if random.oneIn(4) { names = [] }
        let operations = names.sorted().map { name in
            let fields = random.record(name).json
            return random.oneIn(3)
                ? TestCloud.operation("forceDelete", name, type: "Model")
                : TestCloud.operation("forceReplace", name, type: "Model", fields: fields)
        }
        let answer = try await cloud.modify(operations)
        #expect(answer.codes.allSatisfy { $0 == nil })
    }

    @Test func `A marker is good for its own question only`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            try await cloud.makeZones("Zone", as: .bob)
            for sender in [TestCloud.Sender.alice, .bob] {
                for zone in [nil, "Zone"] {
                    for name in ["a", "b", "c"] {
                        try await cloud.save(
                            name, ["n": ["value": 1], "t": ["value": "x"]], zone: zone, as: sender)
                    }
                }
            }
            for name in ["a", "b", "c"] {
                try await cloud.save(name, ["n": ["value": 1], "t": ["value": "x"]], in: .public)
            }
            let filter: JSONValue = ["comparator": "EQUALS", "fieldName": "n", "fieldValue": ["value": 1]]
            let query: JSONValue = [
                "recordType": "Note", "filterBy": [filter], "sortBy": [["fieldName": "t"]],
            ]
            let first = try await cloud.query(query, limit: 1)
            let marker = try #require(first.json["continuationMarker"].string)
            #expect(try await cloud.query(query, limit: 2, marker: marker).names.count == 2)
            // The size of a page and the wanted fields may change on the way.
            let others: [(String, JSONValue, String?, TestCloud.Sender)] = [
                (
                    "other sort direction", query.with("sortBy", [["fieldName": "t", "ascending": false]]),
                    nil, .alice
                ),
                ("other sort", query.with("sortBy", [["fieldName": "n"]]), nil, .alice),
                ("no sort", query.with("sortBy", []), nil, .alice),
                ("two sorts", query.with("sortBy", [["fieldName": "t"], ["fieldName": "n"]]), nil, .alice),
                ("no filter", query.with("filterBy", []), nil, .alice),
                (
                    "other value", query.with("filterBy", [filter.with("fieldValue", ["value": 2])]), nil,
                    .alice
                ),
                ("a predicate", query.with("predicate", "n == 1"), nil, .alice),
                ("another zone", query, "Zone", .alice), ("another user", query, nil, .bob),
            ]
            for (what, query, zone, sender) in others {
                let answer = try await cloud.query(query, zone: zone, limit: 1, marker: marker, as: sender)
                #expect(answer.code == "BAD_REQUEST", "\(what): \(answer.json.text)")
                #expect(answer.status == 400)
            }
            #expect(try await cloud.query(query, marker: marker, in: .public).code == "BAD_REQUEST")
            var wide: JSONValue = ["query": query, "zoneWide": true, "continuationMarker": .string(marker)]
            #expect(try await cloud.send(.recordsQuery, wide).code == "BAD_REQUEST")
            wide = wide.with("zoneWide", false)
            #expect(try await cloud.send(.recordsQuery, wide).code == nil)
            let production = try await cloud.send(.recordsQuery, wide, environment: .production)
            #expect(production.code == "NOT_FOUND")
        }
    }

    @Test(arguments: Seed.some(2))
    func `Forged and broken markers are refused`(_ seed: Seed) async throws {
        var random = seed.random
        try await TestCloud.run { cloud in
            for name in ["a", "b", "c"] { try await cloud.save(name, ["n": ["value": 1]]) }
            let query: JSONValue = ["recordType": "Note", "sortBy": [["fieldName": "n"]]]
            let marker = try #require(
                try await cloud.query(query, limit: 1).json["continuationMarker"].string)
            let payload = try #require(Base64.decode(marker))
            var broken = [
                "", "x", "AAAA", "=", "é", String(repeating: "A", count: 3_000_000), marker + marker,
                marker + "A",
            ]
            broken += (0..<marker.count).map { String(marker.prefix($0)) }
            for _ in 0..<200 {
                var bytes = payload
                let place = random.int(0...bytes.count - 1)
                bytes[place] ^= UInt8(1 << random.int(0...7))
                broken.append(Base64.encodeURL(bytes))
            }
            for text in broken where Base64.decode(text) != payload {
                let answer = try await cloud.query(query, limit: 1, marker: text)
                #expect(answer.code == "BAD_REQUEST", "\(text.prefix(100)): \(answer.json.text)")
                #expect(answer.json["reason"].string?.contains("continuation marker") == true)
            }
            // A marker is no sync token, and a sync token no marker.
            try await cloud.makeZones("Zone")
            let token = try await cloud.changes(zone: "Zone").token
            #expect(try await cloud.query(query, marker: token).code == "BAD_REQUEST")
            let changes = try await cloud.send(
                .recordsChanges, ["zoneID": ["zoneName": "Zone"], "syncToken": .string(marker)])
            #expect(changes.code == "BAD_REQUEST")
        }
    }

    @Test
    func `A query shape that is worth an index gets one in the background`() async throws {
        try await TestCloud.run { cloud in
            for start in stride(from: 0, to: 2_000, by: 200) {
                let operations = (start..<start + 200).map { number in
                    TestCloud.operation(
                        "create", "r\(number)",
                        fields: [
                            "n": ["value": .int(Int64(number % 97))], "t": ["value": .string("t\(number)")],
                        ])
                }
                try await cloud.modify(operations)
            }
            let filter: JSONValue = ["comparator": "EQUALS", "fieldName": "n", "fieldValue": ["value": 5]]
            let query: JSONValue = [
                "recordType": "Note", "filterBy": [filter],
                "sortBy": [["fieldName": "t", "ascending": false]],
            ]
            let first = try await cloud.query(query, limit: 5)
            #expect(first.trace.plan == .scan)
            #expect(
                try await eventually { try await cloud.query(query, limit: 5).trace.plan == .index })
            // Its answer is the same, page by page, and the next page walks it too.
            let again = try await cloud.query(query, limit: 5)
            #expect(again.names == first.names)
            let marker = try #require(again.json["continuationMarker"].string)
            let next = try await cloud.query(query, limit: 50, marker: marker)
            #expect(next.trace.plan == .index)
            let texts = (0..<2_000).filter { $0 % 97 == 5 }.map { "t\($0)" }
            let expected = texts.sorted(by: >).map { "r" + $0.dropFirst() }
            #expect(again.names + next.names == expected)
            try await cloud.reopen()
            #expect(try await cloud.query(query, limit: 5).trace.plan == .index)
        }
    }
}
