import Foundation
import SQLiteAccess
import TestSupport
import Testing

@testable import CoreDataSQLiteStore
@testable import StratusCoreData

@Suite("Stores open, or say why not")
struct OpeningTests {
    private func model(_ extra: [NSPropertyDescription] = []) -> NSManagedObjectModel {
        StratusCoreDataTests.model([entity("Item", [attribute("name", .stringAttributeType)] + extra)])
    }

    private func code(_ body: () throws -> Void) -> Int? {
        do { try body() } catch let error as CocoaError { return error.code.rawValue } catch { return -1 }
        return nil
    }

    @Test func metadataAndPragmas() throws {
        let bench = try StoreBench(model())
        let store = try bench.store
        let metadata = try #require(store.metadata)
        #expect(metadata[NSStoreTypeKey] as? String == NSSQLiteStoreType)
        #expect(metadata[NSStoreUUIDKey] as? String == store.identifier)
        #expect((metadata[NSStoreModelVersionHashesKey] as? [String: Data])?["Item"]?.count == 32)
        #expect(metadata["NSStoreModelVersionChecksumKey"] as? String == bench.model.versionChecksum)
        #expect(bench.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        #expect(
            !model([attribute("b", .stringAttributeType)]).isConfiguration(
                withName: nil, compatibleWithStoreMetadata: metadata))
        #expect(try bench.sql("PRAGMA journal_mode").first?.first == .text("wal"))
        #expect(try bench.sql("PRAGMA page_size").first?.first == .int(4_096))
        #expect(try bench.sql("PRAGMA auto_vacuum").first?.first == .int(2))
        #expect(try store.storedModel()?.entityVersionHashesByName == bench.model.entityVersionHashesByName)
        var changed = metadata
        changed["app"] = "mine"
        bench.coordinator.setMetadata(changed, for: store)
        try store.saveMetadata()
        let identifier = store.identifier
        try bench.reopen()
        #expect(try bench.store.metadata["app"] as? String == "mine")
        #expect(try bench.store.identifier == identifier)
    }

    @Test func savesWriteMetadataWithoutOtherChanges() throws {
        let bench = try StoreBench(model(), options: [NSPersistentHistoryTrackingKey: true])
        let context = bench.context()
        func set(_ value: String) throws {
            var metadata = bench.coordinator.metadata(for: try bench.store)
            metadata["app"] = value
            bench.coordinator.setMetadata(metadata, for: try bench.store)
        }
        try set("alone")
        try context.performAndWait { try context.save() }
        #expect(try storedMetadata(bench)["app"] as? String == "alone")
        #expect(try bench.number("SELECT count(*) FROM ATRANSACTION") == 0)
        try set("with an object")
        try context.performAndWait {
            _ = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            try context.save()
        }
        #expect(try storedMetadata(bench)["app"] as? String == "with an object")
        try set("unsaved")
        #expect(try storedMetadata(bench)["app"] as? String == "with an object")
    }

    private func storedMetadata(_ bench: StoreBench) throws -> [String: Any] {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: bench.url)
    }

    @Test func hashesDependOnWhatIsDocumented() {
        let plain = model().entityVersionHashesByName
        #expect(plain == model().entityVersionHashesByName)
        #expect(plain != model([attribute("other", .stringAttributeType)]).entityVersionHashesByName)
        let defaulted = StratusCoreDataTests.model([
            entity("Item", [attribute("name", .stringAttributeType) { $0.defaultValue = "x" }])
        ])
        #expect(plain == defaulted.entityVersionHashesByName)
        let required = StratusCoreDataTests.model([
            entity("Item", [attribute("name", .stringAttributeType, optional: false)])
        ])
        #expect(plain != required.entityVersionHashesByName)
    }

    @Test func anotherModelIsRefused() throws {
        let bench = try StoreBench(model())
        try bench.close()
        let other = NSPersistentStoreCoordinator(
            managedObjectModel: model([attribute("b", .stringAttributeType)]))
        let options = [NSMigratePersistentStoresAutomaticallyOption: false]
        #expect(
            code { try other.addPersistentStore(type: .sqlite, at: bench.url, options: options) } == 134_100)
        // Its tables lack a column, whatever the option says.
        let ignoring = options.merging([NSIgnorePersistentStoreVersioningOption: true]) { $1 }
        #expect(
            code { try other.addPersistentStore(type: .sqlite, at: bench.url, options: ignoring) } == 134_100)
    }

    @Test func filesThatAreNoStores() throws {
        let directory = try TemporaryDirectory()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
        func add(_ name: String, _ options: [AnyHashable: Any] = [:]) -> Int? {
            code {
                try coordinator.addPersistentStore(
                    type: .sqlite, at: URL(fileURLWithPath: directory.path + "/" + name), options: options)
            }
        }
        try Data(repeating: 65, count: 8_192).write(to: URL(fileURLWithPath: directory.path + "/text.sqlite"))
        #expect(add("text.sqlite") == 134_080)
        #expect(try Data(contentsOf: URL(fileURLWithPath: directory.path + "/text.sqlite")).count == 8_192)
        let connection = try SQLiteConnection(path: directory.path + "/other.sqlite")
        try connection.execute("CREATE TABLE mine (a)")
        connection.close()
        #expect(add("other.sqlite") == 134_080)
        #expect(add("none.sqlite", [NSReadOnlyPersistentStoreOption: true]) == 134_080)
        #expect(add("missing/folder.sqlite") == 134_080)
        #expect(add("new.sqlite", [NSSQLitePragmasOption: ["synchronous": "OFF; DROP TABLE x"]]) == 134_080)
        #expect(
            add("new.sqlite", [NSSQLitePragmasOption: ["synchronous": "NORMAL", "journal_mode": "DELETE"]])
                == nil)
    }

    @Test func damagedPagesAreErrors() throws {
        let bench = try StoreBench(model())
        let context = bench.context()
        try context.performAndWait {
            for index in 0..<2_000 {
                NSEntityDescription.insertNewObject(forEntityName: "Item", into: context).setValue(
                    "\(index)", forKey: "name")
            }
            try context.save()
        }
        try bench.close()
        let handle = try FileHandle(forWritingTo: bench.url)
        let size = try handle.seekToEnd()
        for offset in stride(from: UInt64(4_096 * 5), to: size, by: 4_096) {
            try handle.seek(toOffset: offset)
            try handle.write(contentsOf: Data(repeating: 0xEE, count: 64))
        }
        try handle.close()
        #expect(
            code {
                try bench.reopen()
                let other = bench.context()
                try other.performAndWait {
                    _ = try other.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item")).map {
                        $0.value(forKey: "name")
                    }
                }
            } == 134_180)
    }

    @Test func readOnlyStoresRefuseSaves() throws {
        let bench = try StoreBench(model())
        try bench.reopen(options: [NSReadOnlyPersistentStoreOption: true])
        let context = bench.context()
        context.performAndWait {
            _ = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            #expect(throws: CocoaError.self) { try context.save() }
        }
    }

    @Test func aFullDiskLosesNothing() throws {
        let bench = try StoreBench(model())
        try bench.reopen(options: [NSSQLitePragmasOption: ["max_page_count": 40]])
        let context = bench.context()
        try context.performAndWait {
            let first = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            first.setValue("kept", forKey: "name")
            try context.save()
            for _ in 0..<200 {
                NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
                    .setValue(String(repeating: "x", count: 4_000), forKey: "name")
            }
            let error = #expect(throws: CocoaError.self) { try context.save() }
            #expect(error?.code.rawValue == 134_180)
            #expect((error?.userInfo[NSSQLiteErrorDomain] as? NSNumber)?.intValue == 13)
        }
        #expect(try bench.sql("SELECT ZNAME FROM ZITEM") == [[.text("kept")]])
        #expect(try bench.isWhole())
    }

    @Test func aLockOfOthersIsWaitedForAndReported() throws {
        let bench = try StoreBench(model())
        try bench.reopen(options: [NSPersistentStoreTimeoutOption: 0.05])
        let other = try SQLiteConnection(path: bench.url.path)
        let context = bench.context()
        try other.execute("BEGIN IMMEDIATE")
        context.performAndWait {
            _ = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            let error = #expect(throws: CocoaError.self) { try context.save() }
            #expect(error?.code.rawValue == 134_090)
        }
        try other.execute("ROLLBACK")
        try context.performAndWait { try context.save() }
        #expect(try bench.number("SELECT count(*) FROM ZITEM") == 1)
    }

    @Test func memoryStoresAreTheSame() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
        let store = try coordinator.addPersistentStore(type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
        #expect(store.type == NSInMemoryStoreType)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            NSEntityDescription.insertNewObject(forEntityName: "Item", into: context).setValue(
                "a", forKey: "name")
            try context.save()
            #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Item")) == 1)
        }
    }

    @Test func generationsStayWhileOthersWrite() throws {
        let bench = try StoreBench(model())
        let (reader, writer) = (bench.context(), bench.context())
        let request = { NSFetchRequest<NSManagedObject>(entityName: "Item") }
        try reader.performAndWait { try reader.setQueryGenerationFrom(.current) }
        try writer.runAndWait {
            _ = NSEntityDescription.insertNewObject(forEntityName: "Item", into: writer)
            try writer.save()
            #expect(try writer.count(for: request()) == 1)
        }
        try reader.runAndWait {
            #expect(try reader.count(for: request()) == 0)
            try reader.setQueryGenerationFrom(nil)
            #expect(try reader.count(for: request()) == 1)
        }
    }

    @Test func twoCoordinatorsNeverShareAKey() throws {
        let bench = try StoreBench(model())
        let other = NSPersistentStoreCoordinator(managedObjectModel: bench.model)
        try other.addPersistentStore(type: .sqlite, at: bench.url)
        let contexts = [bench.coordinator, other].map { coordinator in
            let context = NSManagedObjectContext(.privateQueue)
            context.persistentStoreCoordinator = coordinator
            return context
        }
        for round in 0..<6 {
            let context = contexts[round % 2]
            try context.performAndWait {
                for _ in 0..<5 {
                    _ = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
                }
                try context.save()
            }
        }
        #expect(try bench.number("SELECT count(*) FROM ZITEM") == 30)
        #expect(try bench.number("SELECT max(Z_PK) FROM ZITEM") == 30)
    }
}
