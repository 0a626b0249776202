public import Foundation

/// A mapping model as a plain value: what a compiled `.cdm` says.
public struct MappingDocument: Sendable, Hashable {
    /// The mappings of entities, in the order in which they are done.
    public var entityMappings: [EntityMappingDocument]
    /// Whether the versions' hashes in it are those of this package, so that they can be compared.
    public var hasOwnHashes: Bool

    /// Makes a mapping model from its parts.
    public init(entityMappings: [EntityMappingDocument] = [], hasOwnHashes: Bool = true) {
        self.entityMappings = entityMappings
        self.hasOwnHashes = hasOwnHashes
    }
}

/// How objects of one entity become objects of another.
public struct EntityMappingDocument: Sendable, Hashable {
    /// What a mapping does, with the numbers of `NSEntityMappingType`.
    public enum Kind: Int, Sendable, Hashable, CaseIterable {
        case undefined = 0
        case custom, add, remove, copy, transform
    }

    /// The name, unique in the mapping model.
    public var name: String
    /// What is done.
    public var kind: Kind
    /// The entity of the objects that there are.
    public var sourceEntityName: String?
    /// Its version.
    public var sourceVersionHash: Data?
    /// The entity of the objects that are made.
    public var destinationEntityName: String?
    /// Its version.
    public var destinationVersionHash: Data?
    /// What gives the source objects, as a format string; nil for all objects of the entity.
    public var sourceExpression: String?
    /// The name of the migration policy's class.
    public var policyClassName: String?
    /// The values of attributes.
    public var attributeMappings: [PropertyMappingDocument]
    /// The values of relationships.
    public var relationshipMappings: [PropertyMappingDocument]
    /// Free text entries of the author.
    public var userInfo: [String: String]

    /// Makes a mapping from its parts.
    public init(
        name: String, kind: Kind = .undefined, sourceEntityName: String? = nil,
        sourceVersionHash: Data? = nil, destinationEntityName: String? = nil,
        destinationVersionHash: Data? = nil, sourceExpression: String? = nil,
        policyClassName: String? = nil, attributeMappings: [PropertyMappingDocument] = [],
        relationshipMappings: [PropertyMappingDocument] = [], userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.kind = kind
        self.sourceEntityName = sourceEntityName
        self.sourceVersionHash = sourceVersionHash
        self.destinationEntityName = destinationEntityName
        self.destinationVersionHash = destinationVersionHash
        self.sourceExpression = sourceExpression
        self.policyClassName = policyClassName
        self.attributeMappings = attributeMappings
        self.relationshipMappings = relationshipMappings
        self.userInfo = userInfo
    }
}

/// The value of one property of a new object.
public struct PropertyMappingDocument: Sendable, Hashable {
    /// The name of the property in the destination entity.
    public var name: String
    /// What its value is, as a format string; nil leaves the property's default.
    public var valueExpression: String?
    /// Free text entries of the author.
    public var userInfo: [String: String]

    /// Makes a mapping from its parts.
    public init(name: String, valueExpression: String? = nil, userInfo: [String: String] = [:]) {
        self.name = name
        self.valueExpression = valueExpression
        self.userInfo = userInfo
    }
}
