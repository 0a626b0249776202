/// What an entity mapping does, with Apple's numbers.
public enum NSEntityMappingType: UInt, Sendable, CaseIterable {
    /// Not said.
    case undefinedEntityMappingType = 0
    /// A migration policy does it.
    case customEntityMappingType = 1
    /// The entity is new.
    case addEntityMappingType = 2
    /// The entity is gone.
    case removeEntityMappingType = 3
    /// The entity is what it was.
    case copyEntityMappingType = 4
    /// Objects become other objects.
    case transformEntityMappingType = 5
}

/// How objects of one entity become objects of another.
open class NSEntityMapping: NSObject {
    /// The name, unique in the mapping model.
    open var name: String!
    /// What is done.
    open var mappingType: NSEntityMappingType = .undefinedEntityMappingType
    /// The entity of the objects that there are.
    open var sourceEntityName: String?
    /// Its version.
    open var sourceEntityVersionHash: Data?
    /// The entity of the objects that are made.
    open var destinationEntityName: String?
    /// Its version.
    open var destinationEntityVersionHash: Data?
    /// The values of attributes.
    open var attributeMappings: [NSPropertyMapping]?
    /// The values of relationships.
    open var relationshipMappings: [NSPropertyMapping]?
    /// What gives the source objects; all objects of the source entity where it is nil.
    open var sourceExpression: Predicates.NSExpression?
    /// The app's own notes.
    open var userInfo: [AnyHashable: Any]?
    /// The name of a subclass of ``NSEntityMigrationPolicy``; see ``NSEntityMigrationPolicy/register(_:named:)``.
    open var entityMigrationPolicyClassName: String?

    /// Makes a mapping without a name.
    public override init() { super.init() }
}

extension NSEntityMapping {
    /// What the mapping says, to find out whether it was changed.
    var content: [String] {
        let properties = (attributeMappings ?? []) + (relationshipMappings ?? [])
        return [
            name ?? "", "\(mappingType)", sourceEntityName ?? "", destinationEntityName ?? "",
            sourceExpression?.description ?? "", entityMigrationPolicyClassName ?? "",
        ] + properties.map { "\($0.name ?? ""): \($0.valueExpression?.description ?? "")" }
    }
}

/// The value of one property of a new object.
open class NSPropertyMapping: NSObject {
    /// The name of the property in the destination entity.
    open var name: String?
    /// What its value is: an expression of `$source`, `$manager`, `$entityMapping` and `$entityPolicy`.
    open var valueExpression: Predicates.NSExpression?
    /// The app's own notes.
    open var userInfo: [AnyHashable: Any]?

    /// Makes a mapping without a name.
    public override init() { super.init() }

    /// Makes a mapping.
    public convenience init(name: String, valueExpression: Predicates.NSExpression?) {
        self.init()
        self.name = name
        self.valueExpression = valueExpression
    }
}
