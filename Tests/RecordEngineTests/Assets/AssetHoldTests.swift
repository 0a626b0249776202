import AssetStorageFiles
import Foundation
import NIOCore
import RecordModel
import RecordStorage
import RecordWire
import Synchronization
import TestSupport
import Testing

@testable import RecordEngine

/// Two nodes share a folder of files: one sweeps, the other takes in the same content.
@Suite struct AssetHoldTests {
    /// A folder of files whose removals stop for a while, as a node does that the machine has no time for.
    private final class SlowToDelete: AssetStore {
        private let base: FileAssetStore
        private let gate = Mutex<(isOpen: Bool, waiting: CheckedContinuation<Void, Never>?)>((false, nil))

        init(_ base: FileAssetStore) { self.base = base }

        /// Whether a removal waits.
        var isDeleting: Bool { gate.withLock { $0.waiting != nil } }

        func open() {
            let waiting = gate.withLock { gate in
                defer { gate = (true, nil) }
                return gate.waiting
            }
            waiting?.resume()
        }

        func delete(_ digest: AssetDigest) async throws {
            await withCheckedContinuation { continuation in
                let isOpen = gate.withLock { gate in
                    if !gate.isOpen { gate.waiting = continuation }
                    return gate.isOpen
                }
                if isOpen { continuation.resume() }
            }
            try await base.delete(digest)
        }

        func beginUpload() async throws -> any AssetWriter { try await base.beginUpload() }
        func open(_ digest: AssetDigest) async throws -> (any AssetReader)? { try await base.open(digest) }
        func hold(_ digest: AssetDigest) async throws -> any Sendable { try await base.hold(digest) }
        func files(after digest: AssetDigest?, limit: Int) async throws -> [AssetFile] {
            try await base.files(after: digest, limit: limit)
        }
    }

    @Test
    func `A file that one node removes and another takes in again is there when its upload is acknowledged`()
        async throws
    {
        try await TestCloud.run { cloud in
            let first = try await cloud.upload([1])
            let checksum = try #require(first["fileChecksum"].string)
            let now = cloud.wait(milliseconds: Int64(Limits.assetGraceSeconds) * 1_000)
            let files = SlowToDelete(try FileAssetStore(directory: cloud.assetPaths.root))
            let sweep = AssetSweep(
                store: cloud.store, files: files, now: now, graceMilliseconds: 0, sparesForeign: false)
            let sweeping = Task { try await sweep.run() }
            #expect(try await eventually { files.isDeleting }, "the row is gone, the file is not")

            let isAcknowledged = Atomic(false)
            let uploading = Task {
                let asset = try await cloud.upload([1])
                isAcknowledged.store(true, ordering: .relaxed)
                return asset
            }
            // Time enough for an upload that nothing keeps back.
            try await Task.sleep(for: .milliseconds(300))
            let isEarly = isAcknowledged.load(ordering: .relaxed)
            #expect(!isEarly)
            files.open()
            #expect(try await sweeping.value.unused == 1)
            #expect(try await uploading.value["fileChecksum"].string == checksum)
            #expect(cloud.assetPaths.digests(after: nil, limit: 9).map(\.checksum) == [checksum])
            #expect(try await cloud.save("r", file: try await uploading.value).codes == [nil])
        }
    }

    @Test func `A lock ends with who let it go, and another content waits for nobody`() async throws {
        let directory = try TemporaryDirectory()
        let (one, other) = (
            try FileAssetStore(directory: directory.path), try FileAssetStore(directory: directory.path)
        )
        let digest = try #require(AssetDigest(bytes: Array(repeating: 1, count: 32)))
        let far = try #require(AssetDigest(bytes: Array(repeating: 2, count: 32)))
        var held: (any Sendable)? = try await one.hold(digest)
        _ = try await other.hold(far)
        let waiting = Task { try await other.hold(digest) }
        try await Task.sleep(for: .milliseconds(50))
        held = nil
        _ = held
        _ = try await waiting.value
    }
}
