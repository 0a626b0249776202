internal import RecordStorage

/// How described tables are made in PostgreSQL.
extension TableShape {
    /// The statements that make the table with its indexes.
    var creation: [String] {
        let key = columns.prefix(keyCount).map { "\"\($0.name)\"" }.joined(separator: ", ")
        let table = """
            CREATE TABLE "\(postgresName)" (
                \(columns.map(declaration).joined(separator: ", ")), PRIMARY KEY (\(key)))
            """
        let all = unique.map { ("UNIQUE INDEX", $0) } + indexes.map { ("INDEX", $0) }
        return [table]
            + all.map { kind, names in
                let listed = names.map { "\"\($0)\"" }.joined(separator: ", ")
                let index = "\(postgresName)_\(names.joined(separator: "_"))"
                return "CREATE \(kind) \(index) ON \"\(postgresName)\" (\(listed))"
            }
    }

    /// The statement that adds a column to a table that is there; rows have nothing in it, or what stands for nothing.
    func addition(of column: String) -> String {
        let column = columns[place(of: column)]
        return "ALTER TABLE \"\(postgresName)\" ADD COLUMN \(declaration(column))"
            + (column.isOptional ? "" : " DEFAULT \(column.postgresNothing)")
    }

    private func declaration(_ column: Column) -> String {
        "\"\(column.name)\" \(column.postgresDeclaration)" + (column.isOptional ? "" : " NOT NULL")
    }
}

extension TableShape.Column {
    fileprivate var postgresDeclaration: String {
        switch kind {
        case .int: "int8"
        case .flag: "bool"
        case .text: PostgresLayout.text
        case .bytes: "bytea"
        case .tenant: "int8 REFERENCES tenant"
        }
    }

    fileprivate var postgresNothing: String {
        switch kind {
        case .int, .tenant: "0"
        case .flag: "false"
        case .text, .bytes: "''"
        }
    }
}
