import NIOHTTP1

/// The form of a host's name with an optional port (RFC 3986, 3.2.2 and 3.2.3).
enum HostName {
    /// DNS names have 253 characters at most; the rest is for the port.
    private static let longest = 260
    /// What stands for the server where HTTP/1.0 names none, and where a client says that its address has none.
    private static let unnamed = "localhost"

    /// Takes away the `Host` of a request where it is not single and valid, and names the server where none need.
    ///
    /// - Returns: whether the head was changed.
    static func repair(_ head: inout HTTPRequestHead) -> Bool {
        let hosts = head.headers["Host"]
        if hosts.count == 1, isValid(hosts[0]) { return false }
        let isUnnamed = hosts.isEmpty ? head.version == .http1_0 : hosts.count == 1 && hosts[0].isEmpty
        if isUnnamed {
            head.headers.replaceOrAdd(name: "Host", value: unnamed)
        } else {
            head.headers.remove(name: "Host")
        }
        return true
    }

    static func isValid(_ text: String) -> Bool {
        var bytes = Array(text.utf8)[...]
        guard !bytes.isEmpty, bytes.count <= longest else { return false }
        let name: ArraySlice<UInt8>
        if bytes.first == UInt8(ascii: "[") {
            guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return false }
            name = bytes[(bytes.startIndex + 1)..<end]
            bytes = bytes[(end + 1)...]
            guard !name.isEmpty, name.allSatisfy(isOfAddress) else { return false }
        } else {
            name = bytes.prefix { $0 != UInt8(ascii: ":") }
            bytes = bytes[name.endIndex...]
            guard !name.isEmpty, name.allSatisfy(isOfName) else { return false }
        }
        guard let colon = bytes.first else { return true }
        let port = bytes.dropFirst()
        return colon == UInt8(ascii: ":") && port.count <= 5 && port.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func isOfAddress(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66, UInt8(ascii: ":"), UInt8(ascii: "."): true
        default: false
        }
    }

    /// Letters, digits and `-._~`. What the grammar allows besides (percent signs and punctuation) is in no name of a
    /// host, and would stand in the addresses that answers carry.
    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: false
        }
    }
}
