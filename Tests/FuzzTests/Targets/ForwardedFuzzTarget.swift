@testable import RecordServer

extension FuzzTarget {
    /// What the last proxy noted, whom it means where the connection comes from 127.0.0.1 and 10.0.0.5 is trusted as well.
    private static let notes: [(note: String, client: String?)] = [
        ("203.0.113.9", "203.0.113.9"), ("203.0.113.9:4711", "203.0.113.9"),
        ("\"[2001:db8:1:2::9]:4711\"", "2001:db8:1:2::9"), ("203.0.113.9, 10.0.0.5", "203.0.113.9"),
        ("203.0.113.9:80,10.0.0.5:81 ", "203.0.113.9"), ("::ffff:203.0.113.9", "203.0.113.9"),
        ("fe80::1%eth0", "fe80::1"),
        // These say nothing, so the proxy itself counts.
        ("unknown", "127.0.0.1"), ("_hidden", "127.0.0.1"), ("", "127.0.0.1"),
        ("unknown, 10.0.0.5", "10.0.0.5"),
        ("for=198.51.100.7", "127.0.0.1"), ("1.2.3", "127.0.0.1"),
    ]

    /// `X-Forwarded-For` as it arrives: what a client invented, then what proxies added. The first byte says what they added. Whatever
    /// the client wrote, it does not choose whose share it uses.
    static func forwarded() -> FuzzTarget {
        let inventions = [
            "198.51.100.1", "198.51.100.1:80, 198.51.100.2", "unknown", "[2001:db8::1]:4711",
            "\"198.51.100.1\"",
            "127.0.0.1", "10.0.0.5, 127.0.0.1", "for=198.51.100.1;proto=https", ",,,", "fe80::1%eth0",
            "::ffff:10.0.0.5",
        ]
        return FuzzTarget(
            name: "forwarded",
            seeds: inventions.enumerated().map {
                [UInt8($0.offset % (notes.count + 1))] + Array($0.element.utf8)
            },
            words: [
                ",", ", ", ":", "[", "]", "\"", "%", "unknown", "_", "for=", "127.0.0.1", "10.0.0.5", "::1",
                "::ffff:",
                "0x7f.1", "1.2.3.4", ":80", "\t", "\0", "é", "٣", "\u{301}", ";",
            ], count: 6_000
        ) { input in
            guard let kind = input.first else { return false }
            let invented = String(decoding: input.dropFirst(), as: UTF8.self)
            guard let (note, expected) = notes.dropFirst(Int(kind) % (notes.count + 1)).first else {
                return try alone(invented)
            }
            let client = client(invented + "," + note)
            try Forgery.unless(
                client != nil && client == expected.flatMap { InternetAddress($0) },
                "The client chose \(String(describing: client)): \(invented),\(note)")
            return true
        }
    }

    /// Without anything after it, a note means the same whatever stands before it.
    private static func alone(_ note: String) throws -> Bool {
        guard let client = client(note) else { return false }
        for invented in ["198.51.100.77", "unknown", ""] {
            try Forgery.unless(
                Self.client(invented + "," + note) == client, "Something before it counted: \(note)")
        }
        return true
    }

    private static func client(_ note: String) -> InternetAddress? {
        guard let connection = InternetAddress("127.0.0.1") else { return nil }
        let proxy = InternetAddress("10.0.0.5")
        return ForwardedNote.client(note, over: connection) { $0.isLoopback || $0 == proxy }
    }
}
