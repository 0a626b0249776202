import Foundation
import RecordModel
import RecordStorage
import RecordStorageSQLite
import Testing

/// Operators and apps that change the same schema at the same time.
@Suite struct SchemaRaceTests {
    private let base = ConsoleFixture.base + "/schema"

    @Test func `A field that is added takes nothing away that an app saves meanwhile`() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let csrf = try await browser.get("/console/").csrf
            _ = try await browser.post(base + "/types", ["csrf": csrf, "name": "Base"])
            for round in 0..<30 {
                async let added = browser.post(
                    base + "/types/Base/fields", ["csrf": csrf, "name": "f\(round)", "type": "STRING"])
                async let saved: Void = fixture.save(
                    [("r\(round)", [("a", .string("precious"))])], type: "App\(round)")
                #expect(try await added.status == 303)
                try await saved
            }
            let types = fixture.store.schema(of: try ConsoleFixture.tenant()).types
            #expect(types["Base"]?.fields.count == 30)
            for round in 0..<30 { #expect(try await fixture.fields(of: "r\(round)") != nil, "r\(round)") }
        }
    }

    @Test func `A deployment of what was not shown is shown first`() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            try await fixture.save([("a", [("x", .string("1"))])])
            let preview = try await browser.get(base + "/deploy")
            try await fixture.save([("b", [("typo", .string("1"))])], type: "Sneaky")
            let plan = try #require(try preview.hidden("plan"))
            let production = Tenant(
                container: try ConsoleFixture.tenant().container, environment: .production)
            for form in [["csrf": preview.csrf, "plan": plan], ["csrf": preview.csrf]] {
                let answer = try await browser.post(base + "/deploy", form)
                #expect(answer.status == 409)
                #expect(answer.text.contains("The schema changed meanwhile"))
                #expect(answer.text.contains("add record type Sneaky"))
                #expect(fixture.store.schema(of: production).types.isEmpty)
            }
            let again = try #require(try await browser.get(base + "/deploy").hidden("plan"))
            let done = try await browser.post(base + "/deploy", ["csrf": preview.csrf, "plan": again])
            #expect(done.status == 303)
            #expect(fixture.store.schema(of: production).types["Sneaky"] != nil)
        }
    }

    @Test func `A text takes nothing away that its preview did not show`() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let opened = try await browser.get(base + "/text")
            let form = [
                "csrf": opened.csrf, "base": try #require(try opened.hidden("base")),
                "text": "DEFINE SCHEMA RECORD TYPE Note (title STRING);", "loss": "1",
            ]
            let preview = try await browser.post(base + "/text", form)
            #expect(!preview.text.contains("changed since this text was opened"))
            try await fixture.save([("late", [("x", .string("1"))])], type: "Late")
            let plan = try #require(try preview.hidden("plan"))
            for plan in [plan, ""] {
                let answer = try await browser.post(
                    base + "/text", form.merging(["apply": "1", "plan": plan]) { $1 })
                #expect(answer.status == 409)
                #expect(answer.text.contains("The schema changed meanwhile"))
                #expect(answer.text.contains("changed since this text was opened"))
                #expect(answer.text.contains("- record type Late"))
                #expect(try await fixture.fields(of: "late") != nil)
            }
        }
    }

    @Test func `A text beyond the limits is refused with its place`() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let csrf = try await browser.get("/console/").csrf
            let types = (0..<20_000).map { "RECORD TYPE T\($0) (x STRING);" }.joined(separator: "\n")
            let page = try await browser.post(
                base + "/text", ["csrf": csrf, "text": "DEFINE SCHEMA\n" + types])
            #expect(page.status == 200)
            #expect(page.text.contains("Line \(Limits.typesPerTenant + 2), column 13"))
            #expect(page.text.contains("more than 1000 record types"))
        }
    }
}
