internal import Foundation

/// `CAST` of values that are known when the predicate is evaluated.
enum RuntimeCast {
    /// The value as another type: numbers, dates (seconds since 2001) and text turn into each other.
    static func cast(
        _ value: PredicateValue, to type: PredicateValue
    ) throws(PredicateEvaluationError) -> PredicateValue {
        guard case .string(let name) = type, let target = PredicateCast.target(name) else {
            throw PredicateEvaluationError(.unsupported("CAST to \(type)"))
        }
        if value == .null { return .null }
        if let result = convert(value, to: target) ?? PredicateCast.literal(value, type: name) {
            return result
        }
        throw PredicateEvaluationError(.badArgument(function: "CAST to \(name)", value: value.kindName))
    }

    private static func convert(_ value: PredicateValue, to target: PredicateCast.Target) -> PredicateValue? {
        switch (target, value) {
        case (.date, .date), (.string, .string), (.data, .data), (.uuid, .uuid), (.url, .url), (.set, .set),
            (.dictionary, .dictionary), (.decimal, .decimal):
            value
        case (.number, _) where value.isNumber: value
        case (.number, .string(let text)):
            Int64(text).map { .int($0) } ?? Double(text).map { .double($0) }
        case (.number, .date(let date)), (.double, .date(let date)):
            .double(date.timeIntervalSinceReferenceDate)
        case (.string, .date(let date)): .string("\(date)")
        case (.string, .uuid(let uuid)): .string(uuid.uuidString)
        case (.string, .url(let url)): .string(url.absoluteString)
        case (.string, .decimal(let number)): .string("\(number)")
        case (.string, _) where value.isNumber: .string(value.description)
        case (.double, .string(let text)): Double(text).map { .double($0) }
        case (.double, _): value.doubleValue.map { .double($0) }
        case (.decimal, .int(let number)): .decimal(Decimal(number))
        case (.decimal, .double(let number)): .decimal(Decimal(number))
        case (.date, _): value.doubleValue.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        default: nil
        }
    }
}
