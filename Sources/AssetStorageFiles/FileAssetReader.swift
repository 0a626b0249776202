import Foundation
import NIOCore
import NIOPosix
import RecordStorage

/// A file that is open for reading.
final class FileAssetReader: AssetReader {
    let size: Int64
    let head: [UInt8]
    private let file: FileSystem.Descriptor
    private let threads: NIOThreadPool

    /// Opens a file, on a thread that may block; nil where it is not there.
    init?(path: String, threads: NIOThreadPool) throws {
        guard let (file, status) = try FileSystem.openFile(path) else { return nil }
        self.file = file
        self.threads = threads
        size = status.size
        var head = [UInt8](repeating: 0, count: AssetHead.byteCount)
        let count = try head.withUnsafeMutableBytes { try FileSystem.read(file, at: 0, into: $0) }
        head.removeLast(head.count - count)
        self.head = head
    }

    func read(at offset: Int64, count: Int) async throws -> ByteBuffer {
        let count = Int(min(Int64(count), max(0, size - offset)))
        return try await threads.runIfActive { [file] in
            var buffer = ByteBufferAllocator().buffer(capacity: count)
            try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { target in
                try FileSystem.read(
                    file, at: offset, into: UnsafeMutableRawBufferPointer(rebasing: target.prefix(count)))
            }
            return buffer
        }
    }
}
