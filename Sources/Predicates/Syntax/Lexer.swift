/// Cuts a format string into tokens.
///
/// Works on UTF-8 bytes, because reading is linear there; columns are counted in characters only when an
/// error is made.
struct Lexer {
    let source: SourceText
    let bytes: [UInt8]
    var position = 0
    private(set) var tokens: [Token] = []

    init(_ source: SourceText) {
        self.source = source
        bytes = source.bytes
    }

    /// The tokens of a text; the last one is `.end`.
    static func tokens(of source: SourceText) throws(PredicateFormatError) -> [Token] {
        var lexer = Lexer(source)
        while try lexer.readToken() {}
        return lexer.tokens
    }

    /// The byte some positions ahead, or 0 past the end.
    func peek(_ distance: Int = 0) -> UInt8 {
        position + distance < bytes.count ? bytes[position + distance] : 0
    }

    /// The text between two places.
    func text(_ start: Int, _ end: Int) -> String { String(decoding: bytes[start..<end], as: UTF8.self) }

    /// An error at a position.
    func error(_ kind: PredicateFormatError.Kind, at offset: Int) -> PredicateFormatError {
        PredicateFormatError(kind, source: source, offset: offset)
    }

    private mutating func append(_ kind: Token.Kind, from start: Int) {
        tokens.append(Token(kind: kind, start: start, end: position))
    }

    /// Reads one token; false past the last one.
    private mutating func readToken() throws(PredicateFormatError) -> Bool {
        skipSpace()
        let start = position
        guard start < bytes.count else {
            append(.end, from: start)
            return false
        }
        switch peek() {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): append(.string(try readString()), from: start)
        case UInt8(ascii: "%"): append(try readPercent(), from: start)
        case UInt8(ascii: "$"):
            position += 1
            append(.variable(try readName(after: start)), from: start)
        case UInt8(ascii: "@"):
            position += 1
            append(.atIdentifier("@" + (try readName(after: start))), from: start)
        case UInt8(ascii: "#"):
            position += 1
            let isQuoted = peek() == UInt8(ascii: "\"") || peek() == UInt8(ascii: "'")
            append(.escaped(isQuoted ? try readString() : try readName(after: start)), from: start)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): append(.number(try readNumber()), from: start)
        case UInt8(ascii: ".") where Self.isDigit(peek(1)) && !followsOperand(at: start):
            append(.number(try readNumber()), from: start)
        default: try readWordOrSymbol(from: start)
        }
        return true
    }

    private mutating func readWordOrSymbol(from start: Int) throws(PredicateFormatError) {
        if let name = readIdentifier() {
            append(word(name), from: start)
        } else if let symbol = readSymbol() {
            append(.symbol(symbol), from: start)
        } else {
            throw error(.unexpectedCharacter(source.character(at: start)), at: start)
        }
    }

    /// A dot right after an operand continues a path, even when a digit follows.
    private func followsOperand(at start: Int) -> Bool {
        guard let last = tokens.last, last.end == start else { return false }
        switch last.kind {
        case .symbol(let symbol): return symbol == .closeParenthesis || symbol == .closeBracket
        default: return true
        }
    }

    private mutating func word(_ name: String) -> Token.Kind {
        if name.utf8.count == 3, name.uppercased() == "UTI" {
            for keyword in [Keyword.utiConformsTo, .utiEquals] {
                let rest = keyword.rawValue.utf8.count - 3
                guard position + rest <= bytes.count else { continue }
                if text(position, position + rest).uppercased() == keyword.rawValue.dropFirst(3) {
                    position += rest
                    return .keyword(keyword, keyword.rawValue)
                }
            }
        }
        if let keyword = Keyword(word: name) { return .keyword(keyword, name) }
        return .identifier(name)
    }
}
