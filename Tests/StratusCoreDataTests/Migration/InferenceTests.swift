import Foundation
import TestSupport
import Testing

@testable import StratusCoreData

@Suite struct InferenceTests {
    private typealias Models = LibraryModels

    private func obstacles(_ before: NSManagedObjectModel, _ after: NSManagedObjectModel)
        -> [MigrationObstacle]
    {
        do {
            _ = try NSMappingModel.inferredMappingModel(forSourceModel: before, destinationModel: after)
            return []
        } catch let error as CocoaError {
            #expect(error.code.rawValue == 134190)
            return error.userInfo[NSMappingModel.obstaclesKey] as? [MigrationObstacle] ?? []
        } catch {
            Issue.record(error)
            return []
        }
    }

    @Test func everyObstacleIsNamedAtOnce() {
        let before = Models.model([
            Models.entity(
                "A",
                [Models.attribute("n", .integer16AttributeType), Models.attribute("o", .stringAttributeType)]),
            Models.entity("B", []), Models.entity("C", []),
        ])
        let parent = Models.entity("P", [])
        let (b, c) = (Models.entity("B", []), Models.entity("C", []))
        parent.subentities = [b, c]
        let after = Models.model([
            Models.entity(
                "A",
                [
                    Models.attribute("n", .stringAttributeType),
                    Models.attribute("o", .stringAttributeType, optional: false),
                    Models.attribute("new", .dateAttributeType, optional: false),
                ]), parent, b, c,
        ])
        let found = obstacles(before, after)
        #expect(
            found.map { [$0.entity, $0.property ?? ""] } == [
                ["C", ""], ["A", "n"],
            ])
        #expect(found.first { $0.property == "n" }?.reason.contains("Integer 16") == true)
    }

    /// What only objects can break is looked for where the objects are.
    @Test func requirementsCountWhereThereAreObjects() throws {
        func model(_ isNew: Bool) -> NSManagedObjectModel {
            let (a, b) = (
                Models.entity("A", [Models.attribute("o", .stringAttributeType, optional: !isNew)]),
                Models.entity("B", [])
            )
            if isNew {
                a.properties += [Models.attribute("new", .dateAttributeType, optional: false)]
                Models.relate(a, "one", to: b, "many")
                for relationship in a.relationshipsByName.values { relationship.isOptional = false }
            }
            return Models.model([a, b])
        }
        #expect(obstacles(model(false), model(true)).isEmpty)
        for count in 0...1 {
            let directory = try TemporaryDirectory()
            let url = URL(fileURLWithPath: directory.path + "/Store.sqlite")
            try Models.using(model(false), url) { context in
                _ = NSEntityDescription.insertNewObject(forEntityName: "B", into: context)
                for _ in 0..<count {
                    _ = NSEntityDescription.insertNewObject(forEntityName: "A", into: context)
                }
                try context.save()
            }
            let plan = try NSPersistentStoreCoordinator.migrationPlan(forStoreAt: url, to: model(true))
            #expect(plan.obstacles.compactMap(\.property) == (count == 0 ? [] : ["new", "o", "one"]))
            var found: CocoaError?
            do {
                try Models.using(model(true), url, Models.automatic) { (context) throws in
                    #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "B")) == 1)
                }
            } catch let error as CocoaError { found = error }
            #expect(found?.errorCode == (count == 0 ? nil : 134_110))
        }
    }

    @Test func aNewRequiredToManyRelationshipIsEmpty() throws {
        func model(_ isNew: Bool) -> NSManagedObjectModel {
            let (a, b) = (Models.entity("A", []), Models.entity("B", []))
            if isNew {
                Models.relate(a, "bs", many: true, to: b, "as", many: true)
                for relationship in a.relationshipsByName.values { relationship.isOptional = false }
            }
            return Models.model([a, b])
        }
        let directory = try TemporaryDirectory()
        let url = URL(fileURLWithPath: directory.path + "/Store.sqlite")
        try Models.using(model(false), url) { context in
            _ = NSEntityDescription.insertNewObject(forEntityName: "A", into: context)
            try context.save()
        }
        try Models.using(model(true), url, Models.automatic) { context in
            let found = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "A"))
            #expect(found.map { ($0.value(forKey: "bs") as? NSSet)?.count } == [0])
        }
    }

    @Test func numbersGetMoreRoom() throws {
        let wholes: [NSAttributeType] = [
            .booleanAttributeType, .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
        ]
        var pairs: [(NSAttributeType, NSAttributeType)] = [(.floatAttributeType, .doubleAttributeType)]
        for (place, old) in wholes.enumerated() {
            for new in wholes[(place + 1)...] + [.doubleAttributeType, .decimalAttributeType] {
                pairs.append((old, new))
            }
        }
        func model(_ type: NSAttributeType) -> NSManagedObjectModel {
            Models.model([Models.entity("A", [Models.attribute("n", type)])])
        }
        for (old, new) in pairs {
            let directory = try TemporaryDirectory()
            let url = URL(fileURLWithPath: directory.path + "/Store.sqlite")
            let values: [NSNumber] = old == .booleanAttributeType ? [0, 1] : [-3, 0, 7_000]
            try Models.using(model(old), url) { context in
                for value in values {
                    NSEntityDescription.insertNewObject(forEntityName: "A", into: context)
                        .setValue(value, forKey: "n")
                }
                try context.save()
            }
            try Models.using(model(new), url, Models.automatic) { context in
                let request = NSFetchRequest<NSManagedObject>(entityName: "A")
                request.sortDescriptors = [NSSortDescriptor(key: "n", ascending: true)]
                let found = try context.fetch(request).map {
                    ($0.value(forKey: "n") as? NSNumber)?.doubleValue
                }
                #expect(found == values.map(\.doubleValue), "\(old) to \(new)")
                request.predicate = NSPredicate(format: "n == %@", values[1])
                #expect(try context.count(for: request) == 1, "\(old) to \(new)")
            }
            #expect(obstacles(model(new), model(old)).map(\.property) == ["n"], "\(new) to \(old)")
        }
    }

    @Test func aToManyRelationshipDoesNotBecomeToOne() {
        func model(many: Bool) -> NSManagedObjectModel {
            let (a, b) = (Models.entity("A", []), Models.entity("B", []))
            Models.relate(a, "bs", many: many, to: b, "as", many: true)
            return Models.model([a, b])
        }
        #expect(obstacles(model(many: true), model(many: false)).map(\.property) == ["bs"])
        #expect(obstacles(model(many: false), model(many: true)).isEmpty)
    }

    @Test func oneNameIsNotTakenTwice() {
        let before = Models.model([Models.entity("A", [Models.attribute("x", .stringAttributeType)])])
        let after = Models.model([
            Models.entity(
                "A",
                [
                    Models.attribute("y", .stringAttributeType, was: "x"),
                    Models.attribute("z", .stringAttributeType, was: "x"),
                ])
        ])
        #expect(obstacles(before, after).map(\.property) == ["z"])
    }

    @Test("Renames are followed over several versions, by the first name or by each name before")
    func renames() throws {
        func model(_ name: String, _ identifier: String?) -> NSManagedObjectModel {
            Models.model([Models.entity("A", [Models.attribute(name, .stringAttributeType, was: identifier)])]
            )
        }
        let first = model("one", nil)
        for (second, third) in [
            (model("two", "one"), model("three", "one")), (model("two", "one"), model("three", "two")),
        ] {
            for (source, old) in [(first, "one"), (second, "two")] {
                let match = ModelCorrespondence(source: source, destination: third, versions: [second])
                #expect(match.entities[0].properties["three"]?.name == old)
            }
        }
        // Renamed back.
        let match = ModelCorrespondence(source: model("two", "one"), destination: first)
        #expect(match.entities[0].properties["one"]?.name == "two")
    }

    @Test func theMappingSaysWhatWasInferred() throws {
        let mapping = try NSMappingModel.inferredMappingModel(
            forSourceModel: Models.first(), destinationModel: Models.second())
        let book = try #require(mapping.entityMappingsByName["IEM_Transform_Book"])
        #expect(book.attributeMappings?.compactMap(\.name) == ["name", "pages"])
        #expect(
            book.attributeMappings?.first?.valueExpression?.description.contains(
                "FUNCTION($source, \"valueForKey:\", \"title\")") == true)
        #expect(mapping.entityMappingsByName["IEM_Copy_Author"]?.mappingType == .copyEntityMappingType)
        #expect(mapping.entityMappingsByName["IEM_Add_Aisle"]?.mappingType == .addEntityMappingType)
    }
}
