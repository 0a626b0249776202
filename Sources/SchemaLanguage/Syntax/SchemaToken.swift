/// A word, a quoted name or a sign of the schema language, with the bytes where it is.
struct SchemaToken: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// Letters, digits and `_`: a keyword or a name; with dots, a name that lacks its quotes.
        case word(String)
        /// A name in double quotes, without them.
        case quoted(String)
        /// `(`, `)`, `,`, `;`, `<` or `>`.
        case sign(Character)
        /// The end of the text.
        case end
    }

    var kind: Kind
    /// The byte where it begins.
    var offset: Int
    /// The byte after its last.
    var end: Int

    /// The word in capital letters, where the token can be a keyword.
    var keyword: String? {
        if case .word(let text) = kind { text.uppercased() } else { nil }
    }

    /// Whether it can be a name.
    var isName: Bool { name != nil }

    /// The name that it can be.
    var name: String? {
        switch kind {
        case .word(let text), .quoted(let text): text
        case .sign, .end: nil
        }
    }

    /// The token as a message shows it.
    var shown: String {
        switch kind {
        case .word(let text): "'\(text.prefix(64))'"
        case .quoted(let text): "'\"\(text.prefix(64))\"'"
        case .sign(let sign): "'\(sign)'"
        case .end: "the end of the text"
        }
    }
}
