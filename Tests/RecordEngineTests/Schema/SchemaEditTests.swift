import RecordEngine
import RecordModel
import RecordStorage
import RecordStorageSQLite
import SchemaLanguage
import TestSupport
import Testing

/// Changes of a schema while others change it too.
@Suite struct SchemaEditTests {
    private static func field(_ name: String) -> SchemaField {
        SchemaField(name: name, type: DeclaredType(FieldType(.string)))
    }

    private static func addField(_ name: String, to type: String, _ cloud: TestCloud) async throws {
        try await SchemaText.edit(type, container: cloud.container, store: cloud.store) { type in
            var type = try #require(type)
            type.fields.append(field(name))
            return type
        }
    }

    /// Whether something was not done because another thing had been looked at.
    private static func isOutdated(_ work: () async throws -> Void) async throws -> Bool {
        do {
            try await work()
            return false
        } catch is SchemaPreviewOutdated {
            return true
        }
    }

    @Test func `What apps and operators make at the same time stays`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.importSchema("DEFINE SCHEMA RECORD TYPE Base (x STRING, y STRING);")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<12 {
                    group.addTask {
                        _ = try await cloud.save("r\(number)", ["a": ["value": 1]], type: "App\(number)")
                    }
                    group.addTask { try await Self.addField("f\(number)", to: "Base", cloud) }
                    group.addTask {
                        try await SchemaText.edit(
                            "Made\(number)", container: cloud.container, store: cloud.store
                        ) { _ in
                            SchemaRecordType(name: "Made\(number)", fields: [Self.field("x")])
                        }
                    }
                }
                group.addTask {
                    try await SchemaText.edit("Base", container: cloud.container, store: cloud.store) {
                        var type = try #require($0)
                        type.fields.removeAll { $0.name == "y" }
                        return type
                    }
                }
                try await group.waitForAll()
            }
            let schema = cloud.schema(.development)
            #expect(schema.types.count == 25)
            #expect(
                Set(schema.types["Base"]?.fields.map(\.name) ?? [])
                    == Set(["x"] + (0..<12).map { "f\($0)" }))
            for number in 0..<12 {
                #expect(try await cloud.record("r\(number)") != nil)
                #expect(schema.types["Made\(number)"]?.fields.map(\.name) == ["x"])
            }
            #expect(try await cloud.problems() == [])
        }
    }

    @Test func `A text that was looked at takes nothing that came after the look`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.importSchema("DEFINE SCHEMA RECORD TYPE A (x STRING, y INT64);")
            let text = try SchemaDocument(parsing: "DEFINE SCHEMA RECORD TYPE A (x STRING);")
            @Sendable func look() async throws -> String {
                try await cloud.store.read(.long) {
                    try SchemaText.importPlan(text, container: cloud.container, reader: $0).digest
                }
            }
            @Sendable func apply(_ digest: String) async throws {
                _ = try await SchemaText.importSchema(
                    text, container: cloud.container, allowsLoss: true, expecting: digest, store: cloud.store)
            }
            // A type comes.
            var shown = try await look()
            try await cloud.save("late", ["a": ["value": 1]], type: "Late")
            #expect(try await Self.isOutdated { try await apply(shown) })
            #expect(try await cloud.record("late") != nil)
            // A field comes.
            shown = try await look()
            try await Self.addField("z", to: "A", cloud)
            #expect(try await Self.isOutdated { try await apply(shown) })
            // Values come where there were none.
            shown = try await look()
            try await cloud.save("one", ["y": ["value": 1]], type: "A")
            #expect(try await Self.isOutdated { try await apply(shown) })
            // One more of what was shown to go is the same.
            shown = try await look()
            try await cloud.save("two", ["y": ["value": 2]], type: "A")
            #expect(try await look() == shown)
            try await apply(shown)
            #expect(cloud.schema(.development).types["Late"] == nil)
            #expect(cloud.schema(.development).types["A"]?.fields.map(\.name) == ["x"])
        }
    }

    @Test func `A deployment brings what was looked at`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.importSchema("DEFINE SCHEMA RECORD TYPE A (x STRING);")
            @Sendable func look() throws -> String {
                let source = cloud.schema(.development)
                return SchemaDeployment.digest(
                    of: try SchemaDeployment.changes(from: source, to: cloud.schema(.production)))
            }
            @Sendable func deploy(_ digest: String) async throws {
                _ = try await SchemaDeployment.deploy(
                    container: cloud.container, expecting: digest, store: cloud.store)
            }
            var shown = try look()
            try await cloud.save("late", ["typo": ["value": 1]], type: "Late")
            #expect(try await Self.isOutdated { try await deploy(shown) })
            // The same lines with other details are something else too.
            for text in [
                "DEFINE SCHEMA RECORD TYPE A (x STRING QUERYABLE);",
                "DEFINE SCHEMA RECORD TYPE A (x STRING QUERYABLE, GRANT READ TO \"_world\");",
                "DEFINE SCHEMA RECORD TYPE A (x STRING QUERYABLE, GRANT WRITE TO \"_world\");",
                "DEFINE SCHEMA RECORD TYPE A (x ENCRYPTED STRING);",
            ] {
                shown = try look()
                try await cloud.importSchema(text)
                #expect(try await Self.isOutdated { try await deploy(shown) })
                #expect(cloud.schema(.production).types.isEmpty)
            }
            try await deploy(look())
            #expect(cloud.document(.production) == cloud.document())
        }
    }

    @Test func `An edit keeps to production and to the limits`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.importSchema("DEFINE SCHEMA RECORD TYPE A (x STRING);")
            _ = try await SchemaDeployment.deploy(container: cloud.container, store: cloud.store)
            let before = cloud.document()
            for change in [
                { @Sendable (_: SchemaRecordType?) in nil },
                { @Sendable (_: SchemaRecordType?) in SchemaRecordType(name: "A") },
            ] as [@Sendable (SchemaRecordType?) -> SchemaRecordType?] {
                let error = await #expect(throws: ServiceError.self) {
                    try await SchemaText.edit("A", container: cloud.container, store: cloud.store, change)
                }
                #expect(error?.code == .conflict && error?.reason.contains("so it stays") == true)
            }
            #expect(cloud.document() == before)

            let tenant = Tenant(container: cloud.container, environment: .development)
            try await cloud.store.write { store in
                let count = try store.schema(of: tenant).types.count
                for number in count..<Limits.typesPerTenant - 1 {
                    _ = try store.makeType(named: "T\(number)", tenant: tenant)
                }
            }
            @Sendable func make(_ name: String, fields: Int) async throws {
                try await SchemaText.edit(name, container: cloud.container, store: cloud.store) { _ in
                    SchemaRecordType(name: name, fields: (0..<fields).map { Self.field("f\($0)") })
                }
            }
            let fields = await #expect(throws: ServiceError.self) {
                try await make("Last", fields: Limits.fieldsPerType + 1)
            }
            #expect(fields?.code == .quotaExceeded)
            try await make("Last", fields: Limits.fieldsPerType)
            let types = await #expect(throws: ServiceError.self) { try await make("More", fields: 1) }
            #expect(types?.code == .quotaExceeded)
        }
    }
}
