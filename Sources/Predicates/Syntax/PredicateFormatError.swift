/// Why a format string is not a predicate.
///
/// `description` is the whole message: the sentence, the line with a caret under the position, what was
/// probably meant, and what to do. The classic initialiser of `NSPredicate` stops with the same text.
public struct PredicateFormatError: Error, Hashable, Sendable {
    private let kind: Kind
    /// The line of the format string, counted from 1.
    public let line: Int
    /// The column in characters, counted from 1.
    public let column: Int
    /// The line of the format string, and below it a caret under the position.
    public let caret: String
    /// What was probably meant, such as `CONTAINS`.
    public let suggestion: String?

    init(_ kind: Kind, source: SourceText, offset: Int, suggestion: String? = nil) {
        let place = source.place(of: offset)
        self.kind = kind
        self.suggestion = suggestion
        line = place.line
        column = place.column
        caret = place.lineText + "\n" + Self.padding(place.lineText.prefix(place.column - 1)) + "^"
    }

    /// Blanks of the same width; tabs stay, so that the caret is below its character.
    private static func padding(_ text: Substring) -> String {
        String(text.map { $0 == "\t" ? "\t" : " " })
    }

    /// A name for the kind of mistake, which does not change between versions.
    public var code: String { kind.code }

    /// One sentence about what is wrong.
    public var message: String { kind.message }

    /// One sentence about what to do.
    public var remedy: String { kind.remedy }
}

extension PredicateFormatError: CustomStringConvertible {
    /// Everything, on several lines.
    public var description: String {
        var text = "\(message) (\(code), line \(line), column \(column))\n\(caret)\n"
        if let suggestion { text += "Did you mean \(suggestion)?\n" }
        return text + remedy
    }
}
