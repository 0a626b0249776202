import CZlib
import Crypto
import Foundation

/// Writes a ZIP archive from its beginning to its end, without going back: sizes and checksums follow each file, as APPNOTE 6.3
/// (4.3.9, data descriptors) has it, with 64-bit sizes where a file or the archive may need them.
///
/// What stays in memory is the directory of the archive, some 150 bytes for each file.
struct ZipWriter {
    private struct Entry {
        var name: [UInt8]
        var offset: UInt64
        /// Whether its sizes are written in 64 bits.
        var isLarge: Bool
        var deflater: Deflater
        var crc: UInt
        var hash = SHA256()
        var bytes: UInt64 = 0
        var packed: UInt64 = 0
    }

    /// The bytes and the digest of a file that was written.
    struct Written {
        var bytes: Int64
        var sha256: [UInt8]
    }

    private let time: [UInt8]
    private var entry: Entry?
    private var directory: [UInt8] = []
    private var count: UInt64 = 0
    private var offset: UInt64 = 0

    /// - Parameter now: what files say when they were changed, in milliseconds since 1970.
    init(now: Int64) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents(
            [.year, .month, .day, .hour, .minute, .second],
            from: Date(timeIntervalSince1970: Double(now) / 1_000))
        func part(_ value: Int?, _ range: ClosedRange<Int>) -> Int {
            min(max(value ?? range.lowerBound, range.lowerBound), range.upperBound)
        }
        let clock =
            part(parts.hour, 0...23) << 11 | part(parts.minute, 0...59) << 5 | part(parts.second, 0...59) / 2
        let day =
            part((parts.year ?? 1980) - 1980, 0...127) << 9 | part(parts.month, 1...12) << 5
            | part(parts.day, 1...31)
        time = Self.little(UInt16(clock)) + Self.little(UInt16(day))
    }

    /// Begins a file.
    ///
    /// - Parameters:
    ///   - name: with `/` between folders.
    ///   - isLarge: whether it may have 4 GiB or more.
    ///   - compresses: false for what is small already.
    mutating func begin(_ name: String, isLarge: Bool, compresses: Bool) -> [UInt8] {
        let name = Array(name.utf8)
        entry = Entry(
            name: name, offset: offset, isLarge: isLarge, deflater: Deflater(compresses: compresses),
            crc: CZlib.crc32(0, nil, 0))
        let extra: [UInt8] =
            isLarge
            ? Self.little(UInt16(1)) + Self.little(UInt16(16)) + Self.little(UInt64(0))
                + Self.little(UInt64(0)) : []
        let unknown: UInt32 = isLarge ? .max : 0
        let header =
            Self.little(UInt32(0x0403_4B50)) + common + Self.little(UInt32(0)) + Self.little(unknown)
            + Self.little(unknown) + Self.little(UInt16(name.count)) + Self.little(UInt16(extra.count))
        return sent(header + name + extra)
    }

    /// Version 4.5, sizes after the file and names in UTF-8, deflated, and the time.
    private var common: [UInt8] {
        Self.little(UInt16(45)) + Self.little(UInt16(0x0808)) + Self.little(UInt16(8)) + time
    }

    /// Adds bytes to the file.
    ///
    /// - Throws: ``TransferError``.
    mutating func write(_ bytes: [UInt8]) throws -> [UInt8] {
        guard var current = entry else { return [] }
        // Held in one place only, so that nothing is copied.
        entry = nil
        current.crc = bytes.withUnsafeBufferPointer {
            CZlib.crc32(current.crc, $0.baseAddress, UInt32($0.count))
        }
        current.hash.update(data: bytes)
        current.bytes += UInt64(bytes.count)
        let packed = try current.deflater.deflate(bytes, isLast: false)
        current.packed += UInt64(packed.count)
        entry = current
        return sent(packed)
    }

    /// Ends the file.
    ///
    /// - Throws: ``TransferError``.
    mutating func end() throws -> (bytes: [UInt8], file: Written) {
        guard var entry else { return ([], Written(bytes: 0, sha256: [])) }
        self.entry = nil
        let rest = try entry.deflater.deflate([], isLast: true)
        entry.packed += UInt64(rest.count)
        let crc = Self.little(UInt32(truncatingIfNeeded: entry.crc))
        let sizes =
            entry.isLarge
            ? Self.little(entry.packed) + Self.little(entry.bytes)
            : Self.little(UInt32(clamping: entry.packed)) + Self.little(UInt32(clamping: entry.bytes))
        note(entry, crc)
        return (
            sent(rest + Self.little(UInt32(0x0807_4B50)) + crc + sizes),
            Written(bytes: Int64(clamping: entry.bytes), sha256: Array(entry.hash.finalize()))
        )
    }

    /// Adds a file to the directory.
    private mutating func note(_ entry: Entry, _ crc: [UInt8]) {
        var large: [UInt8] = []
        if entry.isLarge { large += Self.little(entry.bytes) + Self.little(entry.packed) }
        let isFar = entry.offset >= UInt64(UInt32.max)
        if isFar { large += Self.little(entry.offset) }
        let extra =
            large.isEmpty ? [] : Self.little(UInt16(1)) + Self.little(UInt16(large.count)) + large
        directory += Self.little(UInt32(0x0201_4B50)) + Self.little(UInt16(45)) + common + crc
        directory += Self.little(entry.isLarge ? .max : UInt32(clamping: entry.packed))
        directory += Self.little(entry.isLarge ? .max : UInt32(clamping: entry.bytes))
        directory += Self.little(UInt16(entry.name.count)) + Self.little(UInt16(extra.count))
        // No comment, the first disk, no attributes.
        directory += [UInt8](repeating: 0, count: 10)
        directory += Self.little(isFar ? .max : UInt32(entry.offset)) + entry.name + extra
        count += 1
    }

    /// Ends the archive with its directory.
    mutating func finish() -> [UInt8] {
        let start = offset
        let size = UInt64(directory.count)
        var end: [UInt8] = []
        let isLarge = count >= UInt64(UInt16.max) || start + size >= UInt64(UInt32.max)
        if isLarge {
            end += Self.little(UInt32(0x0606_4B50)) + Self.little(UInt64(44)) + Self.little(UInt16(45))
            end += Self.little(UInt16(45)) + Self.little(UInt32(0)) + Self.little(UInt32(0))
            end += Self.little(count) + Self.little(count) + Self.little(size) + Self.little(start)
            end += Self.little(UInt32(0x0706_4B50)) + Self.little(UInt32(0)) + Self.little(start + size)
            end += Self.little(UInt32(1))
        }
        let shortCount = Self.little(isLarge ? .max : UInt16(clamping: count))
        end += Self.little(UInt32(0x0605_4B50)) + Self.little(UInt32(0)) + shortCount + shortCount
        end += Self.little(isLarge ? .max : UInt32(clamping: size))
        end += Self.little(isLarge ? .max : UInt32(clamping: start)) + Self.little(UInt16(0))
        return sent(directory + end)
    }

    private mutating func sent(_ bytes: [UInt8]) -> [UInt8] {
        offset += UInt64(bytes.count)
        return bytes
    }

    private static func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}
