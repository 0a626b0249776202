import Foundation
import SQLiteAccess
import TestSupport
import Testing

@testable import StratusCoreData

/// A coordinator with two files: items in one, notes in the other.
private final class TwoStores {
    let directory: TemporaryDirectory
    let coordinator: NSPersistentStoreCoordinator
    /// In the order in which saves lock them.
    let stores: [NSPersistentStore]

    init(options: [AnyHashable: Any] = [:]) throws {
        directory = try TemporaryDirectory()
        let items = entity(
            "Item", [attribute("code", .integer64AttributeType), attribute("name", .stringAttributeType)])
        let notes = entity(
            "Note", [attribute("code", .integer64AttributeType), attribute("name", .stringAttributeType)])
        for entity in [items, notes] { entity.uniquenessConstraints = [["code"]] }
        let model = StratusCoreDataTests.model([items, notes])
        model.setEntities([items], forConfigurationName: "Items")
        model.setEntities([notes], forConfigurationName: "Notes")
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        for name in ["Items", "Notes"] {
            try coordinator.addPersistentStore(
                type: .sqlite, configuration: name,
                at: URL(fileURLWithPath: directory.path + "/\(name).sqlite"), options: options)
        }
        stores = coordinator.persistentStores.sorted { $0.identifier < $1.identifier }
    }

    /// The entity whose objects are in a store.
    func entityName(_ store: NSPersistentStore) -> String { String(store.configurationName.dropLast()) }

    func context() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    @discardableResult
    func insert(_ place: Int, _ code: Int, _ context: NSManagedObjectContext) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(
            forEntityName: entityName(stores[place]), into: context)
        object.setValue(code, forKey: "code")
        return object
    }

    func run(_ place: Int, _ sql: String) throws {
        try SQLiteConnection(path: try #require(stores[place].url).path).execute(sql)
    }

    /// The codes in the two files, by a connection that knows nothing of Core Data.
    func codes() throws -> [[Int]] {
        try stores.map { store in
            try SQLiteConnection(path: try #require(store.url).path)
                .rows("SELECT ZCODE FROM Z\(entityName(store).uppercased()) ORDER BY ZCODE")
                .compactMap { if case .int(let code)? = $0.first { Int(code) } else { nil } }
        }
    }
}

/// Saves of objects that live in several files.
@Suite struct SeveralStoresTests {
    @Test(arguments: [0, 1]) func conflictsLeaveAllStoresAsTheyWere(_ place: Int) throws {
        let stores = try TwoStores()
        let (context, other) = (stores.context(), stores.context())
        try context.runAndWait {
            let old = stores.insert(place, 1, context)
            stores.insert(1 - place, 2, context)
            try context.save()
            try other.runAndWait {
                other.object(with: old.objectID).setValue("theirs", forKey: "name")
                try other.save()
            }
            old.setValue("mine", forKey: "name")
            let new = stores.insert(1 - place, 3, context)
            for _ in 0..<2 { #expect(code { try context.save() } == 133_020) }
            #expect(new.isInserted && old.isUpdated && context.hasChanges)
            #expect(try stores.codes()[1 - place] == [2])
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.save()
            #expect(!context.hasChanges && old.value(forKey: "name") as? String == "mine")
            #expect(try stores.codes()[1 - place] == [2, 3])
        }
    }

    @Test(arguments: [0, 1]) func whatIsNotUniqueLeavesAllStoresAsTheyWere(_ place: Int) throws {
        let stores = try TwoStores()
        let context = stores.context()
        try context.runAndWait {
            stores.insert(place, 1, context)
            try context.save()
            stores.insert(1 - place, 2, context)
            let twin = stores.insert(place, 1, context)
            #expect(code { try context.save() } == 133_021)
            #expect(try stores.codes()[1 - place] == [])
            twin.setValue(7, forKey: "code")
            try context.save()
            #expect(try stores.codes()[place] == [1, 7] && stores.codes()[1 - place] == [2])
        }
    }

    @Test func conflictsOfAllStoresAreTold() throws {
        let stores = try TwoStores()
        let context = stores.context()
        try context.runAndWait {
            for place in 0...1 { stores.insert(place, 1, context) }
            try context.save()
            for place in 0...1 { stores.insert(place, 1, context) }
            let error = #expect(throws: CocoaError.self) { try context.save() }
            let list = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict]
            #expect(list?.count == 2)
        }
    }

    @Test(arguments: [0, 1]) func aLockedStoreLeavesTheOtherAsItWas(_ place: Int) throws {
        let stores = try TwoStores(options: [NSPersistentStoreTimeoutOption: 0.05])
        let context = stores.context()
        let holder = try SQLiteConnection(path: try #require(stores.stores[place].url).path)
        try context.runAndWait {
            let objects = [0, 1].map { stores.insert($0, 5, context) }
            // Keys are given before, so that only the save itself meets the lock.
            try context.obtainPermanentIDs(for: objects)
            try holder.execute("BEGIN IMMEDIATE")
            #expect(code { try context.save() } == 134_090)
            try holder.execute("ROLLBACK")
            #expect(try stores.codes() == [[], []])
            try context.save()
            #expect(try stores.codes() == [[5], [5]])
        }
    }

    /// A commit that SQLite refuses, by a constraint that is looked at last.
    @Test(arguments: [0, 1]) func aFailureBetweenCommitsIsToldAndTheRestCanBeSaved(_ place: Int) throws {
        let stores = try TwoStores(options: [NSSQLitePragmasOption: ["foreign_keys": "1"]])
        let name = stores.entityName(stores.stores[place]).uppercased()
        try stores.run(
            place,
            """
            CREATE TABLE parent (id INTEGER PRIMARY KEY);
            CREATE TABLE child (id INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED);
            CREATE TRIGGER orphan AFTER INSERT ON Z\(name) WHEN NEW.ZNAME = 'orphan'
                BEGIN INSERT INTO child VALUES (1); END;
            """)
        let context = stores.context()
        try context.runAndWait {
            let objects = [0, 1].map { stores.insert($0, 5, context) }
            objects[place].setValue("orphan", forKey: "name")
            let error = #expect(throws: CocoaError.self) { try context.save() }
            if place == 0 {
                // Nothing had been committed yet.
                #expect(error?.errorCode == 134_180)
                #expect(try stores.codes() == [[], []] && objects.allSatisfy(\.isInserted))
            } else {
                #expect(error?.errorCode == 134_040)
                let affected = error?.userInfo[NSAffectedStoresErrorKey] as? [NSPersistentStore]
                #expect(affected?.map(\.identifier) == [stores.stores[1].identifier])
                #expect(try stores.codes() == [[5], []])
                #expect(!objects[0].hasChanges && objects[1].isInserted)
            }
            objects[place].setValue("child", forKey: "name")
            try context.save()
            #expect(try stores.codes() == [[5], [5]] && !context.hasChanges)
        }
    }

    @Test func metadataIsWrittenWithTheChangesOfAnotherStore() throws {
        let stores = try TwoStores()
        let context = stores.context()
        try context.runAndWait {
            for store in stores.stores {
                stores.coordinator.setMetadata(store.metadata.merging(["app": "x"]) { $1 }, for: store)
            }
            stores.insert(0, 1, context)
            try context.save()
        }
        for store in stores.stores {
            let url = try #require(store.url)
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
            #expect(metadata["app"] as? String == "x")
        }
    }

    @Test func theHistoryTokenCoversAllStores() throws {
        let stores = try TwoStores(options: [NSPersistentHistoryTrackingKey: true])
        let context = stores.context()
        try context.runAndWait {
            for place in 0...1 { stores.insert(place, 1, context) }
            let saved = Observed(NSManagedObjectContext.didSaveObjectsNotification, context)
            try context.save()
            let token = saved.all.first?.userInfo?["newChangeToken"] as? NSPersistentHistoryToken
            #expect(token == stores.coordinator.currentPersistentHistoryToken(fromStores: nil))
            #expect(token?.transactions.count == 2)
        }
    }

    @Test func theHistoryOfAllStoresIsRead() throws {
        let stores = try TwoStores(options: [NSPersistentHistoryTrackingKey: true])
        let context = stores.context()
        try context.runAndWait {
            for place in 0...1 { stores.insert(place, 1, context) }
            try context.save()
            let token = stores.coordinator.currentPersistentHistoryToken(fromStores: nil)
            stores.insert(1, 2, context)
            try context.save()
            func transactions(_ request: NSPersistentHistoryChangeRequest) throws
                -> [NSPersistentHistoryTransaction]
            {
                let result = try context.execute(request) as? NSPersistentHistoryResult
                return try #require(result?.result as? [NSPersistentHistoryTransaction])
            }
            let all = try transactions(.fetchHistory(after: nil as NSPersistentHistoryToken?))
            #expect(Set(all.map(\.storeID)).count == 2 && all.count == 3)
            let new = try transactions(.fetchHistory(after: token))
            #expect(new.map(\.storeID) == [stores.stores[1].identifier])
            _ = try context.execute(
                NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
            #expect(try transactions(.fetchHistory(after: Date.distantPast)).isEmpty)
        }
    }

    /// Random saves with failures in either store: the files hold what was saved, both or neither.
    @Test(arguments: Seed.some(6)) func bothOrNeither(_ seed: Seed) throws {
        var random = seed.random
        let stores = try TwoStores(options: [NSPersistentStoreTimeoutOption: 0.01])
        let context = stores.context()
        var saved: [Set<Int>] = [[], []]
        var pending: [[(object: NSManagedObject, code: Int)]] = [[], []]
        for step in 0..<40 {
            try context.runAndWait { () throws in
                for place in 0...1 where random.oneIn(2) {
                    pending[place].append((stores.insert(place, step, context), step))
                }
                let failing = random.oneIn(2) ? random.int(0...1) : nil
                var twin: NSManagedObject?
                if let failing, let taken = saved[failing].first {
                    twin = stores.insert(failing, taken, context)
                }
                let result = code { try context.save() }
                if let twin {
                    #expect(result == 133_021)
                    context.delete(twin)
                } else {
                    #expect(result == nil)
                    for place in 0...1 { saved[place].formUnion(pending[place].map(\.code)) }
                    pending = [[], []]
                }
                #expect(try stores.codes() == saved.map { $0.sorted() })
            }
        }
    }

    @Test func objectsOfARemovedStoreAreNotForgottenSilently() throws {
        let stores = try TwoStores()
        let context = stores.context()
        try context.runAndWait {
            let object = stores.insert(0, 1, context)
            stores.insert(1, 1, context)
            try context.save()
            try stores.coordinator.remove(stores.stores[0])
            object.setValue("lost", forKey: "name")
            #expect(code { try context.save() } == 134_030)
        }
    }

    /// A store of the app's own cannot take back what it wrote, so it writes when all others are ready.
    @Test func storesOfTheAppFailBeforeOthersCommit() throws {
        _ = DictionaryStore.registered
        let directory = try TemporaryDirectory()
        let items = entity("Item", [attribute("name", .stringAttributeType)])
        let notes = entity("Note", [attribute("name", .stringAttributeType)])
        items.uniquenessConstraints = [["name"]]
        let model = StratusCoreDataTests.model([items, notes])
        model.setEntities([items], forConfigurationName: "Items")
        model.setEntities([notes], forConfigurationName: "Notes")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            type: .sqlite, configuration: "Items", at: URL(fileURLWithPath: directory.path + "/a.sqlite"))
        let url = URL(fileURLWithPath: directory.path + "/notes")
        try coordinator.addPersistentStore(type: DictionaryStore.storeType, configuration: "Notes", at: url)
        let disk = DictionaryStore.disk(at: url)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        func count(_ name: String) throws -> Int {
            let other = NSManagedObjectContext(.privateQueue)
            other.persistentStoreCoordinator = coordinator
            return try other.performAndWait {
                try other.count(for: NSFetchRequest<NSManagedObject>(entityName: name))
            }
        }
        try context.runAndWait {
            for name in ["Item", "Note"] {
                NSEntityDescription.insertNewObject(forEntityName: name, into: context)
                    .setValue("a", forKey: "name")
            }
            disk.failure = CocoaError(.fileWriteOutOfSpace)
            #expect(code { try context.save() } == CocoaError.fileWriteOutOfSpace.rawValue)
            #expect(try count("Item") == 0 && disk.rows.isEmpty)
            try context.save()
            #expect(try count("Item") == 1 && disk.rows.count == 1)
            for name in ["Item", "Note"] {
                NSEntityDescription.insertNewObject(forEntityName: name, into: context)
                    .setValue("a", forKey: "name")
            }
            #expect(code { try context.save() } == 133_021)
            #expect(try count("Item") == 1 && disk.rows.count == 1)
        }
    }
}
