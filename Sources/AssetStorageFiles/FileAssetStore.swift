import Foundation
import NIOCore
import NIOPosix
public import RecordModel
public import RecordStorage

/// The files of assets in a folder, each under the digest of its content (`AssetStore` has the guarantees).
///
/// A file is written under a name of no meaning, brought to the disk, and only then renamed: whatever has a
/// digest for its name is whole. Nodes on one PostgreSQL share a folder: an upload belongs to the process that writes its file,
/// by a lock on the file that ends with the process, and to nobody then.
public final class FileAssetStore: AssetStore {
    private let paths: AssetPaths
    /// Files block whoever touches them, so threads of their own do, never those that Swift's tasks share.
    private let threads: NIOThreadPool
    private let folders: DurableFolders
    private let onPlaced: @Sendable (AssetDigest) -> Void

    /// Enough that a few uploads waiting for the disk hold no download back.
    private static let threadCount = 8
    /// How often a lock is asked for that another process has, and how long at most: nobody keeps one for longer than a write
    /// of the record store takes.
    private static let lockInterval = Duration.milliseconds(5)
    private static let mostLockTime = Duration.seconds(10)

    /// Opens the folder, making it where it is missing, and removes what processes that are gone did not finish.
    ///
    /// - Parameters:
    ///   - directory: the folder's path.
    ///   - onPlaced: called with each file that is on the disk, before any record can have it.
    /// - Throws: `StorageError` when the folder cannot be made or written to.
    public init(directory: String, onPlaced: @escaping @Sendable (AssetDigest) -> Void = { _ in }) throws {
        self.onPlaced = onPlaced
        paths = AssetPaths(root: directory)
        do {
            for folder in [paths.uploads, paths.locks] {
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            }
        } catch {
            throw StorageError.engine("The folder \(directory) cannot be made.", error)
        }
        // What is below is brought to the disk one by one; a crash must not take the folder above it away.
        try FileSystem.sync(folder: directory)
        try FileSystem.sync(
            folder: URL(fileURLWithPath: directory, isDirectory: true).deletingLastPathComponent().path)
        for name in paths.unfinished { try FileSystem.removeUnlocked(paths.uploads + "/" + name) }
        folders = DurableFolders(paths: paths)
        threads = NIOThreadPool(numberOfThreads: Self.threadCount)
        threads.start()
    }

    deinit { threads.shutdownGracefully { _ in } }

    public func beginUpload() async throws -> any AssetWriter {
        try await FileAssetWriter(
            paths: paths, folders: folders, threads: threads, onPlaced: onPlaced)
    }

    public func open(_ digest: AssetDigest) async throws -> (any AssetReader)? {
        try await threads.runIfActive { [paths, threads] in
            try FileAssetReader(path: paths.path(of: digest), threads: threads)
        }
    }

    public func delete(_ digest: AssetDigest) async throws {
        try await threads.runIfActive { [paths] in
            try FileSystem.remove(paths.path(of: digest))
        }
    }

    public func hold(_ digest: AssetDigest) async throws -> any Sendable {
        let path = paths.lock(of: digest)
        let end = ContinuousClock.now + Self.mostLockTime
        while true {
            // Asked, never waited for: a thread that waits would be missing to everybody's downloads.
            let file = try await threads.runIfActive { () -> FileSystem.Descriptor? in
                guard let file = try FileSystem.open(path, O_RDWR | O_CREAT | O_NOFOLLOW) else {
                    throw StorageError.engine("The folder of \(path) does not exist any more.")
                }
                return try FileSystem.lock(file, path: path) ? file : nil
            }
            if let file { return file }
            guard ContinuousClock.now < end else { throw StorageError.held(path: path) }
            try await Task.sleep(for: Self.lockInterval)
        }
    }

    public func files(after digest: AssetDigest?, limit: Int) async throws -> [AssetFile] {
        try await threads.runIfActive { [paths] in
            // One that goes meanwhile is left out.
            try paths.digests(after: digest, limit: limit).compactMap { digest in
                guard let status = try FileSystem.status(of: paths.path(of: digest)) else { return nil }
                return AssetFile(digest: digest, size: status.size, modifiedAt: status.modifiedAt)
            }
        }
    }
}
