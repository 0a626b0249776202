extension SQLiteConnection {
    /// All rows of a statement; for small answers.
    ///
    /// - Throws: what the connection's owner makes of the statement's ``SQLiteFailure``.
    public func rows(_ sql: String, _ values: [SQLiteValue] = []) throws -> [[SQLiteValue]] {
        let statement = try makeStatement(sql)
        statement.bind(values)
        var result: [[SQLiteValue]] = []
        while try statement.step() {
            result.append((0..<statement.columnCount).map { statement.value($0) })
        }
        return result
    }

    /// Runs a statement with values.
    ///
    /// - Throws: what the connection's owner makes of the statement's ``SQLiteFailure``.
    public func run(_ sql: String, _ values: [SQLiteValue]) throws {
        let statement = try self.statement(sql)
        statement.bind(values)
        try statement.run()
    }

    /// The first number of an answer; 0 where there is none.
    ///
    /// - Throws: what the connection's owner makes of the statement's ``SQLiteFailure``.
    public func number(_ sql: String) throws -> Int64 {
        switch try rows(sql).first?.first {
        case .int(let value)?: value
        case .double(let value)?: Int64(exactly: value.rounded()) ?? 0
        default: 0
        }
    }
}
