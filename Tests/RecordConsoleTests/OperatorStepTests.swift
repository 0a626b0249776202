import Foundation
import RecordModel
import RecordStorage
import RecordStorageSQLite
import Testing

@testable import RecordConsole
@testable import RecordEngine

/// The second step of operators, in a browser.
@Suite struct OperatorStepTests {
    private static var required: ConsoleSettings {
        var settings = ConsoleSettings(version: "test")
        settings.needsSecondStep = true
        return settings
    }

    private static func step() -> Int64 { Int64(Date().timeIntervalSince1970) / OneTimeCode.stepSeconds }

    private static func field(_ name: String, of page: Browser.Page) throws -> String {
        let pattern = try Regex("name=\"\(name)\" value=\"([^\"]*)\"")
        return String(try #require(page.text.firstMatch(of: pattern)?.output[1].substring))
    }

    /// The bytes of the key that a page shows.
    private static func key(of page: Browser.Page) throws -> [UInt8] {
        let shown = try #require(page.text.firstMatch(of: /<code>((?:[A-Z2-7]{4} ){7}[A-Z2-7]{4})<\/code>/))
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        var bits: [Int] = []
        for letter in shown.1 where letter != " " {
            let value = try #require(letters.firstIndex(of: letter))
            bits += (0..<5).map { value >> (4 - $0) & 1 }
        }
        return (0..<bits.count / 8).map { byte in
            UInt8(bits[byte * 8..<byte * 8 + 8].reduce(0) { $0 << 1 | $1 })
        }
    }

    /// Enters with a secret, as far as the page of the second step.
    private static func begin(_ secret: String, _ fixture: ConsoleFixture) async throws -> (
        Browser, Browser.Page
    ) {
        let browser = Browser(url: fixture.url)
        let page = try await browser.post("/console/sign-in", ["secret": secret, "to": "/audit"])
        #expect(page.status == 200 && browser.session == nil, "The secret alone lets in.")
        return (browser, page)
    }

    @Test func `Where it is required, nobody enters without one, and codes are good once`() async throws {
        try await ConsoleFixture.with(settings: Self.required) { fixture in
            let secret = try await Operators.add(
                "ada", to: fixture.store, environment: ConsoleFixture.environment)
            let (browser, page) = try await Self.begin(secret, fixture)
            let ticket = try Self.field("ticket", of: page)
            let key = try Self.key(of: page)
            let good = OneTimeCode.code(of: key, step: Self.step())
            let wrong = try await browser.post(
                "/console/sign-in/set-up", ["ticket": ticket, "code": good == "000000" ? "000001" : "000000"])
            #expect(wrong.status == 401 && wrong.text.contains("The code is wrong"))
            #expect(try Self.key(of: wrong) == key, "The key stays that of the app.")
            #expect(
                try await browser.post("/console/sign-in/code", ["ticket": ticket, "code": good]).status
                    == 303)
            #expect(browser.session == nil, "A key that nobody has shown to have counts.")
            let codes = try await browser.post(
                "/console/sign-in/set-up",
                ["ticket": ticket, "code": OneTimeCode.code(of: key, step: Self.step()), "to": "/audit"])
            #expect(codes.status == 200 && codes.text.contains("href=\"/console/audit\""))
            let recovery = codes.text.matches(of: /<code>([a-z2-7-]{19})<\/code>/).map { String($0.1) }
            #expect(Set(recovery).count == 10)
            #expect(try await browser.get("/console/").status == 200)

            // Another browser: the code of the app once, a recovery code once.
            let (second, asked) = try await Self.begin(secret, fixture)
            #expect(!asked.text.contains("authenticator app, then"), "The key is shown again.")
            let other = try Self.field("ticket", of: asked)
            for code in [OneTimeCode.code(of: key, step: Self.step() - 1), ""] {
                let refused = try await second.post("/console/sign-in/code", ["ticket": other, "code": code])
                #expect(refused.status == 401)
            }
            let entered = try await second.post(
                "/console/sign-in/code",
                ["ticket": other, "code": recovery[0].uppercased(), "to": "//evil.example"])
            #expect(entered.status == 303 && entered.location == "/console/")
            #expect(try await second.get("/console/").status == 200)
            let (third, again) = try await Self.begin(secret, fixture)
            let used = try await third.post(
                "/console/sign-in/code", ["ticket": try Self.field("ticket", of: again), "code": recovery[0]])
            #expect(used.status == 401)
            let old = try await third.post("/console/sign-in/code", ["ticket": other, "code": recovery[1]])
            #expect(old.status == 303 && third.session == nil, "A ticket is good twice.")
            let log = try await fixture.store.read(.short) {
                try $0.audit(before: nil, limit: 50).map(\.action)
            }
            #expect(log.contains("operator.second.on") && log.contains("session.second"))

            // Who has lost all of it begins again.
            #expect(try await OperatorSteps.forget("ada", in: fixture.store))
            #expect(
                try await browser.get("/console/").status == 303, "A session without a second step goes on.")
            let (_, fresh) = try await Self.begin(secret, fixture)
            #expect(try Self.key(of: fresh) != key)
            await #expect(throws: ServiceError.self) {
                _ = try await OperatorSteps.forget("bob", in: fixture.store)
            }
        }
    }

    @Test func `Links lead to it too, it ends sessions without it, and who has one is always asked`()
        async throws
    {
        try await ConsoleFixture.with { fixture in
            let early = try await fixture.signedIn()
            #expect(try await early.get("/console/").status == 200, "Nothing asks for it.")
            let steps = OperatorSteps(store: fixture.store, environment: ConsoleFixture.environment)
            let ticket = AccessToken.make(random: ConsoleFixture.environment.random(32))
            let now = ConsoleFixture.environment.now()
            try await fixture.store.write { store in
                try store.insert(
                    OperatorTokenRow(
                        kind: .ticket, operatorName: "ada", createdAt: now, expiresAt: now + 60_000),
                    digest: AccessToken.digest(ticket))
            }
            let offer = try #require(try await steps.offer(ticket))
            #expect(offer.link.hasPrefix("otpauth://totp/Stratus:ada?secret=\(offer.key)"))
            #expect(try await steps.offer(String(repeating: "0", count: 64)) == nil)
            let made = try await fixture.store.read(.short) { try OperatorSteps.isOn("ada", $0) }
            #expect(!made)
            let key = Array(offer.key)
            #expect(key.count == 32)
            let page = Browser.Page(
                status: 200, headers: [:],
                text:
                    "<code>\(stride(from: 0, to: 32, by: 4).map { String(key[$0..<$0 + 4]) }.joined(separator: " "))</code>"
            )
            let code = OneTimeCode.code(of: try Self.key(of: page), step: Self.step())
            #expect(try await steps.setUp(ticket, code: code, client: "::1")?.name == "ada")
            #expect(try await early.get("/console/").status == 303, "A session from before goes on.")
            let path = try await Operators.link(
                for: "ada", in: fixture.store, environment: ConsoleFixture.environment)
            let browser = Browser(url: fixture.url)
            let asked = try await browser.post(path, [:])
            #expect(asked.status == 200 && browser.session == nil)
            #expect(asked.text.contains("action=\"/console/sign-in/code\""))
            try await Operators.remove("ada", from: fixture.store, evenOnlyOne: true)
            let left = try await fixture.store.read(.short) { try $0.operatorTokens(of: "ada") }
            #expect(left.isEmpty)
        }
    }
}
