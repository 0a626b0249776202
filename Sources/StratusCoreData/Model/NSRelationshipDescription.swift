/// What happens to the other side when an object is deleted, with Apple's numbers.
public enum NSDeleteRule: UInt, Sendable, CaseIterable {
    /// The other side keeps pointing at what is gone.
    case noActionDeleteRule = 0
    /// The other side's inverse is emptied.
    case nullifyDeleteRule = 1
    /// The other side is deleted too.
    case cascadeDeleteRule = 2
    /// The delete fails while there is another side.
    case denyDeleteRule = 3
}

/// One relationship of an entity.
///
/// Unchecked sendable as in ``NSPropertyDescription``: mutable only until a coordinator uses its model.
open class NSRelationshipDescription: NSPropertyDescription, @unchecked Sendable {
    /// The entity of the objects at the other side.
    open weak var destinationEntity: NSEntityDescription? {
        willSet { freeze.requireMutable() }
        didSet { notes.destinationName = nil }
    }
    /// The relationship back.
    open weak var inverseRelationship: NSRelationshipDescription? {
        willSet { freeze.requireMutable() }
        didSet {
            notes.inverseName = nil
            notes.inverseEntityName = nil
        }
    }
    /// Names in a model file that lead nowhere.
    var notes = RelationshipNotes()
    /// The least number of objects at the other side, 0 for none.
    open var minCount = 0 { willSet { freeze.requireMutable() } }
    /// The greatest number of objects at the other side; 1 makes a to-one relationship, 0 means no bound.
    open var maxCount = 0 { willSet { freeze.requireMutable() } }
    /// What happens to the other side when this one is deleted.
    open var deleteRule: NSDeleteRule = .nullifyDeleteRule { willSet { freeze.requireMutable() } }
    /// Whether the objects at the other side have an order.
    open var isOrdered = false { willSet { freeze.requireMutable() } }
    /// Whether there may be more than one object at the other side.
    open var isToMany: Bool { maxCount != 1 }

    override func makeEmptyCopy() -> NSPropertyDescription { NSRelationshipDescription() }

    /// A copy whose destination and inverse are still those of the original; see `NSManagedObjectModel.copy`.
    override func copied() -> NSPropertyDescription {
        let copy = super.copied()
        guard let relationship = copy as? NSRelationshipDescription else { return copy }
        relationship.minCount = minCount
        relationship.maxCount = maxCount
        relationship.deleteRule = deleteRule
        relationship.isOrdered = isOrdered
        relationship.destinationEntity = destinationEntity
        relationship.inverseRelationship = inverseRelationship
        relationship.notes = notes
        return relationship
    }
}
