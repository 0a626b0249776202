internal import RecordModel

/// What SQL says of described tables in the same words on every engine that speaks it. Parameters, types and what differs are the engine's.
extension TableShape {
    /// A column as its values are read: of a tenant its text, not its number.
    ///
    /// - Parameters:
    ///   - column: a column of the table.
    ///   - table: the name that the table has in the engine.
    package func expression(_ column: Column, in table: String) -> String {
        guard column.kind == .tenant else { return "\"\(column.name)\"" }
        return """
            (SELECT container || '\(Tenant.columnSeparator)' || environment FROM tenant
                WHERE tenant.id = "\(table)"."\(column.name)")
            """
    }

    /// The statement that inserts a row of these values, or puts it into the place of the one with its key.
    package func insertion(into table: String, _ marks: [String], replacing: Bool) -> String {
        let names = (columns.map(\.name) + constants.map(\.name)).map { "\"\($0)\"" }
        let values = marks + constants.map { "\($0.value)" }
        let insertion =
            "INSERT INTO \"\(table)\" (\(names.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))"
        guard replacing else { return insertion }
        let others = names[keyCount...].map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        let key = names.prefix(keyCount).joined(separator: ", ")
        return insertion + " ON CONFLICT (\(key)) DO " + (others.isEmpty ? "NOTHING" : "UPDATE SET \(others)")
    }

    /// The statements that make the table and its indexes.
    ///
    /// - Parameters:
    ///   - table: the name that the table has in the engine.
    ///   - ending: what comes after the columns.
    ///   - type: what the engine calls a column's kind.
    package func creation(of table: String, ending: String = "", _ type: (Kind) -> String) -> [String] {
        func listed(_ names: some Sequence<String>) -> String {
            names.map { "\"\($0)\"" }.joined(separator: ", ")
        }
        let declared = columns.map { $0.declaration(type) }.joined(separator: ", ")
        let key = listed(columns.prefix(keyCount).map(\.name))
        let all = unique.map { ("UNIQUE INDEX", $0) } + indexes.map { ("INDEX", $0) }
        return ["CREATE TABLE \"\(table)\" (\(declared), PRIMARY KEY (\(key)))\(ending)"]
            + all.map { kind, names in
                "CREATE \(kind) \(table)_\(names.joined(separator: "_")) ON \"\(table)\" (\(listed(names)))"
            }
    }

    /// The statement that adds a column to a table that is there; rows have nothing in it, or what stands for nothing.
    ///
    /// - Parameters:
    ///   - column: the column's name.
    ///   - table: the name that the table has in the engine.
    ///   - nothing: what stands for nothing in a column of a kind.
    ///   - type: what the engine calls a column's kind.
    package func addition(
        of column: String, to table: String, nothing: (Kind) -> String, _ type: (Kind) -> String
    ) -> String {
        let column = columns[place(of: column)]
        return "ALTER TABLE \"\(table)\" ADD COLUMN \(column.declaration(type))"
            + (column.isOptional ? "" : " DEFAULT \(nothing(column.kind))")
    }
}

extension TableShape.Column {
    fileprivate func declaration(_ type: (TableShape.Kind) -> String) -> String {
        "\"\(name)\" \(type(kind))" + (isOptional ? "" : " NOT NULL")
    }
}

extension TableCondition {
    /// The condition on a column; `mark` is what stands for its value where that is not part of the statement.
    ///
    /// - Returns: nil for what engines say differently: ``Comparison/ofTenant`` and ``Comparison/among``.
    package func restriction(_ mark: () -> String) -> String? {
        func compared(_ sign: String) -> String {
            "\"\(column)\" \(sign) \(isFixed ? values[0].literal : mark())"
        }
        return switch comparison {
        case .equal: compared("=")
        case .notEqual: compared("<>")
        case .less: compared("<")
        case .isNull: "\"\(column)\" IS NULL"
        case .ofTenant, .among: nil
        }
    }
}

extension TableValue {
    /// The value as a statement has it.
    fileprivate var literal: String {
        switch self {
        case .null: "NULL"
        case .int(let value): "\(value)"
        case .text(let text): "'\(text.replacing("'", with: "''"))'"
        case .bytes: preconditionFailure("Bytes are never part of a statement.")
        }
    }
}

extension [String] {
    /// Conditions of which all must hold, as a statement has them.
    package var restriction: String { isEmpty ? "" : " WHERE \(joined(separator: " AND "))" }
}
