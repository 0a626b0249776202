extension SchemaSyntaxError {
    /// The kinds of mistakes. Not public, so that a new one breaks nobody's switch.
    enum Kind: Hashable, Sendable {
        case unexpectedCharacter(String)
        case unterminatedQuote
        case unterminatedComment
        case unexpected(found: String, expected: [String], hint: String?)
        case missing(sign: Character, after: String)
        case unknownType(String, suggestion: String?)
        case needsQuotes(String)
        case badName(String)
        case dottedName(String)
        case duplicate(what: String, name: String, line: Int)
        case indexNotAllowed(index: String, type: String, why: String)
        case encryptionNotAllowed(String)
        case unknownSystemField(String)
        case systemFieldType(name: String, found: String, expected: String)
        case undeclaredRole(String)
        case tooMany(String, most: Int)

        var found: String? {
            switch self {
            case .unexpected(let found, _, _), .unknownType(let found, _): found
            default: nil
            }
        }

        var expected: [String] {
            switch self {
            case .unexpected(_, let expected, _): expected
            case .missing(let sign, _): ["'\(sign)'"]
            case .unknownType: Self.types
            default: []
            }
        }

        /// The words that begin a type.
        static let types = [
            "ASSET", "BYTES", "DOUBLE", "ENCRYPTED", "INT64", "LIST", "LOCATION", "NUMBER", "REFERENCE",
            "STRING", "TIMESTAMP",
        ]
    }
}

extension SchemaSyntaxError.Kind {
    var code: String { text.code }
    var message: String { text.message }
    var remedy: String { text.remedy }

    /// The three texts of a kind, side by side so that one is not forgotten.
    private struct Text {
        let code: String
        let message: String
        let remedy: String

        init(_ code: String, _ message: String, _ remedy: String) {
            self.code = code
            self.message = message
            self.remedy = remedy
        }
    }

    private var text: Text {
        switch self {
        case .unexpectedCharacter, .unterminatedQuote, .unterminatedComment, .unexpected, .missing: syntax
        default: meaning
        }
    }

    private var syntax: Text {
        switch self {
        case .unexpectedCharacter(let character):
            Text(
                "UNEXPECTED_CHARACTER", "The character '\(character)' has no meaning here.",
                Self.remedy(for: character))
        case .unterminatedQuote:
            Text(
                "UNTERMINATED_QUOTE", "The quote that opens here is not closed on its line.",
                "Close it with a double quote.")
        case .unterminatedComment:
            Text(
                "UNTERMINATED_COMMENT", "The comment that begins here does not end.", "End it with */.")
        case .unexpected(let found, let expected, let hint):
            Text(
                "UNEXPECTED", "Found \(found) where \(Self.choice(expected)) is expected.",
                hint ?? "Write \(Self.choice(expected)) here.")
        case .missing(let sign, let after):
            Text("MISSING_SIGN", "There is no '\(sign)' after \(after).", "Write '\(sign)' here.")
        default: Text("UNEXPECTED", "The text cannot be read.", "See the line that is shown.")
        }
    }

    private var meaning: Text {
        switch self {
        case .unknownType(let word, let suggestion):
            Text(
                "UNKNOWN_TYPE", "There is no type \(word); expected \(Self.choice(Self.types)).",
                suggestion.map { "Use \($0)." } ?? "Write one of these types.")
        case .needsQuotes(let name):
            Text(
                "NEEDS_QUOTES", "The name '\(name)' needs quotes.", "Write \"\(name)\".")
        case .badName(let name):
            Text(
                "BAD_NAME", "'\(name)' is not a name.",
                "A name begins with a letter; letters, digits and '_' follow, 255 at most. Others need quotes."
            )
        case .dottedName(let name):
            Text(
                "NAME_WITH_DOT", "The name '\(name)' has a dot.",
                "Only the record type \"cloudkit.share\" and those of its fields that begin with \"cloudkit.\" have one: write '_' instead."
            )
        case .duplicate(let what, let name, let line):
            Text(
                "DUPLICATE", "The \(what) '\(name)' was declared before, in line \(line).",
                "Remove one of the two, or give it another name.")
        case .indexNotAllowed(let index, let type, let why):
            Text(
                "INDEX_NOT_ALLOWED", "\(index) is not possible for \(type).", "Remove \(index): \(why).")
        case .encryptionNotAllowed(let type):
            Text(
                "ENCRYPTION_NOT_ALLOWED", "A field of type \(type) cannot be declared ENCRYPTED.",
                type == "ASSET"
                    ? "Write ASSET alone; its files need no declaration."
                    : "Write \(type) alone; the service must be able to read it.")
        case .unknownSystemField(let name):
            Text(
                "UNKNOWN_SYSTEM_FIELD", "There is no system field '\(name)'.",
                "Names with three underscores are the system's: \(Self.systemFields).")
        case .systemFieldType(let name, let found, let expected):
            Text(
                "SYSTEM_FIELD_TYPE", "The system field '\(name)' is of type \(expected), not \(found).",
                "Write \"\(name)\" \(expected).")
        case .undeclaredRole(let role):
            Text(
                "UNDECLARED_ROLE", "The role '\(role)' is not declared.",
                "Declare it with CREATE ROLE \(SchemaName.written(role)); or grant to \"_creator\", \"_icloud\" or \"_world\"."
            )
        case .tooMany(let things, let most):
            Text(
                "TOO_MANY", "There are more than \(most) \(things); no more are allowed.",
                "Remove some of them from the text.")
        default: Text("INVALID", "The text is not valid.", "See the line that is shown.")
        }
    }

    private static let systemFields =
        "___createTime, ___createdBy, ___etag, ___modTime, ___modifiedBy, ___recordID"

    /// What to do about a character, by what it mostly was meant to be.
    private static func remedy(for character: String) -> String {
        switch character {
        case "'", "`", "\u{2018}", "\u{2019}", "\u{201C}", "\u{201D}", "\u{201E}", "\u{AB}", "\u{BB}":
            "Names are quoted with straight double quotes: \"name\"."
        case "{", "}": "The brackets of a record type are round: RECORD TYPE Name ( … );"
        case "[", "]": "A list is written LIST<STRING>."
        case ":", "=": "Write only a blank between a field's name and its type: title STRING."
        case "?", "!": "Every field may be without a value; remove the '\(character)'."
        case "#", "/", "*": "Comments begin with -- or //, or are between /* and */."
        default:
            "Names with other characters than letters, digits and '_' need double quotes: \"cloudkit.share\"."
        }
    }

    /// `a`, `a or b`, `a, b or c`.
    private static func choice(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "nothing" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }
}
