import Foundation
import SQLiteAccess
import TestSupport
import Testing

@testable import CoreDataSQLiteStore
@testable import StratusCoreData

#if canImport(Glibc)
import Glibc
#endif

/// A process is killed while it migrates: the older store or the newer one is there whole.
@Suite(.serialized) struct KillTests {
    private static let variable = "STRATUS_KILL_STORE"
    private static let books = 40_000

    /// The process that is killed: this test alone, in a program of its own.
    @Test(
        "Migrates the store that the environment names",
        .enabled(if: ProcessInfo.processInfo.environment[variable] != nil))
    func child() throws {
        let path = try #require(ProcessInfo.processInfo.environment[Self.variable])
        try Data().write(to: URL(fileURLWithPath: path + ".started"))
        try NSPersistentStoreCoordinator.migrateStore(
            at: URL(fileURLWithPath: path), to: LibraryModels.second())
        try Data().write(to: URL(fileURLWithPath: path + ".finished"))
    }

    @Test(
        "Killed at any moment, one of the two stores is there whole",
        .enabled(if: ProcessInfo.processInfo.environment[variable] == nil))
    func kill() throws {
        let seed = Seed.some(1)[0]
        var random = seed.random
        let directory = try TemporaryDirectory()
        let original = URL(fileURLWithPath: directory.path + "/Original.sqlite")
        try makeStore(original)
        let whole = try #require(try run(copy(original, directory, "whole"), after: nil))
        #expect(try state(whole.url) == .newer)
        var seen: [State] = []
        var left = 0
        let end = Date().addingTimeInterval(12)
        while Date() < end, seen.count < 40 {
            let moment = Double(random.int(0...1_000)) / 1_000 * whole.seconds * 1.1
            let url = try copy(original, directory, "killed\(seen.count)")
            _ = try run(url, after: moment)
            if FileManager.default.fileExists(atPath: url.path + ".migrating") { left += 1 }
            let found = try state(url)
            seen.append(found)
            if found == .older {
                // What the attempt left is in nobody's way.
                try NSPersistentStoreCoordinator.migrateStore(at: url, to: LibraryModels.second())
                #expect(try state(url) == .newer, "\(seed.testDescription)")
                #expect(!FileManager.default.fileExists(atPath: url.path + ".migrating"))
            }
            try StoreFiles.remove(url)
        }
        #expect(seen.contains(.older), "killed only after the end: \(seen.count) times")
        #expect(left > 0, "never killed while there was a copy: \(seen.count) times")
    }

    private enum State { case older, newer }

    /// Which store is there; fails where it is not whole.
    private func state(_ url: URL) throws -> State {
        let connection = try SketchStore.connect(url)
        defer { connection.close() }
        #expect(try connection.rows("PRAGMA integrity_check") == [[.text("ok")]])
        let numbers = try StoredState.schema(connection).numbers
        let isNew = numbers["Aisle"] != nil
        let model = isNew ? LibraryModels.second() : LibraryModels.first()
        let layout = try SketchStore.layout(model, connection)
        let entity = try #require(model.entitiesByName["Book"])
        let book = try #require(layout.table(of: entity))
        let title = isNew ? "ZNAME" : "ZTITLE"
        #expect(
            try connection.number("SELECT count(*) FROM ZBOOK WHERE Z_ENT = \(book.number)")
                == Int64(Self.books))
        #expect(
            try connection.number("SELECT count(*) FROM ZBOOK WHERE \(title) = 'Title ' || Z_PK")
                == Int64(Self.books))
        #expect(
            try connection.number("SELECT sum(ZPAGES) FROM ZBOOK") == Int64(Self.books * (Self.books + 1) / 2)
        )
        return isNew ? .newer : .older
    }

    private func makeStore(_ url: URL) throws {
        try LibraryModels.makeStore(url, books: 0)
        let connection = try SketchStore.connect(url)
        defer { connection.close() }
        let number = try connection.number("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'")
        try connection.execute(
            """
            INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZPAGES, ZTITLE, ZNOTES)
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.books))
            SELECT i, \(number), 1, i, 'Title ' || i, hex(randomblob(60)) FROM n;
            UPDATE Z_PRIMARYKEY SET Z_MAX = \(Self.books) WHERE Z_NAME = 'Book';
            """)
        // What was written last is still in the log.
    }

    private func copy(_ original: URL, _ directory: TemporaryDirectory, _ name: String) throws -> URL {
        let url = URL(fileURLWithPath: "\(directory.path)/\(name).sqlite")
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: original.path + suffix) {
            try FileManager.default.copyItem(atPath: original.path + suffix, toPath: url.path + suffix)
        }
        return url
    }

    /// Runs the other process, and kills it so many seconds after it began to migrate.
    private func run(_ url: URL, after moment: Double?) throws -> (url: URL, seconds: Double)? {
        let process = Process()
        process.executableURL = URL(
            fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        process.arguments = ["--testing-library", "swift-testing", "--filter", "KillTests/child"]
        process.environment = ProcessInfo.processInfo.environment.merging([Self.variable: url.path]) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let started = url.path + ".started"
        let patience = Date().addingTimeInterval(20)
        while !FileManager.default.fileExists(atPath: started), Date() < patience { usleep(500) }
        let start = Date()
        guard let moment else {
            process.waitUntilExit()
            #expect(FileManager.default.fileExists(atPath: url.path + ".finished"))
            return (url, Date().timeIntervalSince(start))
        }
        usleep(UInt32(moment * 1_000_000))
        _ = Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        return nil
    }
}
