import Foundation
import TestSupport
import Testing

@testable import StratusCoreData

/// The store of an object is the one with its identifier, whichever instance the ID was made by.
@Suite struct StoreIdentityTests {
    private static func model() -> NSManagedObjectModel {
        let list = entity("List", [attribute("title", .stringAttributeType)])
        let note = entity("Note", [attribute("title", .stringAttributeType)])
        let (notes, owner) = (relationship("notes", many: true), relationship("list"))
        join(notes, of: list, owner, of: note)
        list.properties += [notes]
        note.properties += [owner]
        return StratusCoreDataTests.model([list, note])
    }

    private static func context(_ url: URL) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
        try coordinator.addPersistentStore(type: .sqlite, at: url)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    @discardableResult
    private static func make(
        _ name: String, _ title: String, _ context: NSManagedObjectContext
    ) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
        object.setValue(title, forKey: "title")
        return object
    }

    private static func titles(_ context: NSManagedObjectContext, _ predicate: NSPredicate? = nil) throws
        -> [String]
    {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        request.predicate = predicate
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        return try context.fetch(request).map { $0.value(forKey: "title") as? String ?? "nil" }
    }

    /// 'Save As' goes on with the same objects, while a controller still holds the store that was there before.
    @Test func objectsGoOnInTheMovedFileWhileSomebodyHoldsTheOldStore() throws {
        let folder = try TemporaryDirectory()
        let context = try Self.context(folder.url.appendingPathComponent("old.sqlite"))
        let coordinator = try #require(context.persistentStoreCoordinator)
        let old = try #require(coordinator.persistentStores.first)
        let target = folder.url.appendingPathComponent("new.sqlite")
        try context.runAndWait {
            let list = Self.make("List", "list", context)
            let note = Self.make("Note", "first", context)
            note.setValue(list, forKey: "list")
            Self.make("Note", "second", context).setValue(list, forKey: "list")
            try context.save()
            try coordinator.migratePersistentStore(old, to: target, type: .sqlite)
            context.refreshAllObjects()
            #expect(note.value(forKey: "title") as? String == "first" && !note.isDeleted)
            #expect((list.value(forKey: "notes") as? Set<NSManagedObject>)?.count == 2)
            #expect(try Self.titles(context) == ["first", "second"])
            #expect(try Self.titles(context, NSPredicate(format: "list == %@", list)).count == 2)
            #expect(try Self.titles(context, NSPredicate(format: "SELF == %@", note)) == ["first"])
            #expect(try context.existingObject(with: note.objectID) === note)
            note.setValue("changed", forKey: "title")
            Self.make("Note", "third", context).setValue(list, forKey: "list")
            try context.save()
            let child = NSManagedObjectContext(.privateQueue)
            child.parent = context
            try child.runAndWait {
                let same = try child.existingObject(with: note.objectID)
                #expect(same.value(forKey: "title") as? String == "changed")
                child.delete(same)
                try child.save()
            }
            try context.save()
            let update = NSBatchUpdateRequest(entityName: "Note")
            update.predicate = NSPredicate(format: "SELF IN %@", [list.objectID])
            update.propertiesToUpdate = ["title": "none"]
            try context.execute(update)
        }
        withExtendedLifetime(old) {}
        let other = try Self.context(target)
        #expect(try other.runAndWait { try Self.titles(other) } == ["second", "third"])
    }

    /// Two containers of one process on one file, as an app and its extension have them in tests.
    @Test(arguments: [
        NSManagedObjectContext.didSaveObjectsNotification,
        NSManagedObjectContext.didSaveObjectIDsNotification,
    ]) func whatAnotherCoordinatorSavedIsMerged(_ name: Notification.Name) throws {
        let folder = try TemporaryDirectory()
        let url = folder.url.appendingPathComponent("shared.sqlite")
        let (first, second) = (try Self.context(url), try Self.context(url))
        let (list, notes) = try first.runAndWait {
            let list = Self.make("List", "list", first)
            let notes = ["kept", "changed", "deleted"].map { Self.make("Note", $0, first) }
            for note in notes { note.setValue(list, forKey: "list") }
            try first.save()
            return (list, notes)
        }
        #expect(first.runAndWait { (list.value(forKey: "notes") as? Set<NSManagedObject>)?.count } == 3)
        try second.runAndWait {
            let saved = Observed(name, second)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
            for note in try second.fetch(request) {
                switch note.value(forKey: "title") as? String {
                case "changed": note.setValue("new title", forKey: "title")
                case "deleted": second.delete(note)
                default: break
                }
            }
            let inserted = Self.make("Note", "inserted", second)
            inserted.setValue(
                try second.fetch(NSFetchRequest<NSManagedObject>(entityName: "List")).first, forKey: "list")
            try second.save()
            let notification = try #require(saved.all.first)
            first.runAndWait { first.mergeChanges(fromContextDidSave: notification) }
        }
        try first.runAndWait { () throws in
            #expect(notes[1].value(forKey: "title") as? String == "new title")
            #expect(notes[2].isDeleted || notes[2].managedObjectContext == nil)
            let titles = (list.value(forKey: "notes") as? Set<NSManagedObject>)?
                .compactMap { $0.value(forKey: "title") as? String }
            #expect(titles?.sorted() == ["inserted", "kept", "new title"])
            #expect(try Self.titles(first) == ["inserted", "kept", "new title"])
            #expect(!first.hasChanges && first.lastError == nil)
        }
    }

    @Test func updatesByIDsOfAnotherCoordinatorAreMerged() throws {
        let folder = try TemporaryDirectory()
        let url = folder.url.appendingPathComponent("shared.sqlite")
        let (first, second) = (try Self.context(url), try Self.context(url))
        let note = try first.runAndWait {
            let note = Self.make("Note", "old", first)
            try first.save()
            return note
        }
        let id = try second.runAndWait {
            let found = try second.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))[0]
            found.setValue("new", forKey: "title")
            try second.save()
            return found.objectID
        }
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSUpdatedObjectsKey: [id]], into: [first])
        #expect(first.runAndWait { note.value(forKey: "title") as? String } == "new")
    }

    /// An ID of another coordinator names the same object, as its address does.
    @Test func anIDOfAnotherCoordinatorFindsTheObject() throws {
        let folder = try TemporaryDirectory()
        let url = folder.url.appendingPathComponent("shared.sqlite")
        let (first, second) = (try Self.context(url), try Self.context(url))
        let (note, list) = try first.runAndWait {
            let (note, list) = (Self.make("Note", "one", first), Self.make("List", "list", first))
            note.setValue(list, forKey: "list")
            try first.save()
            return (note, list)
        }
        try second.runAndWait {
            let same = try second.existingObject(with: note.objectID)
            #expect(same.value(forKey: "title") as? String == "one")
            #expect(try Self.titles(second, NSPredicate(format: "SELF == %@", note.objectID)) == ["one"])
            #expect(try Self.titles(second, NSPredicate(format: "list == %@", list.objectID)) == ["one"])
            let found = try second.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note"))[0]
            #expect(found.objectID.uriRepresentation() == note.objectID.uriRepresentation())
            second.object(with: note.objectID).setValue("two", forKey: "title")
            try second.save()
            #expect(try Self.titles(second) == ["two"])
        }
    }
}
