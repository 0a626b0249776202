import Foundation

@testable import CoreDataSQLiteStore
@testable import StratusCoreData

/// One rich model: every type of attribute, inheritance, and every shape of relationship.
struct LawModel {
    let model = NSManagedObjectModel()
    let layout: StoreLayout

    init() throws {
        let thing = Self.entity(
            "Thing",
            [
                ("name", .stringAttributeType), ("code", .stringAttributeType),
                ("count", .integer64AttributeType), ("small", .integer16AttributeType),
                ("flag", .booleanAttributeType), ("price", .doubleAttributeType),
                ("weight", .floatAttributeType), ("amount", .decimalAttributeType),
                ("cost", .decimalAttributeType), ("date", .dateAttributeType),
                ("until", .dateAttributeType), ("key", .UUIDAttributeType), ("link", .URIAttributeType),
                ("bytes", .binaryDataAttributeType), ("blob", .transformableAttributeType),
            ])
        let book = Self.entity("Book", [("pages", .integer32AttributeType)])
        let film = Self.entity("Film", [("minutes", .integer32AttributeType)])
        let comic = Self.entity("Comic", [("ink", .stringAttributeType)])
        let person = Self.entity(
            "Person",
            [
                ("name", .stringAttributeType), ("age", .integer32AttributeType),
                ("born", .dateAttributeType), ("worth", .decimalAttributeType),
            ])
        let tag = Self.entity(
            "Tag", [("label", .stringAttributeType), ("rank", .integer16AttributeType)])
        let note = Self.entity("Note", [("text", .stringAttributeType), ("size", .doubleAttributeType)])
        for name in ["name", "count", "amount"] { thing.attributesByName[name]?.isIndexed = true }
        person.attributesByName["name"]?.isIndexed = true
        let place = NSCompositeAttributeDescription()
        place.name = "place"
        place.elements = [
            Self.attribute("city", .stringAttributeType), Self.attribute("zip", .integer32AttributeType),
        ]
        let hidden = Self.attribute("hidden", .stringAttributeType)
        hidden.isTransient = true
        thing.properties += [place, hidden]
        thing.subentities = [book, film]
        book.subentities = [comic]
        Self.relate(thing, "owner", 1, person, "things", 0)
        Self.relate(thing, "parent", 1, thing, "children", 0)
        Self.relate(thing, "tags", 0, tag, "things", 0)
        Self.relate(thing, "parts", 0, tag, "wholes", 0, ordered: true)
        Self.relate(person, "boss", 1, person, "staff", 0, ordered: true)
        Self.relate(book, "editor", 1, person, "edited", 0)
        Self.relate(person, "notes", 0, note, nil, 0)
        Self.relate(note, "about", 1, thing, nil, 0)
        let friends = Self.relationship("friends", person, 0)
        friends.inverseRelationship = friends
        person.properties += [friends]
        model.entities = [thing, book, film, comic, person, tag, note]
        layout = try LayoutBuilder.layout(model, configuration: nil)
    }

    func entity(_ name: String) -> NSEntityDescription {
        guard let entity = model.entitiesByName[name] else { fatalError("The law's model has no \(name).") }
        return entity
    }

    private static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        return attribute
    }

    private static func entity(
        _ name: String, _ attributes: [(String, NSAttributeType)]
    ) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = attributes.map { attribute($0.0, $0.1) }
        return entity
    }

    private static func relationship(
        _ name: String, _ destination: NSEntityDescription, _ maximum: Int, ordered: Bool = false
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.maxCount = maximum
        relationship.isOrdered = ordered && maximum != 1
        return relationship
    }

    private static func relate(
        _ from: NSEntityDescription, _ name: String, _ maximum: Int, _ to: NSEntityDescription,
        _ inverse: String?, _ inverseMaximum: Int, ordered: Bool = false
    ) {
        let first = relationship(name, to, maximum, ordered: ordered)
        from.properties += [first]
        guard let inverse else { return }
        let second = relationship(inverse, from, inverseMaximum, ordered: ordered)
        first.inverseRelationship = second
        second.inverseRelationship = first
        to.properties += [second]
    }
}
