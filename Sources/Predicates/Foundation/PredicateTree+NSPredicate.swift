public import Foundation

extension PredicateTree {
    /// The tree of a Foundation predicate.
    ///
    /// Understands the results of our initialisers, `NSPredicate(value:)` and compounds of them, also the
    /// ones that Foundation's own initialisers make. Compounds are read part by part, since
    /// Foundation prints some of them wrongly (Documentation/CoreDataStore.md, 'Foundation's compounds').
    ///
    /// - Throws: ``PredicateTreeError`` for a block predicate and for subclasses of others.
    public init(_ predicate: NSPredicate) throws(PredicateTreeError) {
        if let comparison = predicate as? NSComparisonPredicate {
            self = .comparison(comparison.comparison)
        } else if let compound = predicate as? NSCompoundPredicate {
            try self.init(compound: compound)
        } else if type(of: predicate) == NSPredicate.self, predicate.isEqual(NSPredicate(value: true)) {
            self = .constant(true)
        } else if type(of: predicate) == NSPredicate.self, predicate.isEqual(NSPredicate(value: false)) {
            self = .constant(false)
        } else {
            throw .opaque(type(of: predicate))
        }
    }

    /// The tree of a compound's parts. An AND of nothing is true and an OR of nothing false.
    init(compound: NSCompoundPredicate) throws(PredicateTreeError) {
        var parts: [PredicateTree] = []
        for part in compound.subpredicates { parts.append(try PredicateTree(part)) }
        switch compound.compoundPredicateType {
        case .and where parts.isEmpty: self = .constant(true)
        case .or where parts.isEmpty: self = .constant(false)
        case .and: self = parts.count == 1 ? parts[0] : .and(parts)
        case .or: self = parts.count == 1 ? parts[0] : .or(parts)
        case .not where parts.count == 1: self = .not(parts[0])
        default: throw .unknownCompound(type(of: compound))
        }
    }
}
