import Foundation
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
                ["C", ""], ["A", "n"], ["A", "new"], ["A", "o"],
            ])
        #expect(found.first { $0.property == "n" }?.reason.contains("Integer 16") == true)
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
                let match = ModelMatch(source: source, destination: third, versions: [second])
                #expect(match.entities[0].properties["three"]?.name == old)
            }
        }
        // Renamed back.
        let match = ModelMatch(source: model("two", "one"), destination: first)
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
