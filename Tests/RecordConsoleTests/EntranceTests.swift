import Foundation
import RecordConsole
import RecordModel
import RecordStorage
import RecordStorageSQLite
import Testing

@Suite struct EntranceTests {
    @Test func nobodyGetsInWithoutASecret() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = Browser(url: fixture.url)
            for path in ["/console/", "/console/c/iCloud.test/development/users", "/console/audit"] {
                let page = try await browser.get(path)
                #expect(page.status == 303)
                #expect(page.location?.hasPrefix("/console/sign-in?to=") == true)
            }
            let wrong = try await browser.post("/console/sign-in", ["secret": "guess"])
            #expect(wrong.status == 401)
            #expect(wrong.text.contains("No operator has this secret."))
            #expect(browser.session == nil)
            // A session's cookie is nothing that one can make up.
            let page = try await browser.get(
                "/console/",
                headers: ["Cookie": browser.sessionName + "=" + String(repeating: "a", count: 64)])
            #expect(page.status == 303)
        }
    }

    @Test func `The start page says how to sign in until somebody has, and never with what`() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = Browser(url: fixture.url)
            #expect(
                try await !browser.get("/").text.contains("Nobody has signed in"), "no operator was made yet")
            let name = try await Operators.makeFirst(
                "admin", in: fixture.store, environment: ConsoleFixture.environment)
            #expect(name == "admin")
            let path = try await Operators.link(
                for: "admin", in: fixture.store, environment: ConsoleFixture.environment)
            let page = try await browser.get("/")
            #expect(page.text.contains("<code>stratus operator link admin</code>"))
            #expect(!page.text.contains("/console/enter/"))
            #expect(try await browser.post(path, [:]).status == 303)
            #expect(try await !browser.get("/").text.contains("Nobody has signed in"))
            let second = try await Operators.makeFirst(
                "admin", in: fixture.store, environment: ConsoleFixture.environment)
            #expect(second == nil)
        }
    }

    @Test func aSecretLetsInAndLeavingCounts() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let page = try await browser.get("/console/")
            #expect(page.status == 200)
            #expect(page.text.contains("Welcome, ada."))
            #expect(try await !browser.get("/console/").text.contains("Welcome"), "It is said once.")
            let old = try #require(browser.session)
            #expect(try await browser.post("/console/sign-out", ["csrf": page.csrf]).status == 303)
            #expect(browser.session == nil)
            let again = try await browser.get(
                "/console/", headers: ["Cookie": "\(browser.sessionName)=\(old)"])
            #expect(again.status == 303, "The server has forgotten the session too.")
            let rows = try await fixture.store.read(.short) { try $0.audit(before: nil, limit: 10) }
            #expect(rows.map(\.action) == ["session.end", "session.secret"])
            #expect(rows.allSatisfy { $0.operatorName == "ada" })
        }
    }

    @Test func removingAnOperatorEndsTheirSessions() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            #expect(try await browser.get("/console/").status == 200)
            try await Operators.remove("ada", from: fixture.store, evenOnlyOne: true)
            #expect(try await browser.get("/console/").status == 303)
        }
    }

    @Test func aLinkIsGoodOnceAndNotUsedUpByLooking() async throws {
        try await ConsoleFixture.with { fixture in
            _ = try await Operators.add("ada", to: fixture.store, environment: ConsoleFixture.environment)
            let path = try await Operators.link(
                for: "ada", in: fixture.store, environment: ConsoleFixture.environment)
            let browser = Browser(url: fixture.url)
            #expect(try await browser.get(path).status == 200)
            #expect(try await browser.get(path).status == 200)
            #expect(try await browser.post(path, [:]).status == 303)
            #expect(try await browser.get("/console/").status == 200)
            let other = Browser(url: fixture.url)
            let second = try await other.post(path, [:])
            #expect(second.status == 401)
            #expect(second.text.contains("used before"))
            await #expect(throws: ServiceError.self) {
                try await Operators.link(
                    for: "bob", in: fixture.store, environment: ConsoleFixture.environment)
            }
        }
    }

    @Test(arguments: ["//evil.example", "https://evil.example", "/\\evil.example", "x", "/a\r\nSet-Cookie:x"])
    func signingInLeadsNowhereElse(to destination: String) async throws {
        try await ConsoleFixture.with { fixture in
            let secret = try await Operators.add(
                "ada", to: fixture.store, environment: ConsoleFixture.environment)
            let browser = Browser(url: fixture.url)
            let page = try await browser.post("/console/sign-in", ["secret": secret, "to": destination])
            #expect(page.location == "/console/")
        }
    }

    @Test func formsOfOthersAreRefused() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let page = try await browser.get("/console/")
            for (form, headers) in [
                (["container": "iCloud.evil"], [:]),
                (["container": "iCloud.evil", "csrf": String(repeating: "0", count: 64)], [:]),
                (["container": "iCloud.evil", "csrf": page.csrf], ["Sec-Fetch-Site": "cross-site"]),
            ] as [([String: String], [String: String])] {
                let answer = try await browser.post("/console/containers", form, headers: headers)
                #expect(answer.status == 403)
            }
            #expect(try await fixture.store.read(.short) { try $0.tenants().isEmpty })
            let good = try await browser.post(
                "/console/containers", ["container": "iCloud.good", "csrf": page.csrf])
            #expect(good.status == 303)
            #expect(try await fixture.store.read(.short) { try $0.tenants().count } == 1)
        }
    }

    @Test func pagesCarryTheHeadersThatProtectThem() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            for path in ["/console/", "/console/audit", "/console/nowhere", "/"] {
                let page = try await browser.get(path)
                let policy = try #require(page.headers["content-security-policy"])
                #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
                #expect(!policy.contains("unsafe"))
                #expect(page.headers["cache-control"] == "no-store")
                #expect(page.headers["access-control-allow-origin"] == nil)
                // Nothing that the policy would refuse.
                #expect(!page.text.contains("<script>") && !page.text.contains(" style="))
                #expect(!page.text.contains("onclick"))
            }
        }
    }

    @Test func tokensAreShownOnceAndKeptAsDigests() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let base = "/console/c/iCloud.test/development"
            let csrf = try await browser.get("/console/").csrf
            let hostile = "<b onmouseover='x'>\"&"
            #expect(try await browser.post(base + "/users", ["name": hostile, "csrf": csrf]).status == 303)
            let users = try await browser.get(base + "/users")
            #expect(!users.text.contains("<b onmouseover"))
            #expect(users.text.contains("&lt;b onmouseover=&#39;x&#39;&gt;&quot;&amp;"))
            let posted = try await browser.post(base + "/tokens", ["label": "app", "csrf": csrf])
            #expect(posted.status == 303, "a reload must not make a second one")
            let page = try #require(posted.location)
            let made = try await browser.get(page)
            let token = try #require(made.text.firstMatch(of: /id="new-token">([0-9a-f]{64})</)).1
            #expect(try await !browser.get(base + "/users").text.contains(token))
            #expect(try await Browser(url: fixture.url).get(page).status == 303)
            let rows = try await fixture.store.read(.short) {
                try $0.identifiedTokens(of: ConsoleFixture.tenant())
            }
            #expect(rows.map(\.row.label) == ["app"])
            let id = try #require(
                try await browser.get(base + "/users").text.firstMatch(of: /tokens\/([0-9a-f]{12})\/revoke/))
            #expect(
                try await browser.post(base + "/tokens/\(id.1)/revoke", ["csrf": csrf]).status == 303)
            let actions = try await fixture.store.read(.short) {
                try $0.audit(before: nil, limit: 10).map(\.action)
            }
            #expect(actions == ["token.revoke", "token.make", "user.add", "session.secret"])
            let log = try String(contentsOfFile: fixture.logPath, encoding: .utf8)
            #expect(!log.contains(token))
        }
    }

    @Test func theAuditLogIsReadFromItsEnd() async throws {
        try await ConsoleFixture.with { fixture in
            try await fixture.store.write { store in
                for number in 0..<5 {
                    try store.insert(
                        AuditRow(
                            at: Int64(number), operatorName: "ada", action: "a.b", tenant: nil,
                            subject: "\(number)", requestID: ""))
                }
            }
            let newest = try await fixture.store.read(.short) { try $0.audit(before: nil, limit: 2) }
            #expect(newest.map(\.subject) == ["4", "3"])
            let older = try await fixture.store.read(.short) { try $0.audit(before: newest[1].id, limit: 9) }
            #expect(older.map(\.subject) == ["2", "1", "0"])
        }
    }

    @Test func nobodyIsLookedUpForAFileOfThePages() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let file = try await browser.get("/console/static/console.css")
            let tag = try #require(file.headers["etag"])
            await fixture.store.close()
            for known in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
                let page = try await browser.get(
                    "/console/static/console.css", headers: ["If-None-Match": known])
                #expect(page.status == 304, "\(known)")
            }
            #expect(try await browser.get("/console/static/console.css").text == file.text)
            #expect(try await browser.get("/console/audit").status >= 500, "a page needs the store")
        }
    }

    @Test func `The only operator is removed only when that is meant`() async throws {
        try await ConsoleFixture.with { fixture in
            _ = try await Operators.add("ada", to: fixture.store, environment: ConsoleFixture.environment)
            let error = await #expect(throws: ServiceError.self) {
                try await Operators.remove("ada", from: fixture.store)
            }
            #expect(error?.remedy?.contains("stratus operator remove ada --yes") == true)
            #expect(try await Operators.isOnlyOne("ada", in: fixture.store))
            _ = try await Operators.add("bob", to: fixture.store, environment: ConsoleFixture.environment)
            #expect(try await !Operators.isOnlyOne("ada", in: fixture.store))
            try await Operators.remove("ada", from: fixture.store)
            try await Operators.remove("bob", from: fixture.store, evenOnlyOne: true)
            await #expect(throws: ServiceError.self) {
                try await Operators.remove("bob", from: fixture.store, evenOnlyOne: true)
            }
        }
    }
}
