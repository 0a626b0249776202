internal import SQLiteAccess
internal import StratusCoreData

/// What SQLite cannot say by itself, as functions that every connection of a store has.
///
/// They call the in-memory evaluation of Predicates, so that both ways of answering cannot disagree. Kinds of
/// values are passed as the letters of ``SQLKind/letter``, operators as ``PredicateOperator/code``.
enum EvaluationFunctions {
    /// All functions; see `EvaluationFunctions.install(on:)`.
    static let all: [SQLiteFunction] = [
        SQLiteFunction("stratus_fold", 2, fold), SQLiteFunction("stratus_text", 4, text),
        SQLiteFunction("stratus_test", 5, test), SQLiteFunction("stratus_value", -1, call),
        // The same for functions whose answers differ from call to call.
        SQLiteFunction("stratus_random", -1, isDeterministic: false, call),
        SQLiteFunction("stratus_property", 3, property),
        SQLiteFunction("stratus_precomposed", 1, precomposed),
    ]

    /// `stratus_fold(text, options)`
    private static func fold(_ arguments: SQLiteArguments) -> SQLBinding {
        guard let text = arguments.text(0) else { return .null }
        return .text(StringFolding.fold(text, options: options(arguments, 1)))
    }

    /// `stratus_text(operator, options, text, pattern)`: one of the operators on two texts.
    private static func text(_ arguments: SQLiteArguments) throws -> SQLBinding {
        guard let text = arguments.text(2), let pattern = arguments.text(3) else { return .null }
        let options = options(arguments, 1)
        let answer =
            switch try predicateOperator(arguments, 0) {
            case .contains: StringFolding.contains(text, pattern, options: options)
            case .beginsWith: StringFolding.begins(text, with: pattern, options: options)
            case .endsWith: StringFolding.ends(text, with: pattern, options: options)
            case .like: StringFolding.isLike(text, pattern, options: options)
            case let other:
                try PredicateTree.compare(
                    .constant(.string(text)), other, .constant(.string(pattern)), options: options
                ).evaluate(on: nil)
            }
        return .int(answer ? 1 : 0)
    }

    /// `stratus_test(operator, options, letters, left, right)`: any operator on two values.
    private static func test(_ arguments: SQLiteArguments) throws -> SQLBinding {
        let values = arguments.values(letters: arguments.text(2) ?? "", from: 3)
        guard values.count == 2 else { return .null }
        let answer = try PredicateTree.compare(
            .constant(values[0]), try predicateOperator(arguments, 0), .constant(values[1]),
            options: options(arguments, 1)
        ).evaluate(on: nil)
        return .int(answer ? 1 : 0)
    }

    /// `stratus_value(selector, letters, values…)`: a function of the language; `{` as the first letter passes
    /// the values as one list. A cast has the name of the type before the letters.
    private static func call(_ arguments: SQLiteArguments) throws -> SQLBinding {
        guard let selector = arguments.text(0), var letters = arguments.text(1) else { return .null }
        var values: [ExpressionTree]
        if selector == PredicateFunction.cast {
            let value = arguments.values(letters: arguments.text(2) ?? "", from: 3).first ?? .null
            values = [.constant(value), .constant(.string(letters))]
        } else if letters.first == "{" {
            letters.removeFirst()
            values = [.constant(.list(arguments.values(letters: letters, from: 2)))]
        } else {
            values = arguments.values(letters: letters, from: 2).map { .constant($0) }
        }
        return SQLBinding(try ExpressionTree.function(selector, values).value(on: nil)) ?? .null
    }

    /// `stratus_property(key, letter, value)`: what a value offers by key, `length` of a text for example.
    private static func property(_ arguments: SQLiteArguments) throws -> SQLBinding {
        let value = arguments.values(letters: arguments.text(1) ?? "", from: 2).first ?? .null
        guard let key = arguments.text(0), value != .null else { return .null }
        return SQLBinding(try ExpressionTree.member(.constant(value), [key]).value(on: nil)) ?? .null
    }

    /// `stratus_precomposed(text)`: equal for texts that Swift calls equal.
    private static func precomposed(_ arguments: SQLiteArguments) -> SQLBinding {
        arguments.text(0).map { .text($0.precomposedStringWithCanonicalMapping) } ?? .null
    }

    private static func options(_ arguments: SQLiteArguments, _ place: Int) -> PredicateOptions {
        PredicateOptions(rawValue: UInt(truncatingIfNeeded: arguments.int(place)))
    }

    private static func predicateOperator(
        _ arguments: SQLiteArguments, _ place: Int
    ) throws -> PredicateOperator {
        let code = Int(arguments.int(place))
        guard PredicateOperator.allCases.indices.contains(code) else {
            throw CoreDataError.notInSQL("The operator \(code)")
        }
        return PredicateOperator.allCases[code]
    }
}

extension PredicateOperator {
    /// A number for the operator, the same within a process.
    var code: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// A sum or the like over rows, with the arithmetic of the language: `stratus_statistic(selector, letter, value)`.
final class SQLStatistic: SQLiteAggregate {
    private var selector = ""
    private var values: [PredicateValue] = []
    private var sum = PredicateValue.int(0)
    private var count = 0

    func add(_ arguments: SQLiteArguments) throws {
        guard let value = arguments.values(letters: arguments.text(1) ?? "", from: 2).first, value != .null
        else { return }
        if selector.isEmpty { selector = arguments.text(0) ?? "" }
        count += 1
        switch selector {
        case "sum:", "average:":
            let tree = ExpressionTree.function(PredicateFunction.add, [.constant(sum), .constant(value)])
            sum = try tree.value(on: nil)
        case "min:", "max:": values = [try statistic(selector, values + [value])]
        default: values.append(value)
        }
    }

    /// The answer; null where no row had a value, for which the statement says what that means.
    func finish() throws -> SQLBinding {
        let answer: PredicateValue
        switch selector {
        case "": answer = .null
        case "sum:": answer = sum
        case "average:":
            // The average of the sum alone is the sum as the floating-point number that an average divides.
            guard case .double(let total) = try statistic(selector, [sum]) else { return .null }
            answer = .double(total / Double(count))
        case "min:", "max:": answer = values.first ?? .null
        default: answer = try statistic(selector, values)
        }
        return SQLBinding(answer) ?? .null
    }

    private func statistic(_ selector: String, _ values: [PredicateValue]) throws -> PredicateValue {
        try ExpressionTree.function(selector, [.constant(.list(values))]).value(on: nil)
    }
}
