internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

extension PostgresReader {
    private static let pushKeyStatement = PostgresStatement(
        """
        SELECT push_key.definition FROM push_key JOIN tenant ON tenant.id = push_key.tenant
        WHERE tenant.container = $1 AND tenant.environment = $2
        """, .text, .text)

    func pushKey(of tenant: Tenant) throws -> [UInt8]? {
        let rows = try ask(
            Self.pushKeyStatement, .text(tenant.container.rawValue), .text(tenant.environment.rawValue))
        return rows.count > 0 ? Array(rows.bytes(0, 0)) : nil
    }
}

extension PostgresWriter {
    private static let storePushKeyStatement = PostgresStatement(
        """
        INSERT INTO push_key VALUES ($1, $2) ON CONFLICT (tenant) DO UPDATE SET definition = excluded.definition
        """, .int8, .bytea)

    func store(pushKey: [UInt8]?, of tenant: Tenant) throws {
        let number = try makeTenant(tenant)
        guard let pushKey else {
            return try write(PostgresStatement("DELETE FROM push_key WHERE tenant = $1", .int8), .int(number))
        }
        try write(Self.storePushKeyStatement, .int(number), .bytes(pushKey))
    }
}
