/// An attribute made of attributes: a dictionary in memory, a column for each element in the store.
///
/// Unchecked sendable as in ``NSPropertyDescription``: mutable only until a coordinator uses its model.
open class NSCompositeAttributeDescription: NSAttributeDescription, @unchecked Sendable {
    /// The parts, which may be composite themselves.
    open var elements: [NSAttributeDescription] = [] { willSet { freeze.requireMutable() } }

    /// Makes a composite attribute without elements.
    public override init() {
        super.init()
        attributeType = .compositeAttributeType
    }

    override func makeEmptyCopy() -> NSPropertyDescription { NSCompositeAttributeDescription() }

    override func copied() -> NSPropertyDescription {
        let copy = super.copied()
        (copy as? NSCompositeAttributeDescription)?.elements = elements.compactMap {
            $0.copied() as? NSAttributeDescription
        }
        return copy
    }
}
