import AssetStorageFiles
import Crypto
import Foundation
import ObjectStorage
import RecordModel
import RecordStorage
import Synchronization
import TestSupport
import Testing

@testable import RecordBackup
@testable import RecordStorageSQLite

/// Files are in an archive before the records that have them.
@Suite struct ArchiveOrderTests {
    @Test func `A part of the log that ends while files are sent waits for the files that came since`()
        async throws
    {
        let home = try TemporaryDirectory()
        let data = home.path + "/data"
        let clock = ArchivedStore.TestClock(1_760_000_000_000)
        let store = try ArchivedStore.open(data, clock)
        let objects = WatchedObjects(FolderStore(path: home.path + "/archive"))
        let archiver = ArchivedStore.archiver(store, data, objects, clock, keeps: 86_400_000)
        await archiver.begin()
        let running = Task { await archiver.run() }
        #expect(try await eventually { archiver.status.earliest != nil })
        let database = try await store.write { writer in
            try writer.makeDatabase(
                DatabaseID(
                    tenant: Tenant(container: try ContainerID("iCloud.test"), environment: .development),
                    owner: "_alice"))
        }
        let files = try (0..<2).map { try Self.makeFile("file \($0)", in: data) }
        objects.whenFirst("/files/\(files[0].hex)") {
            // As a client does whose file and record come meanwhile, until the spool's file is full.
            archiver.note(files[1])
            try await store.write { _ = try $0.makeZone(named: "of-the-second-file", in: database) }
            await store.copyLog()
            archiver.spool.rotate()
        }
        archiver.note(files[0])
        #expect(try await eventually { objects.put.contains { $0.hasSuffix(files[1].hex) } })
        running.cancel()
        await running.value
        await store.close()
        let put = objects.put
        let sent = try #require(put.firstIndex { $0.hasSuffix(files[1].hex) })
        let log = try #require(put.lastIndex { $0.contains("/log/") })
        #expect(sent < log, "\(put)")
    }

    private static func makeFile(_ content: String, in data: String) throws -> AssetDigest {
        let digest = try #require(AssetDigest(bytes: Array(SHA256.hash(data: Data(content.utf8)))))
        let path = AssetPaths(root: data + "/" + AssetPaths.folderName).path(of: digest)
        let url = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(content.utf8).write(to: url)
        return digest
    }
}

/// A folder of objects that notes the order in which they come.
private final class WatchedObjects: ObjectStore {
    private struct State {
        var put: [String] = []
        var hook: (name: String, work: @Sendable () async throws -> Void)?
    }

    private let folder: FolderStore
    private let state = Mutex(State())

    init(_ folder: FolderStore) { self.folder = folder }

    var location: String { folder.location }

    /// The names of what was put, in their order.
    var put: [String] { state.withLock { $0.put } }

    /// Does something before an object is put for the first time.
    func whenFirst(_ name: String, _ work: @escaping @Sendable () async throws -> Void) {
        state.withLock { $0.hook = (name, work) }
    }

    private func note(_ name: String) async throws {
        let work = state.withLock { state in
            guard let hook = state.hook, name.hasSuffix(hook.name) else {
                return nil as (@Sendable () async throws -> Void)?
            }
            state.hook = nil
            return hook.work
        }
        try await work?()
        state.withLock { $0.put.append(name) }
    }

    func put(_ bytes: [UInt8], as name: String) async throws {
        try await note(name)
        try await folder.put(bytes, as: name)
    }

    func put(file path: String, as name: String) async throws {
        try await note(name)
        try await folder.put(file: path, as: name)
    }

    func get(_ name: String, maximumBytes: Int) async throws -> [UInt8] {
        try await folder.get(name, maximumBytes: maximumBytes)
    }

    func get(_ name: String, toFile path: String) async throws { try await folder.get(name, toFile: path) }
    func head(_ name: String) async throws -> ObjectInfo? { try await folder.head(name) }
    func list(_ prefix: String, from token: String?) async throws -> ObjectPage {
        try await folder.list(prefix, from: token)
    }
    func folders(in name: String) async throws -> [String] { try await folder.folders(in: name) }
    func delete(_ name: String) async throws { try await folder.delete(name) }
    func removeUnfinished(_ prefix: String) async throws { try await folder.removeUnfinished(prefix) }
}
