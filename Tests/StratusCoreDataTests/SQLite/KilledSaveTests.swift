import Foundation
import SQLiteAccess
import TestSupport
import Testing

@testable import StratusCoreData

#if canImport(Glibc)
import Glibc
#endif

/// A process is killed while it saves: what it was told is saved is there, and no save is there in part.
@Suite(.serialized) struct KilledSaveTests {
    private static let variable = "STRATUS_KILL_SAVES"
    private static let batch = 20

    private static func items() -> NSManagedObjectModel {
        model([
            entity(
                "Item",
                [
                    attribute("round", .integer64AttributeType),
                    attribute("bytes", .binaryDataAttributeType) {
                        $0.allowsExternalBinaryDataStorage = true
                    },
                ])
        ])
    }

    /// The process that is killed: this test alone, in a program of its own.
    @Test(.enabled(if: ProcessInfo.processInfo.environment[variable] != nil)) func child() throws {
        let folder = try #require(ProcessInfo.processInfo.environment[Self.variable])
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.items())
        try coordinator.addPersistentStore(
            type: .sqlite, at: URL(fileURLWithPath: folder + "/Test.sqlite"),
            options: [NSPersistentHistoryTrackingKey: true])
        let told = try #require(FileHandle(forWritingAtPath: folder + "/told"))
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            for round in 1...100_000 {
                for index in 0..<Self.batch {
                    let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
                    item.setValue(round, forKey: "round")
                    if index == 0 {
                        item.setValue(Data(repeating: UInt8(round % 256), count: 120_000), forKey: "bytes")
                    }
                }
                try context.save()
                try told.write(contentsOf: Data([1]))
            }
        }
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment[variable] == nil)) func killed() throws {
        var random = Seed.some(1)[0].random
        for _ in 0..<4 {
            let bench = try StoreBench(Self.items(), options: [NSPersistentHistoryTrackingKey: true])
            try bench.close()
            let told = bench.directory.path + "/told"
            try Data().write(to: URL(fileURLWithPath: told))
            try run(
                in: bench.directory.path, told: told, saves: random.int(1...12),
                microseconds: random.int(0...20_000))
            let acknowledged = try Data(contentsOf: URL(fileURLWithPath: told)).count
            #expect(acknowledged > 0)
            #expect(try bench.isWhole())
            let count = try bench.number("SELECT count(*) FROM ZITEM")
            #expect(count % Self.batch == 0)
            #expect(count / Self.batch >= acknowledged)
            #expect(
                try bench.number(
                    "SELECT count(*) FROM (SELECT 1 FROM ZITEM GROUP BY ZROUND HAVING count(*) <> \(Self.batch))"
                )
                    == 0)
            #expect(
                try bench.number("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Item'")
                    >= bench.number("SELECT max(Z_PK) FROM ZITEM"))
            #expect(try bench.number("SELECT count(*) FROM ACHANGE") == count)
            #expect(try FilesOnDisk.named(bench, bench.model).isSubset(of: FilesOnDisk.names(bench)))
            // And it goes on.
            try bench.reopen(options: [NSPersistentHistoryTrackingKey: true])
            let context = bench.context()
            try context.performAndWait {
                _ = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
                try context.save()
            }
            #expect(try bench.number("SELECT count(*) FROM ZITEM") == count + 1)
        }
    }

    /// Runs the child until it was told of so many saves, and a moment longer.
    private func run(in folder: String, told: String, saves: Int, microseconds: Int) throws {
        let process = Process()
        process.executableURL = URL(
            fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        process.arguments = ["--testing-library", "swift-testing", "--filter", "KilledSaveTests/child"]
        process.environment = ProcessInfo.processInfo.environment.merging([Self.variable: folder]) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let end = Date().addingTimeInterval(30)
        while Date() < end, process.isRunning {
            if ((try? Data(contentsOf: URL(fileURLWithPath: told)).count) ?? 0) >= saves { break }
            usleep(500)
        }
        usleep(UInt32(microseconds))
        _ = Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
