internal import Crypto
internal import Foundation
internal import RecordModel
internal import RecordWire

/// Compares a file that came with what the service says of it.
enum FileDigest {
    private static let pieceBytes = 262_144

    /// Whether a file has the length of an asset and, where the checksum is one of a kind that is known, its content.
    static func isWhole(_ file: URL, _ asset: Asset) -> Bool {
        // A file that cannot be read is not whole, and is fetched again.
        guard let handle = try? FileHandle(forReadingFrom: file) else { return false }
        defer { try? handle.close() }
        return isWhole(handle, asset) { _ in }
    }

    /// Copies a file to a place where there is none yet, if it has the content of an asset.
    ///
    /// What is written is what was compared, so a file that changes meanwhile is found out.
    /// - Returns: whether the copy is whole; where it is not, nobody may read it.
    static func copy(_ source: URL, to target: URL, of asset: Asset) -> Bool {
        // Without a digest nothing would say whose bytes these are.
        guard AssetDigest(checksum: asset.fileChecksum) != nil,
            let handle = regularFile(source, size: asset.size)
        else { return false }
        defer { try? handle.close() }
        let descriptor = open(target.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        let copy = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let isCopied = isWhole(handle, asset) { try copy.write(contentsOf: $0) }
        do { try copy.close() } catch { return false }
        return isCopied
    }

    /// Opens what is at a path if it is a file of a size, and neither a link, a folder nor a pipe that somebody put in
    /// its place.
    private static func regularFile(_ file: URL, size: Int64) -> FileHandle? {
        let descriptor = open(file.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // A pipe has no end to go to, and that of a folder or a device is not where a file's of this size is.
        guard Int64(lseek(descriptor, 0, SEEK_END)) == size, lseek(descriptor, 0, SEEK_SET) == 0 else {
            return nil
        }
        return handle
    }

    /// Reads a file, no further than an asset is long, and compares it.
    private static func isWhole(_ handle: FileHandle, _ asset: Asset, take: (Data) throws -> Void) -> Bool {
        var hash = SHA256()
        var size: Int64 = 0
        do {
            while size <= asset.size, let piece = try handle.read(upToCount: pieceBytes), !piece.isEmpty {
                hash.update(data: piece)
                size += Int64(piece.count)
                try take(piece)
            }
        } catch {
            return false
        }
        guard size == asset.size else { return false }
        guard let digest = AssetDigest(checksum: asset.fileChecksum) else { return true }
        return Array(hash.finalize()) == digest.bytes
    }
}
