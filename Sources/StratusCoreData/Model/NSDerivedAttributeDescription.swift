/// An attribute whose value the store computes when an object is saved.
///
/// The expression is a key path over a to-one relationship, `uppercase:`, `lowercase:` or `canonical:` of a key
/// path, `@count` or `@sum` over a to-many relationship, or `now()`. Only the SQLite store has derived attributes.
///
/// Unchecked sendable as in ``NSPropertyDescription``: mutable only until a coordinator uses its model.
open class NSDerivedAttributeDescription: NSAttributeDescription, @unchecked Sendable {
    /// What the value is computed from.
    open var derivationExpression: Predicates.NSExpression? {
        willSet { freeze.requireMutable() }
        didSet { notes.derivation = nil }
    }

    override func makeEmptyCopy() -> NSPropertyDescription { NSDerivedAttributeDescription() }

    override func copied() -> NSPropertyDescription {
        let copy = super.copied()
        guard let derived = copy as? NSDerivedAttributeDescription else { return copy }
        derived.derivationExpression = derivationExpression
        derived.notes = notes
        return derived
    }
}
