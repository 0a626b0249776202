import Crypto
import Foundation
public import RecordModel
import RecordStorage

/// What is found at the place of a file.
public enum AssetCondition: Hashable, Sendable {
    /// The file has the length that it should have, and its bytes where they were read.
    case good
    /// There is no file.
    case missing
    /// The file has other bytes than its name says: so many.
    case damaged(size: Int64)
    /// The file cannot be read, for the reason given.
    case unreadable(String)
}

extension AssetPaths {
    /// How much of a file is in memory at once.
    private static let pieceBytes = 1_048_576

    /// Looks at a file without changing anything, also while a server runs.
    ///
    /// - Parameters:
    ///   - content: the file, by its digest and size.
    ///   - readsBytes: whether to read the file, to see that it holds what its name says.
    ///   - onRead: called with the number of bytes read, piece by piece.
    public func condition(
        of content: AssetContent, readsBytes: Bool, onRead: (_ bytes: Int) -> Void = { _ in }
    ) -> AssetCondition {
        do {
            let path = path(of: content.digest)
            guard readsBytes else {
                guard let status = try FileSystem.status(of: path) else { return .missing }
                return status.size == content.size ? .good : .damaged(size: status.size)
            }
            guard let (file, status) = try FileSystem.openFile(path) else { return .missing }
            var hasher = SHA256()
            var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
            var size: Int64 = 0
            while true {
                let count = try piece.withUnsafeMutableBytes {
                    try FileSystem.read(file, at: size, into: $0)
                }
                if count == 0 { break }
                piece.withUnsafeBytes {
                    hasher.update(bufferPointer: UnsafeRawBufferPointer(rebasing: $0.prefix(count)))
                }
                size += Int64(count)
                onRead(count)
            }
            let isWhole = size == content.size && Array(hasher.finalize()) == content.digest.bytes
            return isWhole ? .good : .damaged(size: max(size, status.size))
        } catch {
            let reason = (error as? StorageError).map { $0.cause.map { "\($0)" } ?? $0.message }
            return .unreadable(reason ?? "\(error)")
        }
    }
}
