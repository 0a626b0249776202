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
        var hash = SHA256()
        var size: Int64 = 0
        do {
            while let piece = try handle.read(upToCount: pieceBytes), !piece.isEmpty {
                hash.update(data: piece)
                size += Int64(piece.count)
            }
        } catch {
            return false
        }
        guard size == asset.size else { return false }
        guard let digest = AssetDigest(checksum: asset.fileChecksum) else { return true }
        return Array(hash.finalize()) == digest.bytes
    }
}
