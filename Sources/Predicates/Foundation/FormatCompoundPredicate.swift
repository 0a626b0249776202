internal import Foundation

/// The compound that a format string gives.
///
/// Foundation's own class prints compounds of constants wrongly (Documentation/CoreDataStore.md, 'Foundation's
/// compounds') and asks each part for an answer; this one prints and evaluates the tree, so that NOT does not turn
/// an error in a part into true.
final class FormatCompoundPredicate: NSCompoundPredicate {
    /// What the parts mean together. Set once by ``made(from:)``, before anybody else has the predicate;
    /// putting the tree together again for every evaluated object would cost more than evaluating it.
    private var meaning = PredicateTree.constant(false)

    /// The compound of a tree that is one, or nil for a constant or a comparison.
    static func made(from tree: PredicateTree) -> FormatCompoundPredicate? {
        let predicate: FormatCompoundPredicate
        switch tree {
        case .and(let parts):
            predicate = FormatCompoundPredicate(andPredicateWithSubpredicates: parts.map(NSPredicate.made))
        case .or(let parts):
            predicate = FormatCompoundPredicate(orPredicateWithSubpredicates: parts.map(NSPredicate.made))
        case .not(let part):
            predicate = FormatCompoundPredicate(
                notPredicateWithSubpredicate: NSPredicate.made(from: part))
        case .constant, .comparison: return nil
        }
        predicate.meaning = tree
        return predicate
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
