import Predicates

// The one file that a module needs to use these two names as types beside Foundation's.
typealias NSExpression = Predicates.NSExpression
typealias NSComparisonPredicate = Predicates.NSComparisonPredicate
