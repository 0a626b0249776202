/// What deleting an object does along a relationship; raw values are those of Apple's `NSDeleteRule`.
public enum RelationshipDeleteRule: Int, Sendable, Hashable, CaseIterable {
    /// Nothing: the other side is left as it is.
    case noAction = 0
    /// The other side forgets the object.
    case nullify = 1
    /// The other side is deleted too.
    case cascade = 2
    /// The deletion fails while the other side exists.
    case deny = 3
}

/// A relationship of an entity.
public struct RelationshipDocument: Sendable, Hashable {
    /// The name.
    public var name: String
    /// Whether the other side may be missing.
    public var isOptional: Bool
    /// Whether the relationship stays out of the store.
    public var isTransient: Bool
    /// Whether a to-many relationship keeps an order.
    public var isOrdered: Bool
    /// The smallest number of objects on the other side.
    public var minCount: Int
    /// The largest number of objects on the other side; 1 means to-one, 0 means any number.
    public var maxCount: Int
    /// What deleting the object does.
    public var deleteRule: RelationshipDeleteRule
    /// The entity on the other side; nil where the model leaves it open.
    public var destinationEntityName: String?
    /// The relationship that leads back.
    public var inverseName: String?
    /// The entity that ``inverseName`` is looked up in.
    public var inverseEntityName: String?
    /// The name in an earlier version of the model.
    public var renamingIdentifier: String?
    /// Text that changes the version hash without changing the relationship.
    public var versionHashModifier: String?
    /// Whether the relationship is marked as indexed, as models before 2017 said it.
    public var isIndexed: Bool
    /// Whether Spotlight indexes the relationship.
    public var isSpotlightIndexed: Bool
    /// Free text entries of the model's author.
    public var userInfo: [String: String]

    /// Whether more than one object may be on the other side: ``maxCount`` is not 1.
    public var isToMany: Bool { maxCount != 1 }

    /// Makes a relationship, to-one unless `maxCount` says otherwise.
    public init(
        name: String, isOptional: Bool = false, isTransient: Bool = false, isOrdered: Bool = false,
        minCount: Int = 0, maxCount: Int = 1, deleteRule: RelationshipDeleteRule = .nullify,
        destinationEntityName: String? = nil, inverseName: String? = nil, inverseEntityName: String? = nil,
        renamingIdentifier: String? = nil, versionHashModifier: String? = nil, isIndexed: Bool = false,
        isSpotlightIndexed: Bool = false, userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.isOptional = isOptional
        self.isTransient = isTransient
        self.isOrdered = isOrdered
        self.minCount = minCount
        self.maxCount = maxCount
        self.deleteRule = deleteRule
        self.destinationEntityName = destinationEntityName
        self.inverseName = inverseName
        self.inverseEntityName = inverseEntityName
        self.renamingIdentifier = renamingIdentifier
        self.versionHashModifier = versionHashModifier
        self.isIndexed = isIndexed
        self.isSpotlightIndexed = isSpotlightIndexed
        self.userInfo = userInfo
    }
}
