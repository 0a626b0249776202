import RecordModel

extension SchemaParser {
    /// The most mistakes of form that are reported for one text: a file of another kind has no end of them.
    private static let mostSyntaxErrors = 20

    /// All of a text.
    mutating func file() {
        do {
            try head()
        } catch {
            // Without its head the text is something else, and the rest of it says nothing.
            return noteUnlessCut(error)
        }
        var failures = 0
        while failures < Self.mostSyntaxErrors {
            while take(sign: ";") {}
            guard token.kind != .end else { break }
            do {
                try statement()
            } catch {
                noteUnlessCut(error)
                guard !error.endsReading else { return }
                skipStatement()
                failures += 1
            }
        }
        // A role may be declared by what could not be read.
        if failures == 0, isWhole { checkGrants() }
    }

    /// Notes a mistake, but not the end of tokens that end before the text does.
    private mutating func noteUnlessCut(_ error: SchemaSyntaxError) {
        if isWhole || token.kind != .end { problems.append(error) }
    }

    /// `DEFINE SCHEMA`.
    private mutating func head() throws(SchemaSyntaxError) {
        let isStatement = startsStatement
        if !isStatement, !take(keyword: "DEFINE") {
            throw unexpected(
                ["DEFINE SCHEMA"], hint: "A text in the schema language begins with DEFINE SCHEMA.")
        }
        if take(keyword: "SCHEMA") { return }
        guard startsStatement else { throw unexpected(["SCHEMA"]) }
        problems.append(
            unexpected(
                isStatement ? ["DEFINE SCHEMA"] : ["SCHEMA"],
                hint: isStatement
                    ? "Write DEFINE SCHEMA once, above everything."
                    : "Write DEFINE SCHEMA once, above everything; after it, write RECORD TYPE without DEFINE."
            ))
    }

    /// Whether a role or a record type begins here.
    private var startsStatement: Bool { startsStatement(ahead: 0) }

    private func startsStatement(ahead: Int) -> Bool {
        let following = token(ahead: ahead + 1).keyword
        return switch token(ahead: ahead).keyword {
        case "RECORD": following == "TYPE"
        case "CREATE": following == "ROLE"
        default: false
        }
    }

    private mutating func statement() throws(SchemaSyntaxError) {
        if take(keyword: "CREATE") {
            try role()
        } else if take(keyword: "RECORD") {
            try recordType()
        } else {
            let hint: String? =
                switch token.keyword {
                case "DEFINE" where token(ahead: 1).keyword == "INDEX":
                    "An index is a word after a field's type: title STRING QUERYABLE."
                case "DEFINE": "DEFINE SCHEMA is written once, above everything; remove DEFINE."
                case "GRANT": "Write a grant inside the brackets of its record type."
                default: nil
                }
            throw unexpected(["CREATE ROLE", "RECORD TYPE", "the end of the text"], hint: hint)
        }
        if take(sign: ";") || token.kind == .end { return }
        guard startsStatement else { throw unexpected(["';'"]) }
        noteMissing(";")
    }

    /// Goes to the next statement.
    private mutating func skipStatement() {
        openType = nil
        while token.kind != .end, !startsStatement {
            if take().kind == .sign(";") { return }
        }
    }

    private mutating func role() throws(SchemaSyntaxError) {
        try expect(keyword: "ROLE")
        let offset = token.offset
        let name = try name("a role's name")
        if let line = roleLines[name] {
            return note(.duplicate(what: "role", name: name, line: line), at: offset)
        }
        try checkRoom(for: "roles", document.roles.count, most: Limits.rolesPerTenant, at: offset)
        roleLines[name] = line(of: offset)
        document.roles.append(name)
    }

    private mutating func recordType() throws(SchemaSyntaxError) {
        try expect(keyword: "TYPE")
        let offset = token.offset
        try checkRoom(
            for: "record types", document.types.count, most: Limits.typesPerTenant, at: offset)
        var type = SchemaRecordType(
            name: try name("a record type's name") { $0 == ShareRecordType.name })
        if let line = typeLines[type.name] {
            note(.duplicate(what: "record type", name: type.name, line: line), at: offset)
        }
        typeLines[type.name] = line(of: offset)
        if !take(sign: "(") {
            guard token.isName, beginsLine, !startsStatement else { throw unexpected(["'('"]) }
            noteMissing("(")
        }
        openType = (type.name, line(of: offset))
        try items(of: &type)
        openType = nil
        document.types.append(type)
    }

    /// What is in the brackets of a record type, and the closing one.
    private mutating func items(of type: inout SchemaRecordType) throws(SchemaSyntaxError) {
        var fieldOffsets: [String: Int] = [:]
        if take(sign: ")") { return }
        repeat {
            try item(of: &type, &fieldOffsets)
        } while try separator(in: type)
    }

    /// Takes what is between two items or ends them: whether another one follows.
    private mutating func separator(in type: SchemaRecordType) throws(SchemaSyntaxError) -> Bool {
        if take(sign: ")") { return false }
        if take(sign: ",") {
            guard token.kind == .sign(")") else { return true }
            problems.append(
                unexpected(["a field's name", "GRANT"], hint: "Remove the comma before ')'."))
            return !take(sign: ")")
        }
        if token.kind == .sign(";"), goesOnAfterSemicolon {
            problems.append(
                unexpected(["','", "')'"], hint: "Fields are separated with ','; ';' ends the record type."))
            _ = take()
            return !take(sign: ")")
        }
        if token.kind == .sign(";") || startsStatement {
            noteMissing(")")
            return false
        }
        guard token.isName, beginsLine else {
            let options = type.grants.isEmpty ? ["QUERYABLE", "SEARCHABLE", "SORTABLE"] : []
            throw unexpected(["','", "')'"] + options, hint: hintAfterItem)
        }
        noteMissing(",")
        return true
    }

    /// Whether the record type continues after a semicolon, which was written for a comma then.
    private var goesOnAfterSemicolon: Bool {
        let following = token(ahead: 1)
        return following.kind == .sign(")") || following.isName && !startsStatement(ahead: 1)
    }

    /// What other languages say of a field.
    private static let foreignWords: Set<String> = [
        "CHECK", "DEFAULT", "INDEX", "INDEXED", "KEY", "NOT", "NULL", "OPTIONAL", "PRIMARY", "REFERENCES",
        "REQUIRED", "UNIQUE",
    ]

    /// What to do about a word after a field that is not one of its options.
    private var hintAfterItem: String? {
        guard let word = token.keyword else { return nil }
        if Self.foreignWords.contains(word) { return "The schema language has no \(word); remove it." }
        let following = token(ahead: 1).keyword.map(SchemaSyntaxError.Kind.types.contains) ?? false
        return following ? "Write ',' before \(token.shown)." : nil
    }

    private mutating func checkGrants() {
        let known = Set(SecurityGrant.systemRoles + document.roles)
        for (role, offset) in grantees where !known.contains(role) { note(.undeclaredRole(role), at: offset) }
    }
}
