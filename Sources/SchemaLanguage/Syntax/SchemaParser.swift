import RecordModel

extension SchemaDocument {
    /// Reads a text in the schema language.
    ///
    /// Keywords may be in any case. A mark of the byte order, any line ends, empty statements and a last statement
    /// without its semicolon are taken; everything else has to follow the grammar.
    /// - Throws: ``SchemaTextError`` with the mistakes in the order of the text, at most the first twenty of those of meaning.
    ///   Reading goes on with the next statement after one that cannot be read, and ends at a character that has no meaning
    ///   and where more comes than a schema may hold (`Limits`).
    public init(parsing text: String) throws(SchemaTextError) {
        let source = SchemaSource(text)
        var tokenizer = SchemaTokenizer(source)
        let (tokens, unreadable) = tokenizer.tokens()
        var parser = SchemaParser(source: source, tokens: tokens, isWhole: unreadable == nil)
        parser.file()
        let problems = parser.problems + (unreadable.map { [$0] } ?? [])
        guard problems.isEmpty else {
            throw SchemaTextError(problems.sorted { ($0.line, $0.column) < ($1.line, $1.column) })
        }
        self = parser.document
    }
}

/// Reads tokens and gathers the mistakes.
struct SchemaParser {
    let source: SchemaSource
    let tokens: [SchemaToken]
    /// Whether the tokens are all of the text; else they end where it cannot be read.
    let isWhole: Bool
    var document = SchemaDocument()
    var problems: [SchemaSyntaxError] = []
    private var position = 0
    /// Where things of a name were declared.
    var roleLines: [String: Int] = [:]
    var typeLines: [String: Int] = [:]
    /// The record type whose brackets are open.
    var openType: (name: String, line: Int)?
    /// Grants to roles that are not system roles, to be looked at in the end: a role may be declared below.
    var grantees: [(role: String, offset: Int)] = []

    init(source: SchemaSource, tokens: [SchemaToken], isWhole: Bool) {
        self.source = source
        self.tokens = tokens
        self.isWhole = isWhole
    }

    // MARK: Tokens

    var token: SchemaToken { token(ahead: 0) }

    func token(ahead: Int) -> SchemaToken {
        let index = position + ahead
        let end = source.bytes.count
        return index < tokens.count ? tokens[index] : SchemaToken(kind: .end, offset: end, end: end)
    }

    /// The token before this one, the first none.
    var previous: SchemaToken? { position > 0 ? tokens[position - 1] : nil }

    /// Whether this token is on a later line than the one before it.
    var beginsLine: Bool {
        guard let previous, previous.end <= token.offset else { return false }
        return source.bytes[previous.end..<token.offset].contains { $0 == 0x0A || $0 == 0x0D }
    }

    /// Takes the token.
    mutating func take() -> SchemaToken {
        defer { if position < tokens.count { position += 1 } }
        return token
    }

    /// Takes a keyword if it is there.
    mutating func take(keyword: String) -> Bool {
        guard token.keyword == keyword else { return false }
        position += 1
        return true
    }

    /// Takes a sign if it is there.
    mutating func take(sign: Character) -> Bool {
        guard token.kind == .sign(sign) else { return false }
        position += 1
        return true
    }

    mutating func expect(keyword: String) throws(SchemaSyntaxError) {
        guard take(keyword: keyword) else { throw unexpected([keyword]) }
    }

    mutating func expect(sign: Character, hint: String? = nil) throws(SchemaSyntaxError) {
        guard take(sign: sign) else { throw unexpected(["'\(sign)'"], hint: hint) }
    }

    // MARK: Mistakes

    /// The mistake that this token is. At the end of the text it is shown after the last token, not below it.
    func unexpected(_ expected: [String], hint: String? = nil) -> SchemaSyntaxError {
        guard token.kind == .end else {
            return SchemaSyntaxError(
                .unexpected(found: token.shown, expected: expected, hint: hint ?? spelling(of: expected)),
                source: source, offset: token.offset)
        }
        let ending = openType.map {
            "The record type '\($0.name)' of line \($0.line) is not closed: end it with );"
        }
        return SchemaSyntaxError(
            .unexpected(found: token.shown, expected: expected, hint: ending ?? hint), source: source,
            offset: previous?.end ?? token.offset)
    }

    /// What to do where the token is a slip of the finger for an expected keyword.
    private func spelling(of expected: [String]) -> String? {
        guard let word = token.keyword else { return nil }
        let keywords = expected.compactMap { $0.split(separator: " ").first.map(String.init) }
            .filter { $0.utf8.allSatisfy(SchemaName.isWordByte) }
        return SpellingHint.nearest(to: word, in: keywords).map { "Use \($0)." }
    }

    /// The most mistakes of meaning that are reported: each one's position is looked for in its line.
    private static let mostProblems = 20

    /// Notes a mistake of meaning; reading goes on.
    mutating func note(_ kind: SchemaSyntaxError.Kind, at offset: Int) {
        guard problems.count < Self.mostProblems else { return }
        problems.append(SchemaSyntaxError(kind, source: source, offset: offset))
    }

    /// Notes that a sign was left out at the end of a line; reading goes on as if it stood there.
    mutating func noteMissing(_ sign: Character) {
        let after = previous?.shown ?? "the beginning"
        note(.missing(sign: sign, after: after), at: previous?.end ?? token.offset)
    }

    func line(of offset: Int) -> Int { source.line(of: offset) }

    /// Stops the reading where more things come than a schema may hold, however long the text goes on.
    func checkRoom(for things: String, _ count: Int, most: Int, at offset: Int) throws(SchemaSyntaxError) {
        guard count >= most else { return }
        throw SchemaSyntaxError(.tooMany(things, most: most), source: source, offset: offset)
    }

    // MARK: Names

    /// A name, quoted or not.
    ///
    /// - Parameter mayHaveDots: whether dots are allowed in a name that has some; it needs quotes then.
    mutating func name(
        _ what: String, mayHaveDots: (String) -> Bool = { _ in true }
    ) throws(SchemaSyntaxError) -> String {
        let offset = token.offset
        if let name = token.name, name.utf8.contains(UInt8(ascii: ".")), !mayHaveDots(name) {
            _ = take()
            note(.dottedName(String(name.prefix(64))), at: offset)
            return name
        }
        switch token.kind {
        case .quoted(let name):
            _ = take()
            let isUsable = name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
            if name.isEmpty || !isUsable || name.utf8.count > Limits.nameLength {
                note(.badName(String(name.prefix(64))), at: offset)
            }
            return name
        case .word(let name):
            _ = take()
            if SchemaName.reserved.contains(name.lowercased()) || name.hasPrefix("_")
                || name.utf8.contains(UInt8(ascii: "."))
            {
                note(.needsQuotes(String(name.prefix(64))), at: offset)
            } else if !SchemaName.isPlain(name) || name.utf8.count > Limits.nameLength {
                note(.badName(String(name.prefix(64))), at: offset)
            }
            return name
        case .sign, .end: throw unexpected([what])
        }
    }
}
