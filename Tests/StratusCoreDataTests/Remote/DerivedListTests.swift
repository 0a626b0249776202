import Foundation
import TestSupport
import Testing

@testable import CoreDataSQLiteStore
@testable import StratusCoreData

/// Derived values decide places in lists as soon as a save has computed them.
@Suite struct DerivedListTests {
    private func bench() throws -> StoreBench {
        let shelf = entity(
            "Shelf",
            [
                attribute("name", .stringAttributeType),
                derived("count", .integer64AttributeType, "books.@count"),
            ])
        let book = entity(
            "Book",
            [
                attribute("title", .stringAttributeType),
                derived("plain", .stringAttributeType, "canonical:(title)"),
            ])
        let books = relationship("books", many: true)
        let home = relationship("shelf")
        join(books, of: shelf, home, of: book)
        shelf.properties += [books]
        book.properties += [home]
        return try StoreBench(
            model([shelf, book]),
            options: [
                NSPersistentHistoryTrackingKey: true,
                NSPersistentStoreRemoteChangeNotificationPostOptionKey: true,
            ])
    }

    private func shelves(_ context: NSManagedObjectContext, _ format: String? = nil) throws -> TableDelegate {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Shelf")
        request.sortDescriptors = [
            NSSortDescriptor(key: "count", ascending: true), NSSortDescriptor(key: "name", ascending: true),
        ]
        if let format { request.predicate = NSPredicate(format: format) }
        return try TableDelegate(
            NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "count",
                cacheName: nil))
    }

    private func shelf(_ name: String, _ context: NSManagedObjectContext) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Shelf")
        request.predicate = NSPredicate(format: "name = %@", name)
        return try #require(try context.fetch(request).first)
    }

    @Test("A count as sort key and section name, here, in another context and behind another coordinator")
    func counts() throws {
        let bench = try bench()
        let context = bench.context()
        let second = bench.context()
        let far = NSManagedObjectContext(.privateQueue)
        far.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: bench.model)
        try far.persistentStoreCoordinator?.addPersistentStore(
            type: .sqlite, at: bench.url, options: try bench.store.options)
        for other in [second, far] { other.automaticallyMergesChangesFromParent = true }
        try context.performAndWait {
            for name in ["A", "B"] { _ = context.make("Shelf", ["name": name]) }
            try context.save()
        }
        var delegates: [(NSManagedObjectContext, TableDelegate)] = []
        for each in [context, second, far] {
            try each.runAndWait { delegates.append((each, try shelves(each))) }
        }
        func expect(_ list: String, at place: SourceLocation = #_sourceLocation) {
            for (context, delegate) in delegates {
                _ = waits { context.runAndWait { text(delegate.controller, "name") == list } }
                context.runAndWait {
                    #expect(text(delegate.controller, "name") == list, sourceLocation: place)
                    #expect(delegate.problems == [], sourceLocation: place)
                }
            }
        }
        expect("0[A B]")
        let (first, book) = try context.performAndWait {
            let first = try shelf("A", context)
            let book = context.make("Book", ["title": "Ä", "shelf": first])
            try context.save()
            #expect(first.value(forKey: "count") as? Int == 1)
            return (first, book)
        }
        expect("0[B] 1[A]")
        try context.runAndWait {
            book.setValue(try shelf("B", context), forKey: "shelf")
            try context.save()
            #expect(first.value(forKey: "count") as? Int == 0)
        }
        expect("0[A] 1[B]")
        try context.runAndWait {
            context.delete(book)
            try context.save()
        }
        expect("0[A B]")
    }

    @Test("A filter on a derived value lets in what nobody had read, and a value that stays is no change")
    func filter() throws {
        let bench = try bench()
        let context = bench.context()
        try context.performAndWait {
            let shelf = context.make("Shelf", ["name": "A"])
            try context.save()
            let objectID = shelf.objectID
            context.reset()
            let delegate = try shelves(context, "count > 0")
            let known = context.object(with: objectID)
            let book = context.make("Book", ["title": "One", "shelf": known])
            try context.save()
            #expect(text(delegate.controller, "name") == "1[A]")
            let transactions = delegate.transactions
            book.setValue("Two", forKey: "title")
            try context.save()
            #expect(delegate.transactions == transactions)
            #expect(book.value(forKey: "plain") as? String == "two")
            #expect(delegate.problems == [])
        }
    }
}
