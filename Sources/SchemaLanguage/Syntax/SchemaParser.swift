import RecordModel

extension SchemaDocument {
    /// Reads a text in the schema language.
    ///
    /// Keywords may be in any case. A mark of the byte order, any line ends, empty statements and a last statement
    /// without its semicolon are taken; everything else has to follow the grammar.
    /// - Throws: the mistakes of meaning, the first twenty at most, up to the first place that cannot be read or is
    ///   beyond what a schema may hold (``Limits``), which is the last of them.
    public init(parsing text: String) throws(SchemaTextError) {
        let source = SourceText(text)
        var parser = SchemaParser(source: source)
        do {
            var tokenizer = SchemaTokenizer(source)
            parser.tokens = try tokenizer.tokens()
            try parser.file()
            parser.checkGrants()
        } catch {
            throw SchemaTextError(parser.problems + [error])
        }
        guard parser.problems.isEmpty else {
            throw SchemaTextError(
                parser.problems.sorted { ($0.line, $0.column) < ($1.line, $1.column) })
        }
        self = parser.document
    }
}

/// Reads tokens; mistakes of meaning are gathered, one of form ends the reading.
struct SchemaParser {
    let source: SourceText
    var tokens: [SchemaToken] = []
    var document = SchemaDocument()
    var problems: [SchemaSyntaxError] = []
    private var position = 0
    /// Where things of a name were declared.
    private var roleLines: [String: Int] = [:]
    private var typeLines: [String: Int] = [:]
    /// Grants to roles that are no system roles, to be looked at in the end: a role may be declared below.
    var grantees: [(role: String, offset: Int)] = []

    init(source: SourceText) { self.source = source }

    // MARK: Tokens

    var token: SchemaToken {
        position < tokens.count ? tokens[position] : SchemaToken(kind: .end, offset: source.bytes.count)
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

    mutating func expect(sign: Character) throws(SchemaSyntaxError) {
        guard take(sign: sign) else { throw unexpected(["'\(sign)'"]) }
    }

    func unexpected(_ expected: [String], hint: String? = nil) -> SchemaSyntaxError {
        SchemaSyntaxError(
            .unexpected(found: token.shown, expected: expected, hint: hint), source: source,
            offset: token.offset)
    }

    /// The most mistakes of meaning that are told: each one's place is looked for in its line.
    private static let mostProblems = 20

    /// Notes a mistake of meaning; reading goes on.
    mutating func note(_ kind: SchemaSyntaxError.Kind, at offset: Int) {
        guard problems.count < Self.mostProblems else { return }
        problems.append(SchemaSyntaxError(kind, source: source, offset: offset))
    }

    func line(of offset: Int) -> Int { source.line(of: offset) }

    /// Stops the reading where more things come than a schema may hold, however long the text goes on.
    func checkRoom(for things: String, _ count: Int, most: Int, at offset: Int) throws(SchemaSyntaxError) {
        guard count >= most else { return }
        throw SchemaSyntaxError(.tooMany(things, most: most), source: source, offset: offset)
    }

    // MARK: Statements

    mutating func file() throws(SchemaSyntaxError) {
        try expect(keyword: "DEFINE")
        try expect(keyword: "SCHEMA")
        while true {
            while take(sign: ";") {}
            if token.kind == .end { return }
            if take(keyword: "CREATE") {
                try role()
            } else if take(keyword: "RECORD") {
                try recordType()
            } else {
                throw unexpected(["CREATE ROLE", "RECORD TYPE", "the end of the text"])
            }
            guard take(sign: ";") || token.kind == .end else { throw unexpected(["';'"]) }
        }
    }

    private mutating func role() throws(SchemaSyntaxError) {
        try expect(keyword: "ROLE")
        let offset = token.offset
        let name = try name("a role's name")
        if let line = roleLines[name] {
            return note(.duplicate(what: "role", name: name, line: line), at: offset)
        }
        try checkRoom(
            for: "roles", document.roles.count, most: Limits.rolesPerTenant, at: offset)
        roleLines[name] = line(of: offset)
        document.roles.append(name)
    }

    private mutating func recordType() throws(SchemaSyntaxError) {
        try expect(keyword: "TYPE")
        let offset = token.offset
        try checkRoom(
            for: "record types", document.types.count, most: Limits.typesPerTenant, at: offset)
        var type = SchemaRecordType(name: try name("a record type's name"))
        if let line = typeLines[type.name] {
            note(.duplicate(what: "record type", name: type.name, line: line), at: offset)
        }
        typeLines[type.name] = line(of: offset)
        try expect(sign: "(")
        var fieldOffsets: [String: Int] = [:]
        if !take(sign: ")") {
            repeat {
                try item(of: &type, &fieldOffsets)
            } while take(sign: ",")
            guard take(sign: ")") else {
                throw unexpected(
                    ["','", "')'"] + (type.grants.isEmpty ? ["QUERYABLE", "SEARCHABLE", "SORTABLE"] : []))
            }
        }
        document.types.append(type)
    }

    // MARK: Names

    /// A name, quoted or not.
    mutating func name(_ what: String) throws(SchemaSyntaxError) -> String {
        let offset = token.offset
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
            if SchemaName.reserved.contains(name.lowercased()) || name.hasPrefix("_") {
                note(.needsQuotes(String(name.prefix(64))), at: offset)
            } else if !SchemaName.isPlain(name) || name.utf8.count > Limits.nameLength {
                note(.badName(String(name.prefix(64))), at: offset)
            }
            return name
        case .sign, .end: throw unexpected([what])
        }
    }

    mutating func checkGrants() {
        let known = Set(SecurityGrant.systemRoles + document.roles)
        for (role, offset) in grantees where !known.contains(role) { note(.undeclaredRole(role), at: offset) }
    }
}
