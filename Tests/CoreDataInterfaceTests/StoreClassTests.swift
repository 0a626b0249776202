import CoreData
import Testing

/// The classes of stores, as an app sees them.
@Suite struct StoreClassTests {
    /// A store that is neither incremental nor atomic, which Apple says not to make.
    final class Mute: NSPersistentStore, @unchecked Sendable {
        override func loadMetadata() throws { metadata = [NSStoreTypeKey: "Mute", NSStoreUUIDKey: "mute"] }
    }

    @Test func theProductHasStoresOfSQLite() throws {
        let types = NSPersistentStoreCoordinator.registeredStoreTypes
        #expect(types[NSSQLiteStoreType] != nil && types[NSInMemoryStoreType] != nil)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
        let store = try coordinator.addPersistentStore(
            type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
        #expect(store.type == NSInMemoryStoreType && coordinator.persistentStores == [store])
    }

    @Test func aClassThatAnswersNothingIsRefused() throws {
        let type = NSPersistentStore.StoreType(rawValue: "CoreDataInterfaceTests.Mute")
        NSPersistentStoreCoordinator.registerStoreClass(Mute.self, type: type)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
        let error = #expect(throws: CocoaError.self) {
            try coordinator.addPersistentStore(type: type, at: URL(fileURLWithPath: "/dev/null"))
        }
        #expect(error?.errorCode == 134_000 && coordinator.persistentStores.isEmpty)
    }
}
