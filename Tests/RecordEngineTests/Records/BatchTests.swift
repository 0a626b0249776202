import RecordModel
import RecordWire
import TestSupport
import Testing

@Suite struct BatchTests {
    static func note(_ operation: String, _ name: String?, _ value: JSONValue = 1) -> JSONValue {
        TestCloud.operation(operation, name, fields: ["n": ["value": value]])
    }

    @Test(arguments: [(nil, true), (nil, false), ("Zone", false)] as [(String?, Bool)])
    func `Without atomicity each operation stands alone`(_ zone: String?, _ atomic: Bool) async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            let answer = try await cloud.modify(
                [Self.note("create", "a"), Self.note("update", "b"), Self.note("create", "c")], zone: zone,
                atomic: atomic)
            #expect(answer.status == 200)
            #expect(answer.codes == [nil, "NOT_FOUND", nil])
            #expect(try await cloud.record("a", zone: zone) != nil)
            #expect(try await cloud.record("c", zone: zone) != nil)
        }
    }

    @Test(arguments: [true, nil] as [Bool?], [0, 1, 2])
    func `An atomic batch in a custom zone is done whole or not at all`(_ atomic: Bool?, _ culprit: Int)
        async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            let tag = try await cloud.save("old", ["n": ["value": 1]], zone: "Zone")
            try await cloud.save("there", ["n": ["value": 1]], zone: "Zone")
            let feed = try await cloud.changes(zone: "Zone")
            var operations = [
                Self.note("create", "a"),
                TestCloud.operation("update", "old", tag: tag, fields: ["fresh": ["value": "x"]]),
                TestCloud.operation("create", "other", type: "Fresh", fields: ["n": ["value": 1]]),
            ]
            operations[culprit] = Self.note("create", "there")
            let answer = try await cloud.modify(operations, zone: "Zone", atomic: atomic)
            #expect(answer.status == 200)
            var codes: [String?] = ["ATOMIC_ERROR", "ATOMIC_ERROR", "ATOMIC_ERROR"]
            codes[culprit] = "CONFLICT"
            #expect(answer.codes == codes)
            #expect(answer.json["records"][culprit]["serverRecord"]["recordName"] == "there")
            #expect(try await cloud.record("a", zone: "Zone") == nil)
            #expect(try await cloud.record("other", zone: "Zone") == nil)
            #expect(try await cloud.record("old", zone: "Zone")?["recordChangeTag"] == .string(tag))
            #expect(try await cloud.changes(zone: "Zone").token == feed.token)
            let schema = cloud.schema
            #expect(schema.types["Fresh"] == nil)
            #expect(schema.types["Note"]?["fresh"] == nil)
        }
    }

    @Test(arguments: [nil, "Zone"] as [String?])
    func `An operation that fails leaves no type and no field behind`(_ zone: String?) async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            let failing: [JSONValue] = [
                TestCloud.operation(
                    "create", "a", type: "T1", fields: ["n": ["value": 1.5, "type": "INT64"]]),
                TestCloud.operation("create", "b", type: "T2", fields: ["n": ["value": []]]),
                TestCloud.operation(
                    "create", "c", type: "T3",
                    fields: [
                        "n": ["value": ["recordName": "none", "action": "VALIDATE"], "type": "REFERENCE"]
                    ]),
                TestCloud.operation("create", "d", type: "T4", fields: ["_n": ["value": 1]]),
                TestCloud.operation("create", "e", type: "T5", parent: "none"),
                TestCloud.operation(
                    "create", "f", type: "T6",
                    fields: ["n": ["value": .string(String(repeating: "x", count: Limits.recordBytes + 1))]]),
                TestCloud.operation("create", "_g", type: "T7"),
                TestCloud.operation(
                    "create", "h", type: "T8",
                    fields: ["f": ["value": ["fileChecksum": "AQ==", "size": 1], "type": "ASSETID"]]),
            ]
            let answer = try await cloud.modify(failing, zone: zone, atomic: false)
            #expect(answer.codes.allSatisfy { $0 != nil }, "\(answer.codes)")
            #expect(cloud.schema.types.isEmpty, "\(cloud.schema.types.keys)")
            try await cloud.save("a", ["m": ["value": 1]], zone: zone)
            let second = try await cloud.modify(
                [
                    TestCloud.operation(
                        "update", "a",
                        fields: ["fresh": ["value": 1], "m": ["value": "text"]])
                ], zone: zone, atomic: false)
            #expect(second.codes == ["BAD_REQUEST"])
            #expect(cloud.schema.types["Note"]?.fields.map(\.name) == ["m"])
        }
    }

    @Test func `A record stands in one operation only`() async throws {
        try await TestCloud.run { cloud in
            let answer = try await cloud.modify([Self.note("create", "a"), Self.note("forceUpdate", "a")])
            #expect(answer.status == 400)
            #expect(answer.code == "BAD_REQUEST")
            #expect(try await cloud.record("a") == nil)
        }
    }

    @Test func `Four hundred operations are taken, one more is not`() async throws {
        try await TestCloud.run { cloud in
            func notes(_ count: Int) -> [JSONValue] { (0..<count).map { Self.note("forceUpdate", "r\($0)") } }
            let answer = try await cloud.modify(notes(Limits.operationsPerRequest))
            #expect(answer.codes == [String?](repeating: nil, count: 400))
            #expect(answer.names == (0..<400).map { "r\($0)" })
            #expect(Set(answer.records.compactMap { $0["recordChangeTag"].string }).count == 400)
            let refused = try await cloud.modify(notes(Limits.operationsPerRequest + 1))
            #expect(refused.code == "BAD_REQUEST")
            #expect(refused.json["reason"].string?.contains("401") == true)
        }
    }

    @Test func `Wishes of an operation come before those of the request`() async throws {
        try await TestCloud.run { cloud in
            let fields: JSONValue = ["n": ["value": 1], "m": ["value": 2]]
            let answer = try await cloud.send(
                .recordsModify,
                [
                    "operations": [
                        TestCloud.operation("create", "a", fields: fields).with("desiredKeys", ["n"]),
                        TestCloud.operation("create", "b", fields: fields).with("numbersAsStrings", false),
                    ],
                    "desiredKeys": ["m"], "numbersAsStrings": true,
                ])
            #expect(answer.json["records"][0]["fields"] == ["n": ["value": "1", "type": "INT64"]])
            #expect(answer.json["records"][1]["fields"] == ["m": ["value": 2, "type": "INT64"]])
        }
    }

    @Test func `The zone may stand in the records, but there is one of them`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("A", "B")
            func inZone(_ zone: String, _ name: String) -> JSONValue {
                [
                    "operationType": "create",
                    "record": [
                        "recordName": .string(name), "recordType": "T", "zoneID": ["zoneName": .string(zone)],
                    ],
                ]
            }
            let good = try await cloud.modify([inZone("A", "a"), inZone("A", "b")])
            #expect(good.codes == [nil, nil])
            #expect(good.json["records"][0]["zoneID"]["zoneName"] == "A")
            let mixed = try await cloud.modify([inZone("A", "c"), inZone("B", "d")])
            #expect(mixed.codes == ["ATOMIC_ERROR", "BAD_REQUEST"])
            #expect(try await cloud.record("c", zone: "A") == nil)
            let unknown = try await cloud.modify([Self.note("create", "x")], zone: "Nowhere")
            #expect(unknown.code == "ZONE_NOT_FOUND")
            #expect(unknown.status == 404)
        }
    }

    @Test func `Names that the service chooses are fresh and sorted by time`() async throws {
        try await TestCloud.run { cloud in
            let answer = try await cloud.modify((0..<20).map { _ in Self.note("create", nil) })
            #expect(Set(answer.names).count == 20)
            #expect(answer.names == answer.names.sorted())
            #expect(answer.names.allSatisfy { $0.count == 36 })
            let nameless = try await cloud.modify([Self.note("update", nil), Self.note("forceDelete", nil)])
            #expect(nameless.codes == ["BAD_REQUEST", "BAD_REQUEST"])
        }
    }
}
