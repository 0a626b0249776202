internal import Foundation

/// The compound that a format string gives.
///
/// Foundation's own class prints compounds of constants wrongly (cloudkit.md 6.1) and asks each part for
/// an answer; this one prints and evaluates the tree, so that an error in a part is not turned into true
/// by NOT.
final class FormatCompoundPredicate: NSCompoundPredicate {
    private var meaning: PredicateTree {
        (try? PredicateTree(compound: self)) ?? .constant(false)
    }

    override var predicateFormat: String { meaning.description }

    override var description: String { predicateFormat }

    override func evaluate(with object: Any?) -> Bool {
        evaluate(with: object, substitutionVariables: nil)
    }

    override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        (try? meaning.evaluate(on: object, variables: bindings ?? [:])) ?? false
    }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSCompoundPredicate else { return false }
        return (try? PredicateTree(other)) == meaning
    }

    override var hash: Int { meaning.hashValue }

    override func copy(with zone: NSZone? = nil) -> Any { self }
}
