import Foundation
import RecordModel

/// The file in which a server's memory of requests outlives the process: a head with the version of the
/// format, the contents, and a checksum of both.
///
/// It is written beside its place and renamed, so that a process that is killed leaves the old file. It is not
/// synced to the disk: that would hold up the writes of records. After a power failure the file may be damaged,
/// which the checksum tells, and all that is lost is the history.
enum HistoryFile {
    /// What is wrong with a file.
    struct Problem: Error, CustomStringConvertible {
        var description: String
    }

    /// Twelve bytes that no other file of ours begins with, and the version of what follows.
    private static let head = Array("stratus.hist".utf8) + [1]
    private static let checksumBytes = 8

    /// The contents of a file; nil where there is none.
    ///
    /// - Throws: a ``Problem`` for a file that is damaged, too large or of another version.
    static func read(_ path: String) throws -> ArraySlice<UInt8>? {
        let attributes: [FileAttributeKey: Any]
        do {
            attributes = try FileManager.default.attributesOfItem(atPath: path)
        } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
            return nil
        }
        guard let size = attributes[.size] as? NSNumber, size.intValue <= Limits.requestHistoryFileBytes
        else {
            throw Problem(description: "it is larger than \(Limits.requestHistoryFileBytes) bytes")
        }
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        guard bytes.count >= head.count + checksumBytes, bytes.starts(with: head.dropLast()) else {
            throw DamagedHistory()
        }
        guard bytes[head.count - 1] == head[head.count - 1] else {
            throw Problem(description: "it is of another version")
        }
        let checked = bytes.dropLast(checksumBytes)
        guard bytes.suffix(checksumBytes).elementsEqual(checksum(checked)) else { throw DamagedHistory() }
        return checked.dropFirst(head.count)
    }

    /// Puts a file in the place of the old one. Only the server's user may read it: it names users.
    ///
    /// - Throws: what the system says, where it cannot be written.
    static func write(_ contents: [UInt8], to path: String) throws {
        var bytes = head + contents
        bytes += checksum(bytes[...])
        guard bytes.count <= Limits.requestHistoryFileBytes else {
            throw Problem(description: "it would be larger than \(Limits.requestHistoryFileBytes) bytes")
        }
        let other = path + ".new"
        for path in [path, other] { try refuseOther(than: path) }
        let descriptor = open(other, O_CREAT | O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(other) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else {
                let failure = failure(other)
                // The first failure counts.
                _ = close(descriptor)
                // The next save writes over what stays.
                _ = unlink(other)
                throw failure
            }
            rest = rest.dropFirst(count)
        }
        // Some file systems tell only here that what was written has no room.
        guard close(descriptor) == 0 else { throw failure(other) }
        guard rename(other, path) == 0 else { throw failure(path) }
    }

    /// Sees that there is an ordinary file or nothing, since it is written over.
    private static func refuseOther(than path: String) throws {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
        throw Problem(description: "\(path) is not an ordinary file")
    }

    private static func failure(_ path: String) -> any Error {
        POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO, userInfo: [NSFilePathErrorKey: path])
    }

    /// FNV-1a: against accidents, not against anyone who may write to the data directory.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        bytes.withUnsafeBufferPointer { buffer in
            for byte in buffer { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        }
        return withUnsafeBytes(of: hash.littleEndian) { Array($0) }
    }
}
