internal import RecordStorage

/// How described tables are made in PostgreSQL.
extension TableShape {
    /// The statements that make the table with its indexes.
    var creation: [String] { creation(of: postgresName, \.declaredType) }

    /// The statement that adds a column to a table that is there.
    func addition(of column: String) -> String {
        addition(of: column, to: postgresName, nothing: \.nothing, \.declaredType)
    }
}

extension TableShape.Kind {
    fileprivate var declaredType: String {
        switch self {
        case .int: "int8"
        case .flag: "bool"
        case .text: PostgresLayout.text
        case .bytes: "bytea"
        case .tenant: "int8 REFERENCES tenant"
        }
    }

    fileprivate var nothing: String {
        switch self {
        case .int, .tenant: "0"
        case .flag: "false"
        case .text, .bytes: "''"
        }
    }
}
