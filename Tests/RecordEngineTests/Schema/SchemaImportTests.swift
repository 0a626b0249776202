import RecordEngine
import RecordModel
import RecordStorage
import RecordStorageSQLite
import RecordWire
import SchemaLanguage
import TestSupport
import Testing

extension TestCloud {
    /// Imports a text into development, values of development allowed to go.
    @discardableResult
    func importSchema(_ text: String, allowsLoss: Bool = true) async throws -> SchemaImportPlan {
        try await SchemaText.importSchema(
            SchemaDocument(parsing: text), container: container, allowsLoss: allowsLoss, store: store)
    }

    func document(_ environment: CloudEnvironment = .development) -> SchemaDocument {
        SchemaText.document(of: schema(environment))
    }

    /// What the operator's inspection finds wrong with the files.
    func problems() async throws -> [String] {
        // Only SQLite has files to look at.
        guard let store = store as? SQLiteStore else { return [] }
        return try StoreInspection.run(
            directory: store.directory, depth: StoreInspection.Depth(checksIndexes: true)
        )
        // The tokens of tests belong to users that were never made.
        .filter { $0.severity != .good && $0.check != "access" }.map(\.message)
    }
}

@Suite struct SchemaImportTests {
    @Test(arguments: Seed.some(12))
    func `What was imported is exported again, one text after another`(_ seed: Seed) async throws {
        try await TestCloud.run { cloud in
            var documents = RandomSchema(random: seed.random)
            for _ in 0..<5 {
                var document = documents.document()
                // Without a word about users, the ones there stay as they are.
                if document["Users"] == nil { document.types.append(.users) }
                _ = try await SchemaText.importSchema(
                    document, container: cloud.container, allowsLoss: true, store: cloud.store)
                #expect(cloud.document() == document.exported())
                #expect(SchemaDiff(from: cloud.document(), to: document).isEmpty)
                let again = try await SchemaText.importSchema(
                    document, container: cloud.container, allowsLoss: false, store: cloud.store)
                #expect(again.isEmpty)
            }
            try await cloud.reopen()
            let before = cloud.document()
            try await cloud.reopen()
            #expect(cloud.document() == before)
            #expect(try await cloud.problems() == [])
        }
    }

    @Test(arguments: Seed.some(10))
    func `A deployed schema is development's, and a text that would take of it is refused`(
        _ seed: Seed
    ) async throws {
        try await TestCloud.run { cloud in
            var documents = RandomSchema(random: seed.random)
            _ = try await SchemaText.importSchema(
                documents.document(), container: cloud.container, allowsLoss: true, store: cloud.store)
            _ = try await SchemaDeployment.deploy(container: cloud.container, store: cloud.store)
            #expect(cloud.document(.production) == cloud.document())
            #expect(try await SchemaDeployment.deploy(container: cloud.container, store: cloud.store).isEmpty)
            for _ in 0..<5 {
                let before = cloud.document()
                var document = documents.document()
                if document["Users"] == nil, let users = before["Users"] { document.types.append(users) }
                let takes = SchemaDiff(from: before, to: document).changes.contains { $0.isDestructive }
                let plan = try await cloud.store.read(.long) { [document] reader in
                    try SchemaText.importPlan(document, container: cloud.container, reader: reader)
                }
                #expect(plan.refusals.isEmpty != takes)
                if takes {
                    await #expect(throws: ServiceError.self) {
                        try await SchemaText.importSchema(
                            document, container: cloud.container, allowsLoss: true, store: cloud.store)
                    }
                    #expect(cloud.document() == before)
                }
            }
        }
    }

    @Test func `Values of records follow the schema`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Z")
            try await cloud.importSchema(
                "DEFINE SCHEMA RECORD TYPE Note (title STRING, n INT64 SORTABLE, tags LIST<STRING>, place LOCATION, data BYTES);"
            )
            for (name, zone) in [("a", nil), ("b", "Z")] as [(String, String?)] {
                try await cloud.save(
                    name,
                    [
                        "title": ["value": .string("Title \(name)")], "n": ["value": 1],
                        "tags": ["value": ["x", "y"]],
                        "place": ["value": ["latitude": 1, "longitude": 2]],
                        "data": ["value": "AA==", "type": "BYTES"],
                    ], zone: zone)
            }
            let byTitle: JSONValue = [
                "recordType": "Note",
                "filterBy": [
                    ["fieldName": "title", "comparator": "EQUALS", "fieldValue": ["value": "Title a"]]
                ],
            ]
            #expect(try await cloud.query(byTitle).code == "BAD_REQUEST")

            // Indexes come: what already exists is found.
            try await cloud.importSchema(
                "DEFINE SCHEMA RECORD TYPE Note (title STRING QUERYABLE SORTABLE, n INT64 SORTABLE, tags LIST<STRING> QUERYABLE, place LOCATION QUERYABLE, data BYTES QUERYABLE);",
                allowsLoss: false)
            #expect(try await cloud.query(byTitle).names == ["a"])
            #expect(try await cloud.problems() == [])

            // An index goes, values change meanwhile, and it comes back.
            try await cloud.importSchema(
                "DEFINE SCHEMA RECORD TYPE Note (title STRING, n INT64, tags LIST<STRING>, place LOCATION, data BYTES);",
                allowsLoss: false)
            try await cloud.save("a", ["title": ["value": "Other"], "n": ["value": nil]])
            try await cloud.importSchema(
                "DEFINE SCHEMA RECORD TYPE Note (title STRING QUERYABLE, n INT64 QUERYABLE, tags LIST<STRING>, place LOCATION, data BYTES);",
                allowsLoss: false)
            #expect(try await cloud.query(byTitle).names == [])
            #expect(try await cloud.problems() == [])

            // A field goes with its values, and one of its name is a new one.
            let text =
                "DEFINE SCHEMA RECORD TYPE Note (title INT64 QUERYABLE, tags LIST<STRING>, data BYTES);"
            await #expect(throws: ServiceError.self) { try await cloud.importSchema(text, allowsLoss: false) }
            let plan = try await cloud.importSchema(text)
            #expect(plan.losses.map(\.records) == [2, 2, 2])
            let record = try #require(try await cloud.record("b", zone: "Z"))
            #expect(record["fields"]["title"] == .null && record["fields"]["n"] == .null)
            #expect(
                record["fields"]["tags"]["value"] == ["x", "y"] && record["fields"]["data"]["value"] == "AA=="
            )
            try await cloud.save("a", ["title": ["value": 5]])
            #expect(try await cloud.record("a")?["fields"]["title"] == ["value": 5, "type": "INT64"])
            #expect(try await cloud.problems() == [])
        }
    }

    @Test func `A type goes with its records, and feeds tell of it`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Z")
            try await cloud.importSchema(
                "DEFINE SCHEMA RECORD TYPE Note (title STRING QUERYABLE); RECORD TYPE Task (note REFERENCE);")
            for number in 0..<5 { try await cloud.save("n\(number)", ["title": ["value": "x"]], zone: "Z") }
            try await cloud.save(
                "t", ["note": ["value": ["recordName": "n1", "action": "VALIDATE"]]], type: "Task", zone: "Z")
            try await cloud.save("d", ["title": ["value": "x"]])
            let first = try await cloud.send(
                .changesZone, ["zones": [["zoneID": ["zoneName": "Z"]]]])
            let token = first.zones[0]["syncToken"]
            await #expect(throws: ServiceError.self) {
                try await cloud.importSchema(
                    "DEFINE SCHEMA RECORD TYPE Note (title STRING QUERYABLE);", allowsLoss: false)
            }
            try await cloud.importSchema("DEFINE SCHEMA RECORD TYPE Note (title STRING QUERYABLE);")
            #expect(cloud.schema(.development).types.keys.sorted() == ["Note"])
            // The reference went with its holder, so its target can go too.
            #expect(
                try await cloud.modify([TestCloud.operation("forceDelete", "n1")], zone: "Z").codes == [nil])
            try await cloud.importSchema("DEFINE SCHEMA")
            #expect(try await cloud.record("n2", zone: "Z") == nil)
            #expect(try await cloud.record("d") == nil)
            let changes = try await cloud.send(
                .changesZone, ["zones": [["zoneID": ["zoneName": "Z"], "syncToken": token]]])
            let gone = changes.zones[0]["records"].elements
            #expect(Set(gone.compactMap { $0["recordName"].string }) == ["n0", "n1", "n2", "n3", "n4", "t"])
            #expect(gone.allSatisfy { $0["deleted"] == true })
            try await cloud.save("n2", ["title": ["value": "again"]], zone: "Z")
            #expect(try await cloud.record("n2", zone: "Z") != nil)
            #expect(try await cloud.problems() == [])
        }
    }

    @Test func `A reset gives development production's schema and takes all it holds`() async throws {
        try await TestCloud.run { cloud in
            let text = """
                DEFINE SCHEMA CREATE ROLE Editor; RECORD TYPE Note ("___recordID" REFERENCE QUERYABLE,
                title STRING QUERYABLE, body ENCRYPTED STRING, n NUMBER, GRANT READ TO Editor);
                """
            try await cloud.importSchema(text)
            _ = try await SchemaDeployment.deploy(container: cloud.container, store: cloud.store)
            try await cloud.makeZones("Z")
            try await cloud.save("a", ["more": ["value": 1]])
            try await cloud.save("b", ["more": ["value": 1]], zone: "Z")
            try await cloud.save("c", ["x": ["value": 1]], type: "Scratch", as: .bob, in: .public)
            let summary = try await SchemaReset.apply(container: cloud.container, store: cloud.store)
            #expect(summary.types == 2 && summary.records == 3 && summary.zones == 1)
            #expect(cloud.document() == cloud.document(.production))
            #expect(cloud.document() == (try SchemaDocument(parsing: text)).exported())
            #expect(try await cloud.record("a") == nil)
            #expect(try await cloud.send(.zonesList, [:]).zones.count == 1)
            try await cloud.save("a", ["title": ["value": "new"]])
            #expect(try await cloud.problems() == [])
        }
    }

    @Test func `Deploying only adds, and grants become development's`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.importSchema(
                "DEFINE SCHEMA RECORD TYPE A (x STRING QUERYABLE, n NUMBER, GRANT READ TO \"_world\"); RECORD TYPE B (y INT64);"
            )
            _ = try await SchemaDeployment.deploy(container: cloud.container, store: cloud.store)
            // Development becomes less by other ways than a text: production stays what it is.
            let production = cloud.schema(.production)
            var less = cloud.schema(.development)
            less.remove(typeNamed: "B")
            var smaller = try #require(less.types["A"])
            smaller.set(FieldSchema(name: "x", type: FieldType(.string), indexes: .sortable, column: 1))
            smaller.set(
                FieldSchema(
                    name: "n", type: FieldType(.double), indexes: [], column: 2, declaration: .numberAsDouble)
            )
            smaller.grants = []
            less.set(smaller)
            #expect(less.types["A"]?.effectiveGrants == SecurityGrant.defaults)
            #expect(
                try SchemaDeployment.changes(from: less, to: production).contains(
                    .grants(type: "A", SecurityGrant.defaults)))
            smaller.grants = [SecurityGrant(.read, to: "_icloud")]
            less.set(smaller)
            #expect(
                try SchemaDeployment.changes(from: less, to: production) == [
                    .declaration(type: "A", name: "n", .numberAsDouble),
                    .indexes(type: "A", name: "x", [.queryable, .sortable]),
                    .grants(type: "A", [SecurityGrant(.read, to: "_icloud")]),
                ])
            smaller.set(
                FieldSchema(
                    name: "x", type: FieldType(.string), indexes: [], column: 1, declaration: .encrypted))
            smaller.set(FieldSchema(name: "n", type: FieldType(.int64), indexes: [], column: 2))
            less.set(smaller)
            let error = #expect(throws: ServiceError.self) {
                try SchemaDeployment.changes(from: less, to: production)
            }
            #expect(error?.code == .conflict)
            #expect(error?.reason.contains("A.x") == true && error?.reason.contains("A.n") == true)
        }
    }

    @Test func `Texts beyond the limits are refused`() async throws {
        try await TestCloud.run { cloud in
            @Sendable func text(fields: Int) -> SchemaDocument {
                let fields = (0..<fields).map {
                    SchemaField(name: "f\($0)", type: DeclaredType(FieldType(.location)), indexes: .queryable)
                }
                return SchemaDocument(types: [SchemaRecordType(name: "A", fields: fields)])
            }
            @Sendable func types(_ count: Int) -> SchemaDocument {
                SchemaDocument(types: (0..<count).map { SchemaRecordType(name: "T\($0)") } + [.users])
            }
            let container = cloud.container
            try await cloud.store.read(.long) { reader throws in
                for (document, isAllowed) in [
                    (text(fields: Limits.fieldsPerType), true),
                    (text(fields: Limits.fieldsPerType + 1), false),
                    (types(Limits.typesPerTenant - 1), true), (types(Limits.typesPerTenant), false),
                ] {
                    let plan = try SchemaText.importPlan(document, container: container, reader: reader)
                    #expect(plan.refusals.isEmpty == isAllowed)
                }
            }
            // PostgreSQL has 1,600 columns in a table, and a location has two.
            if StoreEngine.chosen == .postgres {
                let error = await #expect(throws: StorageError.self) {
                    _ = try await SchemaText.importSchema(
                        text(fields: Limits.fieldsPerType), container: container, allowsLoss: false,
                        store: cloud.store)
                }
                #expect(error?.isTooWide == true)
            }
            _ = try await SchemaText.importSchema(
                text(fields: StoreEngine.chosen == .postgres ? 750 : Limits.fieldsPerType),
                container: container, allowsLoss: false, store: cloud.store)
            try await cloud.save("a", ["f0": ["value": ["latitude": 1, "longitude": 2]]], type: "A")
        }
    }
}
