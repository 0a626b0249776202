import Foundation
import TestSupport
import Testing

@testable import CoreDataSQLiteStore
@testable import StratusCoreData

@Suite struct AutomaticMigrationTests {
    private typealias Models = LibraryModels
    private let directory: TemporaryDirectory
    private let url: URL

    init() throws {
        directory = try TemporaryDirectory()
        url = URL(fileURLWithPath: directory.path + "/Library.sqlite")
    }

    private func code(_ body: () throws -> Void) -> Int? {
        do { try body() } catch let error as CocoaError { return error.code.rawValue } catch {
            Issue.record(error)
        }
        return nil
    }

    @Test func objectsComeThrough() throws {
        try Models.makeStore(url, books: 25)
        try Models.using(Models.second(), url, Models.automatic) { context in
            let books = try Models.fetch("Book", by: "pages", context)
            #expect(books.map { $0.value(forKey: "name") as? String } == (0..<25).map { "Title \($0)" })
            #expect(books.allSatisfy { $0.value(forKey: "rating") as? Int == 3 })
            let author = books[24].value(forKey: "author") as? NSManagedObject
            #expect(author?.value(forKey: "name") as? String == "Author 2")
            #expect((author?.value(forKey: "books") as? NSSet)?.count == 5)
            // New objects get keys after the older ones, and the store can be saved.
            let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
            book.setValue("New", forKey: "name")
            try context.save()
            #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 26)
        }
    }

    @Test func withoutTheOptionTheDifferencesAreTold() throws {
        try Models.makeStore(url, books: 1)
        do {
            _ = try Models.open(Models.second(), url)
            Issue.record("The store was opened.")
        } catch let error as CocoaError {
            #expect(error.code.rawValue == 134100)
            let text = error.userInfo[NSLocalizedDescriptionKey] as? String ?? ""
            for line in [
                "Book.name: was 'title'", "Book.notes: removed", "Book.rating: new attribute (Integer 16), 3",
                "Aisle: new",
            ] {
                #expect(text.contains(line), "\(line) in \(text)")
            }
        }
        #expect(try Models.count("Book", Models.first(), url) == 1)
    }

    @Test func whatCannotBeInferredLeavesTheStore() throws {
        try Models.makeStore(url, books: 3)
        let model = Models.first()
        (model.entitiesByName["Book"]?.propertiesByName["pages"] as? NSAttributeDescription)?.attributeType =
            .stringAttributeType
        let before = try Data(contentsOf: url)
        #expect(code { _ = try Models.open(model, url, Models.automatic) } == 134190)
        #expect(try Data(contentsOf: url) == before)
        let plan = try NSPersistentStoreCoordinator.migrationPlan(forStoreAt: url, to: model)
        #expect(plan.status == .impossible)
        #expect(
            plan.obstacles.map(\.description).first?.hasPrefix(
                "Book.pages: Its type was Integer 32 and is String.") == true)
    }

    @Test func aNewConstraintThatObjectsBreakHasItsOwnError() throws {
        try Models.makeStore(url, books: 4)
        let model = Models.first()
        let book = try #require(model.entitiesByName["Book"])
        book.uniquenessConstraints = [["notes"]]
        do {
            _ = try Models.open(model, url, Models.automatic)
            Issue.record("The store was opened.")
        } catch let error as CocoaError {
            #expect(error.code.rawValue == 134111)
            #expect("\(error.userInfo[NSLocalizedDescriptionKey] ?? "")".contains("'Book'"))
        }
        #expect(!FileManager.default.fileExists(atPath: url.path + ".migrating"))
        #expect(try Models.count("Book", Models.first(), url) == 4)
    }

    @Test func anOpenStoreIsNotMigrated() throws {
        try Models.makeStore(url, books: 2)
        let context = try Models.open(Models.first(), url)
        #expect(code { _ = try Models.open(Models.second(), url, Models.automatic) } == 134090)
        let store = try #require(context.persistentStoreCoordinator?.persistentStores.first)
        try context.persistentStoreCoordinator?.remove(store)
        #expect(try Models.count("Book", Models.second(), url, Models.automatic) == 2)
    }

    @Test func theOlderStoreCanBeKeptAndTheMigrationStopped() throws {
        struct Stop: Error {}
        try Models.makeStore(url, books: 20)
        #expect(throws: Stop.self) {
            try NSPersistentStoreCoordinator.migrateStore(at: url, to: Models.second()) { progress in
                if progress.fraction > 0.4 { throw Stop() }
            }
        }
        #expect(try Models.count("Book", Models.first(), url) == 20)
        var last = 0.0
        try NSPersistentStoreCoordinator.migrateStore(at: url, to: Models.second(), keepsOldStore: true) {
            progress in
            #expect(progress.fraction >= last)
            last = progress.fraction
        }
        #expect(last == 1)
        let kept = URL(fileURLWithPath: url.path + ".before-migration")
        #expect(try Models.count("Book", Models.first(), kept) == 20)
        #expect(try Models.count("Book", Models.second(), url) == 20)
    }

    @Test func largeValuesStayAndMarksFollowTheModel() throws {
        func model(external: Bool, more: Bool) -> NSManagedObjectModel {
            let data = Models.attribute("data", .binaryDataAttributeType)
            data.allowsExternalBinaryDataStorage = external
            let extra = more ? [Models.attribute("extra", .stringAttributeType)] : []
            return Models.model([
                Models.entity("Picture", [data, Models.attribute("n", .integer16AttributeType)] + extra)
            ])
        }
        let values = [Data([1, 2, 3]), Data(), Data(repeating: 7, count: 300_000)]
        for (before, after) in [(true, true), (true, false), (false, true)] {
            try Models.using(model(external: before, more: false), url) { context in
                for (index, value) in values.enumerated() {
                    let picture = NSEntityDescription.insertNewObject(forEntityName: "Picture", into: context)
                    picture.setValue(value, forKey: "data")
                    picture.setValue(index, forKey: "n")
                }
                try context.save()
            }
            try Models.using(model(external: after, more: true), url, Models.automatic) { context in
                let found = try Models.fetch("Picture", by: "n", context).map {
                    $0.value(forKey: "data") as? Data
                }
                #expect(found == values, "\(before) to \(after)")
            }
            try StoreFiles.remove(url)
        }
    }

    @Test func theHistoryKeepsItsMeaning() throws {
        let tracking: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: NSNumber(value: true)]
        try Models.makeStore(url, books: 2, tracking)
        try Models.using(Models.first(), url, tracking) { context in
            let book = try Models.fetch("Book", by: "pages", context)[0]
            book.setValue("Other", forKey: "title")
            try context.save()
        }
        let options = tracking.merging(Models.automatic) { $1 }
        try Models.using(Models.second(), url, options) { context in
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
            let result = try context.execute(request) as? NSPersistentHistoryResult
            let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
            #expect(transactions.count == 2)
            let changes = transactions.flatMap { $0.changes ?? [] }
            #expect(
                changes.map { $0.changedObjectID.entity.name }.sorted { $0 ?? "" < $1 ?? "" } == [
                    "Author", "Book", "Book", "Book",
                ])
            let update = try #require(changes.last { $0.changeType == .update })
            #expect(update.updatedProperties?.map(\.name) == ["name"])
        }
    }

    @Test("A way through known versions is found where the direct one is not")
    func chain() throws {
        // The middle version lets a new required attribute be optional with a default.
        func model(_ type: NSAttributeType?, optional: Bool, value: Any?) -> NSManagedObjectModel {
            let extra = type.map { [Models.attribute("e", $0, optional: optional, value: value)] } ?? []
            return Models.model([Models.entity("A", [Models.attribute("n", .integer16AttributeType)] + extra)]
            )
        }
        let first = model(nil, optional: true, value: nil)
        let middle = model(.stringAttributeType, optional: false, value: "filled")
        let last = model(.stringAttributeType, optional: false, value: nil)
        try Models.using(first, url) { context in
            NSEntityDescription.insertNewObject(forEntityName: "A", into: context).setValue(1, forKey: "n")
            try context.save()
        }
        #expect(code { try NSPersistentStoreCoordinator.migrateStore(at: url, to: last) } == 134110)
        // Defaults are no part of a version, so the middle one has to differ in another way.
        middle.entities[0].versionHashModifier = "middle"
        let plan = try NSPersistentStoreCoordinator.migrateStore(at: url, to: last, versions: [middle])
        #expect(plan.versions.count == 3)
        try Models.using(last, url) { context in
            let found = try Models.fetch("A", by: "n", context)
            #expect(found.map { $0.value(forKey: "e") as? String } == ["filled"])
        }
    }
}
