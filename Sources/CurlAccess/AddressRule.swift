internal import Foundation

/// To which addresses a request may connect.
public enum AddressRule: Sendable {
    /// To all.
    case any
    /// To addresses of the public internet only. It is asked of the address that is connected to, after its name was
    /// looked up, so no name leads around it; proxies of the environment are not used.
    case publicOnly

    /// Whether an address of the network is one of the public internet: not of this machine, of a private or a local
    /// network, of several receivers, or set aside (IANA's special-purpose registries for IPv4 and IPv6).
    ///
    /// - Parameter text: an address of IPv4 or IPv6; names are none.
    public static func isPublic(_ text: String) -> Bool {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: four) { isPublic4(Array($0)) } }
        var six = in6_addr()
        if inet_pton(AF_INET6, text, &six) == 1 { return withUnsafeBytes(of: six) { isPublic6(Array($0)) } }
        return false
    }

    /// The same of a socket's address; one of another family is not public.
    static func isPublic(_ address: UnsafePointer<sockaddr>) -> Bool {
        let start = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let address = start.loadUnaligned(as: sockaddr_in.self).sin_addr
            return withUnsafeBytes(of: address) { isPublic4(Array($0)) }
        case AF_INET6:
            let address = start.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            return withUnsafeBytes(of: address) { isPublic6(Array($0)) }
        default: return false
        }
    }

    /// The networks of IPv4 that are not public: first address and length of the prefix.
    private static let special4: [(first: [UInt8], bits: Int)] = [
        ([0, 0, 0, 0], 8), ([10, 0, 0, 0], 8), ([100, 64, 0, 0], 10), ([127, 0, 0, 0], 8),
        ([169, 254, 0, 0], 16), ([172, 16, 0, 0], 12), ([192, 0, 0, 0], 24), ([192, 0, 2, 0], 24),
        ([192, 88, 99, 0], 24), ([192, 168, 0, 0], 16), ([198, 18, 0, 0], 15), ([198, 51, 100, 0], 24),
        ([203, 0, 113, 0], 24), ([224, 0, 0, 0], 4), ([240, 0, 0, 0], 4),
    ]

    private static func isPublic4(_ bytes: [UInt8]) -> Bool {
        assert(bytes.count == 4)
        return !special4.contains { begins(bytes, with: $0.first, bits: $0.bits) }
    }

    /// Addresses of IPv6 that hold one of IPv4, which then counts: mapped ones, those of NAT64 and of 6to4.
    private static let holders6: [(first: [UInt8], bits: Int, offset: Int)] = [
        ([UInt8](repeating: 0, count: 10) + [0xFF, 0xFF], 96, 12),
        ([0, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8), 96, 12),
        ([0x20, 0x02], 16, 2),
    ]
    /// What is not public of 2000::/3: assignments of the IETF (with Teredo), and examples.
    private static let special6: [(first: [UInt8], bits: Int)] = [
        ([0x20, 0x01, 0, 0], 23), ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x3F, 0xFF, 0, 0], 20),
    ]

    private static func isPublic6(_ bytes: [UInt8]) -> Bool {
        assert(bytes.count == 16)
        if let holder = holders6.first(where: { begins(bytes, with: $0.first, bits: $0.bits) }) {
            return isPublic4(Array(bytes[holder.offset..<holder.offset + 4]))
        }
        // Nothing else is given out for the internet.
        return begins(bytes, with: [0x20], bits: 3)
            && !special6.contains { begins(bytes, with: $0.first, bits: $0.bits) }
    }

    private static func begins(_ bytes: [UInt8], with first: [UInt8], bits: Int) -> Bool {
        (0..<bits).allSatisfy { bit in
            let mask = UInt8(0x80) >> UInt8(bit % 8)
            return bytes[bit / 8] & mask == first[bit / 8] & mask
        }
    }
}
