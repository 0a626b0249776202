/// Why a predicate has no answer for an object.
///
/// `NSPredicate.evaluate(with:)` cannot throw and answers false for all of them.
public struct PredicateEvaluationError: Error, Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case unknownKey(String, type: String)
        case noKeys(String, type: String)
        case incomparable(String, operation: String)
        case notACollection(String, operation: String)
        case badRange
        case badPattern(String)
        case unboundVariable(String)
        case unboundArgument(String)
        case unsupported(String)
        case badArgument(function: String, value: String)
    }

    private let kind: Kind
    /// The error that led to this one, as text.
    public let cause: String?

    init(_ kind: Kind, cause: String? = nil) {
        self.kind = kind
        self.cause = cause
    }

    /// A name for the kind of mistake, which does not change between versions.
    public var code: String { texts.code }
    /// One sentence about what is wrong.
    public var message: String { texts.message }
    /// One sentence about what to do.
    public var remedy: String { texts.remedy }

    private struct Texts {
        let code: String
        let message: String
        let remedy: String

        init(_ code: String, _ message: String, _ remedy: String) {
            self.code = code
            self.message = message
            self.remedy = remedy
        }
    }

    private var texts: Texts {
        switch kind {
        case .unknownKey(let key, let type):
            Texts(
                "UNKNOWN_KEY", "\(type) has no value for the key '\(key)'.",
                "Check the spelling of the key against the type's definition.")
        case .noKeys(let key, let type):
            Texts(
                "NO_KEYS", "A value of type \(type) offers no keys, so '\(key)' cannot be read.",
                "Let the type conform to KeyValueReadable, or evaluate a dictionary.")
        case .incomparable(let types, let operation):
            Texts(
                "INCOMPARABLE", "\(operation) cannot compare \(types).",
                "Compare values of one kind; convert with CAST(value, 'type').")
        case .notACollection(let type, let operation):
            Texts(
                "NOT_A_COLLECTION", "\(operation) needs a collection, not a value of type \(type).",
                "Pass an array or a set, or leave the word out.")
        case .badRange:
            Texts("BAD_RANGE", "BETWEEN needs a list of two bounds.", "Write BETWEEN {lower, upper}.")
        case .badPattern(let pattern):
            Texts(
                "BAD_PATTERN", "'\(pattern)' is not a regular expression.",
                "Correct the pattern; a backslash in a format string is written twice.")
        case .unboundVariable(let name):
            Texts(
                "UNBOUND_VARIABLE", "The variable $\(name) has no value.",
                "Pass it in the substitution variables.")
        case .unboundArgument(let conversion):
            Texts(
                "UNBOUND_ARGUMENT", "The argument %\(conversion) of the template has no value.",
                "Make the tree with PredicateTree(parsing:arguments:).")
        case .unsupported(let name):
            Texts(
                "UNSUPPORTED", "\(name) cannot be evaluated in memory.",
                "Use a documented function, or compute the value first and pass it for %@.")
        case .badArgument(let function, let value):
            Texts(
                "BAD_ARGUMENT", "\(function) cannot be applied to \(value).",
                "Pass a value of the kind that the function takes.")
        }
    }
}

extension PredicateEvaluationError: CustomStringConvertible {
    /// Everything, on two or three lines.
    public var description: String {
        "\(message) (\(code))\n\(remedy)" + (cause.map { "\nCause: \($0)" } ?? "")
    }
}
