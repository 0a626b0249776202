/// One piece of Swift source; comments and blanks do not count.
struct SourceToken: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case identifier
        /// A name in backticks; the range holds them.
        case quotedIdentifier
        /// One character.
        case punctuation
        /// A string, a number or a regular expression, as a whole.
        case literal
        /// `#if`, `#elseif`, `#else` or `#endif` with the rest of its line.
        case directive
        /// `#name`.
        case pound
    }

    var kind: Kind
    /// The bytes of the source.
    var range: Range<Int>
    /// Counted from 1.
    var line: Int
    var isFirstOnLine: Bool
    var followsBlank: Bool
}

/// Splits Swift source into tokens, as far as finding declarations needs it.
///
/// It never fails: text that is not Swift gives tokens that are not declarations, and the compiler says so.
struct SourceLexer {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var isFirstOnLine = true
    private var followsBlank = true
    private var tokens: [SourceToken] = []
    /// Where the bytes end that are looked at.
    private let end: Int
    /// The code in the parentheses of strings' outermost interpolations, in order.
    private var interpolations: [(range: Range<Int>, line: Int)] = []
    private var interpolationDepth = 0

    private init(_ bytes: [UInt8], in range: Range<Int>, line: Int) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
        self.line = line
    }

    /// The tokens of a file.
    static func tokens(of bytes: [UInt8]) -> [SourceToken] {
        var lexer = SourceLexer(bytes, in: 0..<bytes.count, line: 1)
        lexer.run()
        return lexer.tokens
    }

    /// The tokens of a file, those inside the interpolations of strings too.
    ///
    /// A string with an interpolation comes as literals for its text, and between them the parentheses with
    /// the tokens inside.
    static func tokensWithInterpolations(of bytes: [UInt8]) -> [SourceToken] {
        tokensWithInterpolations(of: bytes, in: 0..<bytes.count, line: 1, depth: 0)
    }

    private static func tokensWithInterpolations(
        of bytes: [UInt8], in range: Range<Int>, line: Int, depth: Int
    ) -> [SourceToken] {
        var lexer = SourceLexer(bytes, in: range, line: line)
        lexer.run()
        // Nobody nests strings that deep.
        guard !lexer.interpolations.isEmpty, depth < 16 else { return lexer.tokens }
        var result: [SourceToken] = []
        var rest = lexer.interpolations[...]
        for token in lexer.tokens {
            var position = token.range.lowerBound
            var piece = token
            while let next = rest.first, next.range.upperBound <= token.range.upperBound {
                rest.removeFirst()
                piece.range = position..<next.range.lowerBound - 1
                result.append(piece)
                piece.isFirstOnLine = false
                piece.followsBlank = false
                piece.line = next.line
                var parenthesis = piece
                parenthesis.kind = .punctuation
                parenthesis.range = next.range.lowerBound - 1..<next.range.lowerBound
                result.append(parenthesis)
                result += tokensWithInterpolations(
                    of: bytes, in: next.range, line: next.line, depth: depth + 1)
                parenthesis.range = next.range.upperBound..<next.range.upperBound + 1
                result.append(parenthesis)
                position = next.range.upperBound + 1
            }
            piece.range = position..<max(position, token.range.upperBound)
            result.append(piece)
        }
        return result
    }

    static func isIdentifierByte(_ byte: UInt8) -> Bool {
        SymbolBuffer.isSymbolCharacter(byte) || byte >= 0x80
    }

    private mutating func run() {
        while position < end {
            let byte = bytes[position]
            switch byte {
            case 0x0A:
                newLine()
                position += 1
            case 0x20, 0x09, 0x0D, 0x00:
                followsBlank = true
                position += 1
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"):
                skipLine()
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"):
                skipBlockComment()
            case UInt8(ascii: "/") where isRegularExpression:
                token(.literal) { $0.skipRegularExpression() }
            case UInt8(ascii: "\""):
                token(.literal) { $0.skipString(hashes: 0) }
            case UInt8(ascii: "`"):
                token(.quotedIdentifier) { $0.skipQuotedName() }
            case UInt8(ascii: "#"):
                pound()
            case _ where SymbolBuffer.isDigit(byte):
                token(.literal) { $0.skipWord() }
            case _ where Self.isIdentifierByte(byte):
                token(.identifier) { $0.skipWord() }
            default:
                token(.punctuation) { $0.position += 1 }
            }
        }
    }

    private func peek(_ distance: Int) -> UInt8? {
        position + distance < end ? bytes[position + distance] : nil
    }

    private mutating func newLine() {
        line += 1
        isFirstOnLine = true
        followsBlank = true
    }

    private mutating func token(_ kind: SourceToken.Kind, _ advance: (inout Self) -> Void) {
        let (start, startLine) = (position, line)
        let (first, blank) = (isFirstOnLine, followsBlank)
        advance(&self)
        tokens.append(
            SourceToken(
                kind: kind, range: start..<min(position, end), line: startLine,
                isFirstOnLine: first, followsBlank: blank))
        isFirstOnLine = false
        followsBlank = false
    }

    private mutating func skipWord() {
        while position < end, Self.isIdentifierByte(bytes[position]) { position += 1 }
    }

    private mutating func skipQuotedName() {
        position += 1
        while let byte = peek(0), byte != UInt8(ascii: "`"), byte != 0x0A { position += 1 }
        position += 1
    }

    private mutating func skipLine() {
        while position < end, bytes[position] != 0x0A { position += 1 }
    }

    /// Comments nest in Swift.
    private mutating func skipBlockComment() {
        var depth = 0
        while position < end {
            let pair = (bytes[position], peek(1))
            if pair == (UInt8(ascii: "/"), UInt8(ascii: "*")) {
                depth += 1
                position += 2
            } else if pair == (UInt8(ascii: "*"), UInt8(ascii: "/")) {
                depth -= 1
                position += 2
                if depth == 0 { break }
            } else {
                if bytes[position] == 0x0A { newLine() }
                position += 1
            }
        }
        followsBlank = true
    }

    /// `#if`, `#keyPath`, `#"raw"#`, `#/regex/#`.
    private mutating func pound() {
        var hashes = 0
        while peek(hashes) == UInt8(ascii: "#") { hashes += 1 }
        switch peek(hashes) {
        case UInt8(ascii: "\""):
            token(.literal) {
                $0.position += hashes
                $0.skipString(hashes: hashes)
            }
        case UInt8(ascii: "/"):
            token(.literal) {
                $0.position += hashes + 1
                $0.skip(through: [UInt8(ascii: "/")] + [UInt8](repeating: UInt8(ascii: "#"), count: hashes))
            }
        default: directiveOrMacro()
        }
    }

    private mutating func directiveOrMacro() {
        var end = position + 1
        while end < self.end, Self.isIdentifierByte(bytes[end]) { end += 1 }
        switch String(decoding: bytes[position + 1..<end], as: UTF8.self) {
        case "if", "elseif", "else", "endif": token(.directive) { $0.skipDirective() }
        case "": token(.punctuation) { $0.position += 1 }
        default: token(.pound) { $0.position = end }
        }
    }

    /// To the end of the line, but not into a comment.
    private mutating func skipDirective() {
        while let byte = peek(0), byte != 0x0A {
            if byte == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "/") || peek(1) == UInt8(ascii: "*") {
                return
            }
            position += 1
        }
    }

    private mutating func skip(through end: [UInt8]) {
        while position < self.end, !bytes[position...].starts(with: end) {
            if bytes[position] == 0x0A { newLine() }
            position += 1
        }
        position += end.count
    }
}

// MARK: - Strings and regular expressions

extension SourceLexer {
    /// From the first quote to after the last, with its hashes.
    private mutating func skipString(hashes: Int) {
        let isMultiline = bytes[position...].starts(with: [0x22, 0x22, 0x22])
        let quotes = [UInt8](repeating: 0x22, count: isMultiline ? 3 : 1)
        let suffix = [UInt8](repeating: UInt8(ascii: "#"), count: hashes)
        let end = quotes + suffix
        let escape = [UInt8(ascii: "\\")] + suffix
        position += quotes.count
        while let byte = peek(0) {
            if byte == 0x22, bytes[position...].starts(with: end) {
                position += end.count
                return
            }
            if byte == UInt8(ascii: "\\"), bytes[position...].starts(with: escape) {
                position += escape.count
                if peek(0) == UInt8(ascii: "(") { skipInterpolation() } else { position += 1 }
                continue
            }
            if byte == 0x0A {
                // A string that its line does not end is an error that the compiler reports.
                if !isMultiline { return }
                newLine()
            }
            position += 1
        }
    }

    /// The parentheses of an interpolation, with strings of their own.
    private mutating func skipInterpolation() {
        var depth = 0
        let (start, startLine) = (position + 1, line)
        interpolationDepth += 1
        defer { interpolationDepth -= 1 }
        while let byte = peek(0) {
            switch byte {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            case 0x22:
                skipString(hashes: 0)
                continue
            case 0x0A: newLine()
            default: break
            }
            position += 1
            if depth == 0 {
                if interpolationDepth == 1 { interpolations.append((start..<position - 1, startLine)) }
                return
            }
        }
    }

    /// Whether the slash here opens a regular expression: it stands where an operand does and is closed on
    /// its line.
    private var isRegularExpression: Bool {
        guard let next = peek(1), next != 0x20, next != 0x09, next != UInt8(ascii: "=") else { return false }
        if let last = tokens.last {
            guard last.kind == .punctuation, !last.range.isEmpty,
                "(,=:[{;!&|?".utf8.contains(bytes[last.range.lowerBound])
            else { return false }
        }
        var index = position + 1
        while index < end, bytes[index] != 0x0A {
            if bytes[index] == UInt8(ascii: "\\") {
                index += 1
            } else if bytes[index] == UInt8(ascii: "/") {
                return true
            }
            index += 1
        }
        return false
    }

    private mutating func skipRegularExpression() {
        position += 1
        while let byte = peek(0), byte != 0x0A {
            position += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == UInt8(ascii: "/") { return }
        }
    }
}
