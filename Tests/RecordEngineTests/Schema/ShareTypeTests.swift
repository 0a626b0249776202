import RecordModel
import RecordStorage
import RecordWire
import SchemaLanguage
import TestSupport
import Testing

@testable import RecordEngine

/// The type `cloudkit.share` in schemas: who makes it, and what a text says of it.
@Suite struct ShareTypeTests {
    private static let ours = ["cloudkit.thumbnailImageData", "cloudkit.title", "cloudkit.type"]

    private func tenant(_ cloud: TestCloud, _ environment: CloudEnvironment = .development) -> Tenant {
        Tenant(container: cloud.container, environment: environment)
    }

    /// What the save of a share without fields does.
    @discardableResult
    private func shareType(
        _ cloud: TestCloud, _ environment: CloudEnvironment = .development
    ) async throws -> RecordType {
        let tenant = tenant(cloud, environment)
        return try await cloud.store.write { store in
            let evolution = SchemaEvolution(store: store, tenant: tenant)
            var type = try evolution.type(named: ShareRecordType.name, newFields: [])
            try evolution.apply([], to: &type)
            return type
        }
    }

    @Test func `The first share of development makes the type with its three fields`() async throws {
        try await TestCloud.run { cloud in
            let made = try await shareType(cloud)
            #expect(made.fields.map(\.name) == Self.ours)
            #expect(made.fields.map(\.type.scalar) == [.bytes, .string, .string])
            #expect(made.fields.allSatisfy { $0.indexes.isEmpty && $0.column > 0 })
            #expect(try await shareType(cloud) == made, "A second share changes nothing.")
            try await cloud.reopen()
            #expect(cloud.schema(.development).types[ShareRecordType.name] == made)
            #expect(cloud.schema(.production).types.isEmpty)
        }
    }

    @Test func `A share with fields of the app's own makes the same type and adds them`() async throws {
        try await TestCloud.run { cloud in
            let tenant = tenant(cloud)
            let type = try await cloud.store.write { store in
                let evolution = SchemaEvolution(store: store, tenant: tenant)
                var type = try evolution.type(named: ShareRecordType.name, newFields: [])
                let missing = try evolution.missing(
                    [("cloudkit.title", .string("List")), ("starts", .timestamp(1))], encrypted: [],
                    from: type)
                #expect(missing.map(\.name) == ["starts"])
                try evolution.apply(missing, to: &type)
                return type
            }
            #expect(type.fields.map(\.name) == Self.ours + ["starts"])
            let error = await #expect(throws: ServiceError.self) {
                try await cloud.store.write { store in
                    _ = try SchemaEvolution(store: store, tenant: tenant).missing(
                        [("cloudkit.title", .int64(1))], encrypted: [], from: type)
                }
            }
            #expect(error?.reason == "Invalid value, expected type STRING")
        }
    }

    @Test func `Production needs the type deployed, and says so`() async throws {
        try await TestCloud.run { cloud in
            let error = await #expect(throws: ServiceError.self) { try await shareType(cloud, .production) }
            #expect(
                error?.reason.hasPrefix("Cannot create new type cloudkit.share in production schema") == true)
            #expect(error?.gaps == [.type("cloudkit.share")] && error?.code == .badRequest)
            #expect(error?.remedy?.contains("schema deploy --container \(cloud.container)") == true)
            try await shareType(cloud)
            let again = await #expect(throws: ServiceError.self) { try await shareType(cloud, .production) }
            #expect(again?.remedy == "Deploy it: stratus schema deploy --container \(cloud.container)")
            let changes = try await SchemaDeployment.deploy(container: cloud.container, store: cloud.store)
            #expect(changes.first == .type("cloudkit.share") && changes.count == 4)
            #expect(try await shareType(cloud, .production).fields.map(\.name) == Self.ours)
        }
    }

    @Test func `A text with the six system fields alone is completed with the three`() async throws {
        try await TestCloud.run { cloud in
            let text = """
                DEFINE SCHEMA RECORD TYPE "cloudkit.share" ("___createTime" TIMESTAMP, "___createdBy" REFERENCE,
                "___etag" STRING, "___modTime" TIMESTAMP, "___modifiedBy" REFERENCE, "___recordID" REFERENCE,
                GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud");
                """
            let plan = try await cloud.importSchema(text)
            #expect(plan.steps.map(\.change).contains(.typeAdded("cloudkit.share")))
            let type = try #require(cloud.schema(.development).types["cloudkit.share"])
            #expect(type.fields.map(\.name) == Self.ours)
            // Grants are kept as they were written, though a share says itself who may do what.
            #expect(cloud.document()["cloudkit.share"]?.grants.map(\.role) == ["_creator", "_icloud"])
            let exported = cloud.document().description
            #expect(
                exported.contains("RECORD TYPE \"cloudkit.share\" (")
                    && exported.contains("\"cloudkit.title\""))
            #expect(try await cloud.importSchema(exported).isEmpty)
            #expect(try await cloud.importSchema(text).isEmpty, "What the text leaves out is no difference.")
            _ = try await SchemaDeployment.deploy(container: cloud.container, store: cloud.store)
            #expect(cloud.document(.production) == cloud.document())
            // A reset, too, gives the type back as production has it.
            _ = try await SchemaReset.apply(container: cloud.container, store: cloud.store)
            #expect(cloud.document(.production) == cloud.document())
        }
    }

    private static let share: JSONValue = [
        "operationType": "create",
        "record": [
            "recordType": "cloudkit.share", "recordName": "cloudkit.zoneshare",
            "fields": ["cloudkit.title": ["value": "List"], "starts": ["value": 1, "type": "TIMESTAMP"]],
        ],
    ]

    @Test func `The first saved share makes the type, and production's is refused until it is deployed`()
        async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Z")
            let made: JSONValue = [
                "operations": [["operationType": "create", "zone": ["zoneID": ["zoneName": "Z"]]]]
            ]
            _ = try await cloud.send(.zonesModify, made, environment: .production)
            let body: JSONValue = ["operations": [Self.share], "zoneID": ["zoneName": "Z"]]
            let refused = try await cloud.send(.recordsModify, body, environment: .production)
            #expect(
                refused.records[0]["reason"].string
                    == "Cannot create new type cloudkit.share in production schema. Production lacks the record type 'cloudkit.share' with the fields 'cloudkit.title' (STRING), 'starts' (TIMESTAMP)."
            )
            #expect(refused.trace.gaps.first == .type("cloudkit.share"))
            #expect(try await cloud.modify([Self.share], zone: "Z").codes == [nil])
            let type = try #require(cloud.schema(.development).types["cloudkit.share"])
            #expect(type.fields.map(\.name) == Self.ours + ["starts"])
            _ = try await SchemaDeployment.deploy(container: cloud.container, store: cloud.store)
            #expect(try await cloud.send(.recordsModify, body, environment: .production).codes == [nil])
            let query: JSONValue = ["recordType": "cloudkit.share"]
            #expect(try await cloud.query(query, zone: "Z").names == ["cloudkit.zoneshare"])
        }
    }

    @Test func `Development keeps the type as long as something is shared`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Z")
            #expect(try await cloud.modify([Self.share], zone: "Z").codes == [nil])
            let error = await #expect(throws: ServiceError.self) {
                try await cloud.importSchema("DEFINE SCHEMA RECORD TYPE Note ();")
            }
            #expect(error?.reason.contains("RECORD TYPE \"cloudkit.share\" ();") == true)
            let edit = await #expect(throws: ServiceError.self) {
                try await SchemaText.edit(
                    "cloudkit.share", container: cloud.container, store: cloud.store
                ) { _ in nil }
            }
            #expect(edit?.code == .conflict && error?.code == .conflict)
            try await cloud.importSchema(
                "DEFINE SCHEMA RECORD TYPE Note (); RECORD TYPE \"cloudkit.share\" ();")
            let gone = TestCloud.operation("forceDelete", "cloudkit.zoneshare")
            #expect(try await cloud.modify([gone], zone: "Z").codes == [nil])
            try await cloud.importSchema("DEFINE SCHEMA RECORD TYPE Note ();")
            #expect(cloud.schema(.development).types["cloudkit.share"] == nil)
        }
    }

    /// Earlier versions took such a text without completing it.
    @Test func `A type that lacks the three gets them with the next share, or when it is deployed`()
        async throws
    {
        try await TestCloud.run { cloud in
            let tenant = tenant(cloud)
            try await cloud.store.write { _ = try $0.makeType(named: ShareRecordType.name, tenant: tenant) }
            _ = try await SchemaDeployment.deploy(container: cloud.container, store: cloud.store)
            let deployed = try #require(cloud.schema(.production).types[ShareRecordType.name])
            #expect(deployed.fields.map(\.name).sorted() == Self.ours)
            #expect(try await shareType(cloud).fields.map(\.name).sorted() == Self.ours)
        }
    }

    @Test func `Fields with a dot are found by queries once they have an index`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.importSchema(
                "DEFINE SCHEMA RECORD TYPE \"cloudkit.share\" (\"cloudkit.title\" STRING QUERYABLE SORTABLE SEARCHABLE);"
            )
            let type = try #require(cloud.schema(.development).types["cloudkit.share"])
            let resolver = FieldResolver(type: type, tenant: tenant(cloud))
            #expect(try resolver.queryable("cloudkit.title").name == "cloudkit.title")
            #expect(try resolver.sortable("cloudkit.title").name == "cloudkit.title")
            #expect(try resolver.searchable("cloudkit.title").name == "cloudkit.title")
            let error = #expect(throws: ServiceError.self) { try resolver.queryable("cloudkit.type") }
            #expect(error?.remedy?.contains("\"cloudkit.type\" STRING QUERYABLE") == true)
        }
    }

    @Test(arguments: Seed.some(5))
    func `No other type and no other field has a name with a dot`(_ seed: Seed) async throws {
        try await TestCloud.run { cloud in
            var random = seed.random
            for _ in 0..<8 {
                let name =
                    random.pick(["cloudkit.", "cloudkit.share.", "Cloudkit.", "a.", "."], else: "a.")
                    + random.text(Array("shareX_."), 0...5)
                guard name != ShareRecordType.name else { continue }
                let answer = try await cloud.modify([
                    TestCloud.operation("create", "a", type: name),
                    TestCloud.operation("create", "b", fields: [name: ["value": 1]]),
                ])
                #expect(answer.codes == ["NOT_FOUND", "BAD_REQUEST"], "\(name)")
                let text = "DEFINE SCHEMA RECORD TYPE \"\(name)\" (); RECORD TYPE A (\"\(name)\" STRING);"
                let error = #expect(throws: SchemaTextError.self) { try SchemaDocument(parsing: text) }
                #expect(error?.errors.map(\.code) == ["NAME_WITH_DOT", "NAME_WITH_DOT"], "\(name)")
            }
        }
    }
}
