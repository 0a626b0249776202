import Foundation
import Predicates
import Testing

@testable import DataModel

/// Archives in the shape that Apple's stores hold, made by hand.
@Suite struct ArchiveTests {
    private typealias Value = ArchiveBuilder.Value

    private func attribute(
        _ name: String, _ type: AttributeType, _ extra: [String: Value?] = [:],
        _ builder: inout ArchiveBuilder
    ) -> Value {
        var fields: [String: Value?] = [
            "NSPropertyName": builder.string(name), "NSAttributeType": .int(Int64(type.rawValue)),
            "NSRenamingIdentifier": builder.string(name), "NSIsOptional": .bool(true), "_P": .int(243),
            "NSDefaultValue": ArchiveBuilder.null, "NSFlagsKey": .int(4 | 16),
        ]
        fields.merge(extra, uniquingKeysWith: { $1 })
        return builder.object(["NSAttributeDescription", "NSPropertyDescription", "NSObject"], fields)
    }

    private func entity(
        _ name: String, _ properties: [(String, Value)], _ extra: [String: Value?] = [:], at uid: Int,
        _ builder: inout ArchiveBuilder
    ) {
        var fields: [String: Value?] = [
            "NSEntityName": builder.string(name), "NSClassNameForEntity": builder.string("NSManagedObject"),
            "NSProperties": builder.dictionary(properties), "NSRenamingIdentifier": builder.string(name),
            "NSSuperentity": ArchiveBuilder.null,
        ]
        fields.merge(extra, uniquingKeysWith: { $1 })
        builder.fill(uid, ["NSEntityDescription", "NSObject"], fields)
    }

    private func root(
        _ entities: [(String, Int)], _ extra: [String: Value?] = [:], _ builder: inout ArchiveBuilder
    ) -> Data {
        var fields: [String: Value?] = ["NSEntities": builder.dictionary(entities.map { ($0.0, .uid($0.1)) })]
        fields.merge(extra, uniquingKeysWith: { $1 })
        let model = builder.object(["NSManagedObjectModel", "NSObject"], fields)
        return builder.encoded(root: model)
    }

    @Test("Properties that subentities repeat, as copies or as stand-ins, are left to the parent")
    func inheritance() throws {
        var builder = ArchiveBuilder()
        let (parent, child, other) = (builder.reserve(), builder.reserve(), builder.reserve())
        let title = attribute("title", .string, [:], &builder)
        let copy = attribute("title", .string, [:], &builder)
        let proxy = builder.object(
            ["_NSPropertyDescriptionProxy", "NSObject"], ["NSUnderlyingProperty": title])
        let own = attribute("own", .uuid, [:], &builder)
        entity("Parent", [("title", title)], at: parent, &builder)
        entity(
            "Child", [("own", own), ("title", copy)], ["NSSuperentity": .uid(parent)], at: child, &builder)
        entity("Other", [("title", proxy)], ["NSSuperentity": .uid(parent)], at: other, &builder)
        let data = root([("Parent", parent), ("Child", child), ("Other", other)], [:], &builder)
        let model = try ModelDocument(archive: data)
        #expect(model.entities.map(\.name) == ["Child", "Other", "Parent"])
        #expect(model.entities.map { $0.attributes.map(\.name) } == [["own"], [], ["title"]])
        #expect(model.entities.map(\.parentName) == ["Parent", "Parent", nil])
        #expect(model.entities.allSatisfy { $0.renamingIdentifier == nil && $0.className == nil })
        let read = try #require(model.entity(named: "Parent")?.attributes.first)
        #expect(read.allowsExternalStorage && read.preservesValueOnDeletion && read.isOptional)
    }

    @Test("A count of -1 means any number, and fetch indexes are not also compound indexes")
    func quirks() throws {
        var builder = ArchiveBuilder()
        let uid = builder.reserve()
        let relationship = builder.object(
            ["NSRelationshipDescription", "NSPropertyDescription", "NSObject"],
            [
                "NSPropertyName": builder.string("r"), "NSMaxCount": .int(-1), "NSMinCount": .int(0),
                "NSDeleteRule": .int(2), "_NSDestinationEntityName": builder.string("A"),
                "_NSInverseRelationshipName": builder.string("r"),
            ])
        let element = builder.object(
            ["NSFetchIndexElementDescription", "NSObject"],
            [
                "NSPropertyName": builder.string("x"), "NSAscending": .bool(false),
                "NSFetchIndexElementType": .int(0),
            ])
        let index = builder.object(
            ["NSFetchIndexDescription", "NSObject"],
            ["NSIndexName": builder.string("byX"), "NSIndexElements": builder.array([element])])
        let real = builder.strings(["x", "y"])
        let listed = builder.strings(["x"])
        let tuple = builder.strings(["y"])
        entity(
            "A", [("r", relationship)],
            [
                "NSFetchIndexDescriptions": builder.array([index]),
                "NSCompoundIndexes": builder.array([listed, real]),
                "NSUniqueTuples": builder.array([tuple]),
            ], at: uid, &builder)
        let configurations = builder.dictionary([
            ("PF_DEFAULT_CONFIGURATION_NAME", builder.set([.uid(uid)])), ("Local", builder.set([.uid(uid)])),
        ])
        let data = root([("A", uid)], ["NSConfigurations": configurations], &builder)
        let model = try ModelDocument(archive: data)
        let read = try #require(model.entities.first)
        #expect(
            read.relationships == [
                RelationshipDocument(
                    name: "r", maxCount: 0, deleteRule: .cascade, destinationEntityName: "A",
                    inverseName: "r",
                    inverseEntityName: "A")
            ])
        #expect(read.indexes.map(\.name) == ["byX"] && read.indexes[0].elements[0].isAscending == false)
        #expect(read.compoundIndexes == [["x", "y"]] && read.uniquenessConstraints == [["y"]])
        #expect(model.configurations == [ConfigurationDocument(name: "Local", entityNames: ["A"])])
    }

    @Test("The elements inside a composite attribute become a type")
    func composite() throws {
        var builder = ArchiveBuilder()
        let uid = builder.reserve()
        let element = attribute("x", .double, [:], &builder)
        let place = attribute("place", .composite, ["NSElements": builder.array([element])], &builder)
        entity("A", [("place", place)], at: uid, &builder)
        let model = try ModelDocument(archive: root([("A", uid)], [:], &builder))
        #expect(model.entities[0].attributes[0].compositeName == "A.place")
        #expect(model.composites.map(\.name) == ["A.place"])
        #expect(model.composites[0].attributes.map(\.name) == ["x"])
    }

    @Test("Validation predicates become bounds, also joined by AND, and others stay as text")
    func validations() throws {
        var builder = ArchiveBuilder()
        let uid = builder.reserve()
        let formats = [
            "length >= 3 AND length <= 50", "SELF MATCHES 'a+'", "SELF CONTAINS 'x'", "length <= 9",
        ]
        let predicates = try formats.map { try #require(ArchivedPredicateWriter.predicate($0, &builder)) }
        let number = try #require(ArchivedPredicateWriter.predicate("SELF >= 2", &builder))
        let title = attribute(
            "title", .string, ["NSValidationPredicates": builder.array(predicates)], &builder)
        let price = attribute(
            "price", .decimal, ["NSValidationPredicates": builder.array([number])], &builder)
        entity("A", [("title", title), ("price", price)], at: uid, &builder)
        let read = try ModelDocument(archive: root([("A", uid)], [:], &builder)).entities[0].attributes
        #expect(read[0].minimumValue == .decimal(2))
        #expect(
            read[1].minimumLength == 3 && read[1].maximumLength == 50 && read[1].regularExpression == "a+")
        #expect(read[1].validationPredicates == ["SELF CONTAINS \"x\"", "length <= 9"])
    }

    @Test(
        "Predicates keep their meaning through the archive's objects, without the text beside them",
        arguments: [
            "a.b.@count > 3", "ANY tags.name BEGINSWITH[cd] $TEXT", "NOT a IN {1, 2}", "TRUEPREDICATE",
            "x MATCHES \"a\" OR y LIKE[c] \"b*\"", "d > CAST(0, \"NSDate\")", "n == nil", "a BETWEEN {1, b}",
            "$FETCH_SOURCE.id == id AND flag == YES", "ALL a.b ENDSWITH \"x\"", "count:(items) + 1 != 3",
            "TERNARY(a == 1, b, c) == 2.5", "FALSEPREDICATE", "text CONTAINS \"é\"",
        ])
    func predicates(format: String) throws {
        var builder = ArchiveBuilder()
        let value = try #require(ArchivedPredicateWriter.predicate(format, &builder))
        let item = try #require(KeyedArchive(builder.encoded(root: value)).root)
        var reader = ArchivedPredicateReader()
        let text = try reader.predicate(item).description
        var again = ArchiveBuilder()
        let second = try #require(ArchivedPredicateWriter.predicate(text, &again))
        #expect(again.encoded(root: second) == builder.encoded(root: value), "\(text)")
    }

    @Test("Values of every kind come back in the form of the attribute's type")
    func values() throws {
        let values: [(AttributeType, ModelValue, ModelValue)] = [
            (.double, .integer(3), .double(3)), (.decimal, .integer(-3), .decimal(-3)),
            (.boolean, .integer(1), .boolean(true)), (.integer16, .double(2), .integer(2)),
            (.uri, .string("a:b"), .uri("a:b")), (.float, .decimal(Decimal(5) / 2), .double(2.5)),
        ]
        for (type, written, expected) in values {
            var builder = ArchiveBuilder()
            let uid = builder.reserve()
            let value = attribute("x", type, ["NSDefaultValue": try builder.value(written)], &builder)
            entity("A", [("x", value)], at: uid, &builder)
            let model = try ModelDocument(archive: root([("A", uid)], [:], &builder))
            #expect(model.entities[0].attributes[0].defaultValue == expected)
        }
        let decimals = [
            "0", "-0.001", "1e127", "12345678901234567890123456789012345678", "-99999999999999999999e-30",
        ]
        for text in decimals {
            let decimal = try #require(Decimal(string: text))
            let model = ModelDocument(entities: [
                EntityDocument(
                    name: "A",
                    attributes: [
                        AttributeDocument(name: "x", type: .decimal, defaultValue: .decimal(decimal))
                    ])
            ])
            #expect(try ModelDocument(archive: model.archive()) == model, "\(text)")
        }
    }
}
