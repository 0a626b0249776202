import Foundation
import RecordModel
import RecordStorage
import RecordStorageSQLite
import Testing

@Suite struct SchemaPageTests {
    private let base = "/console/c/iCloud.test/development/schema"

    private func schema(_ fixture: ConsoleFixture, _ environment: CloudEnvironment = .development) throws
        -> [String: [String]]
    {
        let tenant = Tenant(container: try ContainerID("iCloud.test"), environment: environment)
        return fixture.store.schema(of: tenant).types.mapValues { $0.fields.map(\.name).sorted() }
    }

    @Test func aTypeIsMadeChangedAndDeployed() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let csrf = try await browser.get("/console/").csrf
            let made = try await browser.post(
                base + "/types", ["csrf": csrf, "name": "Note", "field": "title", "type": "STRING"])
            #expect(made.status == 303)
            #expect(made.location?.hasSuffix("/records?type=Note") == true)
            #expect(
                try await browser.post(
                    base + "/types/Note/fields", ["csrf": csrf, "name": "photo", "type": "ASSET"]
                ).status == 303)
            #expect(try schema(fixture)["Note"] == ["photo", "title"])
            #expect(
                try await browser.post(
                    base + "/types/Note/fields/title/indexes", ["csrf": csrf, "index": "sortable"]
                ).status == 303)
            let note = try #require(
                fixture.store.schema(of: try ConsoleFixture.tenant()).types["Note"]?["title"])
            #expect(note.indexes == [.sortable])
            // A list cannot be sorted by, a file cannot be asked for.
            let wrong = try await browser.post(
                base + "/types/Note/fields/photo/indexes", ["csrf": csrf, "index": "queryable"])
            #expect(wrong.status == 400)

            let preview = try await browser.get(base + "/deploy")
            #expect(preview.text.contains("add record type Note"))
            #expect(try schema(fixture, .production).isEmpty)
            let plan = try #require(try preview.hidden("plan"))
            #expect(try await browser.post(base + "/deploy", ["csrf": csrf, "plan": plan]).status == 303)
            #expect(try schema(fixture, .production)["Note"] == ["photo", "title"])
            #expect(try await browser.get(base + "/deploy").text.contains("all that development has"))

            // What production has stays.
            let refused = try await browser.post(base + "/types/Note/delete", ["csrf": csrf])
            #expect(refused.status == 409)
            #expect(refused.text.contains("Production has the record type Note, so it stays."))
        }
    }

    @Test func theTypeOfSharesKeepsItsFieldsAndTakesOthers() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let csrf = try await browser.get("/console/").csrf
            #expect(
                try await browser.post(base + "/types", ["csrf": csrf, "name": "cloudkit.share"]).status
                    == 400,
                "Sharing makes it, or a text.")
            let text = "DEFINE SCHEMA RECORD TYPE \"cloudkit.share\" ();"
            let plan = try await browser.post(base + "/text", ["csrf": csrf, "text": text]).hidden("plan")
            #expect(
                try await browser.post(
                    base + "/text", ["csrf": csrf, "text": text, "apply": "1", "plan": try #require(plan)]
                ).status == 303)
            let ours = ["cloudkit.thumbnailImageData", "cloudkit.title", "cloudkit.type"]
            #expect(try schema(fixture)["cloudkit.share"] == ours)
            let type = base + "/types/cloudkit.share"
            #expect(
                try await browser.post(
                    type + "/fields", ["csrf": csrf, "name": "starts", "type": "TIMESTAMP"]
                )
                .status == 303)
            #expect(try schema(fixture)["cloudkit.share"] == ours + ["starts"])
            let page = try await browser.get(base).text
            #expect(page.contains("Delete the field starts") && !page.contains("Delete the field cloudkit."))
            #expect(!page.contains("new-record?type=cloudkit.share"))
            #expect(
                try await browser.post(type + "/fields/cloudkit.title/delete", ["csrf": csrf]).status == 400)
            #expect(try await browser.post(type + "/fields/starts/delete", ["csrf": csrf]).status == 303)
            #expect(try schema(fixture)["cloudkit.share"] == ours)
            #expect(try await browser.post(type + "/delete", ["csrf": csrf]).status == 303)
            #expect(try schema(fixture)["cloudkit.share"] == nil, "Nobody shared anything yet.")
        }
    }

    @Test func productionIsNotChangedByHand() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let csrf = try await browser.get("/console/").csrf
            let production = "/console/c/iCloud.test/production/schema"
            for (path, form) in [
                ("/types", ["name": "Note"]), ("/types/Note/delete", [:]),
                ("/text", ["text": "DEFINE SCHEMA"]),
            ] as [(String, [String: String])] {
                let answer = try await browser.post(
                    production + path, form.merging(["csrf": csrf]) { $1 })
                #expect(answer.status == 400, "\(path)")
            }
            #expect(try await !browser.get(production).text.contains("/schema/new"))
        }
    }

    @Test func theTextShowsItsMistakesAndWhatItWouldDo() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let csrf = try await browser.get("/console/").csrf
            let broken = try await browser.post(
                base + "/text", ["csrf": csrf, "text": "DEFINE SCHEMA\nRECORD TYPE Note ( title BAD );"])
            #expect(broken.status == 200)
            #expect(broken.text.contains("Line 2, column 26"))
            #expect(broken.text.contains("title BAD"), "The text is still there to be fixed.")

            let good = "DEFINE SCHEMA RECORD TYPE Note ( title STRING QUERYABLE, n INT64 );"
            let preview = try await browser.post(base + "/text", ["csrf": csrf, "text": good])
            #expect(preview.text.contains("What the text would change"))
            #expect(try schema(fixture).isEmpty, "Looking changes nothing.")
            let plan = try #require(try preview.hidden("plan"))
            #expect(
                try await browser.post(
                    base + "/text", ["csrf": csrf, "text": good, "apply": "1", "plan": plan]
                ).status == 303)
            #expect(try schema(fixture)["Note"] == ["n", "title"])
            let file = try await browser.get(base + "/file")
            #expect(file.headers["content-disposition"]?.contains("schema.ckdb") == true)
            #expect(file.text.contains("RECORD TYPE Note"))
        }
    }
}
