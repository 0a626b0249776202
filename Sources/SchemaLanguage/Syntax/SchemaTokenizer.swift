/// Cuts a text into tokens; blanks and comments go.
struct SchemaTokenizer {
    private let source: SchemaSource
    private var position = 0

    init(_ source: SchemaSource) { self.source = source }

    /// All tokens, the end among them; those before it where a position cannot be read.
    mutating func tokens() -> (tokens: [SchemaToken], error: SchemaSyntaxError?) {
        var tokens: [SchemaToken] = []
        while true {
            do {
                try skip()
                let token = try next()
                tokens.append(token)
                if token.kind == .end { return (tokens, nil) }
            } catch {
                tokens.append(SchemaToken(kind: .end, offset: position, end: position))
                return (tokens, error)
            }
        }
    }

    private func byte(_ ahead: Int = 0) -> UInt8? {
        position + ahead < source.bytes.count ? source.bytes[position + ahead] : nil
    }

    private func stands(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { source.bytes[position...].starts(with: $0) }
    }

    /// Blanks beyond ASCII that editors and web pages leave behind: no-break space, byte order mark.
    private static let wideBlanks: [[UInt8]] = [[0xC2, 0xA0], [0xEF, 0xBB, 0xBF]]

    private mutating func skip() throws(SchemaSyntaxError) {
        while let byte = byte() {
            if byte == 0x20 || (0x09...0x0D).contains(byte) {
                position += 1
            } else if let blank = Self.wideBlanks.first(where: { source.bytes[position...].starts(with: $0) })
            {
                position += blank.count
            } else if stands("//") || stands("--") {
                while let byte = self.byte(), byte != 0x0A, byte != 0x0D { position += 1 }
            } else if stands("/*") {
                try skipBlock()
            } else {
                return
            }
        }
    }

    private mutating func skipBlock() throws(SchemaSyntaxError) {
        let start = position
        position += 2
        while byte() != nil {
            if stands("*/") {
                position += 2
                return
            }
            position += 1
        }
        throw SchemaSyntaxError(.unterminatedComment, source: source, offset: start)
    }

    private mutating func next() throws(SchemaSyntaxError) -> SchemaToken {
        let start = position
        guard let first = byte() else { return SchemaToken(kind: .end, offset: start, end: start) }
        if SchemaName.isWordByte(first) {
            while let byte = byte(), SchemaName.isWordByte(byte) || joinsWords(byte) { position += 1 }
            let text = String(decoding: source.bytes[start..<position], as: UTF8.self)
            return SchemaToken(kind: .word(text), offset: start, end: position)
        }
        if first == UInt8(ascii: "\"") { return try quoted(from: start) }
        if "(),;<>".utf8.contains(first) {
            position += 1
            return SchemaToken(
                kind: .sign(Character(Unicode.Scalar(first))), offset: start, end: position)
        }
        let rest = String(decoding: source.bytes[start...].prefix(32), as: UTF8.self)
        throw SchemaSyntaxError(
            .unexpectedCharacter(rest.first.map(String.init) ?? ""), source: source, offset: start)
    }

    /// Whether the byte is a dot inside a name: one without its quotes, which the reader is told.
    private func joinsWords(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ".") && self.byte(1).map(SchemaName.isWordByte) == true
    }

    private mutating func quoted(from start: Int) throws(SchemaSyntaxError) -> SchemaToken {
        position += 1
        while let byte = byte(), byte != 0x0A, byte != 0x0D {
            position += 1
            guard byte == UInt8(ascii: "\"") else { continue }
            let text = String(decoding: source.bytes[start + 1..<position - 1], as: UTF8.self)
            return SchemaToken(kind: .quoted(text), offset: start, end: position)
        }
        throw SchemaSyntaxError(.unterminatedQuote, source: source, offset: start)
    }
}
