import RecordEngine
import RecordModel
import RecordWire
import SchemaLanguage
import TestSupport
import Testing

@Suite struct SchemaGapTests {
    static let operations: [JSONValue] = [
        TestCloud.operation("create", "good", fields: ["a": ["value": 1]]),
        TestCloud.operation(
            "create", "b", fields: ["a": ["value": 1], "x": ["value": "t"], "gone": ["value": nil]]),
        TestCloud.operation(
            "create", "c",
            fields: ["x": ["value": "t"], "y": ["value": [1.5]], "s": ["value": "t", "isEncrypted": true]]),
        TestCloud.operation("create", "d", type: "Task", fields: ["z": ["value": 1]]),
        TestCloud.operation(
            "forceUpdate", "e", type: "Task", fields: ["w": ["value": ["latitude": 1, "longitude": 1]]]),
    ]

    static let gaps: [SchemaGap] = [
        .field("x", FieldType(.string), of: "Note"), .field("y", .list(.double), of: "Note"),
        .field("s", FieldType(.string), of: "Note"), .type("Task"),
        .field("z", FieldType(.int64), of: "Task"),
        .field("w", FieldType(.location), of: "Task"),
    ]

    func send(_ cloud: TestCloud, zone: String? = nil) async throws -> TestCloud.Answer {
        var body: JSONValue = ["operations": .array(Self.operations)]
        if let zone { body = body.with("zoneID", ["zoneName": .string(zone)]) }
        return try await cloud.send(.recordsModify, body, environment: .production)
    }

    @Test func `Each refused record names what the whole request needs`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.importSchema("DEFINE SCHEMA RECORD TYPE Note (a INT64);")
            _ = try await SchemaDeployment.deploy(container: cloud.container, store: cloud.store)
            let answer = try await send(cloud)
            #expect(answer.codes == [nil, "BAD_REQUEST", "BAD_REQUEST", "BAD_REQUEST", "BAD_REQUEST"])
            #expect(answer.trace.gaps == Self.gaps)
            for record in answer.records.dropFirst() {
                let reason = record["reason"].string ?? ""
                #expect(
                    reason
                        == "Production lacks these fields of 'Note': 'x' (STRING), 'y' (DOUBLE_LIST), 's' (STRING); the record type 'Task' with the fields 'z' (INT64), 'w' (LOCATION)."
                )
                // Development has none of it, so deploying alone does not help.
                #expect(record["remedy"].string?.contains("stratus schema import") == true)
            }
            try await cloud.modify(Self.operations)
            let again = try await send(cloud)
            #expect(
                again.records[1]["remedy"].string
                    == "Deploy it: stratus schema deploy --container \(cloud.container)")
            _ = try await SchemaDeployment.deploy(container: cloud.container, store: cloud.store)
            let last = try await send(cloud)
            #expect(last.codes == ["CONFLICT", nil, nil, nil, nil])
            #expect(last.trace.gaps == [])
        }
    }

    @Test func `An atomic batch tells it with its one error`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.importSchema("DEFINE SCHEMA RECORD TYPE Note (a INT64);")
            _ = try await SchemaDeployment.deploy(container: cloud.container, store: cloud.store)
            _ = try await cloud.send(
                .zonesModify,
                ["operations": [["operationType": "create", "zone": ["zoneID": ["zoneName": "Z"]]]]],
                environment: .production)
            let answer = try await send(cloud, zone: "Z")
            #expect(answer.codes[1] == "BAD_REQUEST" && answer.codes[0] == "ATOMIC_ERROR")
            #expect(answer.records[1]["reason"].string?.contains("'w' (LOCATION)") == true)
            #expect(answer.trace.gaps == Self.gaps)
        }
    }

    @Test func `More is missing than anybody reads`() async throws {
        try await TestCloud.run { cloud in
            let operations = (0..<100).map { number in
                TestCloud.operation(
                    "create", "r\(number)", type: "T\(number)",
                    fields: ["a": ["value": 1], "b": ["value": 1], "c": ["value": 1]])
            }
            let answer = try await cloud.send(
                .recordsModify, ["operations": .array(operations)], environment: .production)
            #expect(answer.trace.gaps.count == 200)
            #expect(answer.records[99]["reason"].string?.hasSuffix("; and more.") == true)
        }
    }

    @Test func `A query names all fields and indexes that it needs`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.importSchema(
                "DEFINE SCHEMA RECORD TYPE Note (a INT64 QUERYABLE, b STRING, data BYTES QUERYABLE, s ENCRYPTED STRING);"
            )
            _ = try await SchemaDeployment.deploy(container: cloud.container, store: cloud.store)
            let query: JSONValue = [
                "recordType": "Note",
                "filterBy": [
                    ["fieldName": "a", "comparator": "EQUALS", "fieldValue": ["value": 1]],
                    ["fieldName": "b", "comparator": "EQUALS", "fieldValue": ["value": "x"]],
                ],
                "sortBy": [["fieldName": "a"], ["systemFieldName": "createdTimestamp"]],
                "predicate": "b CONTAINS 'x' OR c > 5",
            ]
            let answer = try await cloud.send(.recordsQuery, ["query": query], environment: .production)
            #expect(answer.code == "BAD_REQUEST")
            let reason = answer.json["reason"].string ?? ""
            // The reason is the original's, which clients compare; what else is missing stands in the remedy.
            #expect(reason == "Field 'b' is not marked queryable")
            #expect(answer.json["remedy"].string?.hasPrefix("Production lacks the index ") == true)
            let type = try #require(cloud.schema(.production).types["Note"])
            let a = try #require(type["a"])
            let b = try #require(type["b"])
            #expect(
                answer.trace.gaps == [
                    .index(.queryable, b, of: "Note"), .index(.sortable, a, of: "Note"),
                    .field("c", nil, of: "Note"),
                ])
            let remedy = answer.json["remedy"].string ?? ""
            for gap in answer.trace.gaps { #expect(remedy.contains(gap.description), "\(remedy)") }
            #expect(
                answer.json["remedy"].string?.contains("stratus schema deploy --container iCloud.test")
                    == true)

            let unknown = try await cloud.send(
                .recordsQuery, ["query": ["recordType": "Nothing"]], environment: .production)
            #expect(unknown.trace.gaps == [.type("Nothing")])
            // What nothing can be asked of is no gap, and no failure of the store.
            for field in ["data", "s"] {
                for value: JSONValue in [["value": nil], ["value": "AA=="]] {
                    let filter: JSONValue = [
                        "fieldName": .string(field), "comparator": "EQUALS", "fieldValue": value,
                    ]
                    let answer = try await cloud.send(
                        .recordsQuery, ["query": ["recordType": "Note", "filterBy": [filter]]],
                        environment: .production)
                    #expect(answer.code == "BAD_REQUEST" && answer.trace.gaps == [])
                }
            }
        }
    }

    @Test func `Encrypted values go where a field is declared for them`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.importSchema(
                "DEFINE SCHEMA RECORD TYPE Note (secret ENCRYPTED STRING, key ENCRYPTED BYTES, plain STRING);"
            )
            try await cloud.save(
                "a",
                [
                    "secret": ["value": "s", "type": "ENCRYPTED_STRING"],
                    "key": ["value": "AA==", "isEncrypted": true], "plain": ["value": "p"],
                ])
            let sent = try #require(try await cloud.record("a"))["fields"]
            #expect(sent["secret"] == ["value": "s", "type": "STRING", "isEncrypted": true])
            #expect(sent["key"] == ["value": "AA==", "type": "ENCRYPTED_BYTES"])
            #expect(sent["plain"] == ["value": "p", "type": "STRING"])
            // Plain values are taken too, the others stay as they were.
            try await cloud.save("a", ["secret": ["value": "t"]])
            let later = try #require(try await cloud.record("a"))["fields"]
            #expect(later["secret"] == ["value": "t", "type": "STRING", "isEncrypted": true])
            #expect(later["key"] == sent["key"])
            let refused = try await cloud.modify([
                TestCloud.operation(
                    "forceUpdate", "a", fields: ["plain": ["value": "x", "isEncrypted": true]])
            ])
            #expect(refused.codes == ["BAD_REQUEST"])
            // A new field becomes what its first value says.
            try await cloud.save("b", ["fresh": ["value": 5, "type": "INT64", "isEncrypted": true]])
            #expect(cloud.document()["Note"]?["fresh"]?.type.description == "ENCRYPTED INT64")
            #expect(cloud.document()["Note"]?["fresh"]?.indexes == [])
            let link = try await cloud.modify([
                TestCloud.operation(
                    "create", "c", fields: ["link": ["value": ["recordName": "a"], "isEncrypted": true]])
            ])
            #expect(link.codes == ["BAD_REQUEST"])
        }
    }

    /// Were each name compared with all before it, the longest of these would take minutes.
    @Test func `Of very many names that production lacks some are told`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("a", ["n": ["value": 1]], in: .public)
            let tenant = Tenant(container: cloud.container, environment: .development)
            _ = try await SchemaDeployment.deploy(container: cloud.container, store: cloud.store)
            for count in [1_000, 100_000] {
                let names = (0..<count).map { "a\($0) == 1" }.joined(separator: " OR ")
                let filters = (0..<count).map { number -> JSONValue in
                    ["fieldName": .string("f\(number)"), "comparator": "EQUALS", "fieldValue": ["value": 1]]
                }
                let query: JSONValue = [
                    "query": [
                        "recordType": "Note", "filterBy": .array(filters), "predicate": .string(names),
                    ]
                ]
                let answer = try await cloud.send(
                    .recordsQuery, query, in: .public, environment: .production)
                #expect(answer.status == 400)
                #expect((answer.json["remedy"].string ?? "").count < 20_000, "\(tenant)")
            }
        }
    }
}
