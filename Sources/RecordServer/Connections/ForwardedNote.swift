/// What proxies note in `X-Forwarded-For`: the address of whoever asked them, after those that were there already.
///
/// A client can send the header itself, so only what trusted proxies added counts, and that is read from the right. An entry that
/// says nothing ends the search: what stands before it may be the client's own invention, by which it would choose whose
/// share it uses.
enum ForwardedNote {
    /// The client that sent a request over a connection.
    ///
    /// - Parameters:
    ///   - note: the header's value, or those of all of them with commas between.
    ///   - connection: the other end of the connection, which is trusted.
    ///   - isTrusted: whether an address is one of a proxy whose note counts.
    /// - Returns: The last address that is none of a proxy. Where an entry cannot be read, the proxy that wrote it. Nil where all
    ///   are proxies' own.
    static func client(
        _ note: String, over connection: InternetAddress, isTrusted: (InternetAddress) -> Bool
    ) -> InternetAddress? {
        var writer = connection
        var rest = note[...]
        while true {
            let comma = rest.lastIndex(of: ",")
            guard let address = address(comma.map { rest[rest.index(after: $0)...] } ?? rest) else {
                return writer
            }
            guard isTrusted(address) else { return address }
            writer = address
            guard let comma else { return nil }
            rest = rest[..<comma]
        }
    }

    /// The address of one entry: `192.0.2.1`, `2001:db8::1` and `[2001:db8::1]`, the first and the last with or without a port
    /// (`192.0.2.1:4711`, as Azure's gateways write), all of it in quotes or not (RFC 7239, 6).
    ///
    /// - Returns: nil for all else, as `unknown`, `_hidden` (RFC 7239, 6.2 and 6.3), `for=192.0.2.1` and nothing.
    static func address(_ entry: some StringProtocol) -> InternetAddress? {
        var text = Substring(entry).trimmed
        if text.utf8.count >= 2, text.first == "\"", text.last == "\"" { text = text.dropFirst().dropLast() }
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            let inner = text[text.index(after: text.startIndex)..<end]
            guard inner.contains(":"), isPort(text[text.index(after: end)...]) else { return nil }
            return InternetAddress(inner)
        }
        guard let colon = text.firstIndex(of: ":"), text.lastIndex(of: ":") == colon else {
            return InternetAddress(text)
        }
        guard isPort(text[colon...]) else { return nil }
        return InternetAddress(text[..<colon])
    }

    /// Whether this is nothing, or a port after its colon: digits, or a name that hides it (RFC 7239, 6).
    private static func isPort(_ text: Substring) -> Bool {
        guard !text.isEmpty else { return true }
        guard text.first == ":" else { return false }
        let port = text.dropFirst().utf8
        if port.first == UInt8(ascii: "_") {
            return port.count > 1
                && port.dropFirst().allSatisfy { byte in
                    switch byte {
                    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "_"),
                        UInt8(ascii: "-"):
                        true
                    default: false
                    }
                }
        }
        return (1...5).contains(port.count) && port.allSatisfy { (0x30...0x39).contains($0) }
    }
}

extension Substring {
    /// The text without the blanks that may stand around an entry (RFC 9110, 5.6.3).
    fileprivate var trimmed: Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        return start.lastIndex { $0 != " " && $0 != "\t" }.map { start[...$0] } ?? ""
    }
}
