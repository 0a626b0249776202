internal import GRDB

/// What SQLite cannot say by itself, as functions and collations that every connection of a store has.
///
/// They call the in-memory evaluation of Predicates, so that both ways of answering cannot disagree. Kinds of
/// values are passed as the letters of ``SQLKind/letter``, operators as ``PredicateOperator/code``.
enum SQLFunctions {
    static var all: [DatabaseFunction] {
        [fold, text, test, value, random, property, precomposed, statistic]
    }

    static var collations: [DatabaseCollation] {
        StoreSort.Comparison.localizedVariants.map { comparison in
            DatabaseCollation(comparison.collationName) { StoreSort.order($0, $1, comparison) }
        }
    }

    /// `stratus_fold(text, options)`
    private static let fold = DatabaseFunction("stratus_fold", argumentCount: 2, pure: true) { values in
        guard case .string(let text) = values[0].storage else { return nil }
        return StringFolding.fold(text, options: options(values[1]))
    }

    /// `stratus_text(operator, options, text, pattern)`: one of the operators on two texts.
    private static let text = DatabaseFunction("stratus_text", argumentCount: 4, pure: true) { values in
        guard case .string(let text) = values[2].storage, case .string(let pattern) = values[3].storage else {
            return nil
        }
        let options = options(values[1])
        switch try predicateOperator(values[0]) {
        case .contains: return StringFolding.contains(text, pattern, options: options)
        case .beginsWith: return StringFolding.begins(text, with: pattern, options: options)
        case .endsWith: return StringFolding.ends(text, with: pattern, options: options)
        case .like: return StringFolding.isLike(text, pattern, options: options)
        case let other:
            return try PredicateTree.compare(
                .constant(.string(text)), other, .constant(.string(pattern)), options: options
            ).evaluate(on: nil)
        }
    }

    /// `stratus_test(operator, options, letters, left, right)`: any operator on two values.
    private static let test = DatabaseFunction("stratus_test", argumentCount: 5, pure: true) { values in
        let read = arguments(letters: values[2], values[3...])
        return try PredicateTree.compare(
            .constant(read[0]), try predicateOperator(values[0]), .constant(read[1]),
            options: options(values[1])
        ).evaluate(on: nil)
    }

    /// `stratus_value(selector, letters, values…)`: a function of the language; `{` as the first letter passes
    /// the values as one list.
    private static let value = DatabaseFunction("stratus_value", pure: true) { try call($0) }

    /// The same for functions whose answers differ from call to call.
    private static let random = DatabaseFunction("stratus_random") { try call($0) }

    private static func call(_ values: [DatabaseValue]) throws -> DatabaseValue {
        guard values.count >= 2, let selector = String.fromDatabaseValue(values[0]) else { return .null }
        if selector == PredicateFunction.cast, let type = String.fromDatabaseValue(values[1].self) {
            let read = arguments(letters: values[2], values[3...])
            let cast = ExpressionTree.function(selector, [.constant(read[0]), .constant(.string(type))])
            return DatabaseValue(try cast.value(on: nil))
        }
        let read = arguments(letters: values[1], values[2...])
        let isList = String.fromDatabaseValue(values[1])?.first == "{"
        let arguments: [ExpressionTree] =
            isList ? [.constant(.list(read))] : read.map { .constant($0) }
        return DatabaseValue(try ExpressionTree.function(selector, arguments).value(on: nil))
    }

    /// `stratus_property(key, letter, value)`: what a value offers by key, `length` of a text for example.
    private static let property = DatabaseFunction("stratus_property", argumentCount: 3, pure: true) {
        values in
        guard let key = String.fromDatabaseValue(values[0]) else { return nil }
        let value = arguments(letters: values[1], values[2...])[0]
        return DatabaseValue(try ExpressionTree.member(.constant(value), [key]).value(on: nil))
    }

    /// `stratus_precomposed(text)`: equal for texts that Swift calls equal.
    private static let precomposed = DatabaseFunction("stratus_precomposed", argumentCount: 1, pure: true) {
        String.fromDatabaseValue($0[0])?.precomposedStringWithCanonicalMapping
    }

    /// `stratus_statistic(selector, letter, value)` over rows: exact where SQLite's own is not.
    private static let statistic = DatabaseFunction(
        "stratus_statistic", argumentCount: 3, pure: true, aggregate: StatisticAggregate.self)

    static func arguments(letters: DatabaseValue, _ values: ArraySlice<DatabaseValue>) -> [PredicateValue] {
        guard case .string(let letters) = letters.storage else { return values.map { _ in .null } }
        let kinds = letters.first == "{" ? letters.dropFirst() : letters[...]
        return zip(kinds, values).map { letter, value in value.binding.value(letter) }
    }

    private static func options(_ value: DatabaseValue) -> PredicateOptions {
        guard case .int64(let bits) = value.storage else { return [] }
        return PredicateOptions(rawValue: UInt(truncatingIfNeeded: bits))
    }

    private static func predicateOperator(_ value: DatabaseValue) throws -> PredicateOperator {
        guard case .int64(let code) = value.storage, code >= 0,
            Int(code) < PredicateOperator.allCases.count
        else { throw CoreDataError(134060, "A statement names an operator that does not exist.").cocoa }
        return PredicateOperator.allCases[Int(code)]
    }
}

extension PredicateOperator {
    /// A number for the operator, the same within a process.
    var code: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// Sums and the like over rows, with the arithmetic of the language.
private struct StatisticAggregate: DatabaseAggregate {
    private var selector = ""
    private var values: [PredicateValue] = []
    private var sum = PredicateValue.int(0)
    private var count = 0

    mutating func step(_ dbValues: [DatabaseValue]) throws {
        guard !dbValues[2].isNull else { return }
        if selector.isEmpty { selector = String.fromDatabaseValue(dbValues[0]) ?? "" }
        let value = SQLFunctions.arguments(letters: dbValues[1], dbValues[2...])[0]
        count += 1
        switch selector {
        case "sum:", "average:":
            sum = try ExpressionTree.function(PredicateFunction.add, [.constant(sum), .constant(value)])
                .value(on: nil)
        case "min:", "max:":
            values = [try statistic(values + [value])]
        default: values.append(value)
        }
    }

    func finalize() throws -> (any DatabaseValueConvertible)? {
        switch selector {
        // No row had a value: the statement says what that gives.
        case "": return nil
        case "sum:": return DatabaseValue(sum)
        case "average:":
            // By way of a list of one, which gives the sum as the average does.
            guard let total = try double(sum) else { return nil }
            return total / Double(count)
        case "min:", "max:": return values.first.map { DatabaseValue($0) }
        default: return DatabaseValue(try statistic(values))
        }
    }

    private func statistic(_ values: [PredicateValue]) throws -> PredicateValue {
        try ExpressionTree.function(selector, [.constant(.list(values))]).value(on: nil)
    }

    private func double(_ value: PredicateValue) throws -> Double? {
        let average = ExpressionTree.function("average:", [.constant(.list([value]))])
        if case .double(let number) = try average.value(on: nil) { return number }
        return nil
    }
}

extension DatabaseValue {
    /// A predicate's value for SQLite; null for a collection, which no statement of ours asks for.
    init(_ value: PredicateValue) {
        switch SQLBinding(value) {
        case .int(let number): self = number.databaseValue
        case .double(let number): self = number.databaseValue
        case .text(let text): self = text.databaseValue
        case .blob(let data): self = data.databaseValue
        case .null, nil: self = .null
        }
    }

    var binding: SQLBinding {
        switch storage {
        case .null: .null
        case .int64(let number): .int(number)
        case .double(let number): .double(number)
        case .string(let text): .text(text)
        case .blob(let data): .blob(data)
        }
    }
}
