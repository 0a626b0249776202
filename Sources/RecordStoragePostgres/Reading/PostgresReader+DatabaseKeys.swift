internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

extension PostgresReader {
    private static let keyColumns = """
        SELECT database.id, container, environment, owner, data_key
        FROM database JOIN tenant ON tenant.id = database.tenant
        """
    private static let zoneByNumberStatement = PostgresStatement(
        "SELECT \(zoneColumns) FROM zone WHERE id = $1", .int8)
    private static let keyStatement = PostgresStatement(keyColumns + " WHERE database.id = $1", .int8)
    static let keysStatement = PostgresStatement(
        keyColumns + " WHERE database.id > $1 AND data_key IS NOT NULL ORDER BY database.id LIMIT $2", .int8,
        .int8)

    func zone(numbered number: Int64) throws -> ZoneRow? {
        Self.zones(try ask(Self.zoneByNumberStatement, .int(number))).first
    }

    func keyedDatabase(numbered number: Int64) throws -> KeyedDatabase? {
        Self.keyedDatabases(try ask(Self.keyStatement, .int(number))).first
    }

    func keyedDatabases(after number: Int64, limit: Int) throws -> [KeyedDatabase] {
        Self.keyedDatabases(try ask(Self.keysStatement, .int(number), .int(Int64(limit))))
    }

    static func keyedDatabases(_ rows: PostgresRows) -> [KeyedDatabase] {
        (0..<rows.count).compactMap { row in
            guard let tenant = Tenant(rows.text(row, 1), rows.text(row, 2)) else { return nil }
            let owner = PostgresText.decoded(rows.text(row, 3))
            return KeyedDatabase(
                number: rows.int(row, 0), id: DatabaseID(tenant: tenant, owner: owner.isEmpty ? nil : owner),
                key: key(Array(rows.bytes(row, 4))))
        }
    }

    /// A key as it lies in its column, where no key reads as no bytes.
    static func key(_ bytes: [UInt8]) -> [UInt8]? { bytes.isEmpty ? nil : bytes }
}

extension PostgresWriter {
    func store(databaseKey key: [UInt8], of database: Int64) throws {
        try write(
            PostgresStatement("UPDATE database SET data_key = $1 WHERE id = $2", .bytea, .int8), .bytes(key),
            .int(database))
    }
}
