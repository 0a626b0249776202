import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import Testing

@testable import RecordConsole

/// Encrypted fields in the console: hidden until somebody asks for them, which the audit log has.
@Suite struct EncryptedFieldTests {
    private static let secret = "quince-marmalade"

    private func make(_ fixture: ConsoleFixture) async throws {
        let body: JSONValue = .object(
            try #require(
                JSONReader.read(
                    """
                    {"operations": [{"operationType": "forceUpdate", "record": {"recordName": "a",
                    "recordType": "Note", "fields": {"title": {"value": "Recipe"},
                    "secret": {"value": "\(Self.secret)", "type": "STRING", "isEncrypted": true}}}}]}
                    """.utf8
                ).object))
        let answer = await fixture.service.answer(
            ServiceCall(
                endpoint: .recordsModify, tenant: try ConsoleFixture.tenant(), scope: .public,
                credentials: Credentials(apiToken: nil, webAuthToken: nil),
                body: JSONWriter.text { $0.value(body) }, requestID: "r",
                administration: Administration(name: "root")))
        #expect(answer.status == 200)
    }

    private func revealed(_ fixture: ConsoleFixture) async throws -> [String] {
        try await fixture.store.read(.short) { try $0.audit(before: nil, limit: 100) }
            .filter { $0.action == "record.reveal" }.map { "\($0.operatorName) \($0.subject)" }
    }

    @Test func `No page and no export shows them without a click that the audit log has`() async throws {
        try await ConsoleFixture.with { fixture in
            try await make(fixture)
            let browser = try await fixture.signedIn()
            let place = "/console/c/iCloud.test/development"
            for path in [
                "/records?type=Note", "/records/a", "/records/a?view=json", "/record-versions?name=a",
                "/records-export?type=Note&format=csv", "/records-export?type=Note&format=jsonl",
                "/delete-record?name=a", "/records?type=Note&encrypted=show",
                "/record-versions?name=a&encrypted=show",
            ] {
                let page = try await browser.get(place + path)
                #expect(page.status == 200, "\(path)")
                #expect(!page.text.contains(Self.secret), "\(path)")
                #expect(
                    path.contains("delete") || path.contains("version") || page.text.contains("Recipe"),
                    "\(path)")
            }
            #expect(try await revealed(fixture) == [])
            #expect(try await browser.get(place + "/records/a").text.contains("Show encrypted fields"))
            for view in ["", "&view=json"] {
                let page = try await browser.get(place + "/records/a?encrypted=show" + view)
                #expect(page.text.contains(Self.secret))
            }
            #expect(try await revealed(fixture) == ["ada a", "ada a"])
        }
    }

    @Test func `Saving a form that does not show them leaves them as they are`() async throws {
        try await ConsoleFixture.with { fixture in
            try await make(fixture)
            let browser = try await fixture.signedIn()
            let path = "/console/c/iCloud.test/development/records/a"
            let page = try await browser.get(path)
            let tag = try #require(page.text.firstMatch(of: /name="tag" value="([^"]*)"/)).1
            let saved = try await browser.post(
                path,
                [
                    "csrf": page.csrf, "tag": String(tag), "recordType": "Note", "v.title": "Jam",
                    "v.secret": "", "none.secret": "1",
                ])
            #expect(saved.status == 303)
            let after = try await browser.get(path + "?encrypted=show")
            #expect(after.text.contains(Self.secret) && after.text.contains("Jam"))
        }
    }
}
