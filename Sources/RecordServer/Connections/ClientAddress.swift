import NIOCore

/// Where a client comes from, for its share of connections and requests: an address of IPv4, or a network of IPv6,
/// of which one household has all addresses.
struct ClientAddress: Hashable, Sendable {
    /// The whole address of IPv4, or the bytes that name a network of IPv6 (/64, RFC 6177 and what providers give).
    private let number: UInt64
    private let isVersion6: Bool

    init(_ address: InternetAddress) {
        if let version4 = address.version4 {
            number = UInt64(version4)
            isVersion6 = false
        } else {
            number = address.high
            isVersion6 = true
        }
    }

    /// - Returns: nil for what is not an address of the internet, a socket of this machine for example.
    init?(_ address: SocketAddress?) {
        guard let address = InternetAddress(address) else { return nil }
        self.init(address)
    }

    /// The address that a proxy's note names (``ForwardedNote``).
    init?(text: some StringProtocol) {
        guard let address = ForwardedNote.address(text) else { return nil }
        self.init(address)
    }

    /// The address as text, which tells it apart from all others.
    var text: String { "\(isVersion6 ? 6 : 4):\(String(number, radix: 16))" }

    /// The network around it.
    var network: ClientNetwork { ClientNetwork(isVersion6 ? number >> 16 : number, isVersion6: isVersion6) }
}

/// The network that somebody gets who rents a machine: an address of IPv4, or 65,536 ``ClientAddress``es of IPv6 (/48,
/// RFC 6177). What clients of one network do together has bounds as well, or whoever has one has the share of all of them.
struct ClientNetwork: Hashable, Sendable {
    private let number: UInt64
    private let isVersion6: Bool

    fileprivate init(_ number: UInt64, isVersion6: Bool) {
        self.number = number
        self.isVersion6 = isVersion6
    }

    /// The network as text, which tells it apart from all others.
    var text: String { "\(isVersion6 ? 6 : 4):\(String(number, radix: 16))" }
}
