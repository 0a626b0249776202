import AssetStorageFiles
import Foundation
import NIOCore
import RecordEngine
import RecordModel
import RecordStorage
import RecordStorageSQLite
import RecordWire
import TestSupport
import Testing

/// What disks and folders can do to files.
@Suite struct AssetDiskTests {
    /// A store whose disk is full: it reads, and cannot write.
    private struct FullStore: RecordStore {
        let store: any RecordStore

        func read<Value: Sendable>(
            _ effort: ReadEffort, for party: ReadParty,
            _ body: @escaping @Sendable (any StoreReader) throws -> Value
        ) async throws -> Value { try await store.read(effort, for: party, body) }

        func write<Value: Sendable>(
            _ effort: WriteEffort, _ body: @escaping @Sendable (any StoreWriter) throws -> Value
        ) async throws -> Value { throw StorageError.full(cause: CocoaError(.fileWriteOutOfSpace)) }

        func schema(of tenant: Tenant) -> Schema { store.schema(of: tenant) }
        func effort(of scan: RecordScan) -> ReadEffort { store.effort(of: scan) }
        func explain(_ scan: RecordScan) -> ScanExplanation { store.explain(scan) }
        func makeIndex(for scan: RecordScan) async throws { try await store.makeIndex(for: scan) }
        var health: StoreHealth { store.health }
        func close() async {}
    }

    @Test func `An upload that cannot be noted leaves nothing behind`() async throws {
        try await TestCloud.run { cloud in
            // Before the address is given: a service takes those from its own time only.
            let now = cloud.wait(milliseconds: 0)
            let token = try await cloud.uploadToken()
            let known = try await cloud.upload([1], token: token)
            let full = RecordService(
                store: FullStore(store: cloud.store),
                secret: ServiceSecret(bytes: Array(repeating: 7, count: 32)),
                environment: ServiceEnvironment(now: { now }, random: { Array(repeating: 0, count: $0) }),
                assets: try FileAssetStore(directory: cloud.assetPaths.root))
            for byte: UInt8 in [1, 2] {
                let body = AsyncStream<ByteBuffer> { continuation in
                    continuation.yield(ByteBuffer(bytes: [byte]))
                    continuation.finish()
                }
                let error = await #expect(throws: StorageError.self) {
                    try await full.upload(body, token: "/\(token)")
                }
                #expect(error?.code == "STORAGE_FULL")
            }
            let left = cloud.assetPaths.digests(after: nil, limit: 9).map(\.checksum)
            #expect(left == [known["fileChecksum"].string ?? ""], "what an earlier upload noted stays")
            #expect(cloud.assetPaths.unfinished.isEmpty)
        }
    }

    @Test func `Only ordinary files are files`() async throws {
        let home = try TemporaryDirectory()
        let secret = home.path + "/secret"
        try Data([1]).write(to: URL(fileURLWithPath: secret))
        let store = try FileAssetStore(directory: home.path + "/assets")
        let paths = AssetPaths(root: home.path + "/assets")
        let digests = (1...3).compactMap { AssetDigest(bytes: Array(repeating: $0, count: 32)) }
        for digest in digests {
            let folder = URL(fileURLWithPath: paths.path(of: digest)).deletingLastPathComponent().path
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        try FileManager.default.createSymbolicLink(
            atPath: paths.path(of: digests[0]), withDestinationPath: secret)
        try FileManager.default.createDirectory(
            atPath: paths.path(of: digests[1]), withIntermediateDirectories: false)
        try #require(mkfifo(paths.path(of: digests[2]), 0o600) == 0)
        for digest in digests {
            #expect(try await store.open(digest) == nil, "a link, a folder and a pipe are none")
            let content = AssetContent(digest: digest, size: 1)
            #expect(paths.condition(of: content, readsBytes: true) == .missing)
            #expect(paths.condition(of: content, readsBytes: false) == .missing)
        }
        #expect(try await store.files(after: nil, limit: 10).isEmpty)
    }

    @Test func `A file that rotted is found, and uploading it again repairs it`() async throws {
        try await TestCloud.run { cloud in
            let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
            try await cloud.save("r", file: try await cloud.upload(bytes))
            let digest = try #require(cloud.assetPaths.digests(after: nil, limit: 1).first)
            let content = AssetContent(digest: digest, size: Int64(bytes.count))
            #expect(cloud.assetPaths.condition(of: content, readsBytes: true) == .good)
            var rotten = bytes
            rotten[70_000] ^= 1
            let path = URL(fileURLWithPath: cloud.assetPaths.path(of: digest))
            try Data(rotten).write(to: path)
            #expect(cloud.assetPaths.condition(of: content, readsBytes: false) == .good)
            #expect(cloud.assetPaths.condition(of: content, readsBytes: true) == .damaged(size: 100_000))
            try Data(bytes.dropLast()).write(to: path)
            for readsBytes in [true, false] {
                #expect(
                    cloud.assetPaths.condition(of: content, readsBytes: readsBytes)
                        == .damaged(size: 99_999))
            }
            _ = try await cloud.upload(bytes)
            #expect(cloud.assetPaths.condition(of: content, readsBytes: true) == .good)
            let record = try #require(await cloud.record("r"))
            let url = try #require(record["fields"]["file"]["value"]["downloadURL"].string)
            #expect(try await cloud.download(url) == bytes)
        }
    }
}
