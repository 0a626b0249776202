import RecordModel
import RecordStorage
import SQLiteAccess

extension SQLiteReader {
    func pushKey(of tenant: Tenant) throws -> [UInt8]? {
        let statement = try connection.statement(
            """
            SELECT push_key.definition FROM push_key JOIN tenant ON tenant.id = push_key.tenant
            WHERE tenant.container = ? AND tenant.environment = ?
            """)
        defer { statement.reset() }
        statement.bind(tenant.container.rawValue, at: 1)
        statement.bind(tenant.environment.rawValue, at: 2)
        return try statement.step() ? Array(statement.bytes(0)) : nil
    }
}

extension SQLiteWriter {
    func store(pushKey: [UInt8]?, of tenant: Tenant) throws {
        let number = try makeTenant(tenant)
        guard let pushKey else { return try run("DELETE FROM push_key WHERE tenant = ?", .int(number)) }
        let statement = try connection.statement("INSERT OR REPLACE INTO push_key VALUES (?, ?)")
        statement.bind(number, at: 1)
        statement.bind(blob: pushKey, at: 2)
        try statement.run()
    }
}
