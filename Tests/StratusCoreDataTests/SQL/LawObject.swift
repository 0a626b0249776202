import Foundation

@testable import StratusCoreData

/// An object of the law's model in memory, as a context would offer it.
final class LawObject: KeyValueReadable, PredicateValueConvertible {
    let entity: NSEntityDescription
    let key: Int64
    let objectID: NSManagedObjectID
    var values: [String: Any] = [:]

    init(_ entity: NSEntityDescription, _ key: Int64) {
        self.entity = entity
        self.key = key
        objectID = NSManagedObjectID(reference: .row(key), entity: entity, store: nil)
    }

    func value(forKey key: String) -> Any? {
        switch key {
        case "objectID": objectID
        case "entity": entity
        default:
            // A to-many relationship is a collection also where it is empty.
            values[key] ?? (relationship(key)?.isToMany == true ? [LawObject]() : nil)
        }
    }

    func offersValue(forKey key: String) -> Bool {
        entity.layout.slots[key] != nil || ["objectID", "entity", "self"].contains(key)
    }

    var predicateValue: PredicateValue { .object(PredicateObject(objectID)) }

    private func relationship(_ key: String) -> NSRelationshipDescription? {
        entity.layout.slots[key].flatMap { entity.layout.relationshipDescriptions[$0] }
    }

    func objects(_ key: String) -> [LawObject] { values[key] as? [LawObject] ?? [] }
    func object(_ key: String) -> LawObject? { values[key] as? LawObject }
}
