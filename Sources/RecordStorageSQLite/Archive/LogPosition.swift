import Foundation

/// A place in a write-ahead log: so many frames of one of its generations, with the checksum that SQLite has there
/// (<https://sqlite.org/fileformat2.html#the_write_ahead_log>).
public struct LogPosition: Sendable, Equatable {
    /// The two salts of the generation.
    public var salts: [UInt32]
    /// The number of frames before the place.
    public var frame: UInt32
    /// The checksum over everything before it.
    public var sums: [UInt32]

    /// Its numbers, for files.
    public var numbers: [UInt32] { salts + [frame] + sums }

    /// - Parameter numbers: as ``numbers`` gave them; nil for others.
    public init?(numbers: [UInt32]) {
        guard numbers.count == 5 else { return nil }
        salts = Array(numbers[0..<2])
        frame = numbers[2]
        sums = Array(numbers[3..<5])
    }

    init(salts: [UInt32], frame: UInt32, sums: [UInt32]) {
        self.salts = salts
        self.frame = frame
        self.sums = sums
    }
}

/// The header of a log's file.
struct LogHeader {
    let salts: [UInt32]
    let pageSize: Int
    let sums: [UInt32]
    let isBigEndian: Bool

    /// Reads it; nil where there is none, as in a log that nobody has written to yet.
    init?(_ file: Int32) {
        var bytes = [UInt8](repeating: 0, count: WalFrame.fileHeaderBytes)
        let count = bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, 0) }
        guard count == bytes.count else { return nil }
        let words = bytes.withUnsafeBytes { bytes in
            (0..<8).map { UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self)) }
        }
        guard words[0] | 1 == 0x377F_0683 else { return nil }
        isBigEndian = words[0] & 1 == 1
        pageSize = words[2] == 1 ? 65_536 : Int(words[2])
        guard (512...65_536).contains(pageSize), pageSize & (pageSize - 1) == 0 else { return nil }
        salts = [words[4], words[5]]
        sums = [words[6], words[7]]
        var sum = LogChecksum(sums: [0, 0], isBigEndian: isBigEndian)
        bytes.withUnsafeBytes { sum.add(UnsafeRawBufferPointer(rebasing: $0[..<24])) }
        guard sum.values == sums else { return nil }
    }
}

/// The running checksum of a log.
struct LogChecksum {
    private var first: UInt32
    private var second: UInt32
    private let isBigEndian: Bool

    init(sums: [UInt32], isBigEndian: Bool) {
        assert(sums.count == 2)
        first = sums.first ?? 0
        second = sums.last ?? 0
        self.isBigEndian = isBigEndian
    }

    var values: [UInt32] { [first, second] }

    /// Adds bytes whose number is a multiple of eight.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var (one, two) = (first, second)
        var offset = 0
        while offset < bytes.count {
            let low = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            let high = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
            one = one &+ (isBigEndian ? UInt32(bigEndian: low) : UInt32(littleEndian: low)) &+ two
            two = two &+ (isBigEndian ? UInt32(bigEndian: high) : UInt32(littleEndian: high)) &+ one
            offset += 8
        }
        (first, second) = (one, two)
    }
}
