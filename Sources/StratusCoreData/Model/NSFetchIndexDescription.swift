/// How an element of an index is ordered.
public enum NSFetchIndexElementType: UInt, Sendable {
    /// An ordinary index.
    case binary = 0
    /// A spatial index over numbers; not mixed with the other kind in one index.
    case rTree = 1
}

/// An index over properties of an entity.
///
/// Unchecked sendable as in ``NSPropertyDescription``: mutable only until a coordinator uses its model.
open class NSFetchIndexDescription: NSObject, @unchecked Sendable {
    /// The name, unique within the entity.
    open var name: String
    /// What is indexed, in order.
    open var elements: [NSFetchIndexElementDescription] { didSet { adopt() } }
    /// The entity that the index belongs to.
    open internal(set) weak var entity: NSEntityDescription?
    /// Restricts the index to the rows for which it holds.
    open var partialIndexPredicate: NSPredicate?
    /// Whether it was written as a compound index of before 2017, which SQL names differently.
    package var isCompound = false

    /// Makes an index.
    public init(name: String, elements: [NSFetchIndexElementDescription]?) {
        self.name = name
        self.elements = elements ?? []
        super.init()
        adopt()
    }

    private func adopt() { for element in elements { element.indexDescription = self } }
}

/// One element of an index.
///
/// Unchecked sendable as in ``NSPropertyDescription``: mutable only until a coordinator uses its model.
open class NSFetchIndexElementDescription: NSObject, @unchecked Sendable {
    /// The indexed property; an ``NSExpressionDescription`` for an expression.
    open var property: NSPropertyDescription?
    /// The name of the property.
    open var propertyName: String? { property?.name }
    /// The kind of index.
    open var collationType: NSFetchIndexElementType
    /// Whether the index ascends in this element.
    open var isAscending = true
    /// The index that the element belongs to.
    open internal(set) weak var indexDescription: NSFetchIndexDescription?

    /// Makes an element over a property.
    public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
        self.property = property
        self.collationType = collationType
        super.init()
    }
}
