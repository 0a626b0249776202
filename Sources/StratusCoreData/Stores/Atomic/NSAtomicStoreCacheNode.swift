/// What an ``NSAtomicStore`` holds of one object.
///
/// Attributes are values, to-one relationships other nodes, to-many relationships sets of nodes, ordered ones ordered
/// sets.
open class NSAtomicStoreCacheNode: NSObject {
    /// The object that the values are of.
    open var objectID: NSManagedObjectID { ownID }
    private let ownID: NSManagedObjectID
    /// The values by the names of the properties.
    open var propertyCache: NSMutableDictionary?
    /// How often the object was saved since the store was loaded, which is how a conflict is noticed.
    var version: Int64 = 1

    /// Makes a node without values.
    public init(objectID moid: NSManagedObjectID) { ownID = moid }

    /// The value of a property: a value, a node, or a set of nodes. Answers what ``propertyCache`` holds unless
    /// overridden.
    open func value(forKey key: String) -> Any? {
        let value = propertyCache?[key]
        return value is NSNull ? nil : value
    }

    /// Sets the value of a property.
    open func setValue(_ value: Any?, forKey key: String) {
        let cache = propertyCache ?? NSMutableDictionary()
        propertyCache = cache
        if let value { cache[key] = value } else { cache.removeObject(forKey: key) }
    }
}

extension NSAtomicStoreCacheNode: KeyValueReadable {
    /// Whether the entity has the property.
    public func offersValue(forKey key: String) -> Bool { objectID.layout.slots[key] != nil }
}

extension NSAtomicStoreCacheNode: PredicateValueConvertible {
    /// The object's ID: a predicate takes an object, its ID or its node.
    public var predicateValue: PredicateValue { .object(PredicateObject(objectID)) }
}

extension NSAtomicStoreCacheNode {
    /// The nodes of a relationship, in order where it has one.
    func destinations(_ key: String) -> [NSAtomicStoreCacheNode] {
        switch value(forKey: key) {
        case let node as NSAtomicStoreCacheNode: [node]
        case let nodes as NSOrderedSet: nodes.array.compactMap { $0 as? NSAtomicStoreCacheNode }
        case let nodes as NSSet: nodes.allObjects.compactMap { $0 as? NSAtomicStoreCacheNode }
        case let nodes as Set<NSAtomicStoreCacheNode>: Array(nodes)
        case let nodes as [NSAtomicStoreCacheNode]: nodes
        default: []
        }
    }

    /// The node as a row.
    ///
    /// - Throws: `CocoaError` 134060 where a value is none of its attribute.
    func snapshot() throws -> Snapshot {
        let layout = objectID.layout
        var values: [PropertyValue] = []
        values.reserveCapacity(layout.storedCount)
        for slot in 0..<layout.storedCount {
            let name = layout.properties[slot].name
            guard let attribute = layout.attributeDescriptions[slot] else {
                values.append(destinations(name).first.map { .reference($0.objectID) } ?? .null)
                continue
            }
            let any = value(forKey: name)
            guard let value = PropertyValue(any, for: attribute) else {
                throw CoreDataError(
                    134060,
                    "The cache node of \(objectID) holds \(any.map { "\(type(of: $0))" } ?? "nil") as '\(name)'.",
                    remedy: "Make the values in load() fit the model."
                ).cocoa
            }
            values.append(value)
        }
        return Snapshot(version: version, values: values)
    }

    /// Takes the values of an object, with the nodes of the objects that it leads to.
    func take(_ object: NSManagedObject, nodes: (NSManagedObjectID) -> NSAtomicStoreCacheNode?) {
        let layout = object.layout
        for slot in 0..<layout.toManys.upperBound {
            let property = layout.properties[slot]
            guard !property.isTransient else { continue }
            guard let relationship = layout.relationshipDescriptions[slot] else {
                setValue(object.primitiveValue(forKey: property.name), forKey: property.name)
                continue
            }
            let others = object.objectIDs(forRelationshipNamed: property.name).compactMap(nodes)
            if !relationship.isToMany {
                setValue(others.first, forKey: property.name)
            } else if relationship.isOrdered {
                setValue(NSOrderedSet(array: others), forKey: property.name)
            } else {
                setValue(NSSet(array: others), forKey: property.name)
            }
        }
    }
}
