import Foundation
import NIOCore

/// Where a client comes from, for its share of connections and requests: an address of IPv4, or a network of IPv6,
/// of which one household has all addresses.
struct ClientAddress: Hashable, Sendable {
    private let bytes: [UInt8]

    /// The bytes of an IPv6 address that name its network (/64, RFC 6177 and what providers give).
    private static let networkBytes = 8
    /// No text of an address is longer (POSIX's INET6_ADDRSTRLEN).
    private static let longestText = 46

    /// - Returns: nil for what is no address of the internet, a socket of this machine for example.
    init?(_ address: SocketAddress?) {
        guard let text = address?.ipAddress else { return nil }
        self.init(text: text)
    }

    /// The address that a text names.
    init?(text: some StringProtocol) {
        // Some proxies put brackets around addresses of IPv6, and a zone may follow those of a link.
        let plain = String(text.drop { $0 == " " || $0 == "[" }.prefix { !"] %".contains($0) })
        guard plain.utf8.count < Self.longestText else { return nil }
        var all = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, plain, &all) == 1 {
            bytes = Array(all.prefix(4))
        } else if inet_pton(AF_INET6, plain, &all) == 1 {
            // An address of IPv4 in the form of IPv6 (RFC 4291, 2.5.5.2).
            let isMapped = all.prefix(10).allSatisfy { $0 == 0 } && all[10] == 0xFF && all[11] == 0xFF
            let isLoopback = all.prefix(15).allSatisfy { $0 == 0 } && all[15] == 1
            bytes =
                isMapped
                ? Array(all.suffix(4)) : isLoopback ? [127, 0, 0, 1] : Array(all.prefix(Self.networkBytes))
        } else {
            return nil
        }
    }

    /// Whether it is this machine.
    var isLoopback: Bool { bytes.count == 4 && bytes[0] == 127 }
}
