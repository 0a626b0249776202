import RecordModel
import RecordStorage
import SQLiteAccess

extension SQLiteWriter {
    func insert(_ row: OperatorRow) throws {
        try run(
            "INSERT INTO operator (name, created_at, read_only) VALUES (?, ?, ?)", .text(row.name),
            .int(row.createdAt), .int(row.isReadOnly ? 1 : 0))
    }

    func setReadOnly(_ isReadOnly: Bool, ofOperatorNamed name: String) throws {
        try run("UPDATE operator SET read_only = ? WHERE name = ?", .int(isReadOnly ? 1 : 0), .text(name))
    }

    func deleteOperator(named name: String) throws {
        try run("DELETE FROM operator_token WHERE operator = ?", .text(name))
        try run("DELETE FROM operator WHERE name = ?", .text(name))
    }

    func insert(_ token: OperatorTokenRow, digest: [UInt8]) throws {
        let statement = try connection.statement(
            """
            INSERT INTO operator_token (digest, kind, operator, created_at, expires_at)
            VALUES (?, ?, ?, ?, ?)
            """)
        statement.bind(blob: digest, at: 1)
        statement.bind(token.kind.rawValue, at: 2)
        statement.bind(token.operatorName, at: 3)
        statement.bind(token.createdAt, at: 4)
        statement.bind(token.expiresAt.map { .int($0) } ?? StorageValue.null, at: 5)
        try statement.run()
    }

    func deleteOperatorToken(digest: [UInt8]) throws {
        let statement = try connection.statement("DELETE FROM operator_token WHERE digest = ?")
        statement.bind(blob: digest, at: 1)
        try statement.run()
    }

    func deleteOperatorTokens(expiredBefore time: Int64) throws {
        try run("DELETE FROM operator_token WHERE expires_at < ?", .int(time))
    }

    func insert(_ row: AuditRow) throws {
        try run(
            """
            INSERT INTO audit (at, operator, action, container, environment, subject, request)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            .int(row.at), .text(row.operatorName), .text(row.action),
            row.tenant.map { .text($0.container.rawValue) } ?? .null,
            row.tenant.map { .text($0.environment.rawValue) } ?? .null, .text(row.subject),
            .text(row.requestID))
        try run(
            "DELETE FROM audit WHERE id <= ?",
            .int(connection.lastInsertedID - Int64(Limits.auditEntries)))
    }
}
