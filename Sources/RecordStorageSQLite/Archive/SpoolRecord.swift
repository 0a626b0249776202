import Foundation

/// Reads the frames of a log from a place to the end of the last commit.
struct SpoolRecord {
    /// Magic, time, frames, pages of the database, page size, and the position after it.
    static let headBytes = 44
    static let magic: UInt32 = 0x534C_4F47

    /// Where the last commit ends.
    struct End {
        var position: LogPosition
        var frames: UInt32
        var databasePages: UInt32

        /// What stands before the pages.
        func head(time: Int64, pageSize: Int) -> [UInt8] {
            var bytes: [UInt8] = []
            func add(_ value: some FixedWidthInteger) {
                withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
            }
            add(SpoolRecord.magic)
            add(time)
            add(frames)
            add(databasePages)
            add(UInt32(pageSize))
            for number in position.numbers { add(number) }
            assert(bytes.count == SpoolRecord.headBytes)
            return bytes
        }
    }

    private let header: LogHeader
    private let start: LogPosition
    private let log: Int32

    private static let framesPerPiece = 32

    init(_ header: LogHeader, from start: LogPosition, in log: Int32) {
        self.header = header
        self.start = start
        self.log = log
    }

    private var frameBytes: Int { WalFrame.headerBytes + header.pageSize }

    private func offset(of frame: UInt32) -> off_t {
        off_t(WalFrame.fileHeaderBytes) + off_t(frame) * off_t(frameBytes)
    }

    /// Whether another frame of this generation follows.
    var hasFrame: Bool {
        var words = [UInt32](repeating: 0, count: 6)
        let count = words.withUnsafeMutableBytes {
            pread(log, $0.baseAddress, $0.count, offset(of: start.frame))
        }
        return count == 24 && words[2..<4].map { UInt32(bigEndian: $0) } == header.salts
    }

    /// Gives the pages, each after its number, to a closure until it returns false.
    ///
    /// - Returns: where the last commit ends; nil where none does. Pages behind it were given, too.
    func end(writing write: (UnsafeRawBufferPointer) -> Bool) -> End? {
        var found: End?
        var position = start
        var sum = LogChecksum(sums: start.sums, isBigEndian: header.isBigEndian)
        var piece = [UInt8](repeating: 0, count: Self.framesPerPiece * frameBytes)
        var output: [UInt8] = []
        while true {
            let count = piece.withUnsafeMutableBytes {
                pread(log, $0.baseAddress, $0.count, offset(of: position.frame))
            }
            guard count >= frameBytes else { return found }
            output.removeAll(keepingCapacity: true)
            var isAtEnd = count < piece.count
            piece.withUnsafeBytes { bytes in
                for index in 0..<(count / frameBytes) {
                    let frame = UnsafeRawBufferPointer(
                        rebasing: bytes[(index * frameBytes)..<((index + 1) * frameBytes)])
                    func word(_ index: Int) -> UInt32 {
                        UInt32(bigEndian: frame.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
                    }
                    sum.add(UnsafeRawBufferPointer(rebasing: frame[..<8]))
                    sum.add(UnsafeRawBufferPointer(rebasing: frame[24...]))
                    guard [word(2), word(3)] == header.salts, [word(4), word(5)] == sum.values else {
                        isAtEnd = true
                        return
                    }
                    withUnsafeBytes(of: word(0).littleEndian) { output += $0 }
                    output += frame[24...]
                    position = LogPosition(salts: header.salts, frame: position.frame + 1, sums: sum.values)
                    if word(1) > 0 {
                        found = End(
                            position: position, frames: position.frame - start.frame, databasePages: word(1))
                    }
                }
            }
            guard output.withUnsafeBytes(write), !isAtEnd else { return found }
        }
    }
}

/// A file of a spool, commit after commit.
public struct SpoolFile {
    /// What one commit, or several that came at once, changed.
    public struct Commit {
        /// When it was made, before anybody was told, in milliseconds since 1970.
        public var time: Int64
        /// How many pages the database has after it.
        public var databasePages: UInt32
        /// The size of a page.
        public var pageSize: Int
        /// Where the log was after it.
        public var position: LogPosition
        /// The pages: the number of each, as four bytes, and its bytes.
        public var pages: [UInt8]
    }

    /// Calls a closure with each commit that is whole; what a process that died began is passed over.
    ///
    /// - Throws: what the closure throws; errors of the file system.
    public static func read(_ path: String, _ visit: (Commit) throws -> Void) throws {
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        // It was only read.
        defer { try? handle.close() }
        while let head = try handle.read(upToCount: SpoolRecord.headBytes),
            head.count == SpoolRecord.headBytes
        {
            let (time, words) = head.withUnsafeBytes { bytes in
                (
                    Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: Int64.self)),
                    [0, 12, 16, 20, 24, 28, 32, 36, 40].map {
                        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self))
                    }
                )
            }
            guard words[0] == SpoolRecord.magic, (512...65_536).contains(words[3]),
                let position = LogPosition(numbers: Array(words[4...]))
            else { return }
            let count = Int(words[1]) * (4 + Int(words[3]))
            guard let pages = try handle.read(upToCount: count), pages.count == count else { return }
            try visit(
                Commit(
                    time: time, databasePages: words[2], pageSize: Int(words[3]), position: position,
                    pages: Array(pages)))
        }
    }
}
