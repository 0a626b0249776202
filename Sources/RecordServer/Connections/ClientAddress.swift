import Foundation
import NIOCore

/// Where a client comes from, for its share of connections and requests: an address of IPv4, or a network of IPv6,
/// of which one household has all addresses.
struct ClientAddress: Hashable, Sendable {
    /// The whole address of IPv4, or the bytes that name a network of IPv6 (/64, RFC 6177 and what providers give).
    private let network: UInt64
    private let isVersion6: Bool

    /// The length of an address of IPv6.
    private static let byteCount = 16
    /// No text of an address is longer (POSIX's INET6_ADDRSTRLEN).
    private static let longestText = 46
    private static let loopback = ClientAddress(version4: 0x7F00_0001)

    /// - Returns: nil for what is not an address of the internet, a socket of this machine for example.
    init?(_ address: SocketAddress?) {
        switch address {
        case .v4(let address): self.init(version4: UInt32(bigEndian: address.address.sin_addr.s_addr))
        case .v6(let address): self = withUnsafeBytes(of: address.address.sin6_addr) { Self(version6: $0) }
        case .unixDomainSocket, nil: return nil
        }
    }

    /// The address that a text names.
    init?(text: some StringProtocol) {
        // Some proxies put brackets around addresses of IPv6, and a zone may follow those of a link.
        let plain = String(text.drop { $0 == " " || $0 == "[" }.prefix { !"] %".contains($0) })
        guard plain.utf8.count < Self.longestText else { return nil }
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        if inet_pton(AF_INET, plain, &bytes) == 1 {
            self.init(version4: bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
        } else if inet_pton(AF_INET6, plain, &bytes) == 1 {
            self = bytes.withUnsafeBytes { Self(version6: $0) }
        } else {
            return nil
        }
    }

    private init(network: UInt64, isVersion6: Bool) {
        self.network = network
        self.isVersion6 = isVersion6
    }

    private init(version4 address: UInt32) { self.init(network: UInt64(address), isVersion6: false) }

    private init(version6 bytes: UnsafeRawBufferPointer) {
        assert(bytes.count == Self.byteCount)
        let network = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        let rest = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        // An address of IPv4 in the form of IPv6 (RFC 4291, 2.5.5.2).
        if network == 0, rest >> 32 == 0xFFFF {
            self.init(version4: UInt32(truncatingIfNeeded: rest))
        } else if network == 0, rest == 1 {
            self = Self.loopback
        } else {
            self.init(network: network, isVersion6: true)
        }
    }

    /// The address as text, which tells it apart from all others.
    var text: String { "\(isVersion6 ? 6 : 4):\(String(network, radix: 16))" }

    /// Whether it is this machine.
    var isLoopback: Bool { !isVersion6 && network >> 24 == 127 }
}
