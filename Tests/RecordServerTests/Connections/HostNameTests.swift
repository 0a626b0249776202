import Testing

@testable import RecordServer

@Suite struct HostNameTests {
    @Test(arguments: [
        "localhost", "localhost:8080", "records.example.org", "127.0.0.1:1", "[::1]", "[::1]:8080",
        "a_b-c.d~e:",
        "[fe80::1:ffff:1.2.3.4]:65535", "A.B",
    ])
    func valid(text: String) { #expect(HostName.isValid(text)) }

    @Test(arguments: [
        "", " ", "a b", "a/b", "evil.example\"><x", "a@b", "a:b", "a:80:80", "a:123456", "[::1", "::1", "[]",
        "[::1]x",
        "[::1]:x", "a,b", "a\u{7F}", "é", String(repeating: "a", count: 261), ":80",
    ])
    func invalid(text: String) { #expect(!HostName.isValid(text)) }
}
