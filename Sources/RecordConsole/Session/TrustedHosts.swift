/// The names by which a console may be asked that lets anybody in.
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
