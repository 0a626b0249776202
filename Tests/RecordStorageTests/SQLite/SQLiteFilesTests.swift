import Foundation
import RecordModel
import RecordStorage
import RecordStorageConformance
import SQLiteAccess
import Synchronization
import TestSupport
import Testing

@testable import RecordStorageSQLite

/// What is particular to the engine in files: locks, versions, damage, a disk without room.
@Suite struct SQLiteFilesTests {
    @Test func `A second server of a directory is refused, a command beside it is not`() async throws {
        let directory = try TemporaryDirectory()
        let first = try SQLiteStore(directory: directory.path)
        let error = #expect(throws: StorageError.self) { try SQLiteStore(directory: directory.path) }
        #expect(error?.code == "STORAGE_LOCKED")
        let beside = try SQLiteStore(directory: directory.path, sharing: .shared)
        let ground = try await Ground.make(beside, type: "Beside")
        try await beside.write { try ground.save("a", in: $0) }
        #expect(try await first.read(.short) { try $0.record(named: "a", in: ground.zone.id) } != nil)
        // The server learns of the type, at the latest with its own next write.
        try await first.write { store in
            #expect(try store.schema(of: ground.tenant).types["Beside"]?.fields.count == 2)
            try ground.save("b", ["n": .int64(1)], in: store)
        }
        await beside.close()
        await first.close()
        let third = try SQLiteStore(directory: directory.path)
        #expect(try await third.read(.long) { try ground.names(ground.scan(), in: $0).names } == ["a", "b"])
        await third.close()
    }

    @Test
    func `A type that another process made is known without a write`() async throws {
        let directory = try TemporaryDirectory()
        let server = try SQLiteStore(directory: directory.path)
        let beside = try SQLiteStore(directory: directory.path, sharing: .shared)
        let ground = try await Ground.make(beside, type: "Beside")
        await beside.close()
        #expect(
            try await eventually { server.schema(of: ground.tenant).types["Beside"] == ground.type })
        await server.close()
    }

    @Test func `Work in the background that fails is told, counted and done once it can be`() async throws {
        let directory = try TemporaryDirectory()
        let told = Mutex<[String]>([])
        let store = try SQLiteStore(directory: directory.path) { sentence in
            told.withLock { $0.append(sentence) }
        }
        let ground = try await Ground.make(store, zone: "Gone")
        try await store.write { store in
            for number in 0..<500 { try ground.save("r\(number)", in: store) }
        }
        let other = try Connection(
            path: directory.path + "/" + SQLiteStore.fileName, role: .writer, cacheKiB: 512)
        try other.execute(
            "CREATE TRIGGER no BEFORE DELETE ON job BEGIN SELECT RAISE(ABORT, 'not now'); END")
        try await store.write { try $0.deleteZone(ground.zone) }
        #expect(try await eventually { told.withLock { !$0.isEmpty } })
        #expect(told.withLock { $0.first?.contains("not now") == true })
        #expect(store.gauges.contains { $0.name == "background_failures" && $0.value > 0 })
        #expect(store.health == .good)
        try other.execute("DROP TRIGGER no")
        #expect(try await eventually { store.backgroundWork == BackgroundWork() })
        await store.close()
    }

    /// As a command does that removes a type from a server's store.
    @Test func `What another process leaves to remove is removed beside the server's own writes`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let server = try SQLiteStore(directory: directory.path)
        let ground = try await Ground.make(server, type: "Gone")
        let other = try await Ground.make(server, zone: "Other", type: "Kept")
        try await server.write { store in
            for number in 0..<3_000 { try ground.save("r\(number)", in: store) }
        }
        let over = Atomic<Bool>(false)
        let writer = Task {
            var number = 0
            while !over.load(ordering: .relaxed) {
                number += 1
                let name = "w\(number)"
                try await server.write { try other.save(name, in: $0) }
            }
        }
        let beside = try SQLiteStore(directory: directory.path, sharing: .shared)
        try await beside.write { try $0.removeType(ground.type, tenant: ground.tenant) }
        await beside.close()
        let isRemoved = try await eventually {
            try await server.read(.short) { store in
                let reader = try #require(store as? SQLiteReader)
                return try reader.connection.int(
                    "SELECT count(*) FROM directory WHERE zone = \(ground.zone.id) AND deleted = 0") == 0
                    && reader.connection.int("SELECT count(*) FROM job") == 0
            }
        }
        over.store(true, ordering: .relaxed)
        try await writer.value
        #expect(isRemoved)
        await server.close()
    }

    @Test func `A file of a newer version is refused, and stays as it is`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        try await store.write { store in
            let writer = try #require(store as? SQLiteWriter)
            try writer.connection.execute("INSERT INTO grdb_migrations VALUES ('99: a layout of the future')")
        }
        await store.close()
        for _ in 0..<2 {
            let error = #expect(throws: StorageError.self) { try SQLiteStore(directory: directory.path) }
            #expect(error?.code == "STORAGE_VERSION")
        }
    }

    @Test func `A file that is not a database, or a cut one, is refused as damaged`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/" + SQLiteStore.fileName
        try Data(repeating: 0x41, count: 8_192).write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: StorageError.self) { try SQLiteStore(directory: directory.path) }
        #expect(error?.code == "STORAGE_CORRUPT")
    }

    /// How a log that was left behind is damaged, by a page whose bytes are others: before commits that gave sequence numbers, in
    /// the last of these, and before commits that gave none, as slices of work in the background do.
    enum Damage: CaseIterable { case middle, last, unnumbered }

    @Test(arguments: Damage.allCases)
    func `A log is refused only where commits come after its damage, and stays as it is`(_ damage: Damage)
        async throws
    {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        let ground = try await Ground.make(store)
        for number in 0..<6 { try await store.write { try ground.save("r\(number)", in: $0) } }
        if damage == .unnumbered {
            for number in 0..<6 {
                let row = TokenRow(
                    kind: .api, tenant: ground.tenant, user: nil, label: "t", createdAt: 0, expiresAt: nil)
                try await store.write { try $0.insert(row, digest: [UInt8(number)]) }
            }
        }
        // As a process leaves it that is killed.
        let left = try TemporaryDirectory()
        let name = SQLiteStore.fileName
        for file in [name, name + "-wal"] {
            try FileManager.default.copyItem(
                atPath: directory.path + "/" + file, toPath: left.path + "/" + file)
        }
        await store.close()
        let url = URL(fileURLWithPath: left.path + "/" + name + "-wal")
        var log = try Data(contentsOf: url)
        let contents = try #require(try LogFile(path: url.path)).contents(databasePageBytes: 4_096)
        let commits = contents.frames.indices.filter {
            contents.frames[$0].commitPages > 0 && contents.frames[$0].isWhole
        }
        let frame = try #require(commits.dropLast(damage == .last ? 0 : 4).last)
        log[
            WalFrame.fileHeaderBytes + frame * (contents.pageBytes + WalFrame.headerBytes)
                + WalFrame.headerBytes] ^= 1
        try log.write(to: url)
        switch damage {
        case .middle:
            for _ in 0..<2 {
                let error = #expect(throws: StorageError.self) { try SQLiteStore(directory: left.path) }
                #expect(error?.code == "STORAGE_CORRUPT" && error?.remedy.contains("--recover") == true)
                #expect(try Data(contentsOf: url) == log)
            }
        case .last, .unnumbered:
            // As a power cut may leave it, and nobody was told of that commit.
            let store = try SQLiteStore(directory: left.path)
            #expect(try await store.read(.short) { try $0.lastSequence() } > 0)
            await store.close()
        }
    }

    @Test func `What a large write that was undone leaves in the log is no damage`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        let ground = try await Ground.make(store)
        await #expect(throws: TestFailure.self) {
            try await store.write { store in
                for number in 0..<24 {
                    var record = ground.record("r\(number)", sequence: try store.nextSequence())
                    record.body +=
                        Array(#","text":""#.utf8) + Array(repeating: UInt8(ascii: "x"), count: 1 << 20)
                        + Array(#"""#.utf8)
                    try store.insert(record)
                }
                throw TestFailure("It is undone.")
            }
        }
        try await store.write { try ground.save("a", in: $0) }
        let log = try StoreInspection.run(directory: directory.path).filter { $0.check == "log" }
        #expect(log.allSatisfy { $0.severity == .good }, "\(log)")
        await store.close()
    }

    @Test func `A directory that cannot be made or used is an error`() throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/file"
        try Data().write(to: URL(fileURLWithPath: file))
        #expect(throws: StorageError.self) { try SQLiteStore(directory: file) }
        #expect(throws: StorageError.self) { try SQLiteStore(directory: file + "/below") }
        let closed = directory.path + "/closed"
        try FileManager.default.createDirectory(
            atPath: closed + "/" + SQLiteStore.fileName, withIntermediateDirectories: true)
        #expect(throws: StorageError.self) { try SQLiteStore(directory: closed) }
    }

    @Test func `Without room writes fail as such, reads go on, and with room all is well again`() async throws
    {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        let ground = try await Ground.make(store)
        let large = String(repeating: "x", count: 100_000)
        try await store.write { try ground.save("before", ["t": .string(large)], in: $0) }
        try await Self.setPages("(SELECT page_count + 20 FROM pragma_page_count)", store)
        let outcomes = await withTaskGroup(of: String?.self) { group in
            for number in 0..<20 {
                group.addTask {
                    do {
                        try await store.write { try ground.save("r\(number)", ["t": .string(large)], in: $0) }
                        return nil
                    } catch {
                        return (error as? StorageError)?.code ?? "\(error)"
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(outcomes.compactMap { $0 }) == ["STORAGE_FULL"])
        #expect(store.health == .good)
        let kept = try await store.read(.long) { try ground.names(ground.scan(), in: $0).names }
        #expect(kept.count == 1 + outcomes.count { $0 == nil })
        #expect(kept.contains("before"))
        let error = await #expect(throws: StorageError.self) {
            try await store.write { try ground.save("full", ["t": .string(large)], in: $0) }
        }
        #expect(error?.isTemporary == true)
        try await Self.setPages("1000000", store)
        try await store.write { try ground.save("after", ["t": .string(large)], in: $0) }
        await store.close()
        let again = try SQLiteStore(directory: directory.path)
        #expect(
            try await again.read(.long) { try ground.names(ground.scan(), in: $0).names } == kept + ["after"])
        await again.close()
    }

    private static func setPages(_ count: String, _ store: SQLiteStore) async throws {
        try await store.write { store in
            let writer = try #require(store as? SQLiteWriter)
            let pages = try writer.connection.statement("SELECT \(count)")
            defer { pages.reset() }
            #expect(try pages.step())
            try writer.connection.execute("PRAGMA max_page_count = \(pages.int(0))")
        }
    }

    @Test func `Numbers of rows end where they would run into each other`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        let ground = try await Ground.make(store)
        #expect(RowID.make(zone: RowID.lastZone, sequence: RowID.lastSequence) == .max)
        #expect(RowID.last(of: RowID.lastZone) == .max)
        // Zones of before there were shared slots keep theirs: the first of four million tell their number, all 2^23
        // have one of their own.
        for zone: Int64 in [1, RowID.firstShared - 1, RowID.firstShared, 8_388_607] {
            #expect(RowID.make(zone: zone, sequence: 7) == zone << 40 | 7)
            #expect(RowID.zone(of: zone << 40 | 7) == (zone < RowID.firstShared ? zone : nil))
        }
        #expect(RowID.first(of: 1 << 23) == RowID.first(of: 1 << 22))
        await #expect(throws: StorageError.self) {
            try await store.write { store in
                let writer = try #require(store as? SQLiteWriter)
                try writer.run("UPDATE sqlite_sequence SET seq = ? WHERE name = 'zone'", .int(RowID.lastZone))
                _ = try writer.makeZone(named: "One", in: ground.zone.database)
            }
        }
        // It was undone.
        try await store.write { try ground.save("a", in: $0) }
        // The doctor counts zones with shared slots apart.
        try await store.write { store in
            let writer = try #require(store as? SQLiteWriter)
            try writer.run(
                "UPDATE sqlite_sequence SET seq = ? WHERE name = 'zone'", .int(2 * RowID.firstShared))
            let other = try writer.makeDatabase(DatabaseID(tenant: ground.tenant, owner: "_bob"))
            var far = ground
            far.zone = try #require(try writer.zone(named: ZoneID.defaultName, in: other))
            #expect(far.zone.id > 2 * RowID.firstShared)
            try far.save("b", in: store)
        }
        await #expect(throws: StorageError.self) {
            try await store.write { store in
                let writer = try #require(store as? SQLiteWriter)
                try writer.run("UPDATE meta SET value = ? WHERE key = 'sequence'", .int(RowID.lastSequence))
                try writer.begin()
                _ = try writer.nextSequence()
            }
        }
        await store.close()
        let findings = try StoreInspection.run(directory: directory.path).filter { $0.check == "usage" }
        #expect(findings.count == 1 && findings.allSatisfy { $0.severity == .good })
    }
}
