@_exported public import FoundationGaps
@_exported public import StratusCoreData

// Foundation on Linux declares these two names and lets nobody make one. In a file that imports CoreData the names mean
// the classes that work; a file that imports Foundation beside it needs the same two lines once in its module, which the
// build plugin writes.

/// An expression of a predicate.
public typealias NSExpression = Predicates.NSExpression
/// A predicate that compares two expressions.
public typealias NSComparisonPredicate = Predicates.NSComparisonPredicate
