import Foundation
import RecordModel
import RecordStorage
import TestSupport
import Testing

@testable import RecordStorageSQLite

/// Which time the commits have that a process made just before it was killed.
@Suite struct SpoolTimeTests {
    @Test
    func
        `What was not copied before a kill has the time of the last write before it, not that of the next start`()
        async throws
    {
        let home = try TemporaryDirectory()
        let first = try SQLiteStore(directory: home.path + "/first")
        try await first.write { writer in
            _ = try writer.makeDatabase(
                DatabaseID(
                    tenant: Tenant(container: try ContainerID("iCloud.test"), environment: .development),
                    owner: "_alice"))
        }
        // The files as a kill leaves them, an hour ago.
        try FileManager.default.createDirectory(
            atPath: home.path + "/second", withIntermediateDirectories: true)
        for name in ["stratus.sqlite", "stratus.sqlite-wal"] {
            try FileManager.default.copyItem(
                atPath: "\(home.path)/first/\(name)", toPath: "\(home.path)/second/\(name)")
        }
        await first.close()
        let killed: Int64 = 1_760_000_000_123
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: Double(killed) / 1_000)],
            ofItemAtPath: home.path + "/second/stratus.sqlite-wal")
        let second = try SQLiteStore(directory: home.path + "/second")
        // Something that a start writes before it archives.
        try await second.write { _ = try $0.nextSequence() }
        let folder = home.path + "/spool"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let spool = LogSpool(folder: folder, mostBytes: 1 << 30)
        #expect(await second.resumeSpool(spool, chain: "c", number: 1, at: nil))
        try await second.write { _ = try $0.nextSequence() }
        // The writing thread copies a commit after it has answered.
        await second.copyLog()
        spool.rotate()
        var times: [Int64] = []
        for name in spool.files { try SpoolFile.read(folder + "/" + name) { times.append($0.time) } }
        await second.close()
        let found = try #require(times.first)
        #expect(abs(found - killed) <= 1, "A double has not every millisecond.")
        #expect(times.count >= 2 && times.dropFirst().allSatisfy { $0 > killed + 1_000_000 })
    }
}
