import Foundation
import SQLiteAccess
import TestSupport

@testable import CoreDataSQLiteStore
@testable import StratusCoreData

/// A model as plain values, so that a test can edit a copy of it and still know what became of what: everything keeps
/// its `id`.
struct SketchModel {
    struct Attribute {
        var id: Int
        var name: String
        var type: NSAttributeType
        var isOptional = true
        var hasDefault = false
        var identifier: String?
    }

    struct Relationship {
        var id: Int
        var name: String
        var destination: Int
        var isToMany: Bool
        var isOrdered = false
        /// The id of the inverse.
        var inverse: Int?
        var identifier: String?
    }

    struct Entity {
        var id: Int
        var name: String
        var parent: Int?
        var identifier: String?
        var attributes: [Attribute] = []
        var relationships: [Relationship] = []
        /// The name of an attribute that has an index.
        var indexed: String?
    }

    var entities: [Entity] = []
    var nextID = 1

    mutating func newID() -> Int {
        nextID += 1
        return nextID
    }

    func index(_ id: Int) -> Int? { entities.firstIndex { $0.id == id } }

    func entity(_ id: Int) -> Entity? { entities.first { $0.id == id } }

    func children(_ id: Int) -> [Entity] { entities.filter { $0.parent == id } }

    /// The entity and all above it.
    func chain(_ id: Int) -> [Entity] {
        guard let entity = entity(id) else { return [] }
        return [entity] + (entity.parent.map(chain) ?? [])
    }

    func family(_ id: Int) -> [Entity] {
        guard let entity = entity(id) else { return [] }
        return [entity] + children(id).flatMap { family($0.id) }
    }

    func isKind(_ id: Int, of other: Int) -> Bool { chain(id).contains { $0.id == other } }

    func attributes(of id: Int) -> [Attribute] { chain(id).flatMap(\.attributes) }

    func relationships(of id: Int) -> [Relationship] { chain(id).flatMap(\.relationships) }

    /// All names in the whole hierarchy, which new names must not clash with.
    func names(around id: Int) -> Set<String> {
        let root = chain(id).last?.id ?? id
        let members = family(root)
        return Set(members.flatMap { $0.attributes.map(\.name) + $0.relationships.map(\.name) })
    }

    /// The model itself.
    func build() -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        var made: [Int: NSEntityDescription] = [:]
        for entity in entities {
            let description = NSEntityDescription()
            description.name = entity.name
            description.renamingIdentifier = entity.identifier
            made[entity.id] = description
        }
        for entity in entities {
            made[entity.id]?.subentities = children(entity.id).compactMap { made[$0.id] }
        }
        var sides: [Int: NSRelationshipDescription] = [:]
        for entity in entities {
            let attributes = entity.attributes.map(Self.build)
            var relationships: [NSRelationshipDescription] = []
            for relationship in entity.relationships {
                let side = NSRelationshipDescription()
                side.name = relationship.name
                side.renamingIdentifier = relationship.identifier
                side.maxCount = relationship.isToMany ? 0 : 1
                side.isOrdered = relationship.isToMany && relationship.isOrdered
                side.destinationEntity = made[relationship.destination]
                sides[relationship.id] = side
                relationships.append(side)
            }
            made[entity.id]?.properties = attributes + relationships
            if let name = entity.indexed, let attribute = attributes.first(where: { $0.name == name }) {
                let element = NSFetchIndexElementDescription(property: attribute, collationType: .binary)
                made[entity.id]?.indexes = [NSFetchIndexDescription(name: "by\(name)", elements: [element])]
            }
        }
        for relationship in entities.flatMap(\.relationships) {
            sides[relationship.id]?.inverseRelationship = relationship.inverse.flatMap { sides[$0] }
        }
        model.entities = entities.compactMap { made[$0.id] }
        return model
    }

    private static func build(_ attribute: Attribute) -> NSAttributeDescription {
        let description = NSAttributeDescription()
        description.name = attribute.name
        description.renamingIdentifier = attribute.identifier
        description.attributeType = attribute.type
        description.isOptional = attribute.isOptional
        if attribute.hasDefault { description.defaultValue = SketchValue.defaultValue(attribute.type) }
        return description
    }
}

/// Values of attributes, as Swift has them and as columns do.
enum SketchValue {
    static let types: [NSAttributeType] = [
        .integer16AttributeType, .integer64AttributeType, .booleanAttributeType, .doubleAttributeType,
        .floatAttributeType,
        .dateAttributeType, .stringAttributeType, .UUIDAttributeType, .binaryDataAttributeType,
        .decimalAttributeType,
        .URIAttributeType,
    ]

    private static let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    static func defaultValue(_ type: NSAttributeType) -> Any? {
        switch type {
        case .integer16AttributeType, .integer64AttributeType: 7
        case .booleanAttributeType: true
        case .doubleAttributeType, .floatAttributeType: 1.5
        case .dateAttributeType: Date(timeIntervalSinceReferenceDate: 12_345.5)
        case .stringAttributeType: "it's \"a\" déjà\u{0}vu"
        case .UUIDAttributeType: uuid
        case .binaryDataAttributeType: Data([0, 1, 255])
        case .decimalAttributeType: Decimal(42)
        case .URIAttributeType: URL(string: "https://example.com/a?b=c")
        default: nil
        }
    }

    static func storedDefault(_ type: NSAttributeType) -> SQLBinding {
        switch type {
        case .integer16AttributeType, .integer64AttributeType: .double(7)
        case .booleanAttributeType: .double(1)
        case .doubleAttributeType, .floatAttributeType: .double(1.5)
        case .dateAttributeType: .double(12_345.5)
        case .stringAttributeType: .text("it's \"a\" déjà\u{0}vu")
        case .UUIDAttributeType: .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
        case .binaryDataAttributeType: .blob(Data([0, 1, 255]))
        case .decimalAttributeType: .double(42)
        case .URIAttributeType: .text("https://example.com/a?b=c")
        default: .null
        }
    }

    static func random(_ type: NSAttributeType, _ random: inout Random) -> SQLBinding {
        switch type {
        case .integer16AttributeType: .int(Int64(random.int(-32_768...32_767)))
        case .integer64AttributeType: .int(Int64(random.int(-1_000_000...1_000_000)))
        case .booleanAttributeType: .int(Int64(random.int(0...1)))
        case .doubleAttributeType, .floatAttributeType, .dateAttributeType, .decimalAttributeType:
            .double(Double(random.int(-4_000...4_000)) / 4)
        case .stringAttributeType, .URIAttributeType:
            .text(random.text(["a", "ß", "'", "\"", "x", " "], 0...6))
        case .UUIDAttributeType: .blob(Data((0..<16).map { _ in UInt8(random.int(0...255)) }))
        default: .blob(Data((0..<random.int(0...5)).map { _ in UInt8(random.int(0...255)) }))
        }
    }

    /// Numbers without regard to how SQLite keeps them.
    static func comparable(_ value: SQLBinding) -> SQLBinding {
        if case .int(let number) = value { return .double(Double(number)) }
        return value
    }
}
