import Foundation
import TestSupport
import Testing

@testable import StratusCoreData

@Suite struct StagedTests {
    private typealias Models = LibraryModels

    private func reference(_ model: NSManagedObjectModel) -> NSManagedObjectModelReference {
        NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
    }

    private func options(_ stages: [NSMigrationStage]) -> [AnyHashable: Any] {
        Models.automatic.merging([
            NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager(stages)
        ]) { $1 }
    }

    private func code(_ body: () throws -> Void) -> Int? {
        do { try body() } catch let error as CocoaError { return error.code.rawValue } catch {
            Issue.record(error)
        }
        return nil
    }

    @Test func handlersSeeTheOlderAndTheNewerStore() throws {
        let directory = try TemporaryDirectory()
        let url = URL(fileURLWithPath: directory.path + "/Library.sqlite")
        try Models.makeStore(url, books: 10)
        let stage = NSCustomMigrationStage(
            migratingFrom: reference(Models.first()), to: reference(Models.second()))
        stage.willMigrateHandler = { manager, _ in
            let context = try #require(manager.container?.newBackgroundContext())
            try context.performAndWait {
                for book in try Models.fetch("Book", by: "pages", context).prefix(3) { context.delete(book) }
                try context.save()
            }
        }
        stage.didMigrateHandler = { manager, _ in
            let context = try #require(manager.container?.newBackgroundContext())
            try context.performAndWait {
                for book in try Models.fetch("Book", by: "pages", context) {
                    book.setValue(5, forKey: "rating")
                }
                try context.save()
            }
        }
        let last = NSCustomMigrationStage(
            migratingFrom: reference(Models.second()), to: reference(Models.third()))
        try Models.using(Models.third(), url, options([stage, last])) { context in
            let books = try Models.fetch("Book", by: "pages", context)
            #expect(books.map { $0.value(forKey: "heading") as? String } == (3..<10).map { "Title \($0)" })
            #expect(books.allSatisfy { $0.value(forKey: "rating") as? Int == 5 })
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(files.filter { $0.contains("migrating") } == [])
    }

    /// Apple's example of a custom stage: missing values are filled before their attribute becomes required.
    @Test(arguments: [true, false]) func aHandlerFillsValuesThatBecomeRequired(_ fillsAll: Bool) throws {
        func streets(_ isRequired: Bool) -> NSManagedObjectModel {
            let composite = NSCompositeAttributeDescription()
            composite.name = "place"
            composite.elements = [Models.attribute("city", .stringAttributeType)]
            composite.isOptional = !isRequired
            let street = Models.entity(
                "Street",
                [
                    Models.attribute("name", .stringAttributeType, optional: !isRequired),
                    Models.attribute("number", .integer64AttributeType), composite,
                ])
            let lane = Models.entity("Lane", [])
            street.subentities = [lane]
            return Models.model([street, lane])
        }
        let directory = try TemporaryDirectory()
        let url = URL(fileURLWithPath: directory.path + "/Streets.sqlite")
        try Models.using(streets(false), url) { context in
            for (number, name) in [nil, "Main", nil].enumerated() {
                let street = NSEntityDescription.insertNewObject(
                    forEntityName: number == 2 ? "Lane" : "Street", into: context)
                street.setValue(name, forKey: "name")
                street.setValue(["city": "Rome"], forKey: "place")
                street.setValue(number, forKey: "number")
            }
            try context.save()
        }
        let stage = NSCustomMigrationStage(
            migratingFrom: reference(streets(false)), to: reference(streets(true)))
        nonisolated(unsafe) var calls: [String] = []
        stage.willMigrateHandler = { manager, _ in
            calls.append("will")
            let context = try #require(manager.container?.newBackgroundContext())
            try context.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Street")
                request.predicate = NSPredicate(format: "name == nil")
                for street in try context.fetch(request) where fillsAll || street.entity.name == "Street" {
                    street.setValue("filled", forKey: "name")
                }
                try context.save()
            }
        }
        stage.didMigrateHandler = { _, _ in calls.append("did") }
        func names(_ isRequired: Bool, _ options: [AnyHashable: Any]) throws -> [String?] {
            try Models.using(streets(isRequired), url, options) { context in
                try Models.fetch("Street", by: "number", context).map { $0.value(forKey: "name") as? String }
            }
        }
        guard fillsAll else {
            let error = #expect(throws: CocoaError.self) { _ = try names(true, options([stage])) }
            // As reports show it of Apple's systems.
            #expect(error?.code.rawValue == 134_110)
            let cause = try #require(error?.userInfo[NSUnderlyingErrorKey] as? CocoaError)
            #expect(cause.code.rawValue == 134_110 && cause.userInfo["entity"] as? String == "Street")
            #expect(cause.userInfo["attribute"] as? String == "name")
            #expect(calls == ["will"])
            #expect(try names(false, [:]) == [nil, "Main", nil])
            return
        }
        #expect(try names(true, options([stage])) == ["filled", "Main", "filled"])
        #expect(calls == ["will", "did"])
    }

    @Test func aStageThatFailsLeavesTheOneBeforeAndIsTakenUpAgain() throws {
        struct Stop: Error {}
        let directory = try TemporaryDirectory()
        let url = URL(fileURLWithPath: directory.path + "/Library.sqlite")
        try Models.makeStore(url, books: 4)
        let first = NSCustomMigrationStage(
            migratingFrom: reference(Models.first()), to: reference(Models.second()))
        nonisolated(unsafe) var firsts = 0
        first.willMigrateHandler = { _, _ in firsts += 1 }
        let second = NSCustomMigrationStage(
            migratingFrom: reference(Models.second()), to: reference(Models.third()))
        second.didMigrateHandler = { manager, _ in
            let context = try #require(manager.container?.newBackgroundContext())
            try context.performAndWait {
                for book in try Models.fetch("Book", by: "pages", context) { context.delete(book) }
                try context.save()
            }
            throw Stop()
        }
        #expect(throws: Stop.self) { _ = try Models.open(Models.third(), url, options([first, second])) }
        // The first stage is done, and nothing of the second.
        #expect(try Models.count("Book", Models.second(), url) == 4)
        second.didMigrateHandler = nil
        try Models.using(Models.third(), url, options([first, second])) { context in
            let found = try Models.fetch("Book", by: "pages", context)
            #expect(found.first?.value(forKey: "heading") as? String == "Title 0")
        }
        #expect(firsts == 1)
    }

    @Test func wrongStagesHaveErrorsOfTheirOwn() throws {
        let directory = try TemporaryDirectory()
        let url = URL(fileURLWithPath: directory.path + "/Library.sqlite")
        try Models.makeStore(url, books: 1)
        let wrong = NSManagedObjectModelReference(model: Models.second(), versionChecksum: "other")
        let changed = NSCustomMigrationStage(migratingFrom: reference(Models.first()), to: wrong)
        #expect(code { _ = try Models.open(Models.second(), url, options([changed])) } == 134505)
        let unknown = NSLightweightMigrationStage([Models.first().versionChecksum, "nobody's"])
        #expect(code { _ = try Models.open(Models.second(), url, options([unknown])) } == 134504)
        let late = NSCustomMigrationStage(
            migratingFrom: reference(Models.second()), to: reference(Models.third()))
        #expect(code { _ = try Models.open(Models.third(), url, options([late])) } == 134506)
        let early = NSLightweightMigrationStage([Models.first().versionChecksum])
        #expect(code { _ = try Models.open(Models.second(), url, options([early])) } == 134506)
        let right = NSLightweightMigrationStage([
            Models.first().versionChecksum, Models.second().versionChecksum,
        ])
        #expect(try Models.count("Book", Models.second(), url, options([right])) == 1)
    }
}
