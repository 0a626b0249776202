import Foundation
import RecordWire

/// A file of JSON Lines, read from a position on, one line at a time.
struct LineFile {
    private let handle: FileHandle
    private let path: String
    private var pending = Data()
    private var isAtEnd = false
    /// The byte at which the next line begins.
    private(set) var offset: Int64

    private static let chunkBytes = 262_144

    init(_ path: String, from offset: Int64 = 0) throws {
        guard let handle = FileHandle(forReadingAtPath: path) else { throw TransferError.file(path) }
        self.handle = handle
        self.path = path
        self.offset = offset
        try handle.seek(toOffset: UInt64(offset))
    }

    /// The next line; nil at the end.
    mutating func next() throws -> JSONObject? {
        var searched = 0
        while true {
            if let end = pending[(pending.startIndex + searched)...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(pending[pending.startIndex..<end])
                pending = pending[(end + 1)...]
                offset += Int64(line.count) + 1
                guard let object = try JSONReader.read(line).object else {
                    throw TransferError(
                        "EXPORT_DAMAGED", "The file \(path) has a line that is not an object.")
                }
                return object
            }
            searched = pending.count
            guard !isAtEnd, let data = try handle.read(upToCount: Self.chunkBytes), !data.isEmpty else {
                isAtEnd = true
                guard pending.isEmpty else {
                    throw TransferError("EXPORT_DAMAGED", "The last line of \(path) is not whole.")
                }
                return nil
            }
            pending = Data(pending) + data
        }
    }
}
