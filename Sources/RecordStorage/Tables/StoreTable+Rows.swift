/// Rows of described tables as values of Swift: what the methods for accounts, tokens, webhooks and the like are made of.
extension StoreReader {
    /// The rows that a query asks for. One that a newer program wrote, with a value that is not known here, is left out.
    ///
    /// ```swift
    /// try rows(of: Catalogue.sessions, TableQuery([TableCondition("account", id)], order: ["-created_at", "id"]))
    /// ```
    package func rows<Row>(of table: StoreTable<Row>, _ query: TableQuery) throws -> [Row] {
        try rows(of: table.shape, query).compactMap { table.readableRow(of: $0) }
    }

    /// The first row that matches; nil where none does.
    package func row<Row>(of table: StoreTable<Row>, where conditions: TableCondition...) throws -> Row? {
        try rows(of: table.shape, TableQuery(conditions, limit: 1)).first.flatMap {
            table.readableRow(of: $0)
        }
    }

    /// How many rows match.
    package func count<Row>(of table: StoreTable<Row>, where conditions: TableCondition...) throws -> Int {
        Int(try total(of: nil, in: table.shape, where: conditions))
    }
}

extension StoreWriter {
    /// Stores a row whose key must be free.
    package func insert<Row>(_ row: Row, into table: StoreTable<Row>) throws {
        try store(table.values(of: row), in: table.shape, replacing: false)
    }

    /// Stores a row, in the place of the one with its key.
    package func put<Row>(_ row: Row, into table: StoreTable<Row>) throws {
        try store(table.values(of: row), in: table.shape, replacing: true)
    }

    /// Gives columns of the rows that match other values.
    package func update<Row>(
        _ table: StoreTable<Row>, set values: [(column: String, value: any ColumnCoding)],
        where conditions: TableCondition...
    ) throws {
        try update(
            table.shape, set: values.map { ($0.column, $0.value.columnValue) }, where: conditions)
    }

    /// Forgets the rows that match.
    package func remove<Row>(from table: StoreTable<Row>, where conditions: TableCondition...) throws {
        try remove(from: table.shape, where: conditions)
    }
}
