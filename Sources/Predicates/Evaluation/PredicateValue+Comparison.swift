internal import Foundation

extension PredicateValue {
    /// Whether the language calls two values equal.
    ///
    /// Numbers of all kinds compare by their exact value, `YES` is 1, strings compare under the options,
    /// objects by their own equality, identities by what stands for them now. Null equals null and nothing else.
    public func isEqual(to other: PredicateValue, options: PredicateOptions = []) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.string(let first), .string(let second)):
            StringFolding.areEqual(first, second, options: options)
        case (.list(let first), .list(let second)):
            first.count == second.count
                && zip(first, second).allSatisfy { $0.isEqual(to: $1, options: options) }
        case (.dictionary(let first), .dictionary(let second)):
            first.count == second.count
                && first.allSatisfy { key, value in
                    second[key].map { value.isEqual(to: $0, options: options) } ?? false
                }
        case (.set(let first), .set), (.set(let first), .list):
            Self.isEqual(first, other.elements ?? [], options: options)
        case (.list(let first), .set(let second)): Self.isEqual(second, first, options: options)
        case (.object(let first), .object(let second)): first.isSame(as: second)
        default:
            if isNumber, other.isNumber { numericOrder(to: other) == .equal } else { self == other }
        }
    }

    private static func isEqual(
        _ first: Set<PredicateValue>, _ second: [PredicateValue], options: PredicateOptions
    ) -> Bool {
        first.allSatisfy { value in second.contains { value.isEqual(to: $0, options: options) } }
            && second.allSatisfy { value in first.contains { value.isEqual(to: $0, options: options) } }
    }

    /// The order of two values, or nil when there is none (null, NaN, values of different kinds).
    public func order(to other: PredicateValue, options: PredicateOptions = []) -> ComparisonOrder? {
        switch (self, other) {
        case (.string(let first), .string(let second)):
            StringFolding.compare(first, second, options: options)
        case (.date(let first), .date(let second)): ComparisonOrder(first, second)
        case (.uuid(let first), .uuid(let second)): ComparisonOrder(first.uuidString, second.uuidString)
        case (.url(let first), .url(let second)):
            ComparisonOrder(first.absoluteString, second.absoluteString)
        case (.data(let first), .data(let second)):
            first == second ? .equal : first.lexicographicallyPrecedes(second) ? .ascending : .descending
        default: isNumber && other.isNumber ? numericOrder(to: other) : nil
        }
    }

    /// Whether the value is a number; a Boolean is one.
    var isNumber: Bool {
        switch self {
        case .bool, .int, .double, .decimal: true
        default: false
        }
    }

    /// The value as a floating-point number, or nil when it is not a number.
    var doubleValue: Double? {
        switch self {
        case .bool(let flag): flag ? 1 : 0
        case .int(let number): Double(number)
        case .double(let number): number
        case .decimal(let number): number.nearestDouble
        default: nil
        }
    }

    private func numericOrder(to other: PredicateValue) -> ComparisonOrder? {
        switch (self, other) {
        case (.bool(let flag), _): PredicateValue.int(flag ? 1 : 0).numericOrder(to: other)
        case (_, .bool(let flag)): numericOrder(to: .int(flag ? 1 : 0))
        case (.int(let first), .int(let second)): ComparisonOrder(first, second)
        case (.int(let first), .double(let second)): Self.order(first, second)
        case (.double(let first), .int(let second)): Self.order(second, first)?.reversed
        case (.int(let first), .decimal(let second)): ComparisonOrder(Decimal(first), second)
        case (.decimal(let first), .int(let second)): ComparisonOrder(first, Decimal(second))
        case (.decimal(let first), .decimal(let second)): ComparisonOrder(first, second)
        default:
            if let first = doubleValue, let second = other.doubleValue, !first.isNaN, !second.isNaN {
                ComparisonOrder(first, second)
            } else {
                nil
            }
        }
    }

    /// Compares without rounding: beyond 2^53 several integers are one Double.
    private static func order(_ first: Int64, _ second: Double) -> ComparisonOrder? {
        if second.isNaN { return nil }
        if second >= 0x1p63 { return .ascending }
        if second < -0x1p63 { return .descending }
        let whole = second.rounded(.towardZero)
        let order = ComparisonOrder(first, Int64(whole))
        return order == .equal ? ComparisonOrder(whole, second) : order
    }
}

extension Decimal {
    /// The nearest floating-point number, which is what a database keeps. `NSDecimalNumber.doubleValue` on Linux
    /// divides by ten for each decimal place and rounds each time, so 17 digits seldom come out right.
    package var nearestDouble: Double { Double("\(self)") ?? NSDecimalNumber(decimal: self).doubleValue }
}

extension ComparisonOrder {
    /// The order of the two values the other way round.
    var reversed: ComparisonOrder {
        switch self {
        case .ascending: .descending
        case .equal: .equal
        case .descending: .ascending
        }
    }
}
