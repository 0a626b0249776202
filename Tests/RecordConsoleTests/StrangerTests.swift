import Foundation
import RecordModel
import RecordStorage
import RecordStorageSQLite
import Testing

@testable import RecordConsole

/// What those can do who are not signed in.
@Suite struct StrangerTests {
    @Test func `A stranger's form is a small one`() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = Browser(url: fixture.url)
            let name = "secret="
            for path in ["/console/sign-in", "/console/enter/x"] {
                for (more, status) in [(0, 401), (1, 413)] {
                    let count = Limits.signInFormBytes - name.utf8.count + more
                    let page = try await browser.post(
                        bytes: name + String(repeating: "a", count: count), to: path)
                    #expect(page.status == status, "\(path) \(more)")
                }
            }
        }
    }

    @Test func `The log tells of who is not let in, and is not filled by it`() async throws {
        try await ConsoleFixture.with { fixture in
            let operatorBrowser = try await fixture.signedIn()
            let browser = Browser(url: fixture.url)
            for _ in 0..<20 {
                #expect(try await browser.post("/console/sign-in", ["secret": "guess"]).status == 401)
            }
            #expect(try await browser.post("/console/enter/guess", [:]).status == 401)
            let rows = try await fixture.store.read(.short) { try $0.audit(before: nil, limit: 50) }
                .filter { $0.action == "session.refused" }
            // More where the hour changed in between.
            #expect((5...9).contains(rows.count), "\(rows.map(\.subject))")
            #expect(rows.last?.subject == "a wrong secret")
            #expect(rows.allSatisfy { $0.operatorName.isEmpty && !$0.subject.contains("guess") })
            #expect(try await operatorBrowser.get("/console/audit").text.contains("was not let in"))
        }
    }

    @Test func `An hour's refusals are told as they double`() {
        let refused = RefusedEntries()
        let hour: Int64 = 3_600_000
        #expect(
            (0..<1_000).compactMap { _ in refused.count(at: 7 * hour) } == [
                1, 2, 4, 8, 16, 32, 64, 128, 256, 512,
            ])
        #expect(refused.count(at: 8 * hour - 1) == nil)
        #expect(refused.count(at: 8 * hour) == 1)
    }

    @Test(
        arguments: [
            ("localhost", true), ("LocalHost:8080", true), ("localhost.", true), ("app.localhost:80", true),
            ("127.0.0.1:8080", true), ("127.9.9.9", true), ("[::1]:8080", true), ("::1", true),
            ("console.example", true), ("Console.example:443", true), ("0.0.0.0:8080", true),
            ("192.168.1.5:8080", true), ("[fe80::1]", false), ("192.168.1.6", false), ("evil.example", false),
            ("localhost.evil.example", false), ("127.0.0.1.evil.example", false),
            ("127.evil.example.x", false),
            ("evillocalhost", false), ("console.example.evil.example", false), ("127.0.0", false),
            ("127.0.0.256", false), ("", false), ("[", false), (":", false), ("[]", false), (nil, false),
        ] as [(String?, Bool)])
    func `A console that lets anybody in knows its names`(_ host: String?, _ isTrusted: Bool) {
        let hosts = TrustedHosts(["0.0.0.0", "console.example:8443"])
        #expect(hosts.contain(host, connectedTo: "::ffff:192.168.1.5") == isTrusted)
        #expect(hosts.contain(host, connectedTo: "192.168.1.5") == isTrusted)
    }

    /// The server listens on all addresses, at port 8080: for a connection from this machine, and for one from outside.
    @Test(
        arguments: [
            ("localhost:8080", true, false), ("127.0.0.1:8080", true, false), ("[::1]:8080", true, false),
            ("LOCALHOST.:8080", true, false),
            // Another port is another server, of whoever it is, and so may any other name be.
            ("127.0.0.1:9999", false, false), ("localhost", false, false),
            ("evil.localhost:8080", false, false),
            ("127.9.9.9:8080", false, false), ("192.168.1.5:8080", false, true),
            ("192.168.1.5:9999", false, false),
            ("192.168.1.5", false, false), ("records.example:8080", true, true),
            ("Records.Example.:8080", true, true), ("records.example:80", false, false),
            ("records.example", false, false), ("records.example:99999", false, false),
            ("0.0.0.0:8080", false, false), ("[::]:8080", false, false), ("evil.example:8080", false, false),
            ("", false, false), (nil, false, false),
        ] as [(String?, Bool, Bool)])
    func `Mailed links begin with a name of this server`(
        _ host: String?, _ isGoodFromHere: Bool, _ isGoodFromOutside: Bool
    ) {
        let hosts = TrustedHosts(["0.0.0.0", "records.example"])
        for (address, isGood) in [("127.0.0.1", isGoodFromHere), ("::ffff:192.168.1.5", isGoodFromOutside)] {
            let entrance = TrustedHosts.Entrance(address: address, port: 8_080, isSecure: false)
            #expect(hosts.mayBeginLinks(host, at: entrance) == isGood, "\(address)")
        }
        let secure = TrustedHosts.Entrance(address: "192.168.1.5", port: 443, isSecure: true)
        #expect(hosts.mayBeginLinks("records.example", at: secure))
        #expect(!hosts.mayBeginLinks("records.example:80", at: secure))
    }

    @Test func `Another site's name does not lead into the open console`() async throws {
        let settings = ConsoleSettings(version: "test", openOperator: "demo", hosts: ["console.example"])
        try await ConsoleFixture.with(settings: settings) { fixture in
            let browser = Browser(url: fixture.url)
            for (path, form) in [("/console/sign-in", ["open": "1"]), ("/console/sign-in", [:])] {
                let page = try await browser.post(path, form, headers: ["Host": "evil.example"])
                #expect(page.status == 403)
                #expect(page.text.contains("is open to everybody") && page.text.contains("evil.example"))
            }
            #expect(try await browser.get("/console/", headers: ["Host": "evil.example"]).status == 403)
            #expect(browser.session == nil)
            for host in ["console.example", "localhost:1"] {
                let page = try await Browser(url: fixture.url).post(
                    "/console/sign-in", ["open": "1"], headers: ["Host": host])
                #expect(page.status == 303)
            }
            let rows = try await fixture.store.read(.short) { try $0.audit(before: nil, limit: 10) }
            #expect(rows.filter { $0.action == "session.open" }.map(\.operatorName) == ["demo", "demo"])
        }
        // Where a secret is needed, a name is as good as another.
        try await ConsoleFixture.with { fixture in
            let page = try await Browser(url: fixture.url).get(
                "/console/sign-in", headers: ["Host": "evil.example"])
            #expect(page.status == 200)
        }
    }
}
