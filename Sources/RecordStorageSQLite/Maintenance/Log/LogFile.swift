import Foundation
import RecordStorage

/// The file of a write-ahead log, read as its format says and not as SQLite does: SQLite stops at the first frame that
/// is not whole and takes it for the end, here what comes after a damage counts too.
///
/// The format: <https://sqlite.org/fileformat2.html#the_write_ahead_log>.
struct LogFile {
    /// A page in the log, as its frame says.
    struct Frame {
        /// The page's number in the database, from one.
        var page: Int
        /// The size of the database in pages after the commit that ends here; 0 where none does.
        var commitPages: Int
        /// Whether its bytes are those that were written: its sum follows from that of the frame before.
        var isWhole: Bool
        /// Whether it was written after the log started over, by its salts; else it is left from before.
        var isOfThisLog: Bool
    }

    /// What stands in the log.
    struct Contents {
        /// The frames, whatever their state.
        var frames: [Frame] = []
        var pageBytes = 4_096
        var isHeaderWhole = true
        /// The frames up to the last commit before anything that is not whole.
        var soundCount = 0
        /// The first frame that is not whole, although frames of this log come after it.
        var damage: Int?
        /// Whether the frames end with some that were not written whole: a commit that nobody waited for, or the
        /// last one that was acknowledged.
        var endsTorn = false

        /// The places of the commits that SQLite does not see any more.
        var commitsBeyond: [Int] {
            guard let damage else { return [] }
            return frames.indices.filter {
                $0 >= damage && frames[$0].isOfThisLog && frames[$0].isWhole && frames[$0].commitPages > 0
            }
        }
    }

    private let file: FileHandle
    private let size: Int
    private static let version: UInt32 = 3_007_000

    /// - Returns: nil where there is no log, or an empty one.
    /// - Throws: `StorageError` where it cannot be read.
    init?(path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw StorageError.engine("The log \(path) cannot be read.")
        }
        self.file = file
        do {
            size = Int(clamping: try file.seekToEnd())
        } catch { throw StorageError.engine("The log \(path) cannot be read.", error) }
        guard size > WalFrame.fileHeaderBytes else {
            try? file.close()  // It was only read.
            return nil
        }
    }

    /// The bytes of a frame's page.
    func page(_ index: Int, pageBytes: Int) throws -> Data {
        try read(
            WalFrame.fileHeaderBytes + index * (pageBytes + WalFrame.headerBytes) + WalFrame.headerBytes,
            pageBytes)
    }

    private func read(_ offset: Int, _ count: Int) throws -> Data {
        do {
            try file.seek(toOffset: UInt64(offset))
            guard let data = try file.read(upToCount: count), data.count == count else {
                throw StorageError.engine("The log ends early.")
            }
            return data
        } catch let error as StorageError { throw error } catch {
            throw StorageError.engine("The log cannot be read.", error)
        }
    }

    /// Reads all of it.
    ///
    /// - Parameters:
    ///   - databasePageBytes: the page size of the database, for a log whose own header is not whole.
    ///   - progress: is told how many bytes of how many were read.
    func contents(databasePageBytes: Int, progress: (Int, Int) -> Void = { _, _ in }) throws -> Contents {
        let header = try read(0, WalFrame.fileHeaderBytes)
        let isBigEndian = header.number(0) & 1 == 1
        var sum = Self.sum((0, 0), header.prefix(24), isBigEndian)
        var contents = Contents()
        let pageBytes = Int(header.number(8))
        let isKnown = header.number(0) & ~1 == 0x377F_0682 && header.number(4) == Self.version
        let isSumRight = sum.0 == header.number(24) && sum.1 == header.number(28)
        contents.isHeaderWhole = isKnown && isSumRight && (512...65_536).contains(pageBytes)
        contents.pageBytes = contents.isHeaderWhole ? pageBytes : databasePageBytes
        let frameBytes = contents.pageBytes + WalFrame.headerBytes
        let count = (size - WalFrame.fileHeaderBytes) / frameBytes
        guard count > 0 else { return contents }
        var salts = (header.number(16), header.number(20))
        for index in 0..<count {
            let frame = try read(WalFrame.fileHeaderBytes + index * frameBytes, frameBytes)
            // Of a header that is damaged not even the salts count; those of the first frame do.
            if index == 0, !contents.isHeaderWhole { salts = (frame.number(8), frame.number(12)) }
            sum = Self.sum(sum, frame.prefix(8), isBigEndian)
            sum = Self.sum(sum, frame.dropFirst(WalFrame.headerBytes), isBigEndian)
            let stored = (frame.number(16), frame.number(20))
            let isOfThisLog = salts == (frame.number(8), frame.number(12))
            contents.frames.append(
                Frame(
                    page: Int(frame.number(0)), commitPages: Int(frame.number(4)),
                    isWhole: isOfThisLog && sum == stored && frame.number(0) > 0, isOfThisLog: isOfThisLog))
            // What comes after a damaged frame follows from the sum that stands in it.
            sum = stored
            if index % 64 == 0 { progress(index * frameBytes, size) }
        }
        contents.judge()
        return contents
    }

    /// The sum of some bytes that continues another one (<https://sqlite.org/fileformat2.html#checksum_algorithm>).
    private static func sum(
        _ before: (UInt32, UInt32), _ bytes: Data, _ isBigEndian: Bool
    ) -> (UInt32, UInt32) {
        var (first, second) = before
        bytes.withUnsafeBytes { buffer in
            var offset = 0
            while offset + 8 <= buffer.count {
                let one = buffer.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
                let two = buffer.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                first = first &+ (isBigEndian ? one.bigEndian : one.littleEndian) &+ second
                second = second &+ (isBigEndian ? two.bigEndian : two.littleEndian) &+ first
                offset += 8
            }
        }
        return (first, second)
    }
}

extension LogFile.Contents {
    /// Finds where the sound part ends, and whether what comes then is the log's end or a damage.
    fileprivate mutating func judge() {
        // A write that was undone may have left frames: only what was committed after a damage makes it one.
        let end = frames.lastIndex { $0.isOfThisLog && $0.isWhole && $0.commitPages > 0 } ?? -1
        let firstBad = isHeaderWhole ? frames.firstIndex { !$0.isWhole } ?? frames.count : 0
        soundCount = (frames[..<firstBad].lastIndex { $0.commitPages > 0 } ?? -1) + 1
        if firstBad < end {
            damage = firstBad
        } else {
            endsTorn = firstBad < frames.count && frames[firstBad].isOfThisLog
        }
        assert(soundCount <= frames.count && damage.map { $0 >= soundCount } ?? true)
    }
}

extension Data {
    /// The number of 32 bits at an offset, the highest byte first.
    fileprivate func number(_ offset: Int) -> UInt32 {
        withUnsafeBytes { UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
    }
}
