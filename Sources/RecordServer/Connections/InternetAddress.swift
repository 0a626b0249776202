import Foundation
import NIOCore

/// An address of the internet in full, of either version; one of IPv4 is the same in both of its forms.
struct InternetAddress: Hashable, Sendable {
    /// The first and the second half as IPv6 has them; addresses of IPv4 are mapped (RFC 4291, 2.5.5.2).
    let high: UInt64
    let low: UInt64

    private static let version6Bytes = 16
    private static let version4Bytes = 4
    private static let mapped: UInt64 = 0xFFFF
    /// No text of an address is longer (POSIX's INET6_ADDRSTRLEN).
    private static let longestText = 46

    /// - Returns: nil for what is not an address of the internet, a socket of this machine for example.
    init?(_ address: SocketAddress?) {
        switch address {
        case .v4(let address): self.init(version4: UInt32(bigEndian: address.address.sin_addr.s_addr))
        case .v6(let address): self = withUnsafeBytes(of: address.address.sin6_addr) { Self(version6: $0) }
        case .unixDomainSocket, nil: return nil
        }
    }

    /// The address that a text is, as `inet_pton` reads it; one of IPv6 may have a zone (`fe80::1%eth0`), which says nothing here.
    init?(_ text: some StringProtocol) {
        let plain = text.utf8.prefix { $0 != UInt8(ascii: "%") }
        // A NUL would end the text for C, and make an address of the beginning of something else.
        guard !plain.isEmpty, plain.count < Self.longestText, plain.allSatisfy(Self.isOfAddress) else {
            return nil
        }
        let address = String(decoding: plain, as: UTF8.self)
        var bytes = [UInt8](repeating: 0, count: Self.version6Bytes)
        if inet_pton(AF_INET6, address, &bytes) == 1 {
            self = bytes.withUnsafeBytes { Self(version6: $0) }
        } else if plain.count == text.utf8.count, inet_pton(AF_INET, address, &bytes) == 1 {
            self.init(version4: bytes.prefix(Self.version4Bytes).reduce(0) { $0 << 8 | UInt32($1) })
        } else {
            return nil
        }
    }

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    private init(version4 address: UInt32) { self.init(high: 0, low: Self.mapped << 32 | UInt64(address)) }

    private init(version6 bytes: UnsafeRawBufferPointer) {
        assert(bytes.count == Self.version6Bytes)
        let high = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        let low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        // This machine is one, however it is called.
        if high == 0, low == 1 {
            self.init(version4: 0x7F00_0001)
        } else {
            self.init(high: high, low: low)
        }
    }

    /// The address of IPv4; nil for one of IPv6.
    var version4: UInt32? {
        high == 0 && low >> 32 == Self.mapped ? UInt32(truncatingIfNeeded: low) : nil
    }

    /// Whether it is this machine.
    var isLoopback: Bool { version4.map { $0 >> 24 == 127 } ?? false }

    private static func isOfAddress(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66, UInt8(ascii: ":"), UInt8(ascii: "."): true
        default: false
        }
    }
}
