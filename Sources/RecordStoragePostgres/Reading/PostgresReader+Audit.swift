internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

extension PostgresReader {
    private static let auditColumns = "id, at, operator, action, container, environment, subject, request"
    private static let auditStatement = PostgresStatement(
        "SELECT \(auditColumns) FROM audit WHERE id < $1 ORDER BY id DESC LIMIT $2", .int8, .int8)
    private static let auditOfStatement = PostgresStatement(
        """
        SELECT \(auditColumns) FROM audit WHERE container = $1 AND environment = $2
            AND (subject = ANY($3) OR starts_with(subject, $4)) ORDER BY id DESC
        """, .text, .text, .textArray, .text)

    func audit(before id: Int64?, limit: Int) throws -> [AuditRow] {
        Self.audit(try ask(Self.auditStatement, .int(id ?? .max), .int(Int64(limit))))
    }

    func audit(of tenant: Tenant, subjects: [String], prefix: String?) throws -> [AuditRow] {
        Self.audit(
            try ask(
                Self.auditOfStatement, .text(tenant.container.rawValue), .text(tenant.environment.rawValue),
                .texts(subjects.map { PostgresText.encoded($0) }),
                prefix.map { .text(PostgresText.encoded($0)) } ?? .null))
    }

    private static func audit(_ rows: PostgresRows) -> [AuditRow] {
        (0..<rows.count).map { row in
            AuditRow(
                id: rows.int(row, 0), at: rows.int(row, 1),
                operatorName: PostgresText.decoded(rows.text(row, 2)),
                action: rows.text(row, 3),
                tenant: rows.isNull(row, 4) ? nil : Tenant(rows.text(row, 4), rows.text(row, 5)),
                subject: PostgresText.decoded(rows.text(row, 6)), requestID: rows.text(row, 7))
        }
    }
}
