import RecordEngine
import RecordModel
import SchemaLanguage
import TestSupport
import Testing

@Suite struct SchemaDiffTests {
    @Test(arguments: Seed.some(20))
    func `Nothing differs from itself, and both directions tell as much`(_ seed: Seed) {
        var documents = RandomSchema(random: seed.random)
        for _ in 0..<30 {
            let one = documents.document()
            let other = documents.document()
            #expect(SchemaDiff(from: one, to: one.exported()).isEmpty)
            #expect(
                SchemaDiff(from: one, to: other).isEmpty == (one.normalized() == other.normalized()))
            #expect(SchemaDiff(from: one, to: other).isEmpty == SchemaDiff(from: other, to: one).isEmpty)
        }
    }

    @Test func `Every kind of difference has its line`() throws {
        let old = try SchemaDocument(
            parsing: """
                DEFINE SCHEMA CREATE ROLE Old; RECORD TYPE A (a STRING, b INT64, c STRING QUERYABLE,
                GRANT READ TO Old); RECORD TYPE Gone (x STRING);
                """)
        let new = try SchemaDocument(
            parsing: """
                DEFINE SCHEMA CREATE ROLE New; RECORD TYPE A (b DOUBLE SORTABLE, c STRING SORTABLE,
                d LIST<STRING>, "___recordID" REFERENCE QUERYABLE); RECORD TYPE Fresh (y ASSET);
                """)
        let diff = SchemaDiff(from: old, to: new)
        #expect(
            diff.changes.map(\.description) == [
                "+ role New", "- role Old", "~ indexes of A.___recordID: none become QUERYABLE",
                "- field A.a STRING", "~ field A.b: INT64 becomes DOUBLE SORTABLE",
                "~ indexes of A.c: QUERYABLE become SORTABLE", "+ field A.d LIST<STRING>",
                "~ grants of A: READ to Old become WRITE to _creator; CREATE to _icloud; READ to _world",
                "+ record type Fresh", "+ field Fresh.y ASSET",
                "- record type Gone",
            ])
        #expect(diff.changes.filter(\.isDestructive).count == 3)
        #expect(diff.changes.map(\.kind).count { $0 == "indexesChanged" } == 2)
        #expect(diff.changes[3].recordType == "A" && diff.changes[3].field == "a")
    }

    @Test func `What development made by itself has the default grants`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("a", ["title": ["value": "x"], "tags": ["value": ["y"]]])
            let type = try #require(cloud.document()["Note"])
            #expect(type.grants == SecurityGrant.defaults)
            #expect(type["title"]?.indexes == [.queryable, .searchable, .sortable])
            #expect(type["tags"]?.type.description == "LIST<STRING>")
            let text = cloud.document().description
            #expect(try SchemaDocument(parsing: text) == cloud.document())
            let plan = try await cloud.importSchema(text, allowsLoss: false)
            #expect(plan.isEmpty)
        }
    }
}
