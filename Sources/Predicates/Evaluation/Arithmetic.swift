internal import Foundation

/// The arithmetic of the language.
///
/// Whole numbers stay whole, also in division, as in `NSExpression` and SQL; a result that does not fit
/// becomes floating-point. Null with anything is null, and so is division by zero, as in SQL.
enum Arithmetic {
    enum Operation: String {
        case add = "add:to:"
        case subtract = "from:subtract:"
        case multiply = "multiply:by:"
        case divide = "divide:by:"
        case modulus = "modulus:by:"
        case power = "raise:toPower:"
    }

    /// Computes, or reports values that are no numbers.
    static func apply(
        _ operation: Operation, _ left: PredicateValue, _ right: PredicateValue
    ) throws(PredicateEvaluationError) -> PredicateValue {
        switch (left.asNumber, right.asNumber) {
        case (.null, _), (_, .null): return .null
        case (.date(let date), let number) where number.isNumber && operation == .add:
            return .date(date + (number.doubleValue ?? 0))
        case (let number, .date(let date)) where number.isNumber && operation == .add:
            return .date(date + (number.doubleValue ?? 0))
        case (.date(let date), let number) where number.isNumber && operation == .subtract:
            return .date(date - (number.doubleValue ?? 0))
        case (.date(let first), .date(let second)) where operation == .subtract:
            return .double(first.timeIntervalSince(second))
        case (.int(let first), .int(let second)): return integer(operation, first, second)
        case (.decimal(let first), .decimal(let second)):
            if let result = decimal(operation, first, second) { return result }
        case (.decimal(let first), .int(let second)):
            if let result = decimal(operation, first, Decimal(second)) { return result }
        case (.int(let first), .decimal(let second)):
            if let result = decimal(operation, Decimal(first), second) { return result }
        default: break
        }
        guard let first = left.doubleValue, let second = right.doubleValue else {
            throw PredicateEvaluationError(
                .badArgument(
                    function: operation.rawValue, value: "\(left.kindName) and \(right.kindName)"))
        }
        return double(operation, first, second)
    }

    private static func integer(_ operation: Operation, _ left: Int64, _ right: Int64) -> PredicateValue {
        let (value, overflow) =
            switch operation {
            case .add: left.addingReportingOverflow(right)
            case .subtract: left.subtractingReportingOverflow(right)
            case .multiply: left.multipliedReportingOverflow(by: right)
            case .divide: left.dividedReportingOverflow(by: right)
            case .modulus: left.remainderReportingOverflow(dividingBy: right)
            case .power: power(left, right)
            }
        return overflow ? double(operation, Double(left), Double(right)) : .int(value)
    }

    /// The power by repeated multiplication, so that the result is exact while it fits.
    private static func power(_ base: Int64, _ exponent: Int64) -> (Int64, Bool) {
        guard exponent >= 0 else { return (0, true) }
        if base == 0 || base == 1 { return (exponent == 0 ? 1 : base, false) }
        if base == -1 { return (exponent.isMultiple(of: 2) ? 1 : -1, false) }
        guard exponent < 64 else { return (0, true) }
        var result: Int64 = 1
        for _ in 0..<exponent {
            let (product, overflow) = result.multipliedReportingOverflow(by: base)
            if overflow { return (0, true) }
            result = product
        }
        return (result, false)
    }

    private static func double(_ operation: Operation, _ left: Double, _ right: Double) -> PredicateValue {
        switch operation {
        case .add: .computed(left + right)
        case .subtract: .computed(left - right)
        case .multiply: .computed(left * right)
        case .divide: right == 0 ? .null : .computed(left / right)
        case .modulus: right == 0 ? .null : .computed(left.truncatingRemainder(dividingBy: right))
        case .power: .computed(pow(left, right))
        }
    }

    private static func decimal(_ operation: Operation, _ left: Decimal, _ right: Decimal) -> PredicateValue?
    {
        switch operation {
        case .add: .decimal(left + right)
        case .subtract: .decimal(left - right)
        case .multiply: .decimal(left * right)
        case .divide: right == 0 ? .null : .decimal(left / right)
        case .modulus, .power: nil
        }
    }
}

extension PredicateValue {
    /// The result of a computation: what is not a number is no value, as in SQL.
    static func computed(_ number: Double) -> PredicateValue { number.isNaN ? .null : .double(number) }

    /// A Boolean as the number that it stands for; anything else as it is.
    fileprivate var asNumber: PredicateValue {
        if case .bool(let flag) = self { .int(flag ? 1 : 0) } else { self }
    }

    /// A name for the kind of value, for messages; values themselves may be private.
    var kindName: String {
        switch self {
        case .null: "nil"
        case .bool: "a Boolean"
        case .int, .double, .decimal: "a number"
        case .string: "a string"
        case .date: "a date"
        case .data: "data"
        case .uuid: "a UUID"
        case .url: "a URL"
        case .list: "a list"
        case .set: "a set"
        case .dictionary: "a dictionary"
        case .object(let object): "\(type(of: object.base))"
        }
    }
}
