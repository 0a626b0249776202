import Foundation
import RecordStorage
import SQLiteAccess
import TestSeeds
import TestSupport
import Testing

@testable import RecordStorageSQLite

/// What is copied of a log that others write to as well.
@Suite struct LogSpoolTests {
    @Test func `What another process committed is copied before the log starts over`() async throws {
        let home = try TemporaryDirectory()
        let (data, folder) = (home.path + "/data", home.path + "/spool")
        let store = try SQLiteStore(directory: data)
        for path in [folder, data + "/" + SQLiteStore.archiveFolderName] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        let spool = LogSpool(folder: folder, mostBytes: 1 << 30)
        await store.beginSpool(spool, chain: "c")
        try await store.write { _ = try $0.nextSequence() }
        await store.copyLog()
        let beside = try SQLiteStore(directory: data, sharing: .shared)
        // As the thread that moves pages does when the server is idle.
        let connection = try Connection(
            path: data + "/" + SQLiteStore.fileName, role: .writer, cacheKiB: 512)
        try await beside.write { _ = try $0.nextSequence() }
        let before = spool.status.bytes
        #expect(store.log.empty(connection))
        #expect(try await eventually { spool.status.bytes > before })
        try await beside.write { _ = try $0.nextSequence() }
        await store.copyLog()
        connection.close()
        await beside.close()
        spool.rotate()
        var count = 0
        for name in spool.files { try SpoolFile.read(folder + "/" + name) { _ in count += 1 } }
        await store.close()
        #expect(count == 3)
    }
}
