import CoreData
import Foundation
import Testing

@testable import Stores

@Suite struct StoreCornerTests {
    private func inContext(_ work: @escaping (NSManagedObjectContext) throws -> Void) async throws {
        try await withStack { stack in
            let context = stack.container.newBackgroundContext()
            try await context.perform { try work(context) }
        }
    }

    @Test func conflictsAreMadeByHand() async throws {
        try await inContext { context in
            let book = context.make(Book.self)
            let locking = ConflictDoubles.lockingConflict(of: book)
            #expect(locking.sourceObject === book && locking.oldVersionNumber == 1)
            let constraint = ConflictDoubles.constraintConflict(of: book)
            #expect(constraint.constraint == ["identifier"] && constraint.conflictingObjects == [book])
        }
    }

    @Test func requestsOfAnyResult() async throws {
        try await inContext { context in
            context.make(Book.self)
            context.make(Book.self)
            try context.save()
            let request = NSFetchRequest<Book>(entityName: "Book")
            let deleted = try deleteAll(request, in: context)
            #expect(deleted == 2)
        }
    }

    @Test func historyByAuthor() async throws {
        try await inContext { context in
            for author in ["import", "user"] {
                context.transactionAuthor = author
                context.make(Book.self)
                try context.save()
            }
            let imported = try HistoryByRequest.transactions(by: "import", in: context)
            #expect(imported.map(\.author) == ["import"])
            try HistoryByRequest.forget(before: Date(timeIntervalSinceNow: 60), in: context)
            let left = try HistoryByRequest.transactions(by: "import", in: context)
            #expect(left.isEmpty)
        }
    }

    @Test func notificationsOfIDs() async throws {
        try await withStack { stack in
            let context = stack.container.newBackgroundContext()
            var said: [String] = []
            let observer = NotificationCenter.default.addObserver(
                forName: NSManagedObjectContext.didSaveObjectIDsNotification, object: context, queue: nil
            ) { said.append(summary(of: $0)) }
            defer { NotificationCenter.default.removeObserver(observer) }
            try await context.perform {
                let book = context.make(Book.self)
                try context.save()
                book.title = "Changed"
                context.make(Book.self)
                try context.save()
            }
            #expect(said == ["inserted 1", "inserted 1, updated 1"])
        }
    }

    @Test func namesMigrationErrors() throws {
        #expect(
            advice(for: NSError(domain: NSCocoaErrorDomain, code: NSMigrationMissingSourceModelError))
                == "Update the app.")
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data("this is no store, but long enough to be looked at".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        do {
            _ = try Stack(url: file)
            Issue.record("a text was opened as a store")
        } catch {
            #expect(advice(for: error as NSError) == "The library is damaged.")
        }
    }

    @Test func policiesOfTheAppMigrate() async throws {
        try await withStack { stack in
            let context = stack.container.newBackgroundContext()
            try await context.perform {
                context.make(Book.self) { $0.title = "the trial" }
                try context.save()
            }
            let coordinator = stack.container.persistentStoreCoordinator
            let source = try #require(coordinator.persistentStores.first)
            let url = try #require(source.url)
            try coordinator.remove(source)
            let copy = url.deletingLastPathComponent().appendingPathComponent("Copy.sqlite")
            try renamed(url, to: copy, model: Stack.model)
            let other = try Stack(url: copy).container.newBackgroundContext()
            try await other.perform {
                let titles = try other.fetch(NSFetchRequest<Book>(entityName: "Book")).map(\.title)
                #expect(titles == ["The Trial"])
            }
        }
    }

    @Test func optionsOfOldAreKept() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Stack.model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil,
            at: folder.appendingPathComponent("old.sqlite"),
            options: oldOptions(in: folder))
        #expect(store.options?[NSPersistentStoreUbiquitousContentNameKey] as? String == "Library")
        let type = NSPersistentStoreUbiquitousTransitionType.accountRemoved.rawValue
        #expect(
            transition([NSPersistentStoreUbiquitousTransitionTypeKey: NSNumber(value: type)]) == "removed")
    }

    @Test func relationshipsChangeByMutation() async throws {
        try await inContext { context in
            let author = context.make(Author.self) { $0.name = "Ada" }
            let book = context.make(Book.self)
            author.add(book)
            #expect(book.author === author)
        }
    }
}
