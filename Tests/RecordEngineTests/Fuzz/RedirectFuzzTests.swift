import Foundation
import RecordModel
import RecordStorage
import TestSeeds
import Testing

@testable import RecordEngine

/// Law: a browser that is sent to an address goes where the operator meant, however the address is written.
@Suite struct RedirectFuzzTests {
    private static let words = [
        "\\", "//", "@", "evil.example", "%2F", "%5C", "%00", "#", "?", ":", "[::1]", "127.0.0.1",
        "localhost", "\t", "\n", "..",
        "http:", "https:", "javascript:", "data:", ";", "0x7f.1", "．", "%40", ":80", "user:pass@",
    ]

    /// Where a browser goes (URL Standard, basic parser): tabs and line breaks are gone, a backslash is a slash, any number of
    /// slashes begins the host, which ends the name and the password before an `@`.
    static func browserHost(_ text: String) -> (scheme: String, host: String)? {
        let plain = text.unicodeScalars.filter { !"\t\n\r".unicodeScalars.contains($0) }
        let trimmed = String(String.UnicodeScalarView(plain)).trimmingCharacters(in: .whitespaces)
        guard let colon = trimmed.firstIndex(of: ":") else { return nil }
        let scheme = trimmed[..<colon].lowercased()
        guard ["http", "https"].contains(scheme) else { return (scheme, "") }
        let rest = trimmed[trimmed.index(after: colon)...].drop { $0 == "/" || $0 == "\\" }
        let authority = rest.prefix { !"/\\?#".contains($0) }
        let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let host = place.hasPrefix("[") ? place.prefix { $0 != "]" } + "]" : place.prefix { $0 != ":" }
        return (scheme, host.lowercased())
    }

    @Test func `A callback leads where it seems to lead`() async throws {
        let good = [
            "https://app.example.org/in?next=1", "http://localhost:8080/in",
            "cloudkit-icloud.com.example.app://in",
            "https://app.example.org", "http://127.0.0.1/", "http://[::1]:80/back",
            "https://app.example.org:8443/a/b",
        ]
        try await Fuzz("redirects: callbacks", count: 4_000).run { seed, random in
            let callback = random.mutated(random.pick(good, else: ""), with: Self.words)
            guard (try? SignInTargets.check(callback: callback, origins: [])) != nil else { return false }
            let parts = try #require(URLComponents(string: callback), "STRATUS_SEED=\(seed)")
            let browser = try #require(Self.browserHost(callback), "STRATUS_SEED=\(seed)")
            #expect(browser.scheme == parts.scheme?.lowercased(), "STRATUS_SEED=\(seed): \(callback)")
            #expect(!["javascript", "data", "file", "blob"].contains(browser.scheme), "STRATUS_SEED=\(seed)")
            if ["http", "https"].contains(browser.scheme) {
                #expect(browser.host == parts.encodedHost?.lowercased(), "STRATUS_SEED=\(seed): \(callback)")
            }
            #expect(callback.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "STRATUS_SEED=\(seed)")
            return true
        }
    }

    @Test func `A program gets its code on this machine, at the path of its callback`() async throws {
        let tenant = Tenant(container: try ContainerID("iCloud.test"), environment: .production)
        let app = TokenRow(
            kind: .api, tenant: tenant, user: nil, label: "", createdAt: 0, expiresAt: nil,
            callback: "http://127.0.0.1/back")
        let challenge = String(repeating: "c", count: 43)
        try await Fuzz("redirects: programs", count: 4_000).run { seed, random in
            let redirect = random.mutated("http://127.0.0.1:49152/back", with: Self.words)
            let state =
                random.oneIn(3) ? random.mutated("state-of-8", with: Self.words + ["&code="]) : "state-of-8"
            guard
                let program = Accounts.Program(
                    redirect: redirect, state: state, challenge: challenge, method: "S256", of: app)
            else { return false }
            let address = program.address(code: "c0de")
            let browser = try #require(Self.browserHost(address), "STRATUS_SEED=\(seed)")
            #expect(browser == ("http", "127.0.0.1"), "STRATUS_SEED=\(seed): \(address)")
            let parts = try #require(URLComponents(string: address), "STRATUS_SEED=\(seed)")
            #expect(parts.path == "/back" && (1...65_535).contains(parts.port ?? 0), "STRATUS_SEED=\(seed)")
            #expect(
                parts.queryItems == [.init(name: "code", value: "c0de"), .init(name: "state", value: state)],
                "STRATUS_SEED=\(seed): \(address)")
            return true
        }
    }
}
