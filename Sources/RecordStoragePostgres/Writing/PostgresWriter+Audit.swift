internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

extension PostgresWriter {
    private static let insertAuditStatement = PostgresStatement(
        """
        INSERT INTO audit (at, operator, action, container, environment, subject, request)
        VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id
        """, .int8, .text, .text, .text, .text, .text, .text)

    func insert(_ row: AuditRow) throws {
        let id = try ask(
            Self.insertAuditStatement, .int(row.at), .text(PostgresText.encoded(row.operatorName)),
            .text(row.action), row.tenant.map { .text($0.container.rawValue) } ?? .null,
            row.tenant.map { .text($0.environment.rawValue) } ?? .null,
            .text(PostgresText.encoded(row.subject)), .text(PostgresText.encoded(row.requestID))
        ).int(0, 0)
        // One comes, one goes: looking only where it is spares a walk over all that went before.
        let last = id - Int64(Limits.auditEntries)
        try write(
            PostgresStatement("DELETE FROM audit WHERE id > $1 - 1000 AND id <= $1", .int8), .int(last))
    }
}
