import RecordModel
import RecordStorage
import RecordWire
import SQLiteAccess

extension SQLiteReader {
    func audit(before id: Int64?, limit: Int) throws -> [AuditRow] {
        let statement = try connection.statement(
            """
            SELECT id, at, operator, action, container, environment, subject, request FROM audit
            WHERE id < ? ORDER BY id DESC LIMIT ?
            """)
        defer { statement.reset() }
        statement.bind(id ?? .max, at: 1)
        statement.bind(Int64(limit), at: 2)
        return try auditRows(statement)
    }

    func audit(of tenant: Tenant, subjects: [String], prefix: String?) throws -> [AuditRow] {
        let statement = try connection.statement(
            """
            SELECT id, at, operator, action, container, environment, subject, request FROM audit
            WHERE container = ?1 AND environment = ?2
                AND (subject IN (SELECT value FROM json_each(?3)) OR substr(subject, 1, length(?4)) = ?4)
            ORDER BY id DESC
            """)
        defer { statement.reset() }
        statement.bind(tenant.container.rawValue, at: 1)
        statement.bind(tenant.environment.rawValue, at: 2)
        let names = JSONWriter.text { writer in
            writer.beginArray()
            for subject in subjects { writer.string(subject) }
            writer.endArray()
        }
        statement.bind(String(decoding: names, as: UTF8.self), at: 3)
        statement.bind(prefix, at: 4)
        return try auditRows(statement)
    }

    private func auditRows(_ statement: Statement) throws -> [AuditRow] {
        var rows: [AuditRow] = []
        while try statement.step() {
            var tenant: Tenant?
            // An old entry may name what is not a container any more: it is shown without.
            if let container = try? statement.optionalText(4).map(ContainerID.init),
                let environment = statement.optionalText(5).flatMap(CloudEnvironment.init)
            {
                tenant = Tenant(container: container, environment: environment)
            }
            rows.append(
                AuditRow(
                    id: statement.int(0), at: statement.int(1), operatorName: statement.text(2),
                    action: statement.text(3), tenant: tenant, subject: statement.text(6),
                    requestID: statement.text(7)))
        }
        return rows
    }
}
