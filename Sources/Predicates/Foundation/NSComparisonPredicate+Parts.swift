extension PredicateModifier {
    init(_ modifier: NSComparisonPredicate.Modifier) {
        switch modifier {
        case .direct: self = .direct
        case .all: self = .all
        case .any: self = .any
        }
    }
}

extension NSComparisonPredicate.Modifier {
    init(_ modifier: PredicateModifier) {
        switch modifier {
        case .direct: self = .direct
        case .all: self = .all
        case .any: self = .any
        }
    }
}

extension PredicateOperator {
    init(_ type: NSComparisonPredicate.Operator) {
        switch type {
        case .lessThan: self = .lessThan
        case .lessThanOrEqualTo: self = .lessThanOrEqualTo
        case .greaterThan: self = .greaterThan
        case .greaterThanOrEqualTo: self = .greaterThanOrEqualTo
        case .equalTo: self = .equalTo
        case .notEqualTo: self = .notEqualTo
        case .matches: self = .matches
        case .like: self = .like
        case .beginsWith: self = .beginsWith
        case .endsWith: self = .endsWith
        case .in: self = .in
        case .contains: self = .contains
        case .between: self = .between
        case .customSelector: self = .utiConformsTo
        }
    }
}

extension NSComparisonPredicate.Operator {
    init(_ comparison: PredicateOperator) {
        switch comparison {
        case .lessThan: self = .lessThan
        case .lessThanOrEqualTo: self = .lessThanOrEqualTo
        case .greaterThan: self = .greaterThan
        case .greaterThanOrEqualTo: self = .greaterThanOrEqualTo
        case .equalTo: self = .equalTo
        case .notEqualTo: self = .notEqualTo
        case .matches: self = .matches
        case .like: self = .like
        case .beginsWith: self = .beginsWith
        case .endsWith: self = .endsWith
        case .in: self = .in
        case .contains: self = .contains
        case .between: self = .between
        case .utiConformsTo, .utiEquals: self = .customSelector
        }
    }
}
