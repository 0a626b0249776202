import RecordModel
import RecordStorage
import SQLiteAccess

extension SQLiteReader {
    private static let webhookColumns = """
        webhook.id, tenant.container, tenant.environment, webhook.database, webhook.definition, webhook.state,
        webhook.cursor, webhook.holder, webhook.send_again_at, webhook.created_at
        FROM webhook JOIN tenant ON tenant.id = webhook.tenant
        """

    func webhooks() throws -> [WebhookRow] {
        let statement = try connection.statement(
            "SELECT \(Self.webhookColumns) ORDER BY webhook.created_at, webhook.id")
        defer { statement.reset() }
        var rows: [WebhookRow] = []
        while try statement.step() {
            if let row = Self.webhook(statement) { rows.append(row) }
        }
        return rows
    }

    func webhook(_ id: String) throws -> WebhookRow? {
        let statement = try connection.statement("SELECT \(Self.webhookColumns) WHERE webhook.id = ?")
        defer { statement.reset() }
        statement.bind(id, at: 1)
        return try statement.step() ? Self.webhook(statement) : nil
    }

    private static func webhook(_ statement: Statement) -> WebhookRow? {
        guard let tenant = Tenant(statement.text(1), statement.text(2)) else { return nil }
        return WebhookRow(
            id: statement.text(0), tenant: tenant, database: statement.int(3),
            definition: Array(statement.bytes(4)), state: Array(statement.bytes(5)),
            cursor: statement.int(6), holder: statement.int(7), sendAgainAt: statement.int(8),
            createdAt: statement.int(9))
    }
}

extension SQLiteWriter {
    func store(_ webhook: WebhookRow) throws {
        let statement = try connection.statement(
            """
            INSERT OR REPLACE INTO webhook
            (id, tenant, database, definition, state, cursor, holder, send_again_at, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        statement.bind(webhook.id, at: 1)
        statement.bind(try makeTenant(webhook.tenant), at: 2)
        statement.bind(webhook.database, at: 3)
        statement.bind(blob: webhook.definition, at: 4)
        statement.bind(blob: webhook.state, at: 5)
        statement.bind(webhook.cursor, at: 6)
        statement.bind(webhook.holder, at: 7)
        statement.bind(webhook.sendAgainAt, at: 8)
        statement.bind(webhook.createdAt, at: 9)
        try statement.run()
    }

    func deleteWebhook(_ id: String) throws { try run("DELETE FROM webhook WHERE id = ?", .text(id)) }
}
