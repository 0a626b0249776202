import RecordModel

extension SchemaParser {
    /// A type; nil where another word is in its place, which has been noted.
    mutating func declaredType() throws(SchemaSyntaxError) -> DeclaredType? {
        if take(keyword: "LIST") { return try list(isEncrypted: false) }
        return try primitive(inList: false)
    }

    private mutating func list(isEncrypted: Bool) throws(SchemaSyntaxError) -> DeclaredType? {
        try expect(sign: "<", hint: "A list says what it holds: LIST<STRING>.")
        let offset = token.offset
        if token.keyword == "LIST" {
            throw unexpected(
                SchemaSyntaxError.Kind.types.filter { $0 != "LIST" }, hint: "Lists hold single values.")
        }
        let element = try primitive(inList: true)
        try expect(sign: ">")
        guard let element else { return nil }
        if isEncrypted { return encrypted(element.type.scalar, isList: true, at: offset) }
        return DeclaredType(FieldType(element.type.scalar, isList: true), element.declaration)
    }

    /// A type that is not a list; an encrypted list where that is possible.
    ///
    /// Lists do not nest, so that no text takes the reader deeper than the language goes.
    private mutating func primitive(inList: Bool) throws(SchemaSyntaxError) -> DeclaredType? {
        let start = token
        guard let word = start.keyword else {
            throw unexpected(
                SchemaSyntaxError.Kind.types, hint: "The field's type is missing here: title STRING.")
        }
        if take(keyword: "ENCRYPTED") {
            if !inList, take(keyword: "LIST") { return try list(isEncrypted: true) }
            let offset = token.offset
            guard let word = token.keyword else { throw unexpected(Self.encryptable) }
            guard let scalar = FieldType.Scalar(keyword: word) else { throw unexpected(Self.encryptable) }
            _ = take()
            return encrypted(scalar, isList: false, at: offset)
        }
        if take(keyword: "NUMBER") { return try number() }
        if Self.options.contains(where: { $0.word == word }) {
            throw unexpected(
                SchemaSyntaxError.Kind.types, hint: "The field's type is missing; write it before \(word).")
        }
        _ = take()
        guard let scalar = FieldType.Scalar(keyword: word) else {
            if !beginsLine, let scalar = token.keyword.flatMap(FieldType.Scalar.init(keyword:)) {
                note(
                    .unexpected(
                        found: start.shown, expected: SchemaSyntaxError.Kind.types,
                        hint: "A name is one word, or is in double quotes; remove \(start.shown)."),
                    at: start.offset)
                _ = take()
                return DeclaredType(FieldType(scalar))
            }
            let nearest = SpellingHint.nearest(to: word, in: SchemaSyntaxError.Kind.types)
            note(.unknownType(start.shown, suggestion: Self.suggestions[word] ?? nearest), at: start.offset)
            skipArguments()
            return nil
        }
        if token.kind == .sign("(") {
            throw unexpected(
                ["','", "')'"], hint: "Types have no length; write \(scalar.keyword) alone.")
        }
        return DeclaredType(FieldType(scalar))
    }

    /// Passes over what other languages write after their types: `(255)`, `<String>`.
    private mutating func skipArguments() {
        let closing: Character
        switch token.kind {
        case .sign("("): closing = ")"
        case .sign("<"): closing = ">"
        default: return
        }
        // Not over the end of the line: the bracket may be left open.
        repeat {
            if take().kind == .sign(closing) { return }
        } while token.kind != .end && !beginsLine
    }

    private static let encryptable = ["BYTES", "DOUBLE", "INT64", "LOCATION", "STRING", "TIMESTAMP"]

    /// What other languages call the types.
    private static let suggestions = [
        "BOOL": "INT64", "BOOLEAN": "INT64", "INT": "INT64", "INTEGER": "INT64", "LONG": "INT64",
        "INT16": "INT64", "INT32": "INT64", "UINT64": "INT64", "BIGINT": "INT64",
        "FLOAT": "DOUBLE", "REAL": "DOUBLE", "DECIMAL": "DOUBLE", "TEXT": "STRING", "VARCHAR": "STRING",
        "UUID": "STRING", "URL": "STRING", "JSON": "STRING",
        "DATE": "TIMESTAMP", "DATETIME": "TIMESTAMP", "TIME": "TIMESTAMP",
        "DATA": "BYTES", "BLOB": "BYTES", "BINARY": "BYTES",
        "FILE": "ASSET", "ASSETID": "ASSET", "IMAGE": "ASSET", "CKASSET": "ASSET",
        "REF": "REFERENCE", "CKREFERENCE": "REFERENCE", "CLLOCATION": "LOCATION", "GEOPOINT": "LOCATION",
        "ARRAY": "LIST<STRING>", "SET": "LIST<STRING>",
    ]

    private mutating func encrypted(_ scalar: FieldType.Scalar, isList: Bool, at offset: Int) -> DeclaredType
    {
        if scalar == .asset || scalar == .reference {
            note(.encryptionNotAllowed(scalar.keyword), at: offset)
        }
        return DeclaredType(FieldType(scalar, isList: isList), .encrypted)
    }

    private mutating func number() throws(SchemaSyntaxError) -> DeclaredType {
        guard take(keyword: "PREFERRED") else { return DeclaredType(FieldType(.double), .number) }
        try expect(keyword: "AS")
        if take(keyword: "INT64") { return DeclaredType(FieldType(.int64), .numberAsInt64) }
        guard take(keyword: "DOUBLE") else { throw unexpected(["DOUBLE", "INT64"]) }
        return DeclaredType(FieldType(.double), .numberAsDouble)
    }
}
