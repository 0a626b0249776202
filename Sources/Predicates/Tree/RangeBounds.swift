/// A range of Swift, whose bounds `BETWEEN` takes.
///
/// QueryKit compares with `1 ..< 5` as with `{1, 5}` (https://github.com/QueryKit/QueryKit, KeyPathTests.swift), and
/// `BETWEEN` includes both bounds, whatever the range says of its upper one.
private protocol RangeBounds {
    var bounds: [Any] { get }
}

extension Range: RangeBounds {
    fileprivate var bounds: [Any] { [lowerBound, upperBound] }
}

extension ClosedRange: RangeBounds {
    fileprivate var bounds: [Any] { [lowerBound, upperBound] }
}

extension PredicateValue {
    /// The list of a range's two bounds; any other value as it is.
    var asBounds: PredicateValue {
        guard case .object(let object) = self, let range = object.base as? any RangeBounds else {
            return self
        }
        return .list(range.bounds.map { PredicateValue($0) })
    }
}

extension ExpressionTree {
    /// A constant range as the list of its two bounds; any other expression as it is.
    var asBounds: ExpressionTree {
        if case .constant(let value) = self { .constant(value.asBounds) } else { self }
    }
}
