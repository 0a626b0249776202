import Foundation
import TestSupport
import Testing

@testable import StratusCoreData

@Suite struct StoreFileTests {
    private typealias Models = LibraryModels

    private func pictures() -> NSManagedObjectModel {
        let data = Models.attribute("data", .binaryDataAttributeType)
        data.allowsExternalBinaryDataStorage = true
        return Models.model([Models.entity("Picture", [data])])
    }

    private func add(_ data: Data, _ context: NSManagedObjectContext) throws {
        NSEntityDescription.insertNewObject(forEntityName: "Picture", into: context).setValue(
            data, forKey: "data")
        try context.save()
    }

    private func values(_ context: NSManagedObjectContext) throws -> [Data?] {
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Picture")).map {
            $0.value(forKey: "data") as? Data
        }
    }

    @Test func storesAreMovedReplacedAndDestroyed() throws {
        let directory = try TemporaryDirectory()
        let urls = (0..<3).map { URL(fileURLWithPath: "\(directory.path)/Store\($0).sqlite") }
        let big = Data(repeating: 3, count: 200_000)
        let context = try Models.open(pictures(), urls[0])
        let coordinator = try #require(context.persistentStoreCoordinator)
        try context.performAndWait { try add(big, context) }
        // Still open, with a log: the copy has what was saved.
        let moved = try coordinator.migratePersistentStore(
            coordinator.persistentStores[0], to: urls[1], type: .sqlite)
        #expect(moved.url == urls[1])
        context.performAndWait { context.reset() }
        let read = try context.performAndWait { try values(context) }
        #expect(read == [big])
        #expect(throws: CocoaError.self) {
            try coordinator.destroyPersistentStore(at: urls[1], type: .sqlite)
        }
        try coordinator.remove(moved)

        try Models.using(pictures(), urls[2]) { try add(Data([9]), $0) }
        try coordinator.replacePersistentStore(at: urls[2], withPersistentStoreFrom: urls[1], type: .sqlite)
        let replaced = try Models.using(pictures(), urls[2]) { try values($0) }
        #expect(replaced == [big])

        for url in urls { try coordinator.destroyPersistentStore(at: url, type: .sqlite) }
        // Empty files stay, and nothing beside them.
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
                == urls.map(\.lastPathComponent).sorted())
        for url in urls {
            #expect(try Data(contentsOf: url).isEmpty)
            try coordinator.destroyPersistentStore(at: url, type: .sqlite)
        }
        // They take stores in again.
        let fresh = try Models.using(pictures(), urls[0]) { context -> [Data?] in
            try add(Data([7]), context)
            return try values(context)
        }
        #expect(fresh == [Data([7])])
        try coordinator.replacePersistentStore(at: urls[1], withPersistentStoreFrom: urls[0], type: .sqlite)
        let store = try coordinator.addPersistentStore(type: .sqlite, at: urls[1])
        try coordinator.remove(
            try coordinator.migratePersistentStore(store, to: urls[2], type: .sqlite))
        let copied = try Models.using(pictures(), urls[2]) { try values($0) }
        #expect(copied == [Data([7])])
        for url in urls {
            try coordinator.destroyPersistentStore(at: url, type: .sqlite)
            try FileManager.default.removeItem(at: url)
            try coordinator.destroyPersistentStore(at: url, type: .sqlite)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
    }

    @Test func aStoreInMemoryBecomesAFile() throws {
        let directory = try TemporaryDirectory()
        let url = URL(fileURLWithPath: directory.path + "/Store.sqlite")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: pictures())
        let memory = try coordinator.addPersistentStore(
            type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait { try add(Data([1, 2]), context) }
        try coordinator.remove(try coordinator.migratePersistentStore(memory, to: url, type: .sqlite))
        let read = try Models.using(pictures(), url) { try values($0) }
        #expect(read == [Data([1, 2])])
    }

    @Test func metadataAreReadAndSetWithoutOpening() throws {
        let directory = try TemporaryDirectory()
        let url = URL(fileURLWithPath: directory.path + "/Store.sqlite")
        try Models.makeStore(url, books: 1)
        let before = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
        #expect(Models.first().isConfiguration(withName: nil, compatibleWithStoreMetadata: before))
        #expect(!Models.second().isConfiguration(withName: nil, compatibleWithStoreMetadata: before))
        try NSPersistentStoreCoordinator.setMetadata(
            ["token": "t", NSStoreUUIDKey: "forged"], type: .sqlite, at: url)
        let after = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
        #expect(after["token"] as? String == "t")
        #expect(after[NSStoreUUIDKey] as? String == before[NSStoreUUIDKey] as? String)
        try Models.using(Models.second(), url, Models.automatic) { _ in }
        let migrated = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
        #expect(migrated["token"] as? String == "t")
        #expect(migrated[NSStoreUUIDKey] as? String == before[NSStoreUUIDKey] as? String)
        #expect(throws: CocoaError.self) {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(
                type: .sqlite, at: url.appendingPathExtension("none"))
        }
    }
}
