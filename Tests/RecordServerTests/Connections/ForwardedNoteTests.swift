import Testing

@testable import RecordServer

@Suite struct ForwardedNoteTests {
    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("192.0.2.1:4711", "192.0.2.1"), ("\t192.0.2.1:0 ", "192.0.2.1"),
        ("\"192.0.2.1:4711\"", "192.0.2.1"), ("192.0.2.1:_port-1.a", "192.0.2.1"),
        ("2001:db8::1", "2001:db8::1"), ("[2001:db8::1]", "2001:db8::1"),
        ("[2001:DB8::1]:4711", "2001:db8::1"),
        ("\"[2001:db8::1]:4711\"", "2001:db8::1"), ("[fe80::1%25eth0]:80", "fe80::1"),
        ("fe80::1%eth0", "fe80::1"),
        ("::ffff:192.0.2.1", "192.0.2.1"), ("[::ffff:c000:201]:80", "192.0.2.1"), ("::1", "127.0.0.1"),
    ])
    func `An entry names an address, with a port or without`(entry: String, address: String) throws {
        #expect(try #require(ForwardedNote.address(entry)) == #require(InternetAddress(address)))
    }

    @Test(arguments: [
        "", " ", "unknown", "UNKNOWN", "_hidden", "_", "for=192.0.2.1", "for=\"[2001:db8::1]\"", "192.0.2.1:",
        "192.0.2.1:x",
        "192.0.2.1:4711:", "192.0.2.1:123456", "192.0.2.1:_", "192.0.2.1:_a b", "192.0.2.1 x", "192.0.2",
        "192.0.2.01",
        "192.0.2.256", "3221225985", "0xc0.0.2.1", "192.0.2.1\0", "192.0.2.1\0.example", "[192.0.2.1]:80",
        "[2001:db8::1",
        "[2001:db8::1]x", "[2001:db8::1]:", "2001:db8::1]:80", "[]", "[]:80", "\"", "\"\"", "\"192.0.2.1",
        "192.0.2.1%eth0",
        "unix:", "example.org", "example.org:80", "localhost", "١٢.0.2.1", "1:2:3:4:5:6:7:8:9", "%eth0",
        String(repeating: ":", count: 60),
    ])
    func `Other entries say nothing`(entry: String) { #expect(ForwardedNote.address(entry) == nil) }

    /// The connection is from 127.0.0.1; 10.0.0.5 is another proxy.
    @Test(arguments: [
        ("203.0.113.9", "203.0.113.9"), ("198.51.100.1, 203.0.113.9", "203.0.113.9"),
        ("198.51.100.1, 203.0.113.9:4711", "203.0.113.9"),
        ("198.51.100.1,203.0.113.9:80, 10.0.0.5:81", "203.0.113.9"),
        ("198.51.100.1, [2001:db8::9]:4711, ::1", "2001:db8::9"),
        // What says nothing ends the search: the proxy that wrote it counts.
        ("198.51.100.1, unknown", "127.0.0.1"), ("198.51.100.1, _hidden, 10.0.0.5", "10.0.0.5"),
        ("198.51.100.1,", "127.0.0.1"), ("198.51.100.1, , 10.0.0.5", "10.0.0.5"), ("", "127.0.0.1"),
        (",", "127.0.0.1"),
        ("198.51.100.1, for=203.0.113.9", "127.0.0.1"), ("garbage", "127.0.0.1"),
        // Proxies that ask for themselves.
        ("10.0.0.5", nil), ("127.0.0.1, 10.0.0.5:80", nil),
    ])
    func `What a client invented never counts`(note: String, expected: String?) throws {
        let connection = try #require(InternetAddress("127.0.0.1"))
        let proxy = try #require(InternetAddress("10.0.0.5"))
        let client = ForwardedNote.client(note, over: connection) { $0.isLoopback || $0 == proxy }
        #expect(client == expected.flatMap { InternetAddress($0) })
    }

    @Test func `Of a network of IPv6 only the proxy itself is trusted`() throws {
        #expect(TrustedProxies.isAddress("2001:db8::5") && TrustedProxies.isAddress("[2001:db8::5]"))
        for wrong in ["2001:db8::5]:80", "[2001:db8::5]:80", "10.0.0.5:80", "10.0.0.0/8", "proxy", ""] {
            #expect(!TrustedProxies.isAddress(wrong), "\(wrong)")
        }
    }

    @Test(arguments: [
        ("2001:db8:1:2::1", "2001:db8:1:ffff::1", true), ("2001:db8:1:2::1", "2001:db8:2:2::1", false),
        ("192.0.2.1", "192.0.2.2", false), ("192.0.2.1", "192.0.2.1", true),
    ])
    func `Clients of one network are known by it`(left: String, right: String, isOne: Bool) throws {
        let networks = try [left, right].map { try #require(ClientAddress(text: $0)).network }
        #expect((networks[0] == networks[1]) == isOne && (networks[0].text == networks[1].text) == isOne)
    }
}
