/// A statement's text with the types of its parameters; made once and kept as a constant.
///
/// It is prepared on a connection at its first use there and stays prepared as long as it is used now and then.
public struct PostgresStatement: Sendable, Hashable {
    /// The text, with parameters as `$1`, `$2` …
    public let sql: String
    /// The types of the parameters, in their order.
    public let types: [PostgresType]

    /// Makes a statement.
    public init(_ sql: String, _ types: PostgresType...) {
        self.sql = sql
        self.types = types
    }

    /// Makes a statement whose parameters are known only when it is put together.
    public init(sql: String, types: [PostgresType]) {
        self.sql = sql
        self.types = types
    }
}

/// A statement with its values: one step of what is sent together.
public struct PostgresCommand: Sendable {
    /// What is run.
    public var statement: PostgresStatement
    /// The values of its parameters, as many as it has types and of these types.
    public var values: [PostgresValue]

    /// Takes a statement and its values.
    public init(_ statement: PostgresStatement, _ values: PostgresValue...) {
        self.init(statement, values: values)
    }

    /// Takes a statement and its values.
    public init(_ statement: PostgresStatement, values: [PostgresValue]) {
        assert(values.count == statement.types.count, "\(statement.sql): \(values.count) values")
        assert(zip(values, statement.types).allSatisfy { $0.type == nil || $0.type == $1 }, statement.sql)
        self.statement = statement
        self.values = values
    }

    /// A statement without parameters.
    public init(sql: String) { self.init(PostgresStatement(sql)) }
}
