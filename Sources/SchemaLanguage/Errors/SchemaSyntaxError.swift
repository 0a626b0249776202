/// One thing that is wrong with a text in the schema language.
///
/// `description` is the whole message: the sentence with line and column, the line with a caret under the position,
/// and what to do.
public struct SchemaSyntaxError: Error, Hashable, Sendable {
    private let kind: Kind
    /// The line, counted from 1.
    public let line: Int
    /// The column in characters as a reader counts them, from 1.
    public let column: Int
    /// The line of the text, and below it a caret under the position.
    public let caret: String

    init(_ kind: Kind, source: SchemaSource, offset: Int) {
        let place = source.place(of: offset)
        self.kind = kind
        line = place.line
        column = place.column
        caret = Self.caret(after: place.before, before: place.after)
    }

    /// A name for the kind of mistake, which does not change between versions.
    public var code: String { kind.code }
    /// One sentence about what is wrong.
    public var message: String { kind.message }
    /// One sentence about what to do.
    public var remedy: String { kind.remedy }
    /// What is there, as a message shows it; nil where nothing unexpected is.
    public var found: String? { kind.found }
    /// What could be there instead; empty where the mistake is one of meaning.
    public var expected: [String] { kind.expected }

    /// Whether what follows is not looked at, because there is too much of it.
    var endsReading: Bool {
        if case .tooMany = kind { true } else { false }
    }

    /// The most characters of a line that are shown.
    private static let shownCharacters = 160

    /// Blanks of the same width; tabs stay, so that the caret is below its character.
    private static func caret(after before: String, before rest: String) -> String {
        // Of a very long line only the part around the position is shown.
        let before = before.suffix(shownCharacters / 2)
        let blanks = before.map { $0 == "\t" ? "\t" : " " }
        let rest = rest.prefix(shownCharacters - blanks.count)
        return before + rest + "\n" + blanks.joined() + "^"
    }
}

extension SchemaSyntaxError: CustomStringConvertible {
    /// Everything, on several lines.
    public var description: String {
        "\(message) (\(code), line \(line), column \(column))\n\(caret)\n\(remedy)"
    }
}

/// What is wrong with a text: what was found before reading had to stop, in the order of the text, of very many
/// mistakes of meaning the first twenty.
public struct SchemaTextError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The mistakes, at least one.
    public let errors: [SchemaSyntaxError]

    init(_ errors: [SchemaSyntaxError]) { self.errors = errors }

    public var description: String { errors.map(\.description).joined(separator: "\n\n") }
}
