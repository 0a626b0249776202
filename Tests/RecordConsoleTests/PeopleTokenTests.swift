import RecordModel
import RecordServer
import RecordStorage
import Testing

@testable import RecordConsole

/// Which apps may ask for people, as operators say it on the page Users.
@Suite struct PeopleTokenTests {
    private static let page = "/console/c/iCloud.test/development"

    private static func mayAsk(_ fixture: ConsoleFixture) async throws -> [Bool] {
        try await fixture.store.read(.short) {
            try $0.identifiedTokens(of: ConsoleFixture.tenant()).map(\.row.asksForPeople)
        }
    }

    @Test func `An app is let ask for people and stopped again, and the audit log has both`() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let csrf = try await browser.get("/console/").csrf
            #expect(
                try await browser.post(
                    Self.page + "/tokens", ["label": "app", "people": "yes", "csrf": csrf]
                ).status == 303)
            #expect(try await Self.mayAsk(fixture) == [true])
            let id = try #require(
                try await browser.get(Self.page + "/users").text.firstMatch(
                    of: /tokens\/([0-9a-f]{12})\/people/)
            ).1
            for (wanted, isAllowed) in [("", false), ("yes", true)] {
                let form = ["wanted": wanted, "csrf": csrf]
                #expect(try await browser.post(Self.page + "/tokens/\(id)/people", form).status == 303)
                #expect(try await Self.mayAsk(fixture) == [isAllowed])
            }
            let audit = try await fixture.store.read(.short) { try $0.audit(before: nil, limit: 2) }
            #expect(audit.map(\.action) == ["token.people", "token.people"])
            #expect(audit.map(\.subject) == ["\(id) allowed", "\(id) stopped"])
        }
    }

    @Test func `A user's token has no such switch`() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let csrf = try await browser.get("/console/").csrf
            #expect(
                try await browser.post(Self.page + "/users", ["name": "ada", "csrf": csrf]).status == 303)
            let form = ["user": "ada", "people": "yes", "csrf": csrf]
            #expect(try await browser.post(Self.page + "/tokens", form).status == 303)
            #expect(try await Self.mayAsk(fixture) == [false])
            #expect(try await !browser.get(Self.page + "/users").text.contains("/people\""))
        }
    }
}
