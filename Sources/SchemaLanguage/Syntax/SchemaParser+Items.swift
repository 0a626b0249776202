import RecordModel

extension SchemaParser {
    /// A field, or a grant.
    mutating func item(
        of type: inout SchemaRecordType, _ fieldOffsets: inout [String: Int]
    ) throws(SchemaSyntaxError) {
        if take(keyword: "GRANT") { return try grant(of: &type) }
        if token.kind == .sign(")") {
            throw unexpected(["a field's name", "GRANT"], hint: "Take the comma before ')' out.")
        }
        let offset = token.offset
        // Those of the system do not count; there are only so many.
        let most = Limits.fieldsPerType + SystemFieldName.allCases.count
        try checkRoom(for: "fields in a record type", type.fields.count, most: most, at: offset)
        let name = try name("a field's name")
        let declared = try declaredType()
        var field = SchemaField(name: name, type: declared ?? DeclaredType(FieldType(.string)))
        let optionOffsets = options(of: &field)
        if let earlier = fieldOffsets[name] {
            note(.duplicate(what: "field", name: name, line: line(of: earlier)), at: offset)
        }
        fieldOffsets[name] = offset
        type.fields.append(field)
        guard declared != nil else { return }
        check(field, at: offset, optionOffsets)
    }

    // MARK: Types

    /// A type; nil where a word that is none stands in its place, which has been noted.
    private mutating func declaredType() throws(SchemaSyntaxError) -> DeclaredType? {
        if take(keyword: "LIST") { return try list(isEncrypted: false) }
        return try primitive()
    }

    private mutating func list(isEncrypted: Bool) throws(SchemaSyntaxError) -> DeclaredType? {
        try expect(sign: "<")
        let offset = token.offset
        if token.keyword == "LIST" {
            throw unexpected(
                SchemaSyntaxError.Kind.types.filter { $0 != "LIST" }, hint: "Lists hold single values.")
        }
        let element = try primitive()
        try expect(sign: ">")
        guard let element else { return nil }
        if isEncrypted { return encrypted(element.type.scalar, isList: true, at: offset) }
        return DeclaredType(FieldType(element.type.scalar, isList: true), element.declaration)
    }

    private mutating func primitive() throws(SchemaSyntaxError) -> DeclaredType? {
        let start = token
        guard let word = start.keyword else { throw unexpected(SchemaSyntaxError.Kind.types) }
        if take(keyword: "ENCRYPTED") {
            if take(keyword: "LIST") { return try list(isEncrypted: true) }
            let offset = token.offset
            guard let word = token.keyword else { throw unexpected(Self.encryptable) }
            guard let scalar = FieldType.Scalar(keyword: word) else { throw unexpected(Self.encryptable) }
            _ = take()
            return encrypted(scalar, isList: false, at: offset)
        }
        if take(keyword: "NUMBER") { return try number() }
        _ = take()
        guard let scalar = FieldType.Scalar(keyword: word) else {
            note(.unknownType(start.shown, suggestion: Self.suggestions[word]), at: start.offset)
            return nil
        }
        return DeclaredType(FieldType(scalar))
    }

    private static let encryptable = ["BYTES", "DOUBLE", "INT64", "LOCATION", "STRING", "TIMESTAMP"]

    /// What other languages call the types.
    private static let suggestions = [
        "BOOL": "INT64", "BOOLEAN": "INT64", "INT": "INT64", "INTEGER": "INT64", "LONG": "INT64",
        "FLOAT": "DOUBLE", "REAL": "DOUBLE", "DECIMAL": "DOUBLE", "TEXT": "STRING", "VARCHAR": "STRING",
        "UUID": "STRING", "URL": "STRING", "DATE": "TIMESTAMP", "DATETIME": "TIMESTAMP", "TIME": "TIMESTAMP",
        "DATA": "BYTES", "BLOB": "BYTES", "BINARY": "BYTES", "FILE": "ASSET", "ASSETID": "ASSET",
        "ARRAY": "LIST<STRING>",
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

    // MARK: Options

    private static let options: [(word: String, index: FieldIndexes)] = [
        ("QUERYABLE", .queryable), ("SEARCHABLE", .searchable), ("SORTABLE", .sortable),
    ]

    /// Takes the options, and gives where they stand.
    private mutating func options(of field: inout SchemaField) -> [(word: String, offset: Int)] {
        var offsets: [(word: String, offset: Int)] = []
        while let option = Self.options.first(where: { $0.word == token.keyword }) {
            offsets.append((option.word, take().offset))
            field.indexes.insert(option.index)
        }
        return offsets
    }

    // MARK: Grants

    private static let permissions: [String: SecurityPermissions] = [
        "READ": .read, "CREATE": .create, "WRITE": .write,
    ]

    private mutating func grant(of type: inout SchemaRecordType) throws(SchemaSyntaxError) {
        var permissions: SecurityPermissions = []
        repeat {
            guard let permission = token.keyword.flatMap({ Self.permissions[$0] }) else {
                let isField = token.keyword.map(SchemaSyntaxError.Kind.types.contains) ?? false
                throw unexpected(
                    ["CREATE", "READ", "WRITE"],
                    hint: isField ? "A field of the name 'grant' needs quotes: \"grant\"." : nil)
            }
            _ = take()
            permissions.insert(permission)
        } while take(sign: ",")
        guard take(keyword: "TO") else { throw unexpected(["','", "TO"]) }
        let offset = token.offset
        let role = try name("a role's name")
        grantees.append((role, offset))
        type.grants.append(SecurityGrant(permissions, to: role))
    }
}
