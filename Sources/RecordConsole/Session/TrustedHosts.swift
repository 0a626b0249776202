/// The names by which a console may be asked that lets anybody in, and those that links in mails may begin with.
///
/// A page of another site can point its own name at this machine (DNS rebinding), and a browser then takes the
/// console for a part of that site. It still sends the name, as `Host`.
struct TrustedHosts: Sendable {
    private let names: Set<String>

    /// Trusts loopback and the given names or addresses, with or without a port.
    init(_ names: [String]) { self.names = Set(names.map(Self.name)) }

    /// Whether a request may be answered.
    ///
    /// - Parameters:
    ///   - authority: what the request names as its host.
    ///   - address: the address at which the connection came in; it has no name that could be somebody else's.
    func contain(_ authority: String?, connectedTo address: String?) -> Bool {
        guard let authority else { return false }
        let name = Self.name(authority)
        return names.contains(name) || Self.isLoopback(name) || address.map(Self.name) == name
    }

    /// Whether links that a request has mailed may begin with the name that it was sent to: they lead whoever gets them there.
    ///
    /// It has to be one of this server's names or addresses, with the port of this server and no other. A name of loopback leads to the
    /// reader's own machine, whatever listens there, so it counts only where the connection came in at loopback, too.
    func mayBeginLinks(_ authority: String?, at entrance: Entrance) -> Bool {
        guard let authority else { return false }
        let name = Self.name(authority)
        let address = entrance.address.map(Self.name)
        let isOfLoopback = Self.plainLoopback.contains(name) && address.map(Self.isLoopback) ?? true
        guard isOfLoopback || name == address || names.contains(name), !Self.wildcards.contains(name) else {
            return false
        }
        guard !Self.isLoopback(name) || isOfLoopback || name == address else { return false }
        return entrance.port.map { $0 == Self.port(authority) ?? (entrance.isSecure ? 443 : 80) } ?? true
    }

    /// Names of loopback that lead to a server which listens there; any other may be somebody else's on the same machine.
    private static let plainLoopback: Set<String> = ["localhost", "127.0.0.1", "::1"]
    /// All addresses, as a server may listen at them; as a destination they are the reader's own machine.
    private static let wildcards: Set<String> = ["0.0.0.0", "::"]

    /// Where and how a request came in.
    struct Entrance {
        /// The address and the port of this machine; nil where they are not known.
        var address: String?
        var port: Int?
        /// Whether the address in front begins with `https`.
        var isSecure: Bool
    }

    /// The port that a host's name ends with; nil for none, or for more than a port can be.
    private static func port(_ authority: String) -> Int? {
        guard let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") else { return nil }
        return Int(authority[authority.index(after: colon)...])
    }

    /// A host in small letters, without port, brackets and the dot of the root.
    private static func name(_ authority: String) -> String {
        var name = authority.lowercased()[...]
        if name.first == "[" {
            name = name.dropFirst().prefix { $0 != "]" }
        } else if name.utf8.count(where: { $0 == UInt8(ascii: ":") }) == 1 {
            name = name.prefix { $0 != ":" }
        }
        if name.last == "." { name = name.dropLast() }
        // A socket for both versions of the protocol tells addresses of the old one so.
        if name.hasPrefix("::ffff:"), name.contains(".") { name = name.dropFirst("::ffff:".count) }
        return String(name)
    }

    private static func isLoopback(_ name: String) -> Bool {
        if name == "localhost" || name.hasSuffix(".localhost") || name == "::1" { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.first == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
