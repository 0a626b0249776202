/// What names a file by its content: SHA-256 of its bytes.
public struct AssetDigest: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// How many bytes a digest has.
    public static let byteCount = 32

    /// The digest's bytes.
    public let bytes: [UInt8]

    /// Takes 32 bytes; nil for any other number.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Takes 64 hexadecimal digits in lower case; nil for any other text.
    public init?(hex: String) {
        let digits = Array(hex.utf8)
        guard digits.count == 2 * Self.byteCount else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Self.value(of: digits[index]), let low = Self.value(of: digits[index + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        self.bytes = bytes
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }

    /// The digest as 64 hexadecimal digits.
    public var hex: String { bytes.hex }

    public var description: String { hex }

    public static func < (left: AssetDigest, right: AssetDigest) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

/// The content of a file: which one, and how long it is.
public struct AssetContent: Hashable, Sendable {
    /// The digest of the bytes.
    public var digest: AssetDigest
    /// Their number.
    public var size: Int64

    /// Pairs a digest with the size of the file.
    public init(digest: AssetDigest, size: Int64) {
        self.digest = digest
        self.size = size
    }
}
