import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Answers end by bytes, and whoever goes on gets everything, each record once and in order.
@Suite struct AnswerSizeTests {
    /// The names of 24 records of the given sizes in KiB.
    private static func fill(
        _ cloud: TestCloud, _ sizes: [Int], zone: String? = nil
    ) async throws -> [String] {
        var names: [String] = []
        for (number, size) in sizes.enumerated() {
            let name = "r\(number < 10 ? "0" : "")\(number)"
            let text = String(repeating: "x", count: size * 1_024)
            try await cloud.save(
                name, ["n": ["value": .int(Int64(number % 5))], "t": ["value": .string(text)]], zone: zone)
            names.append(name)
        }
        return names
    }

    private static func sizes(_ random: inout Random) -> [Int] {
        (0..<24).map { _ in random.oneIn(3) ? random.int(0...8) : random.int(200...1_000) }
    }

    private static func check(_ answer: TestCloud.Answer, isLast: Bool, _ note: String) {
        #expect(answer.code == nil, "\(note) \(answer.json.text.prefix(200))")
        #expect(answer.json.bytes.count <= Limits.answerBytes || answer.records.count == 1, "\(note)")
        #expect((answer.json["limitedBy"].string == "answerBytes") == !isLast, "\(note)")
    }

    @Test(arguments: Seed.some(2), [nil, "n"])
    func `A query's pages end by bytes in both directions`(_ seed: Seed, sort: String?) async throws {
        var random = seed.random
        let sizes = Self.sizes(&random)
        try await TestCloud.run { cloud in
            let names = try await Self.fill(cloud, sizes)
            var query: JSONValue = ["recordType": "Note"]
            if let sort { query = query.with("sortBy", [["fieldName": .string(sort), "ascending": false]]) }
            let small = try await cloud.send(
                .recordsQuery, ["query": query, "desiredKeys": ["n"], "resultsLimit": 200])
            #expect(Set(small.names) == Set(names), "fields that nobody wants do not count")
            #expect(small.json["limitedBy"] == .null)
            for backward in [false, true] {
                var seen: [String] = []
                var marker: String?
                var pages = 0
                repeat {
                    var body: JSONValue = ["query": query, "backward": .bool(backward)]
                    if let marker { body = body.with("continuationMarker", .string(marker)) }
                    let page = try await cloud.send(.recordsQuery, body)
                    marker = page.json[backward ? "previousMarker" : "continuationMarker"].string
                    Self.check(page, isLast: marker == nil, "\(seed) page \(pages)")
                    seen = backward ? page.names + seen : seen + page.names
                    pages += 1
                } while marker != nil
                #expect(seen == small.names, "\(seed) \(backward)")
                #expect(pages > 1)
            }
        }
    }

    @Test(arguments: Seed.some(2))
    func `A feed's pages end by bytes, also over several zones`(_ seed: Seed) async throws {
        var random = seed.random
        let sizes = [Self.sizes(&random), Self.sizes(&random)]
        try await TestCloud.run { cloud in
            try await cloud.makeZones("A", "B")
            var left: [String: [String]] = [:]
            for (zone, sizes) in zip(["A", "B"], sizes) {
                left[zone] = try await Self.fill(cloud, sizes, zone: zone)
            }
            var tokens: [String: String] = [:]
            var zones = ["A", "B"]
            var rounds = 0
            while !zones.isEmpty, rounds < 60 {
                let wishes = zones.map { zone -> JSONValue in
                    var wish: JSONValue = ["zoneID": ["zoneName": .string(zone)]]
                    if let token = tokens[zone] { wish = wish.with("syncToken", .string(token)) }
                    return wish
                }
                let answer = try await cloud.send(.changesZone, ["zones": .array(wishes)])
                let records = answer.zones.flatMap { $0["records"].elements }
                #expect(!records.isEmpty, "each answer brings something")
                #expect(answer.json.bytes.count <= Limits.answerBytes + 1_024 || records.count == 1)
                for part in answer.zones {
                    let zone = part["zoneID"]["zoneName"].string ?? ""
                    let names = part["records"].elements.compactMap { $0["recordName"].string }
                    let rest = left[zone] ?? []
                    #expect(Array(rest.prefix(names.count)) == names)
                    left[zone] = Array(rest.dropFirst(names.count))
                    tokens[zone] = part["syncToken"].string
                    #expect((part["limitedBy"] != .null) == (part["moreComing"] == true))
                    if part["moreComing"] == false { zones.removeAll { $0 == zone } }
                }
                rounds += 1
            }
            #expect(left == ["A": [], "B": []])
            let old = try await cloud.send(.recordsChanges, ["zoneID": ["zoneName": "A"]])
            #expect(old.json["moreComing"] == true && old.json["limitedBy"] == "answerBytes")
        }
    }

    @Test func `A lookup answers what has room, and says which to ask for again`() async throws {
        try await TestCloud.run { cloud in
            let names = try await Self.fill(cloud, Array(repeating: 900, count: 10))
            var rest = names + ["missing"]
            var rounds = 0
            while !rest.isEmpty {
                let answer = try await cloud.send(
                    .recordsLookup, ["records": .array(rest.map { ["recordName": .string($0)] })])
                #expect(answer.json.bytes.count <= Limits.answerBytes + 8_192)
                #expect(answer.names == rest)
                let again = zip(rest, answer.codes).filter { $0.1 == "TRY_AGAIN_LATER" }.map(\.0)
                #expect(again == Array(rest.suffix(again.count)), "what has no room is the end of the list")
                #expect((answer.json["limitedBy"] == "answerBytes") == !again.isEmpty)
                #expect(again.count < rest.count)
                rest = again
                rounds += 1
            }
            #expect(rounds == 3)
        }
    }

    @Test func `A small request to change large records does not get all of them back`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            for zone in [nil, "Zone"] {
                let names = try await Self.fill(cloud, Array(repeating: 900, count: 10), zone: zone)
                let operations = names.map {
                    TestCloud.operation("forceUpdate", $0, fields: ["n": ["value": 9]])
                }
                let answer = try await cloud.modify(operations, zone: zone, atomic: false)
                #expect(answer.json.bytes.count < Limits.answerBytes + 1_048_576 + 65_536)
                let done = answer.codes.prefix { $0 == nil }.count
                #expect(done == 5)
                #expect(answer.codes.dropFirst(done).allSatisfy { $0 == "TRY_AGAIN_LATER" })
                for (index, name) in names.enumerated() {
                    let value = try await cloud.record(name, zone: zone)?["fields"]["n"]["value"]
                    #expect((value == 9) == (index < done), "what was refused was not done")
                }
                let wanted = try await cloud.send(
                    .recordsModify,
                    [
                        "operations": .array(operations), "desiredKeys": ["n"],
                        "zoneID": ["zoneName": .string(zone ?? "_defaultZone")],
                    ])
                #expect(wanted.codes.allSatisfy { $0 == nil })
                guard zone != nil else { continue }
                let atomic = try await cloud.modify(operations, zone: zone, atomic: true)
                #expect(atomic.codes.contains("BAD_REQUEST") && !atomic.codes.contains(nil))
            }
            // What was sent may come back.
            let text = String(repeating: "x", count: 900_000)
            let large = try await cloud.modify(
                (0..<10).map {
                    TestCloud.operation("create", "new-\($0)", fields: ["t": ["value": .string(text)]])
                })
            #expect(large.codes.allSatisfy { $0 == nil })
        }
    }
}
