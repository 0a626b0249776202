import RecordModel
import RecordStorage
import RecordStorageSQLite
import RecordWire
import Testing

/// Deleting types and fields that have values, and bringing them back, by pages.
@Suite struct RemovedPartPageTests {
    private static let schema = "/console/c/iCloud.test/development/schema"

    @Test func `Values go only where the name was typed, and come back`() async throws {
        try await ConsoleFixture.with { fixture in
            try await fixture.save([
                ("a", [("t", .string("one")), ("n", .int64(1))]), ("b", [("t", .string("two"))]),
            ])
            let browser = try await fixture.signedIn()
            let csrf = try await browser.get("/console/").csrf
            let field = Self.schema + "/types/Note/fields/t/delete"
            let asked = try await browser.post(field, ["csrf": csrf])
            #expect(asked.status == 200 && asked.text.contains("Type <code>t</code> to go on"))
            #expect(
                asked.text.contains("from the <strong>2</strong> records") && asked.text.contains("30 days"))
            let wrong = try await browser.post(field, ["csrf": csrf, "confirm": "T"])
            #expect(wrong.text.contains("That is not its name."))
            #expect(fixture.store.schema(of: try ConsoleFixture.tenant()).types["Note"]?["t"] != nil)
            #expect(try await browser.post(field, ["csrf": csrf, "confirm": "t"]).status == 303)
            #expect(try await fixture.fields(of: "a")?["t"] == nil)
            // The whole type, then.
            let type = Self.schema + "/types/Note/delete"
            #expect(try await browser.post(type, ["csrf": csrf]).text.contains("Type <code>Note</code>"))
            #expect(try await browser.post(type, ["csrf": csrf, "confirm": "Note"]).status == 303)
            let page = try await browser.get(Self.schema)
            #expect(page.text.contains("Deleted, and still kept") && page.text.contains("Note.t"))
            #expect(!page.text.contains("~1"))
            for path in ["", "/records", "/new-record"] {
                let other = try await browser.get("/console/c/iCloud.test/development" + path)
                #expect(!other.text.contains("~1"), "\(path)")
            }
            let ids = page.text.matches(of: /removed\/(\d+)\/restore/).map { "\($0.1)" }
            try #require(ids.count == 2)
            // What was deleted last comes first.
            for id in ids {
                let back = try await browser.post(Self.schema + "/removed/\(id)/restore", ["csrf": csrf])
                #expect(back.status == 303)
            }
            #expect(try await fixture.fields(of: "a")?["t"]?.object?["value"] == .string("one"))
            #expect(try await fixture.fields(of: "a")?["n"]?.object?["value"] == .int(1))
            #expect(try await fixture.fields(of: "b")?["t"]?.object?["value"] == .string("two"))
            #expect(try await !browser.get(Self.schema).text.contains("Deleted, and still kept"))
            let actions = try await fixture.store.read(.short) { try $0.audit(before: nil, limit: 50) }.map(
                \.action)
            #expect(actions.filter { $0 == "schema.restore" }.count == 2, "\(actions)")
            #expect(actions.filter { $0 == "type.delete" || $0 == "field.delete" }.count == 2)
            // For good.
            _ = try await browser.post(type, ["csrf": csrf, "confirm": "Note"])
            let id = try #require(
                try await browser.get(Self.schema).text.firstMatch(of: /removed\/(\d+)\/purge/)
            ).1
            #expect(
                try await browser.post(Self.schema + "/removed/\(id)/purge", ["csrf": csrf]).status == 303)
            #expect(
                try await browser.post(Self.schema + "/removed/\(id)/restore", ["csrf": csrf]).status == 404)
        }
    }
}
