internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

extension PostgresReader {
    private static let webhookColumns = """
        webhook.id, tenant.container, tenant.environment, webhook.database, webhook.definition, webhook.state,
        webhook.cursor, webhook.holder, webhook.send_again_at, webhook.created_at
        FROM webhook JOIN tenant ON tenant.id = webhook.tenant
        """
    private static let webhooksStatement = PostgresStatement(
        "SELECT \(webhookColumns) ORDER BY webhook.created_at, webhook.id")
    private static let webhookStatement = PostgresStatement(
        "SELECT \(webhookColumns) WHERE webhook.id = $1", .text)

    func webhooks() throws -> [WebhookRow] {
        let rows = try ask(Self.webhooksStatement)
        return (0..<rows.count).compactMap { Self.webhook(rows, $0) }
    }

    func webhook(_ id: String) throws -> WebhookRow? {
        let rows = try ask(Self.webhookStatement, .text(PostgresText.encoded(id)))
        return rows.count > 0 ? Self.webhook(rows, 0) : nil
    }

    private static func webhook(_ rows: PostgresRows, _ row: Int) -> WebhookRow? {
        guard let tenant = Tenant(rows.text(row, 1), rows.text(row, 2)) else { return nil }
        return WebhookRow(
            id: PostgresText.decoded(rows.text(row, 0)), tenant: tenant, database: rows.int(row, 3),
            definition: Array(rows.bytes(row, 4)), state: Array(rows.bytes(row, 5)), cursor: rows.int(row, 6),
            holder: rows.int(row, 7), sendAgainAt: rows.int(row, 8), createdAt: rows.int(row, 9))
    }
}

extension PostgresWriter {
    private static let storeWebhookStatement = PostgresStatement(
        """
        INSERT INTO webhook (id, tenant, database, definition, state, cursor, holder, send_again_at, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        ON CONFLICT (id) DO UPDATE SET definition = excluded.definition, state = excluded.state,
            cursor = excluded.cursor, holder = excluded.holder, send_again_at = excluded.send_again_at
        """, .text, .int8, .int8, .bytea, .bytea, .int8, .int8, .int8, .int8)

    func store(_ webhook: WebhookRow) throws {
        try write(
            Self.storeWebhookStatement, .text(PostgresText.encoded(webhook.id)),
            .int(try makeTenant(webhook.tenant)), .int(webhook.database), .bytes(webhook.definition),
            .bytes(webhook.state), .int(webhook.cursor), .int(webhook.holder), .int(webhook.sendAgainAt),
            .int(webhook.createdAt))
    }

    func deleteWebhook(_ id: String) throws {
        try write(
            PostgresStatement("DELETE FROM webhook WHERE id = $1", .text), .text(PostgresText.encoded(id)))
    }
}
