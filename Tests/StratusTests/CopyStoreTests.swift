import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordStorageOpening
import RecordStorageSQLite
import RecordWire
import TestSeeds
import Testing

@testable import stratus

@Suite struct CopyStoreTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/from" }
    private var copy: String { directory.path + "/to" }

    init() throws { directory = try TemporaryDirectory() }

    private func fill() async throws {
        let store = try SQLiteStore(directory: path)
        let tenant = Tenant(container: try ContainerID("iCloud.x"), environment: .production)
        _ = try await Users.add("ada", to: tenant, store: store, environment: .system)
        await store.close()
        _ = try ServerSecret.key(in: path)
    }

    private func run(_ console: MemoryConsole) async throws -> CopyReport {
        let (source, target) = try CopySide.both(from: path, to: copy, fromData: nil, toData: nil)
        return try await CopyStoreCommand.copy(source, target, console: console.console())
    }

    @Test func `A data directory goes over with its secret`() async throws {
        try await fill()
        let report = try await run(MemoryConsole())
        #expect(report.matches && report.from.counts[.users] == 1)
        #expect(report.text(width: nil).contains("users"))
        let json = try #require(JSONReader.read(report.json).object)
        #expect(json["matches"]?.bool == true)
        #expect(try ServerSecret.key(in: path) == ServerSecret.key(in: copy))
        let attributes = try FileManager.default.attributesOfItem(atPath: copy + "/stratus.secret")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        await (try SQLiteStore(directory: copy)).close()
    }

    @Test func `Full, used and unfinished stores are refused`() async throws {
        try await fill()
        let server = try SQLiteStore(directory: path)
        var failure = await #expect(throws: Failure.self) { try await run(MemoryConsole()) }
        #expect(failure?.remedy?.hasPrefix("Stop all servers") == true)
        await server.close()
        _ = try await run(MemoryConsole())
        let error = await #expect(throws: StorageError.self) { try await run(MemoryConsole()) }
        #expect(error?.code == "STORAGE_NOT_EMPTY")
        let store = try SQLiteStore(directory: copy)
        try await store.write { try $0.markUnfinishedCopy(true) }
        await store.close()
        failure = await #expect(throws: Failure.self) { try await run(MemoryConsole()) }
        #expect(failure?.sentence.contains("was not finished") == true)
    }

    @Test func `A secret that is there is not replaced`() async throws {
        try await fill()
        _ = try ServerSecret.key(in: copy)
        let failure = await #expect(throws: Failure.self) { try await run(MemoryConsole()) }
        #expect(failure?.sentence.contains("secret of its own") == true)
        await (try SQLiteStore(directory: copy)).close()
    }

    @Test func `Wrong arguments are refused with what to do`() async throws {
        try await fill()
        let wrong: [(from: String, to: String, says: String)] = [
            (path, path, "into itself"), (path, path + "/../from", "into itself"),
            (path, "sqlite:" + path, "into itself"), ("memory:", copy, "memory"),
            (path, "sqlite:", "no directory"),
            (path, "mysql://x", "no store of the kind"), ("", copy, "no name"),
            (directory.path + "/nothing", copy, "no stratus.sqlite"),
            ("postgres://nobody@/x", copy, "not known where the files"),
        ]
        for (from, to, says) in wrong {
            let failure = #expect(throws: Failure.self, "\(from) \(to)") {
                _ = try CopySide.both(from: from, to: to, fromData: nil, toData: nil)
            }
            #expect(failure?.sentence.contains(says) == true, "\(failure?.sentence ?? "")")
            #expect(failure?.exitCode == Failure.usageCode && failure?.remedy != nil)
        }
        #expect(!FileManager.default.fileExists(atPath: copy))
    }

    @Test func `Data directories are where somebody names them`() async throws {
        try await fill()
        let postgres = "postgres://nobody@/x"
        let there = try CopySide.both(from: path, to: postgres, fromData: nil, toData: nil)
        #expect(there.target.dataDirectory == path && there.source.sharesFiles(with: there.target))
        let back = try CopySide.both(from: postgres, to: copy, fromData: path, toData: nil)
        #expect(back.source.dataDirectory == path && back.target.dataDirectory == copy)
        #expect(!back.source.sharesFiles(with: back.target))
        let other = try CopySide.both(from: path, to: postgres, fromData: nil, toData: copy)
        #expect(!other.source.sharesFiles(with: other.target))
    }

    @Test func `An empty store is not copied`() async throws {
        await (try SQLiteStore(directory: path)).close()
        let failure = await #expect(throws: Failure.self) { try await run(MemoryConsole()) }
        #expect(failure?.sentence.contains("holds nothing") == true)
        #expect(!FileManager.default.fileExists(atPath: copy))
    }
}
