import Crypto
import Foundation
import RecordModel

/// A file that is written from its beginning to its end, and digested on the way.
struct DigestedFile {
    private let path: String
    private let name: String
    private let handle: FileHandle
    private var hash = SHA256()
    private var pending: [UInt8] = []
    private var bytes: Int64 = 0
    private var lines = 0

    private static let chunkBytes = 262_144

    /// Makes a file below a folder.
    init(_ name: String, in folder: String) throws {
        self.name = name
        path = folder + "/" + name
        let parent = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let handle = FileHandle(forWritingAtPath: path)
        else { throw TransferError.file(path) }
        self.handle = handle
    }

    /// Writes a line, whose end is added.
    mutating func write(line: [UInt8]) throws { try write(line + [UInt8(ascii: "\n")]) }

    mutating func write(_ text: [UInt8]) throws {
        pending += text
        lines += text.reduce(0) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
        if pending.count >= Self.chunkBytes { try flush() }
    }

    /// Brings the file to the disk.
    mutating func finish() throws -> ContainerManifest.File {
        try flush()
        try handle.synchronize()
        try handle.close()
        return .init(path: name, bytes: bytes, lines: lines, sha256: Array(hash.finalize()).hex)
    }

    private mutating func flush() throws {
        hash.update(data: pending)
        bytes += Int64(pending.count)
        do {
            try handle.write(contentsOf: Data(pending))
        } catch {
            throw TransferError.file(path, error.localizedDescription)
        }
        pending.removeAll(keepingCapacity: true)
    }

    /// The digest and the length of a file that is there.
    static func digest(of path: String) throws -> (sha256: String, bytes: Int64) {
        guard let handle = FileHandle(forReadingAtPath: path) else { throw TransferError.file(path) }
        defer { try? handle.close() }
        var hash = SHA256()
        var bytes: Int64 = 0
        while let data = try handle.read(upToCount: chunkBytes), !data.isEmpty {
            hash.update(data: data)
            bytes += Int64(data.count)
        }
        return (Array(hash.finalize()).hex, bytes)
    }
}

extension TransferError {
    static func file(_ path: String, _ reason: String? = nil) -> TransferError {
        let words = reason ?? String(cString: strerror(errno))
        return TransferError("TRANSFER_FILE", "The file \(path) cannot be used: \(words)")
    }
}
