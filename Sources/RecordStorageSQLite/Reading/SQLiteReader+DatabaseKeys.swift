import RecordModel
import RecordStorage
import SQLiteAccess

extension SQLiteReader {
    private static let keyColumns = """
        SELECT database.id, container, environment, owner, data_key
        FROM database JOIN tenant ON tenant.id = database.tenant
        """

    func keyedDatabase(numbered number: Int64) throws -> KeyedDatabase? {
        let statement = try connection.statement(Self.keyColumns + " WHERE database.id = ?")
        defer { statement.reset() }
        statement.bind(number, at: 1)
        return try statement.step() ? Self.keyedDatabase(statement) : nil
    }

    func keyedDatabases(after number: Int64, limit: Int) throws -> [KeyedDatabase] {
        try Self.keyedDatabases(after: number, limit: limit, connection)
    }

    static func keyedDatabases(
        after number: Int64, limit: Int, _ connection: Connection
    ) throws -> [KeyedDatabase] {
        let statement = try connection.statement(
            keyColumns
                + " WHERE database.id > ? AND data_key IS NOT NULL ORDER BY database.id LIMIT ?")
        defer { statement.reset() }
        statement.bind(number, at: 1)
        statement.bind(Int64(limit), at: 2)
        var databases: [KeyedDatabase] = []
        while try statement.step() {
            if let database = keyedDatabase(statement) { databases.append(database) }
        }
        return databases
    }

    private static func keyedDatabase(_ statement: Statement) -> KeyedDatabase? {
        guard let tenant = Tenant(statement.text(1), statement.text(2)) else { return nil }
        let owner = statement.text(3)
        return KeyedDatabase(
            number: statement.int(0), id: DatabaseID(tenant: tenant, owner: owner.isEmpty ? nil : owner),
            key: key(Array(statement.bytes(4))))
    }

    /// A key as it lies in its column, where no key reads as no bytes.
    static func key(_ bytes: [UInt8]) -> [UInt8]? { bytes.isEmpty ? nil : bytes }
}

extension SQLiteWriter {
    func store(databaseKey key: [UInt8], of database: Int64) throws {
        let statement = try connection.statement("UPDATE database SET data_key = ? WHERE id = ?")
        statement.bind(blob: key, at: 1)
        statement.bind(database, at: 2)
        try statement.run()
    }
}
