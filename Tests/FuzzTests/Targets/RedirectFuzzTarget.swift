import Foundation
import RecordModel
import RecordStorage

@testable import RecordEngine

extension FuzzTarget {
    /// Addresses that people are sent to: a callback that an operator gives (the first byte is even), or the address of a
    /// program on the same machine and its state. A browser goes where the operator meant, however the address is written.
    static func redirects() -> FuzzTarget {
        let callbacks = [
            "https://app.example.org/in?next=1", "http://localhost:8080/in", "http://[::1]:80/back",
            "cloudkit-icloud.com.example.app://in", "https://app.example.org", "http://127.0.0.1/",
            "https://app.example.org:8443/a/b",
        ]
        return FuzzTarget(
            name: "redirects",
            seeds: callbacks.map { [0] + Array($0.utf8) }
                + [[1] + input(["http://127.0.0.1:49152/back", "state-of-8"])],
            words: [
                "\\", "//", "@", "evil.example", "%2F", "%5C", "%00", "#", "?", ":", "[::1]", "127.0.0.1",
                "localhost", "\t", "\n", "..", "http:", "https:", "javascript:", "data:", ";", "0x7f.1", "．",
                "%40", ":80", "user:pass@", "&code=",
            ], count: 6_000
        ) { input in
            guard let kind = input.first else { return false }
            return kind.isMultiple(of: 2)
                ? try callback(String(decoding: input.dropFirst(), as: UTF8.self))
                : try program(texts(input.dropFirst(), 2))
        }
    }

    private static func callback(_ text: String) throws -> Bool {
        guard (try? SignInTargets.check(callback: text, origins: [])) != nil else { return false }
        guard let parts = URLComponents(string: text), let browser = browserHost(text) else {
            throw Forgery("No address: \(text)")
        }
        try Forgery.unless(browser.scheme == parts.scheme?.lowercased(), "Another scheme: \(text)")
        try Forgery.unless(
            !["javascript", "data", "file", "blob", "vbscript"].contains(browser.scheme), "A script: \(text)")
        if ["http", "https"].contains(browser.scheme) {
            try Forgery.unless(browser.host == parts.encodedHost?.lowercased(), "Another host: \(text)")
        }
        try Forgery.unless(text.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "Letters to escape: \(text)")
        return true
    }

    private static func program(_ texts: [String]) throws -> Bool {
        let tenant = Tenant(container: try ContainerID("iCloud.test"), environment: .production)
        let app = TokenRow(
            kind: .api, tenant: tenant, user: nil, label: "", createdAt: 0, expiresAt: nil,
            callback: "http://127.0.0.1/back")
        let program = Accounts.Program(
            redirect: texts[0], state: texts[1], challenge: String(repeating: "c", count: 43), method: "S256",
            of: app)
        guard let address = program?.address(code: "c0de") else { return false }
        guard let browser = browserHost(address), let parts = URLComponents(string: address) else {
            throw Forgery("No address: \(address)")
        }
        try Forgery.unless(browser == ("http", "127.0.0.1"), "Another machine: \(address)")
        try Forgery.unless(
            parts.path == "/back" && (1...65_535).contains(parts.port ?? 0), "Another place: \(address)")
        try Forgery.unless(
            parts.queryItems == [.init(name: "code", value: "c0de"), .init(name: "state", value: texts[1])],
            "Another answer: \(address)")
        return true
    }

    /// Where a browser goes (URL Standard, basic parser): tabs and line breaks are gone, a backslash is a slash, any number of
    /// slashes begins the host, which ends the name and the password before an `@`.
    private static func browserHost(_ text: String) -> (scheme: String, host: String)? {
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
}
