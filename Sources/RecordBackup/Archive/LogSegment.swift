import CZlib
import Crypto
import Foundation
import RecordStorageSQLite

/// Commits of a short time as one object: for each second the last version of each page that changed, compressed, with a digest.
///
/// A moment is told to the second, so versions of a page that lived for less are left out. All numbers are little-endian:
///
///     "STRATUSLOG1\n", page size (4), length of the body (8), the body by zlib, SHA-256 of all before (32)
///     body: second (8), pages of the database (4), count (4), and so many times number (4) and bytes of a page
struct LogSegment {
    /// The changes up to the end of a second.
    struct Group {
        /// The whole second since 1970 at which all of it was done.
        var second: Int64
        var databasePages: UInt32
        /// The pages: the number of each, as four bytes, and its bytes.
        var pages: ArraySlice<UInt8>
    }

    private static let magic = Array("STRATUSLOG1\n".utf8)
    private static let headBytes = 24
    /// The most bytes of a body: what a spool puts into one file, and one commit more.
    static let mostBytes = 1 << 30

    var pageSize = 4_096
    var groups: [Group] = []

    /// Reads the commits of a spool's file.
    init(spooled path: String) throws {
        var pages: [UInt32: [UInt8]] = [:]
        var second: Int64?
        var databasePages: UInt32 = 0
        func flush() {
            guard let second else { return }
            var bytes: [UInt8] = []
            for (number, page) in pages.sorted(by: { $0.key < $1.key }) {
                withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
                bytes += page
            }
            groups.append(Group(second: second, databasePages: databasePages, pages: bytes[...]))
            pages = [:]
        }
        try SpoolFile.read(path) { commit in
            // What was done at 06:00:00.001 is there at 06:00:01, not before.
            let next = (commit.time + 999) / 1_000
            if second != next { flush() }
            second = next
            databasePages = commit.databasePages
            pageSize = commit.pageSize
            for start in stride(from: 0, to: commit.pages.count, by: 4 + commit.pageSize) {
                let number = Self.number(commit.pages, at: start)
                pages[number] = Array(commit.pages[(start + 4)..<(start + 4 + commit.pageSize)])
            }
        }
        flush()
    }

    /// Its bytes.
    func bytes() throws -> [UInt8] {
        var body: [UInt8] = []
        for group in groups {
            Self.add(group.second, to: &body)
            Self.add(group.databasePages, to: &body)
            Self.add(UInt32(group.pages.count / (4 + pageSize)), to: &body)
            body += group.pages
        }
        var length = compressBound(uLong(body.count))
        var packed = [UInt8](repeating: 0, count: Int(length))
        guard compress2(&packed, &length, body, uLong(body.count), 1) == Z_OK else {
            throw BackupError.file("compressed", "a part of the log", ENOMEM)
        }
        var bytes = Self.magic
        Self.add(UInt32(pageSize), to: &bytes)
        Self.add(UInt64(body.count), to: &bytes)
        bytes += packed[..<Int(length)]
        return bytes + Array(SHA256.hash(data: bytes))
    }

    /// Reads what was archived.
    ///
    /// - Throws: ``BackupError`` where it is not what was written.
    init(_ bytes: [UInt8], name: String) throws {
        let damaged = BackupError.damaged(name, ["It does not have the bytes that were written."])
        guard bytes.count > Self.headBytes + 32, bytes.starts(with: Self.magic),
            bytes.suffix(32).elementsEqual(SHA256.hash(data: bytes.dropLast(32)))
        else { throw damaged }
        pageSize = Int(Self.number(bytes, at: 12))
        let count = Int(Self.number(bytes, at: 16)) | Int(Self.number(bytes, at: 20)) << 32
        guard (512...65_536).contains(pageSize), (0...Self.mostBytes).contains(count) else { throw damaged }
        var body = [UInt8](repeating: 0, count: count)
        var length = uLong(count)
        let packed = Array(bytes[Self.headBytes..<(bytes.count - 32)])
        guard uncompress(&body, &length, packed, uLong(packed.count)) == Z_OK, Int(length) == count else {
            throw damaged
        }
        var offset = 0
        while offset + 16 <= count {
            let second = Int64(Self.number(body, at: offset)) | Int64(Self.number(body, at: offset + 4)) << 32
            let end = offset + 16 + Int(Self.number(body, at: offset + 12)) * (4 + pageSize)
            // A second is made milliseconds of: the digest above is anybody's to compute.
            guard end <= count, (0...ArchiveNames.largestNumber).contains(second) else { throw damaged }
            groups.append(
                Group(
                    second: second, databasePages: Self.number(body, at: offset + 8),
                    pages: body[(offset + 16)..<end]))
            offset = end
        }
        guard offset == count else { throw damaged }
    }

    /// Writes the pages of a group into the file of a database.
    static func apply(_ group: Group, pageSize: Int, to file: Int32, path: String) throws {
        try group.pages.withUnsafeBytes { bytes in
            for start in stride(from: 0, to: bytes.count, by: 4 + pageSize) {
                let number = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self))
                let page = UnsafeRawBufferPointer(rebasing: bytes[(start + 4)..<(start + 4 + pageSize)])
                let offset = off_t(Int64(number) - 1) * off_t(pageSize)
                guard number > 0, pwrite(file, page.baseAddress, page.count, offset) == page.count else {
                    throw BackupError.file("written", path)
                }
            }
        }
        guard ftruncate(file, off_t(group.databasePages) * off_t(pageSize)) == 0 else {
            throw BackupError.file("cut", path)
        }
    }

    private static func number(_ bytes: [UInt8], at offset: Int) -> UInt32 {
        bytes.withUnsafeBytes {
            UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        }
    }

    private static func add(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }
}
