import Foundation
import TestSupport
import Testing

@testable import StratusCoreData

/// Splits the title, and counts.
private final class SplittingPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        let made = manager.destinationInstances(
            forEntityMappingName: mapping.name, sourceInstances: [sInstance])
        let words = (sInstance.value(forKey: "title") as? String)?.split(separator: " ") ?? []
        made.first?.setValue(words.last.flatMap { Int($0) }, forKey: "number")
        let count = manager.userInfo?["count"] as? Int ?? 0
        manager.userInfo = ["count": count + 1]
    }

    override func value(forSelector selector: String, arguments: [Any?]) throws -> Any? {
        guard selector == "shout:" else {
            return try super.value(forSelector: selector, arguments: arguments)
        }
        return (arguments.first.flatMap { $0 } as? String)?.uppercased()
    }

    override func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager)
        throws
    {
        if manager.userInfo?["fail"] != nil { throw CocoaError(.init(rawValue: 134110)) }
    }
}

/// Writes titles in capitals.
private final class CapitalsPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        for made in manager.destinationInstances(
            forEntityMappingName: mapping.name, sourceInstances: [sInstance])
        {
            made.setValue((made.value(forKey: "title") as? String)?.uppercased(), forKey: "title")
        }
    }
}

@Suite(.serialized) struct MappingTests {
    private typealias Models = LibraryModels

    private func destination() -> NSManagedObjectModel {
        let book = Models.entity(
            "Volume",
            [
                Models.attribute("label", .stringAttributeType),
                Models.attribute("size", .stringAttributeType),
                Models.attribute("number", .integer32AttributeType),
            ])
        let author = Models.entity("Writer", [Models.attribute("name", .stringAttributeType)])
        Models.relate(book, "writer", to: author, "volumes")
        return Models.model([book, author])
    }

    private func mapping() -> NSMappingModel {
        let books = NSEntityMapping()
        books.name = "BookToVolume"
        books.mappingType = .customEntityMappingType
        books.sourceEntityName = "Book"
        books.destinationEntityName = "Volume"
        books.entityMigrationPolicyClassName = "Splitting"
        books.sourceExpression = NSExpression(
            format:
                "FETCH(FUNCTION($manager, 'fetchRequestForSourceEntityNamed:predicateString:', 'Book', 'pages < 15'), $manager.sourceContext, NO)"
        )
        books.attributeMappings = [
            NSPropertyMapping(
                name: "label",
                valueExpression: NSExpression(format: "FUNCTION($entityPolicy, 'shout:', $source.title)")),
            NSPropertyMapping(
                name: "size", valueExpression: NSExpression(format: "CAST($source.pages + 1, 'NSString')")),
        ]
        books.relationshipMappings = [
            NSPropertyMapping(
                name: "writer",
                valueExpression: NSExpression(
                    format:
                        "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', 'AuthorToWriter', $source.author)"
                ))
        ]
        let authors = NSEntityMapping()
        authors.name = "AuthorToWriter"
        authors.mappingType = .transformEntityMappingType
        authors.sourceEntityName = "Author"
        authors.destinationEntityName = "Writer"
        authors.attributeMappings = [
            NSPropertyMapping(name: "name", valueExpression: NSExpression(format: "$source.name"))
        ]
        let mapping = NSMappingModel()
        mapping.entityMappings = [books, authors]
        return mapping
    }

    private func check(_ context: NSManagedObjectContext) throws {
        let volumes = try Models.fetch("Volume", by: "number", context)
        #expect(volumes.map { $0.value(forKey: "label") as? String } == (0..<15).map { "TITLE \($0)" })
        #expect(volumes.map { $0.value(forKey: "number") as? Int } == Array(0..<15))
        #expect(
            volumes.map { ($0.value(forKey: "writer") as? NSManagedObject)?.value(forKey: "name") as? String }
                == (0..<15).map { "Author \($0 / 10)" })
        let writers = try Models.fetch("Writer", by: "name", context)
        #expect(writers.map { ($0.value(forKey: "volumes") as? NSSet)?.count } == [10, 5])
    }

    @Test func aManagerDoesThreePasses() throws {
        NSEntityMigrationPolicy.register(SplittingPolicy.self, named: "Splitting")
        let directory = try TemporaryDirectory()
        let (url, target) = (
            URL(fileURLWithPath: directory.path + "/Old.sqlite"),
            URL(fileURLWithPath: directory.path + "/New.sqlite")
        )
        try Models.makeStore(url, books: 20)
        let manager = NSMigrationManager(sourceModel: Models.first(), destinationModel: destination())
        try manager.migrateStore(from: url, type: .sqlite, mapping: mapping(), to: target, type: .sqlite)
        #expect(manager.migrationProgress == 1)
        #expect(manager.userInfo?["count"] as? Int == 15)
        try Models.using(destination(), target) { try check($0) }
        #expect(try Models.count("Book", Models.first(), url) == 20)
    }

    /// A class fits one version of the model at most: this one would end the process, since no version here has 'id'.
    private final class Visitor: NSManagedObject, @unchecked Sendable {
        nonisolated(unsafe) static var calls: [String] = []
        override func awakeFromInsert() {
            Self.calls.append("insert")
            if !Self.isMadeByHand { setValue(UUID(), forKey: "id") }
        }
        override func awakeFromFetch() { Self.calls.append("fetch") }
        override func willSave() { Self.calls.append("save") }
        override func validateForInsert() throws { throw CocoaError(.validationMissingMandatoryProperty) }
        nonisolated(unsafe) static var isMadeByHand = false
    }

    /// Makes one object in each way that there is, and looks at what the manager gives.
    private final class ByHandPolicy: NSEntityMigrationPolicy {
        override func createDestinationInstances(
            forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
        ) throws {
            let context = manager.destinationContext
            let name = sInstance.value(forKey: "name") as? String ?? ""
            let entity = try #require(manager.destinationEntity(for: mapping))
            #expect(entity === manager.destinationModel.entitiesByName["Guest"])
            #expect(sInstance.entity === manager.sourceEntity(for: mapping))
            #expect(type(of: sInstance) == NSManagedObject.self)
            var made = [
                NSEntityDescription.insertNewObject(forEntityName: "Guest", into: context),
                NSManagedObject(entity: entity, insertInto: context),
            ]
            Visitor.isMadeByHand = true
            made.append(Visitor(context: context))
            for (number, guest) in made.enumerated() {
                guest.setValue("\(name) \(number)", forKey: "title")
                manager.associate(sourceInstance: sInstance, withDestinationInstance: guest, for: mapping)
            }
            // Whether its rules hold is the class's affair, and the object is of the class since the policy says so.
            context.delete(made.removeLast())
        }
    }

    @Test(arguments: [nil, "ByHand"]) func noCodeOfTheAppsClassesRuns(_ policy: String?) throws {
        func guests(_ key: String) -> NSManagedObjectModel {
            let guest = Models.entity("Guest", [Models.attribute(key, .stringAttributeType)])
            guest.setManagedObjectClass(Visitor.self)
            return Models.model([guest, Models.entity("For\(policy ?? "none")", [])])
        }
        let directory = try TemporaryDirectory()
        let url = URL(fileURLWithPath: directory.path + "/Guests.sqlite")
        let plain = guests("name")
        plain.entitiesByName["Guest"]?.managedObjectClassName = "NSManagedObject"
        try Models.using(plain, url) { context in
            NSEntityDescription.insertNewObject(forEntityName: "Guest", into: context)
                .setValue("Ann", forKey: "name")
            try context.save()
        }
        NSEntityMigrationPolicy.register(ByHandPolicy.self, named: "ByHand")
        let guest = NSEntityMapping()
        guest.name = "GuestToGuest"
        guest.mappingType = .customEntityMappingType
        (guest.sourceEntityName, guest.destinationEntityName) = ("Guest", "Guest")
        guest.entityMigrationPolicyClassName = policy
        guest.attributeMappings = [
            NSPropertyMapping(name: "title", valueExpression: NSExpression(format: "$source.name"))
        ]
        let mapping = NSMappingModel()
        mapping.entityMappings = [guest]
        let (source, destination) = (guests("name"), guests("title"))
        NSMappingModel.register(mapping, forSourceModel: source, destinationModel: destination)
        Visitor.calls = []
        let titles = try Models.using(destination, url, Models.automatic) { context -> [String?] in
            #expect(Visitor.calls == (policy == nil ? [] : ["insert"]))
            let guests = try Models.fetch("Guest", by: "title", context)
            #expect(guests.allSatisfy { $0 is Visitor })
            return guests.map { $0.value(forKey: "title") as? String }
        }
        #expect(titles == (policy == nil ? ["Ann"] : ["Ann 0", "Ann 1"]))
        let manager = NSMigrationManager(sourceModel: source, destinationModel: destination)
        #expect(manager.sourceModel === source && manager.destinationModel === destination)
    }

    @Test func aPolicyGivenToAnInferredMappingIsAsked() throws {
        let directory = try TemporaryDirectory()
        let (url, target) = (
            URL(fileURLWithPath: directory.path + "/Old.sqlite"),
            URL(fileURLWithPath: directory.path + "/New.sqlite")
        )
        try Models.makeStore(url, books: 3)
        let model = Models.first()
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: model, destinationModel: model)
        #expect(mapping.isAsInferred)
        for entity in mapping.entityMappings where entity.sourceEntityName == "Book" {
            NSEntityMigrationPolicy.register(CapitalsPolicy.self, named: "Capitals")
            entity.entityMigrationPolicyClassName = "Capitals"
        }
        #expect(!mapping.isAsInferred)
        let manager = NSMigrationManager(sourceModel: model, destinationModel: model)
        try manager.migrateStore(from: url, type: .sqlite, mapping: mapping, to: target, type: .sqlite)
        try Models.using(model, target) { context in
            let titles = try Models.fetch("Book", by: "title", context).map {
                $0.value(forKey: "title") as? String
            }
            #expect(titles == ["TITLE 0", "TITLE 1", "TITLE 2"])
        }
    }

    @Test func validationAndUnknownPoliciesStopIt() throws {
        NSEntityMigrationPolicy.register(SplittingPolicy.self, named: "Splitting")
        let directory = try TemporaryDirectory()
        let (url, target) = (
            URL(fileURLWithPath: directory.path + "/Old.sqlite"),
            URL(fileURLWithPath: directory.path + "/New.sqlite")
        )
        try Models.makeStore(url, books: 2)
        let wrong = mapping()
        wrong.entityMappings[0].entityMigrationPolicyClassName = "Nobody"
        let manager = NSMigrationManager(sourceModel: Models.first(), destinationModel: destination())
        do {
            try manager.migrateStore(from: url, type: .sqlite, mapping: wrong, to: target, type: .sqlite)
            Issue.record("It was migrated.")
        } catch let error as CocoaError { #expect(error.code.rawValue == 134170) }
    }

    @Test func aRegisteredMappingIsUsedWhenAStoreIsAdded() throws {
        NSEntityMigrationPolicy.register(SplittingPolicy.self, named: "Splitting")
        let directory = try TemporaryDirectory()
        let url = URL(fileURLWithPath: directory.path + "/Library.sqlite")
        try Models.makeStore(url, books: 20)
        let identifier =
            try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)[
                NSStoreUUIDKey] as? String
        let model = destination()
        let (source, mapping) = (Models.first(), mapping())
        // The destination of another test must not be taken for this one.
        model.entitiesByName["Volume"]?.versionHashModifier = "registered"
        #expect(NSMappingModel(from: nil, forSourceModel: source, destinationModel: model) == nil)
        NSMappingModel.register(mapping, forSourceModel: source, destinationModel: model)
        #expect(NSMappingModel(from: nil, forSourceModel: source, destinationModel: model) != nil)
        try Models.using(model, url, Models.automatic) { try check($0) }
        let after =
            try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)[
                NSStoreUUIDKey] as? String
        #expect(identifier == after)
    }

    @Test("An inferred mapping gives the same object by object as in SQL", arguments: [true, false])
    func inferred(_ inSQL: Bool) throws {
        let directory = try TemporaryDirectory()
        let (url, target) = (
            URL(fileURLWithPath: directory.path + "/Old.sqlite"),
            URL(fileURLWithPath: directory.path + "/New.sqlite")
        )
        try Models.makeStore(url, books: 12)
        let (source, model) = (Models.first(), Models.second())
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: model)
        let manager = NSMigrationManager(sourceModel: source, destinationModel: model)
        manager.usesStoreSpecificMigrationManager = inSQL
        try manager.migrateStore(from: url, type: .sqlite, mapping: mapping, to: target, type: .sqlite)
        try Models.using(Models.second(), target) { context in
            let books = try Models.fetch("Book", by: "pages", context)
            #expect(books.map { $0.value(forKey: "name") as? String } == (0..<12).map { "Title \($0)" })
            #expect(books.allSatisfy { $0.value(forKey: "rating") as? Int == 3 })
            #expect(
                books.map {
                    ($0.value(forKey: "author") as? NSManagedObject)?.value(forKey: "name") as? String
                }
                    == (0..<12).map { "Author \($0 / 10)" })
        }
    }
}
