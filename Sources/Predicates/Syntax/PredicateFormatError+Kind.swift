extension PredicateFormatError {
    /// The kinds of mistakes. Not public, so that a new one breaks nobody's switch.
    enum Kind: Hashable, Sendable {
        case empty
        case unexpectedCharacter(String)
        case unterminatedString
        case badEscape(String)
        case badNumber(String)
        case numberTooLarge
        case badConversion(String)
        case nameMissing(after: String)
        case tooDeep
        case unexpected(found: String, expected: String)
        case notAPredicate(String)
        case notAnExpression
        case chainedComparison
        case unknownOption(String)
        case unknownFunction(String)
        case argumentCount(function: String)
        case argumentMissing(index: Int, count: Int)
        case argumentType(conversion: String, type: String)
        case badKeyPath(String)

        var code: String { text.code }
        var message: String { text.message }
        var remedy: String { text.remedy }
    }
}

extension PredicateFormatError.Kind {
    /// The three texts of a kind, side by side so that one is not forgotten.
    fileprivate struct Text {
        let code: String
        let message: String
        let remedy: String

        init(_ code: String, _ message: String, _ remedy: String) {
            self.code = code
            self.message = message
            self.remedy = remedy
        }
    }

    fileprivate var text: Text {
        switch self {
        case .empty, .tooDeep, .unexpected, .notAPredicate, .notAnExpression, .chainedComparison: structure
        case .unexpectedCharacter, .unterminatedString, .badEscape, .badNumber, .numberTooLarge,
            .badConversion, .nameMissing:
            lexical
        default: meaning
        }
    }

    private var lexical: Text {
        switch self {
        case .unexpectedCharacter(let character):
            Text(
                "UNEXPECTED_CHARACTER", "The character '\(character)' has no meaning here.",
                "Put text in straight quotes, or pass it as an argument for %@.")
        case .unterminatedString:
            Text(
                "UNTERMINATED_STRING", "The quote that opens here is never closed.",
                "Close it with the same kind of quote, or pass the text as an argument for %@.")
        case .badEscape(let escape):
            Text(
                "BAD_ESCAPE", "'\(escape)' is not an escape sequence.",
                "Write \\ooo, \\xhh or \\uhhhh with all digits, or \\\\ for a backslash.")
        case .badNumber(let number):
            Text(
                "BAD_NUMBER", "'\(number)' is not a number.",
                "Numbers look like 1, 2.5, 9.2e-5, 0x1F, 0o17, 0b01; quote it if it is text.")
        case .badConversion(let conversion):
            Text(
                "BAD_CONVERSION", "'\(conversion)' takes no argument.",
                "Use %@ for a value, %K for a key path, %d, %ld, %lu, %f for numbers; text goes in quotes.")
        case .nameMissing(let sign):
            Text("NAME_MISSING", "A name must follow '\(sign)'.", "Write $name, @count or #name.")
        default:
            Text("NUMBER_TOO_LARGE", "The number is too large.", "Use a smaller number.")
        }
    }

    private var structure: Text {
        switch self {
        case .empty:
            Text("EMPTY", "The format is empty.", "Write TRUEPREDICATE to match everything.")
        case .tooDeep:
            Text(
                "TOO_DEEP", "The format is nested too deeply: more than \(SyntaxLimits.maximumDepth) levels.",
                "Use IN with a list instead of many nested parts.")
        case .unexpected(let found, let expected):
            Text("UNEXPECTED", "Found \(found) where \(expected) is needed.", "Write \(expected) here.")
        case .notAPredicate(let expression):
            Text(
                "NOT_A_PREDICATE", "'\(expression)' is a value, not a predicate.",
                "Compare it with something, for example \(expression) == YES.")
        case .chainedComparison:
            Text(
                "CHAINED_COMPARISON", "A comparison cannot be compared again.",
                "Use BETWEEN {a, b}, or join two comparisons with AND.")
        default:
            Text(
                "NOT_AN_EXPRESSION", "A value is needed here, not a predicate.",
                "Use TERNARY(predicate, 1, 0) to make a value of it.")
        }
    }

    private var meaning: Text {
        switch self {
        case .unknownOption(let option):
            Text(
                "UNKNOWN_OPTION", "'[\(option)]' is not an option of an operator.",
                "The options are c (case), d (diacritics), n (normalized) and l (locale).")
        case .unknownFunction(let name):
            Text(
                "UNKNOWN_FUNCTION", "There is no function '\(name)'.",
                "Use one of the documented functions, or FUNCTION(receiver, 'selector', …).")
        case .argumentCount(let function):
            Text(
                "ARGUMENT_COUNT", "The number of arguments of '\(function)' is wrong.",
                "Pass one argument for each part of the function's name.")
        case .argumentMissing(let index, let count):
            Text(
                "ARGUMENT_MISSING", "Argument \(index + 1) is needed, but \(count) were passed.",
                "Pass one argument for each % in the format.")
        case .argumentType(let conversion, let type):
            Text(
                "ARGUMENT_TYPE", "%\(conversion) cannot take a value of type \(type).",
                "Use %@ for values and %K with a string for key paths.")
        case .badKeyPath(let path):
            Text(
                "BAD_KEY_PATH", "'\(path)' is not a key path.",
                "A key path is keys joined by dots; no part may be empty.")
        default:
            Text("UNKNOWN", "The format is wrong.", "Correct it.")
        }
    }
}
