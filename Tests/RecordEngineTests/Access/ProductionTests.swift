import RecordEngine
import RecordModel
import RecordWire
import SchemaLanguage
import TestSupport
import Testing

@Suite struct ProductionTests {
    func save(_ cloud: TestCloud, _ type: String, _ fields: JSONValue) async throws -> TestCloud.Answer {
        try await cloud.send(
            .recordsModify, ["operations": [TestCloud.operation("create", nil, type: type, fields: fields)]],
            environment: .production)
    }

    @Test func `Production names everything that it lacks at once, and the command that brings it`()
        async throws
    {
        try await TestCloud.run { cloud in
            let fields: JSONValue = ["a": ["value": 1], "b": ["value": "x"], "c": ["value": 1.5]]
            let unknown = try await save(cloud, "Note", fields)
            #expect(unknown.codes == ["BAD_REQUEST"])
            let reason = try #require(unknown.json["records"][0]["reason"].string)
            for part in ["'Note'", "'a'", "'b'", "'c'"] { #expect(reason.contains(part), "\(reason)") }
            #expect(
                unknown.json["records"][0]["remedy"].string?.contains(
                    "stratus schema deploy --container iCloud.test") == true)
            #expect(cloud.schema(.production).types.isEmpty)

            try await cloud.save("r", ["a": ["value": 1]])
            let changes = try await SchemaDeployment.deploy(container: cloud.container, store: cloud.store)
            let field = SchemaField(
                name: "a", type: DeclaredType(FieldType(.int64)), indexes: .all(for: FieldType(.int64)))
            #expect(changes == [.type("Note"), .field(type: "Note", field)])
            #expect(changes.last?.description == "add field Note.a INT64 QUERYABLE SORTABLE")
            let partly = try await save(cloud, "Note", fields)
            let second = try #require(partly.json["records"][0]["reason"].string)
            #expect(
                second.contains("'b' (STRING)") && second.contains("'c' (DOUBLE)") && !second.contains("'a'"))
            #expect(try await save(cloud, "Note", ["a": ["value": 5]]).codes == [nil])
            // Untagged values take the deployed type.
            #expect(try await save(cloud, "Note", ["a": ["value": "5"]]).codes == ["BAD_REQUEST"])
        }
    }

    @Test func `Deploying again changes nothing, and types that differ are refused`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("r", ["a": ["value": 1], "l": ["value": ["x"]]])
            _ = try await SchemaDeployment.deploy(container: cloud.container, store: cloud.store)
            #expect(try await SchemaDeployment.deploy(container: cloud.container, store: cloud.store).isEmpty)
            let development = cloud.schema(.development)
            let production = cloud.schema(.production)
            #expect(
                production.types["Note"]?.fields.map(\.name) == development.types["Note"]?.fields.map(\.name))
            var changed = development
            let type = try #require(development.types["Note"])
            changed.set(
                RecordType(
                    name: "Note", id: type.id,
                    fields: [FieldSchema(name: "a", type: FieldType(.string), indexes: [], column: 1)]))
            #expect(throws: ServiceError.self) { try SchemaDeployment.changes(from: changed, to: production) }
        }
    }

    /// A type mismatch says what was expected and what came, tagged and untagged.
    @Test(
        arguments: [
            (["value": "x"], "Invalid value, expected type INT64"),
            (["value": 1.5], "Invalid value, expected type INT64"),
            (["value": ["x"]], "Invalid value, expected type INT64 but actual value was a list"),
            (["value": "x", "type": "STRING"], "Invalid value, expected type INT64"),
            (["value": [1], "type": "INT64_LIST"], "Invalid value, expected type INT64"),
            (["value": 1, "type": "LIST"], "BadRequestException: Unexpected input"),
            (
                ["value": "AA==", "type": "ENCRYPTED_BYTES"],
                "Attempt to save encrypted data in non encrypted field type"
            ),
            (
                ["value": ["fileChecksum": "AQ==", "size": 1], "type": "ASSETID"],
                "Invalid value, expected type INT64"
            ),
        ] as [(JSONValue, String)])
    func `A field keeps its type`(_ field: JSONValue, _ part: String) async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("r", ["n": ["value": 1]])
            let answer = try await cloud.modify([
                TestCloud.operation("forceUpdate", "r", fields: ["n": field])
            ])
            #expect(answer.codes == ["BAD_REQUEST"])
            let reason = answer.json["records"][0]["reason"].string ?? ""
            // Clients compare these words: no prefix, and what is ours is in the remedy.
            #expect(reason.hasPrefix(part), "\(reason)")
            #expect(answer.json["records"][0]["remedy"].string?.contains("ield 'n'") == true)
            #expect(try await cloud.record("r")?["fields"]["n"]["value"] == 1)
        }
    }

    @Test func `New fields need a type, and an asset needs an upload`() async throws {
        try await TestCloud.run { cloud in
            for (field, part): (JSONValue, String) in [
                (["value": []], "cannot use an empty list to initialize a new field"),
                (
                    ["value": [], "type": "UNKNOWN_LIST"],
                    "cannot use an empty list to initialize a new field"
                ),
                (["value": [:]], "is not clear"),
                (
                    ["value": ["fileChecksum": "AQ==", "size": 1, "receipt": "r"]],
                    "bad upload receipt (did_not_validate)"
                ),
            ] {
                let answer = try await cloud.modify([TestCloud.operation("create", "r", fields: ["n": field])]
                )
                #expect(answer.codes == ["BAD_REQUEST"])
                let reason = answer.json["records"][0]["reason"].string ?? ""
                #expect(reason.contains(part), "\(reason)")
            }
            try await cloud.save("r", ["l": ["value": ["x"]]])
            #expect(
                try await cloud.modify([TestCloud.operation("forceUpdate", "r", fields: ["l": ["value": []]])]
                ).codes == [nil])
            #expect(try await cloud.record("r")?["fields"]["l"] == ["value": [], "type": "STRING_LIST"])
            let other = try await cloud.modify([TestCloud.operation("forceUpdate", "r", type: "Other")])
            #expect(other.codes == ["BAD_REQUEST"])
        }
    }

    static let everything: [(name: String, field: JSONValue)] = [
        ("text", ["value": "a\u{1}\"\\é😀", "type": "STRING"]),
        ("int", ["value": .int(.min), "type": "INT64"]),
        ("double", ["value": 0.1, "type": "DOUBLE"]), ("low", ["value": .double(-0x1p63), "type": "DOUBLE"]),
        ("time", ["value": -5, "type": "TIMESTAMP"]), ("bytes", ["value": "AP8=", "type": "BYTES"]),
        ("link", ["value": ["recordName": "x", "action": "NONE"], "type": "REFERENCE"]),
        ("place", ["value": ["latitude": 1.5, "longitude": -2.5], "type": "LOCATION"]),
        ("texts", ["value": ["a", ""], "type": "STRING_LIST"]),
        ("ints", ["value": [1, 2], "type": "INT64_LIST"]),
        ("doubles", ["value": [0.1, 1e300], "type": "DOUBLE_LIST"]),
        ("times", ["value": [1], "type": "TIMESTAMP_LIST"]),
        ("blobs", ["value": ["AA=="], "type": "BYTES_LIST"]),
        ("links", ["value": [["recordName": "x", "action": "NONE"]], "type": "REFERENCE_LIST"]),
        ("places", ["value": [["latitude": 1.5, "longitude": -2.5]], "type": "LOCATION_LIST"]),
    ]

    @Test func `Every type comes back as it went`() async throws {
        try await TestCloud.run { cloud in
            let fields = JSONValue.object(JSONObject(Self.everything.map { (key: $0.name, value: $0.field) }))
            try await cloud.save("r", fields)
            #expect(try await cloud.record("r")?["fields"] == fields)
            // Again without tags: the schema knows them.
            let bare = JSONValue.object(
                JSONObject(Self.everything.map { (key: $0.name, value: ["value": $0.field["value"]]) }))
            try await cloud.save("r", bare)
            #expect(try await cloud.record("r")?["fields"] == fields)
            // One field changes, the others stay; null takes one away.
            try await cloud.save("r", ["int": ["value": 7], "text": ["value": nil]])
            let after = try #require(try await cloud.record("r"))
            #expect(after["fields"]["int"]["value"] == 7)
            #expect(after["fields"]["text"] == .null)
            #expect(after["fields"]["doubles"] == fields["doubles"])
        }
    }
}
