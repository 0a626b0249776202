import Foundation
import TestSupport
import Testing

@testable import CoreDataSQLiteStore
@testable import StratusCoreData

/// Nothing that is not a regular file of a store is ever removed, replaced, emptied or renamed.
@Suite("What is no file of a store stays")
struct RegularFileTests {
    private typealias Models = LibraryModels
    private typealias Coordinator = NSPersistentStoreCoordinator

    /// Every call that takes the address of a store.
    private static func calls(_ good: URL) -> [(name: String, call: (URL) throws -> Void)] {
        let coordinator = Coordinator(managedObjectModel: Models.second())
        let forced = [NSPersistentStoreForceDestroyOption: NSNumber(value: true)]
        let readOnly = [NSReadOnlyPersistentStoreOption: NSNumber(value: true)]
        func mapping() throws -> NSMappingModel {
            try NSMappingModel.inferredMappingModel(
                forSourceModel: Models.first(), destinationModel: Models.second())
        }
        func manager(inSQL: Bool) -> NSMigrationManager {
            let manager = NSMigrationManager(sourceModel: Models.first(), destinationModel: Models.second())
            manager.usesStoreSpecificMigrationManager = inSQL
            return manager
        }
        return [
            ("destroy", { try coordinator.destroyPersistentStore(at: $0, type: .sqlite) }),
            (
                "destroy, forced",
                {
                    try coordinator.destroyPersistentStore(at: $0, type: .sqlite, options: forced)
                }
            ),
            ("add", { try coordinator.addPersistentStore(type: .sqlite, at: $0) }),
            (
                "add, read-only",
                {
                    try coordinator.addPersistentStore(type: .sqlite, at: $0, options: readOnly)
                }
            ),
            (
                "add, migrating",
                {
                    try coordinator.addPersistentStore(type: .sqlite, at: $0, options: Models.automatic)
                }
            ),
            (
                "replace",
                {
                    try coordinator.replacePersistentStore(
                        at: $0, withPersistentStoreFrom: good, type: .sqlite)
                }
            ),
            (
                "replace from",
                {
                    try coordinator.replacePersistentStore(
                        at: good.appendingPathExtension("new"), withPersistentStoreFrom: $0, type: .sqlite)
                }
            ),
            (
                "move there",
                { url in
                    let own = Coordinator(managedObjectModel: Models.first())
                    let store = try own.addPersistentStore(type: .sqlite, at: good)
                    try own.migratePersistentStore(store, to: url, type: .sqlite)
                }
            ),
            ("read metadata", { _ = try Coordinator.metadataForPersistentStore(type: .sqlite, at: $0) }),
            ("set metadata", { try Coordinator.setMetadata(["a": "b"], type: .sqlite, at: $0) }),
            ("plan", { _ = try Coordinator.migrationPlan(forStoreAt: $0, to: Models.second()) }),
            (
                "migrate",
                {
                    try Coordinator.migrateStore(at: $0, to: Models.second(), keepsOldStore: true)
                }
            ),
        ]
            + [true, false].flatMap { inSQL -> [(name: String, call: (URL) throws -> Void)] in
                let newer = good.appendingPathExtension(inSQL ? "newer" : "newest")
                return [
                    (
                        "migrate to",
                        {
                            try manager(inSQL: inSQL).migrateStore(
                                from: good, type: .sqlite, mapping: mapping(), to: $0, type: .sqlite)
                        }
                    ),
                    (
                        "migrate from",
                        {
                            try manager(inSQL: inSQL).migrateStore(
                                from: $0, type: .sqlite, mapping: mapping(), to: newer, type: .sqlite)
                        }
                    ),
                ]
            }
    }

    @Test(arguments: OddPlace.allCases) func aStoreIsNeverAtAnythingElse(_ place: OddPlace) throws {
        let directory = try TemporaryDirectory()
        let good = URL(fileURLWithPath: directory.path + "/Good.sqlite")
        try Models.makeStore(good, books: 1)
        for (number, (name, call)) in Self.calls(good).enumerated() {
            let url = URL(fileURLWithPath: directory.path + "/\(number).sqlite")
            let occupant = try place.make(url.path)
            #expect(throws: CocoaError.self, "\(name)") { try call(url) }
            #expect(occupant.isThere, "\(name)")
            #expect(try Models.count("Book", Models.first(), good) == 1, "\(name)")
        }
    }

    /// Where a store, and what works on it, has files of its own.
    private static let besides = [
        "Store.sqlite-journal", "Store.sqlite-wal", "Store.sqlite-shm", "Store.sqlite.migrating",
        "Store.sqlite.migrating-wal", "Store.sqlite.migrating-from", "Store.sqlite.before-migration",
        ".Store_SUPPORT", ".Store_SUPPORT/_EXTERNAL_DATA",
        ".Store_SUPPORT/_EXTERNAL_DATA/6B29FC40-CA47-1067-B31D-00DD010662DA", ".Store.sqlite_SUPPORT",
        ".Store.sqlite_SUPPORT/_EXTERNAL_DATA",
        ".Store.sqlite_SUPPORT/_EXTERNAL_DATA/6B29FC40-CA47-1067-B31D-00DD010662DA",
    ]

    @Test(arguments: [OddPlace.pipe, .characterDevice, .folder, .linkToFolder])
    func whatLiesBesideAStoreStays(_ place: OddPlace) throws {
        for beside in Self.besides {
            let directory = try TemporaryDirectory()
            let url = URL(fileURLWithPath: directory.path + "/Store.sqlite")
            let other = URL(fileURLWithPath: directory.path + "/Other.sqlite")
            try Models.makeStore(url, books: 2)
            try Models.makeStore(other, books: 3)
            let path = directory.path + "/" + beside
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            for log in RegularFile.logSuffixes { try RegularFile.remove(url.path + log) }
            let occupant = try place.make(path)
            let coordinator = Coordinator(managedObjectModel: Models.first())
            // Whether each of these works does not matter here.
            let calls: [() throws -> Void] = [
                { try Models.makeStore(url, books: 1) },
                { try Coordinator.migrateStore(at: url, to: Models.second(), keepsOldStore: true) },
                {
                    let newer = Models.second()
                    newer.entitiesByName["Aisle"]?.properties.append(
                        Models.attribute("letter", .stringAttributeType))
                    NSMappingModel.register(
                        try NSMappingModel.inferredMappingModel(
                            forSourceModel: Models.second(), destinationModel: newer),
                        forSourceModel: Models.second(), destinationModel: newer)
                    try Models.using(newer, url, Models.automatic) { _ in }
                },
                {
                    try coordinator.replacePersistentStore(
                        at: url, withPersistentStoreFrom: other, type: .sqlite)
                },
                { try coordinator.destroyPersistentStore(at: url, type: .sqlite) },
                {
                    try coordinator.destroyPersistentStore(
                        at: url, type: .sqlite,
                        options: [NSPersistentStoreForceDestroyOption: NSNumber(value: true)])
                },
            ]
            for (number, call) in calls.enumerated() {
                try? call()
                #expect(occupant.isThere, "\(beside), call \(number)")
            }
        }
    }

    @Test func aFileOfTheUsersWithTheNameOfACopyStays() throws {
        for ending in ["migrating", "before-migration"] {
            let directory = try TemporaryDirectory()
            let url = URL(fileURLWithPath: directory.path + "/Store.sqlite")
            try Models.makeStore(url, books: 2)
            let letter = url.appendingPathExtension(ending)
            try Data("Dear all, this is no database.".utf8).write(to: letter)
            #expect(throws: CocoaError.self) {
                try Coordinator.migrateStore(at: url, to: Models.second(), keepsOldStore: true)
            }
            #expect(try Data(contentsOf: letter) == Data("Dear all, this is no database.".utf8))
            #expect(try Models.count("Book", Models.first(), url) == 2)
        }
    }

    @Test func filesOfTheUsersInTheFolderOfLargeValuesStay() throws {
        let directory = try TemporaryDirectory()
        let url = URL(fileURLWithPath: directory.path + "/Store.sqlite")
        try Models.makeStore(url, books: 1)
        let folder = directory.path + "/.Store_SUPPORT/_EXTERNAL_DATA"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: folder + "/letter"))
        try Data([1]).write(to: URL(fileURLWithPath: folder + "/" + UUID().uuidString))
        let coordinator = Coordinator(managedObjectModel: Models.first())
        try coordinator.destroyPersistentStore(at: url, type: .sqlite)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["letter"])
    }

    @Test func aStoreBehindALinkIsDestroyedAndTheLinkStays() throws {
        let directory = try TemporaryDirectory()
        let url = URL(fileURLWithPath: directory.path + "/Store.sqlite")
        let link = URL(fileURLWithPath: directory.path + "/Link.sqlite")
        try Models.makeStore(url, books: 1)
        #expect(symlink(url.path, link.path) == 0)
        let coordinator = Coordinator(managedObjectModel: Models.first())
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        #expect(throws: CocoaError.self, "it is open by its own name") {
            try coordinator.destroyPersistentStore(at: link, type: .sqlite)
        }
        try coordinator.remove(store)
        try coordinator.destroyPersistentStore(at: link, type: .sqlite)
        #expect(RegularFile.kind(link.path) == .link)
        #expect(try Data(contentsOf: url).isEmpty)
    }

    @Test func theNullDeviceIsNoFileInAnySpelling() throws {
        let directory = try TemporaryDirectory()
        let link = directory.path + "/memory"
        #expect(symlink("/dev/null", link) == 0)
        for path in ["/dev/null", "/dev//null", "/dev/./null", "/dev/../dev/null", link] {
            let url = URL(fileURLWithPath: path)
            #expect(url.isNullDevice, "\(path)")
            // The check alone: what calls it is tried with devices of the tests' own.
            #expect(throws: CocoaError.self) { try StoreFiles.requireFile(url) }
            #expect(throws: CocoaError.self) { try StoreFiles.requireFree(url) }
            let coordinator = Coordinator(managedObjectModel: Models.first())
            let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
            #expect((store as? SQLiteObjectStore)?.isInMemory == true)
        }
        #expect(!URL(fileURLWithPath: directory.path + "/null").isNullDevice)
    }
}
