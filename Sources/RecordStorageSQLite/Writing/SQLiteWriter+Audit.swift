import RecordModel
import RecordStorage
import SQLiteAccess

extension SQLiteWriter {
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
