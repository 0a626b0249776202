import CoreData
import Foundation
import Testing

@testable import Stores

@Suite struct StoreTests {
    private func inContext(_ work: @escaping (NSManagedObjectContext) throws -> Void) async throws {
        try await withStack { stack in
            let context = stack.container.newBackgroundContext()
            try await context.perform { try work(context) }
        }
    }

    @Test func makesGenericObjects() async throws {
        try await inContext { context in
            let book: Book = context.make { $0.title = "Generic" }
            #expect(book.identifier != nil)
            #expect(context.makeByDescription(Author.self)?.entity.name == "Author")
            #expect(Book.create(in: context).managedObjectContext === context)
        }
    }

    @Test func keepsValuesForContexts() {
        let (context, other) = (
            NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType),
            NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        )
        context.tag = "import"
        #expect(context.tag == "import" && other.tag == nil)
        context.tag = nil
        #expect(context.tag == nil)
    }

    @Test func makesGenericContexts() {
        let context = Contexts.make(CountingContext.self, .privateQueueConcurrencyType)
        #expect(Contexts.name(of: context.concurrencyType) == "private")
    }

    @Test func overridesWhatApplesCanOverride() async throws {
        try await withStack { stack in
            let context = CountingContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = stack.container.persistentStoreCoordinator
            try await context.perform {
                let book = Book(context: context)
                context.delete(book)
                try context.save()
            }
            #expect(context.saves == 1 && context.deletions == 1)
        }
        #expect(PlacedContainer.defaultDirectoryURL() == PlacedContainer.place)
    }

    @Test func expressionsCompute() async throws {
        try await inContext { context in
            for pages in [100, 400, 300] {
                context.make(Book.self) { $0.pages = Int32(pages) }
            }
            try context.save()
            #expect(try Expressions().run(in: context) == 400)
            let request = NSFetchRequest<Book>(entityName: "Book")
            request.predicate = Expressions().atLeast(300)
            #expect(try context.count(for: request) == 2)
            request.predicate = predicate(\Book.pages, is: 100)
            #expect(try context.fetch(request).map(\.isLong) == [false])
        }
    }

    @Test func namesSaveErrors() async throws {
        try await inContext { context in
            let book = context.make(Book.self)
            book.title = ""
            book.pages = -1
            do {
                try context.save()
                Issue.record("an invalid book was saved")
            } catch {
                #expect(SaveErrors.describe(error) == "too short title, too small pages")
            }
        }
    }

    @Test func namesConstraintErrors() async throws {
        try await inContext { context in
            context.mergePolicy = NSErrorMergePolicy
            let first = context.make(Book.self)
            let second = context.make(Book.self)
            second.identifier = first.identifier
            let isTaken = try SaveErrors.isTaken { try context.save() }
            #expect(isTaken)
        }
    }

    @Test func validatesValues() async throws {
        try await inContext { context in
            let book = context.make(Book.self)
            try Validation.set("Valid", of: book)
            #expect(book.title == "Valid")
            #expect(throws: (any Error).self) { try Validation.set("", of: book) }
            let author = context.make(Author.self) { $0.name = "Ada" }
            Validation.add([book], to: author)
            #expect(book.author === author)
        }
    }

    @Test func designatedInitializersOfTheirOwn() async throws {
        try await inContext { context in
            let entity = try #require(NSEntityDescription.entity(forEntityName: "Book", in: context))
            #expect(Draft(entity: entity, origin: "import", context: context).origin == "import")
        }
    }

    @Test func tellsTheDelegate() async throws {
        try await inContext { context in
            let source = TableSource(context: context)
            try source.controller.performFetch()
            context.make(Book.self) { $0.title = "b" }
            context.processPendingChanges()
            #expect(source.log == ["insert 0"])
        }
    }

    @Test func worksInBatches() async throws {
        try await inContext { context in
            let inserted = try BatchWork.insert(["a", "b", "c"], in: context)
            let deleted = try BatchWork.deleteAll(in: context)
            #expect(inserted.count == 3 && deleted == 3)
        }
    }

    @Test func knowsVersions() async throws {
        try await withStack { stack in
            let url = try #require(stack.container.persistentStoreDescriptions.first?.url)
            #expect(try Migrator.isCurrent(url, model: Stack.model))
        }
        #expect(Migrator.versions(in: Stack.bundle).count == 1)
    }

    @Test func policiesSeeConflicts() async throws {
        try await withStack { stack in
            let policy = NewestWins()
            let first = stack.container.newBackgroundContext()
            let second = stack.container.newBackgroundContext()
            second.mergePolicy = policy
            // There is only a conflict where the context still knows what it read.
            second.retainsRegisteredObjects = true
            let id = try await first.perform { () throws -> NSManagedObjectID in
                let book = first.make(Book.self)
                try first.save()
                return book.objectID
            }
            try await second.perform { _ = try (second.existingObject(with: id) as? Book)?.title }
            try await first.perform {
                (try first.existingObject(with: id) as? Book)?.title = "first"
                try first.save()
            }
            try await second.perform {
                (try second.existingObject(with: id) as? Book)?.title = "second"
                try second.save()
            }
            #expect(policy.conflicts == 1)
        }
    }

    @Test func atomicStoresWork() async throws {
        NSPersistentStoreCoordinator.registerStoreClass(ListStore.self, forStoreType: ListStore.kind)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Stack.model)
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try coordinator.addPersistentStore(
            ofType: ListStore.kind, configurationName: nil, at: url, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try await context.perform {
            context.make(Book.self) { $0.title = "Atomic" }
            try context.save()
            context.reset()
            let found = try context.fetch(NSFetchRequest<Book>(entityName: "Book"))
            #expect(found.map(\.title) == ["Atomic"])
        }
    }
}
