import RecordModel

extension SchemaParser {
    /// A field, or a grant.
    mutating func item(
        of type: inout SchemaRecordType, _ fieldOffsets: inout [String: Int]
    ) throws(SchemaSyntaxError) {
        if take(keyword: "GRANT") { return try grant(of: &type) }
        if noteGrantWithoutWord() { return try grant(of: &type) }
        let offset = token.offset
        // Those of the system do not count; there are only so many.
        let most = Limits.fieldsPerType + SystemFieldName.allCases.count
        try checkRoom(for: "fields in a record type", type.fields.count, most: most, at: offset)
        let owner = type.name
        let name = try name("a field's name") { (try? Names.checkField($0, ofType: owner)) != nil }
        let declared = try declaredType()
        var field = SchemaField(name: name, type: declared ?? DeclaredType(FieldType(.string)))
        let optionOffsets = options(of: &field)
        if let earlier = fieldOffsets[name] {
            note(.duplicate(what: "field", name: name, line: line(of: earlier)), at: offset)
        }
        fieldOffsets[name] = offset
        type.fields.append(field)
        guard declared != nil else { return }
        check(field, of: owner, at: offset, optionOffsets)
    }

    // MARK: Options

    static let options: [(word: String, index: FieldIndexes)] = [
        ("QUERYABLE", .queryable), ("SEARCHABLE", .searchable), ("SORTABLE", .sortable),
    ]

    /// Takes the options, and gives where they are.
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

    /// Notes that the word GRANT is wrong or was left out before permissions; whether it was.
    private mutating func noteGrantWithoutWord() -> Bool {
        guard let word = token.keyword, let following = token(ahead: 1).keyword else { return false }
        if Self.permissions[word] != nil, following == "TO" {
            problems.append(
                unexpected(["a field's name", "GRANT"], hint: "Write GRANT before \(token.shown)."))
            return true
        }
        guard Self.permissions[following] != nil, SpellingHint.nearest(to: word, in: ["GRANT"]) != nil else {
            return false
        }
        problems.append(unexpected(["a field's name", "GRANT"]))
        _ = take()
        return true
    }

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
        try refuseSecondRole()
        grantees.append((role, offset))
        type.grants.append(SecurityGrant(permissions, to: role))
    }

    /// A name between commas is no field, which has a type: it was meant as another role.
    private func refuseSecondRole() throws(SchemaSyntaxError) {
        let after = token(ahead: 2).kind
        guard token.kind == .sign(","), token(ahead: 1).isName, after == .sign(",") || after == .sign(")")
        else {
            return
        }
        let second = token(ahead: 1)
        throw SchemaSyntaxError(
            .unexpected(
                found: second.shown, expected: ["a field", "GRANT"],
                hint: "A grant names one role. Write a separate grant for \(second.shown)."),
            source: source, offset: second.offset)
    }
}
