import RecordModel
import RecordStorage
import TestSupport
import Testing

@testable import RecordEngine

/// What operators say of links to what is shared.
@Suite struct ShareLinkSettingsTests {
    @Test(arguments: [
        "players://share/{link}", "https://app.example/open?l={link}&x=1", "a+b-c.d://x/{link}",
    ])
    func `An address opens an app`(text: String) { #expect(ShareLinkSettings.isAppLink(text)) }

    @Test(arguments: [
        "javascript://x/{link}", "JavaScript://x/{link}", "data://text/{link}", "http://x/{link}", "{link}",
        "players://share", "players://{link}", "players:{link}", "players://a b/{link}", "://x/{link}",
        "players://x/{link}/{link}", "players://x/\"{link}", "1a://x/{link}", "players://ä/{link}",
        "a://x/{link}" + String(repeating: "a", count: 500),
    ])
    func `An address opens no app, or runs something`(text: String) {
        #expect(!ShareLinkSettings.isAppLink(text))
    }

    private static let fingerprint = Array(repeating: "0F", count: 32).joined(separator: ":")

    @Test func `Apps are read and written as operators know them`() {
        #expect(LinkedApp("ABCDE12345.com.example.app") == .apple("ABCDE12345.com.example.app"))
        let android = LinkedApp("com.example.app/" + Self.fingerprint.lowercased())
        #expect(android == .android(package: "com.example.app", fingerprint: Self.fingerprint))
        #expect(android?.text == "com.example.app/" + Self.fingerprint)
        for wrong in [
            "", ".", "/", "ABCDE1234.com.example", "ABCDE12345.", "ABCDE12345..a", "abcde12345.com.example",
            "com.example.app", "com.example.app/", "com.example.app/\(Self.fingerprint.dropLast())",
            "example/\(Self.fingerprint)", "com.exa\"mple/\(Self.fingerprint)", "a.b/c/\(Self.fingerprint)",
            "ABCDE12345.com.example*", "ABCDE12345.com.ex\nample",
        ] { #expect(LinkedApp(wrong) == nil, "\(wrong)") }
    }

    @Test func `Settings stay where nothing is said, and a wrong one changes nothing`() async throws {
        try await TestCloud.run { cloud in
            let tenant = Tenant(container: cloud.container, environment: .development)
            func set(_ links: ShareLinkSettings) async throws -> SignInPolicyRow {
                try await SignInPolicies.set(links: links, of: tenant, store: cloud.store)
            }
            let apps = ["ABCDE12345.com.example.app"]
            _ = try await set(
                ShareLinkSettings(showsShares: true, appLink: "a://x/{link}", linkedApps: apps + apps))
            let row = try await set(ShareLinkSettings(mailsInvitations: false))
            #expect(row.showsShares && row.appLink == "a://x/{link}" && row.linkedApps == apps)
            #expect(row.mutesInvitations)
            await #expect(throws: ServiceError.self) {
                try await set(ShareLinkSettings(showsShares: false, linkedApps: ["wrong"]))
            }
            let many = (0...ShareLinkSettings.mostApps).map { "ABCDE12345.com.example.app\($0)" }
            await #expect(throws: ServiceError.self) { try await set(ShareLinkSettings(linkedApps: many)) }
            #expect(
                try await set(ShareLinkSettings(linkedApps: Array(many.dropLast()))).linkedApps.count == many
                    .count - 1)
            #expect(try await set(ShareLinkSettings()).showsShares)
            let none = try await set(ShareLinkSettings(appLink: "", linkedApps: [], mailsInvitations: true))
            #expect(none.appLink.isEmpty && none.linkedApps.isEmpty && !none.mutesInvitations)
        }
    }
}
