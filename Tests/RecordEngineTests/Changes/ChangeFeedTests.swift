import RecordModel
import RecordWire
import TestSupport
import Testing

@Suite struct ChangeFeedTests {
    @Test func `A feed tells each record once, in its newest state, in the order of the changes`()
        async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            for name in ["a", "b", "c", "d"] { try await cloud.save(name, ["n": ["value": 1]], zone: "Zone") }
            let start = try await cloud.changes(zone: "Zone")
            #expect(start.records.compactMap { $0["recordName"].string } == ["a", "b", "c", "d"])
            try await cloud.save("a", ["n": ["value": 2]], zone: "Zone")
            try await cloud.modify(
                [TestCloud.operation("forceDelete", "b"), TestCloud.operation("forceUpdate", "c")],
                zone: "Zone")
            try await cloud.save("a", ["n": ["value": 3]], zone: "Zone")
            let feed = try await cloud.changes(zone: "Zone", since: start.token)
            // A request's saves come before its deletions.
            #expect(feed.records.compactMap { $0["recordName"].string } == ["c", "b", "a"])
            #expect(
                feed.records[1] == [
                    "recordName": "b", "deletedRecordType": "Note",
                    "zoneID": [
                        "zoneName": "Zone", "ownerRecordName": .string(TestCloud.Sender.alice.userName),
                        "zoneType": "REGULAR_CUSTOM_ZONE",
                    ], "deleted": true,
                ])
            #expect(feed.records.last?["fields"]["n"]["value"] == 3)
            // A new client hears nothing of what is gone, on no page.
            var names: [String] = []
            var token: String?
            repeat {
                let page = try await cloud.changes(zone: "Zone", since: token, limit: 1)
                names += page.records.compactMap { $0["recordName"].string }
                token = page.moreComing ? page.token : nil
            } while token != nil
            #expect(names == ["d", "c", "a"])
        }
    }

    @Test func `Only wanted types and fields are told`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            try await cloud.save("a", ["n": ["value": 1], "t": ["value": "x"]], zone: "Zone")
            try await cloud.save("b", ["n": ["value": 1]], type: "Other", zone: "Zone")
            let others = try await cloud.changes(zone: "Zone", types: ["Other", "None"])
            #expect(others.records.compactMap { $0["recordName"].string } == ["b"])
            #expect(try await cloud.changes(zone: "Zone", types: []).records.isEmpty)
            #expect(try await cloud.changes(zone: "Zone", since: others.token).records.isEmpty)
            try await cloud.modify(
                [TestCloud.operation("forceDelete", "a"), TestCloud.operation("forceDelete", "b")],
                zone: "Zone")
            let gone = try await cloud.changes(zone: "Zone", since: others.token, types: ["Other"])
            #expect(gone.records.compactMap { $0["recordName"].string } == ["b"])
            try await cloud.save("c", ["n": ["value": 1], "t": ["value": "x"]], zone: "Zone")
            let body: JSONValue = [
                "zones": [["zoneID": ["zoneName": "Zone"], "desiredKeys": ["n"], "numbersAsStrings": true]]
            ]
            let record = try await cloud.send(.changesZone, body).json["zones"][0]["records"][0]
            #expect(record["fields"] == ["n": ["value": "1", "type": "INT64"]])
        }
    }

    @Test func `Each zone of a request answers for itself`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("A", "B")
            try await cloud.save("a", ["n": ["value": 1]], zone: "A")
            let other = try await cloud.changes(zone: "B").token
            func zone(_ name: String, _ token: String? = nil) -> JSONValue {
                let wish: JSONValue = ["zoneID": ["zoneName": .string(name)]]
                return token.map { wish.with("syncToken", .string($0)) } ?? wish
            }
            let answer = try await cloud.send(
                .changesZone,
                [
                    "zones": [
                        zone("A"), zone("A", "garbage"), zone("A", other), zone("None"), zone("_defaultZone"),
                        zone("B", other),
                    ]
                ])
            #expect(answer.status == 200)
            let codes = answer.zones.map { $0["serverErrorCode"].string }
            #expect(codes == [nil, "BAD_REQUEST", "BAD_REQUEST", "ZONE_NOT_FOUND", "BAD_REQUEST", nil])
            #expect(answer.zones[1]["reason"] == "Unknown sync continuation type")
            #expect(answer.zones[1]["zoneID"]["zoneName"] == "A")
            #expect(answer.json["zones"][0]["records"][0]["recordName"] == "a")
        }
    }

    @Test func `An answer has so many records, shared by its zones`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("A", "B")
            for zone in ["A", "B"] {
                try await cloud.modify((0..<150).map { TestCloud.operation("create", "r\($0)") }, zone: zone)
            }
            var body: JSONValue = ["zones": [["zoneID": ["zoneName": "A"]], ["zoneID": ["zoneName": "B"]]]]
            var counts = [0, 0]
            for _ in 0..<10 {
                let zones = try await cloud.send(.changesZone, body).zones
                let records = zones.map { $0["records"].elements.count }
                #expect(records.reduce(0, +) <= 200)
                counts = zip(counts, records).map { $0 + $1 }
                if zones.allSatisfy({ $0["moreComing"] == false }) { break }
                let wishes = zones.map { $0.with("records", nil) }
                body = ["zones": .array(wishes)]
            }
            #expect(counts == [150, 150])
        }
    }

    @Test(arguments: [Endpoint.changesDatabase, .zonesChanges])
    func `A database tells which zones changed, and which are gone`(_ endpoint: Endpoint) async throws {
        try await TestCloud.run { cloud in
            let name = endpoint == .changesDatabase ? "syncToken" : "metaSyncToken"
            func changes(_ token: String?, limit: Int? = nil) async throws -> TestCloud.Answer {
                var body: JSONValue = [:]
                if let token { body = body.with(name, .string(token)) }
                if let limit { body = body.with("resultsLimit", .int(Int64(limit))) }
                return try await cloud.send(endpoint, body)
            }
            func zones(_ answer: TestCloud.Answer) -> [String] {
                answer.zones.map {
                    ($0["zoneID"]["zoneName"].string ?? "") + ($0["deleted"] == true ? "-" : "")
                }
            }
            let empty = try await changes(nil)
            #expect(zones(empty).isEmpty)
            let unwritten = try #require(empty.json[name].string)
            #expect(try await changes("garbage").code == "BAD_REQUEST")
            try await cloud.makeZones("A", "B", "C")
            try await cloud.save("x", ["n": ["value": 1]])
            let all = try await changes(unwritten)
            #expect(zones(all) == ["A", "B", "C"])
            let token = try #require(all.json[name].string)
            #expect(try await changes(token).zones.isEmpty)
            try await cloud.save("x", ["n": ["value": 1]], zone: "A")
            #expect(zones(try await changes(token)) == ["A"])
            try await cloud.send(
                .zonesModify,
                ["operations": [["operationType": "delete", "zone": ["zoneID": ["zoneName": "B"]]]]]
            ).expectGood()
            #expect(zones(try await changes(token)) == ["A", "B-"])
            // A new client hears nothing of the zone that is gone.
            #expect(zones(try await changes(nil)) == ["C", "A"])
            // Page by page.
            let first = try await changes(token, limit: 1)
            #expect(zones(first) == ["A"])
            #expect(first.json["moreComing"] == true)
            let second = try await changes(first.json[name].string, limit: 1)
            #expect(zones(second) == ["B-"])
            #expect(second.json["moreComing"] == false)
            #expect(try await changes("garbage").code == "BAD_REQUEST")
            #expect(try await changes(try await cloud.changes(zone: "A").token).code == "BAD_REQUEST")
            #expect(try await changes(nil, limit: 0).code == "BAD_REQUEST")
            // The token of one user is nothing to another.
            try await cloud.makeZones("A", as: .bob)
            let foreign = try await cloud.send(
                endpoint, .object(JSONObject([(key: name, value: .string(token))])), as: .bob)
            #expect(foreign.code == "BAD_REQUEST")
        }
    }

    @Test func `The older form follows one zone alike`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            try await cloud.save("a", ["n": ["value": 1]], zone: "Zone")
            let zone: JSONValue = ["zoneName": "Zone"]
            let first = try await cloud.send(.recordsChanges, ["zoneID": zone])
            #expect(first.names == ["a"])
            #expect(first.json["moreComing"] == false)
            let token = try #require(first.json["syncToken"].string)
            #expect(try await cloud.changes(zone: "Zone", since: token).records.isEmpty)
            try await cloud.modify([TestCloud.operation("forceDelete", "a")], zone: "Zone")
            let second = try await cloud.send(.recordsChanges, ["zoneID": zone, "syncToken": .string(token)])
            #expect(second.json["records"][0]["deleted"] == true)
            for (body, code): (JSONValue, String) in [
                (["zoneID": ["zoneName": "None"]], "ZONE_NOT_FOUND"), (["zoneID": [:]], "BAD_REQUEST"),
                (["zoneID": zone, "syncToken": "x"], "BAD_REQUEST"), ([:], "BAD_REQUEST"),
            ] {
                #expect(try await cloud.send(.recordsChanges, body).code == code)
            }
            let `public` = try await cloud.send(.recordsChanges, ["zoneID": zone], in: .public)
            #expect(`public`.code == "BAD_REQUEST")
        }
    }

    @Test func `A zone made again under its old name is another zone`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            try await cloud.save("a", ["n": ["value": 1]], zone: "Zone")
            let token = try await cloud.changes(zone: "Zone").token
            let delete: JSONValue = [
                "operations": [["operationType": "delete", "zone": ["zoneID": ["zoneName": "Zone"]]]]
            ]
            try await cloud.send(.zonesModify, delete).expectGood()
            #expect(try await cloud.record("a", zone: "Zone") == nil)
            let gone = try await cloud.send(
                .changesZone, ["zones": [["zoneID": ["zoneName": "Zone"], "syncToken": .string(token)]]])
            #expect(gone.json["zones"][0]["serverErrorCode"] == "ZONE_NOT_FOUND")
            try await cloud.makeZones("Zone")
            #expect(try await cloud.changes(zone: "Zone").records.isEmpty)
            #expect(try await cloud.record("a", zone: "Zone") == nil)
            #expect(try await cloud.query(["recordType": "Note"], zone: "Zone").names.isEmpty)
            let old = try await cloud.send(
                .changesZone, ["zones": [["zoneID": ["zoneName": "Zone"], "syncToken": .string(token)]]])
            #expect(old.json["zones"][0]["reason"] == "Unknown sync continuation type")
        }
    }
}

extension TestCloud.Answer {
    /// Fails the test unless the request and all of its zones and records went well.
    func expectGood() {
        #expect(status == 200)
        #expect((zones + records).allSatisfy { $0["serverErrorCode"] == .null }, "\(json.text)")
    }
}
