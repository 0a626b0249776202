import Crypto
import Foundation
import NIOCore
import NIOPosix
import RecordModel
import RecordStorage
import Synchronization

/// A file on its way in: hashed while it is written under a name of no meaning.
final class FileAssetWriter: AssetWriter {
    private struct State {
        var hasher = SHA256()
        var size: Int64 = 0
        /// What waits to be written: the network gives small pieces, the disk wants large ones.
        var pending = ByteBuffer()
        var digest: AssetDigest?
        var isPlaced = false
    }

    private let paths: AssetPaths
    private let folders: DurableFolders
    private let path: String
    private let file: FileSystem.Descriptor
    private let threads: NIOThreadPool
    private let onPlaced: @Sendable (AssetDigest) -> Void
    // One task uses a writer; the lock is for the threads that it goes through, and nobody waits for it.
    private let state = Mutex(State())

    /// How many bytes are written and hashed at once.
    private static let pieceBytes = 262_144

    init(
        paths: AssetPaths, folders: DurableFolders, threads: NIOThreadPool,
        onPlaced: @escaping @Sendable (AssetDigest) -> Void
    ) async throws {
        self.onPlaced = onPlaced
        self.paths = paths
        self.folders = folders
        self.threads = threads
        (path, file) = try await threads.runIfActive {
            while true {
                let path = paths.uploads + "/" + UUID().uuidString
                guard let file = try FileSystem.open(path, O_WRONLY | O_CREAT | O_EXCL) else {
                    throw StorageError.engine("The folder \(paths.uploads) does not exist any more.")
                }
                // Another process that starts just now may have taken the file for nobody's before it was locked.
                if try FileSystem.lock(file, path: path), try FileSystem.hasName(file, path: path) {
                    return (path, file)
                }
            }
        }
    }

    deinit {
        guard !state.withLock(\.isPlaced) else { return }
        // What cannot be removed is removed as unfinished at the next start. Not here: this may be a thread that must not block.
        threads.submit { [path] _ in try? FileSystem.remove(path) }
    }

    func write(_ bytes: ByteBuffer) async throws {
        let isEnough = state.withLock { state in
            var bytes = bytes
            state.pending.writeBuffer(&bytes)
            return state.pending.readableBytes >= Self.pieceBytes
        }
        if isEnough { try await threads.runIfActive { try self.flush() } }
    }

    private func flush() throws {
        try state.withLock { state in
            try state.pending.withUnsafeReadableBytes { bytes in
                state.hasher.update(bufferPointer: bytes)
                state.size += Int64(bytes.count)
                try FileSystem.write(bytes, to: file, path: path)
            }
            state.pending.clear()
        }
    }

    func finish() async throws -> AssetContent {
        try await threads.runIfActive {
            try self.flush()
            try FileSystem.sync(self.file, path: self.path)
            return try self.state.withLock { state in
                guard let digest = AssetDigest(bytes: Array(state.hasher.finalize())) else {
                    throw StorageError.engine("A digest has the wrong length.")
                }
                state.digest = digest
                state.pending = ByteBuffer()
                return AssetContent(digest: digest, size: state.size)
            }
        }
    }

    func place() async throws {
        try await threads.runIfActive {
            guard let digest = self.state.withLock(\.digest) else {
                throw StorageError.engine("An upload was placed before its end.")
            }
            let folder = try self.folders.make(for: digest)
            try FileSystem.move(self.path, to: self.paths.path(of: digest))
            self.state.withLock { $0.isPlaced = true }
            try FileSystem.sync(folder: folder)
            self.onPlaced(digest)
        }
    }

    func abandon() async {
        guard !state.withLock(\.isPlaced) else { return }
        // A task that was cancelled cleans up as well, so this does not go through what cancelling stops.
        await withCheckedContinuation { continuation in
            threads.submit { [path] _ in
                // What cannot be removed is removed as unfinished at the next start.
                try? FileSystem.remove(path)
                continuation.resume()
            }
        }
    }
}
