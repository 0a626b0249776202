import RecordModel
import RecordStorage
import SQLiteAccess

extension SQLiteReader {
    private static let subscriptionColumns =
        "database, user, name, type, zone, since, ended_at, definition"

    func subscriptions(of user: String, in database: Int64) throws -> [SubscriptionRow] {
        let statement = try connection.statement(
            "SELECT \(Self.subscriptionColumns) FROM subscription WHERE database = ? AND user = ? ORDER BY name"
        )
        defer { statement.reset() }
        statement.bind(database, at: 1)
        statement.bind(user, at: 2)
        var rows: [SubscriptionRow] = []
        while try statement.step() { rows.append(Self.subscription(statement)) }
        return rows
    }

    func subscription(named name: String, of user: String, in database: Int64) throws -> SubscriptionRow? {
        let statement = try connection.statement(
            """
            SELECT \(Self.subscriptionColumns) FROM subscription
            WHERE database = ? AND user = ? AND name = ?
            """)
        defer { statement.reset() }
        statement.bind(database, at: 1)
        statement.bind(user, at: 2)
        statement.bind(name, at: 3)
        return try statement.step() ? Self.subscription(statement) : nil
    }

    func subscriptions(
        of tenant: Tenant, after place: SubscriptionPlace, limit: Int
    ) throws -> [SubscriptionRow] {
        let statement = try connection.statement(
            """
            SELECT \(Self.subscriptionColumns) FROM subscription
            WHERE (database, user, name) > (?, ?, ?) AND database IN (
                SELECT database.id FROM database JOIN tenant ON tenant.id = database.tenant
                WHERE tenant.container = ? AND tenant.environment = ?)
            ORDER BY database, user, name LIMIT ?
            """)
        defer { statement.reset() }
        statement.bind(place.database, at: 1)
        statement.bind(place.user, at: 2)
        statement.bind(place.name, at: 3)
        statement.bind(tenant.container.rawValue, at: 4)
        statement.bind(tenant.environment.rawValue, at: 5)
        statement.bind(Int64(limit), at: 6)
        var rows: [SubscriptionRow] = []
        while try statement.step() { rows.append(Self.subscription(statement)) }
        return rows
    }

    private static func subscription(_ statement: Statement) -> SubscriptionRow {
        SubscriptionRow(
            database: statement.int(0), user: statement.text(1), name: statement.text(2),
            type: statement.int(3), zone: statement.int(4), since: statement.int(5),
            endedAt: statement.optionalInt(6), definition: Array(statement.bytes(7)))
    }

    private static let receiverColumns =
        """
        receiver.digest, tenant.container, tenant.environment, receiver.user, receiver.push_environment,
        receiver.client, receiver.cursor, receiver.created_at, receiver.seen_at, receiver.channel,
        receiver.definition, receiver.state, receiver.session, receiver.first_cursor, receiver.ended_at,
        receiver.end_reason, receiver.registered_at
        FROM receiver JOIN tenant ON tenant.id = receiver.tenant
        """

    func receiver(digest: [UInt8]) throws -> ReceiverRow? {
        let statement = try connection.statement(
            "SELECT \(Self.receiverColumns) WHERE receiver.digest = ?")
        defer { statement.reset() }
        statement.bind(blob: digest, at: 1)
        return try statement.step() ? Self.receiver(statement) : nil
    }

    func receivers(of user: String, in tenant: Tenant) throws -> [ReceiverRow] {
        let statement = try connection.statement(
            """
            SELECT \(Self.receiverColumns)
            WHERE tenant.container = ? AND tenant.environment = ? AND receiver.user = ?
            ORDER BY receiver.seen_at, receiver.created_at
            """)
        defer { statement.reset() }
        statement.bind(tenant.container.rawValue, at: 1)
        statement.bind(tenant.environment.rawValue, at: 2)
        statement.bind(user, at: 3)
        var rows: [ReceiverRow] = []
        while try statement.step() {
            if let row = Self.receiver(statement) { rows.append(row) }
        }
        return rows
    }

    func receivers(of tenant: Tenant, after digest: [UInt8], limit: Int) throws -> [ReceiverRow] {
        let statement = try connection.statement(
            """
            SELECT \(Self.receiverColumns)
            WHERE tenant.container = ? AND tenant.environment = ? AND receiver.digest > ?
            ORDER BY receiver.digest LIMIT ?
            """)
        defer { statement.reset() }
        statement.bind(tenant.container.rawValue, at: 1)
        statement.bind(tenant.environment.rawValue, at: 2)
        statement.bind(blob: digest, at: 3)
        statement.bind(Int64(limit), at: 4)
        var rows: [ReceiverRow] = []
        while try statement.step() {
            if let row = Self.receiver(statement) { rows.append(row) }
        }
        return rows
    }

    func pushReceivers(after digest: [UInt8], limit: Int) throws -> [ReceiverRow] {
        let statement = try connection.statement(
            """
            SELECT \(Self.receiverColumns)
            WHERE receiver.channel <> 'courier' AND receiver.ended_at IS NULL AND receiver.digest > ?
            ORDER BY receiver.digest LIMIT ?
            """)
        defer { statement.reset() }
        statement.bind(blob: digest, at: 1)
        statement.bind(Int64(limit), at: 2)
        var rows: [ReceiverRow] = []
        while try statement.step() {
            if let row = Self.receiver(statement) { rows.append(row) }
        }
        return rows
    }

    func pushReceiverCount() throws -> Int {
        let statement = try connection.statement(
            "SELECT count(*) FROM receiver WHERE channel <> 'courier' AND ended_at IS NULL")
        defer { statement.reset() }
        return try statement.step() ? Int(statement.int(0)) : 0
    }

    func pushReceiverVersion() throws -> Int64 {
        let statement = try connection.statement(
            """
            SELECT count(*) + coalesce(sum(registered_at), 0) FROM receiver
            WHERE channel <> 'courier' AND ended_at IS NULL
            """)
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : 0
    }

    private static func receiver(_ statement: Statement) -> ReceiverRow? {
        guard let tenant = Tenant(statement.text(1), statement.text(2)),
            let channel = ReceiverRow.Channel(rawValue: statement.text(9))
        else { return nil }
        return ReceiverRow(
            digest: Array(statement.bytes(0)), tenant: tenant, user: statement.text(3),
            pushEnvironment: statement.text(4), client: statement.text(5), cursor: statement.int(6),
            createdAt: statement.int(7), seenAt: statement.int(8), channel: channel,
            definition: Array(statement.bytes(10)), state: Array(statement.bytes(11)),
            origin: statement.optionalText(12).map { ReceiverOrigin(stored: $0) },
            firstCursor: statement.int(13),
            registeredAt: statement.int(16), endedAt: statement.optionalInt(14), endReason: statement.text(15)
        )
    }
}

extension SQLiteWriter {
    func store(_ subscription: SubscriptionRow) throws {
        let statement = try connection.statement(
            """
            INSERT OR REPLACE INTO subscription
            (database, user, name, type, zone, since, ended_at, definition) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """)
        statement.bind(subscription.database, at: 1)
        statement.bind(subscription.user, at: 2)
        statement.bind(subscription.name, at: 3)
        statement.bind(subscription.type, at: 4)
        statement.bind(subscription.zone, at: 5)
        statement.bind(subscription.since, at: 6)
        statement.bind(subscription.endedAt.map { .int($0) } ?? StorageValue.null, at: 7)
        statement.bind(blob: subscription.definition, at: 8)
        try statement.run()
    }

    func deleteSubscription(named name: String, of user: String, in database: Int64) throws {
        try run(
            "DELETE FROM subscription WHERE database = ? AND user = ? AND name = ?", .int(database),
            .text(user), .text(name))
    }

    func store(_ receiver: ReceiverRow) throws {
        let statement = try connection.statement(
            """
            INSERT OR REPLACE INTO receiver
            (digest, tenant, user, push_environment, client, cursor, created_at, seen_at,
                channel, definition, state, session, first_cursor, ended_at, end_reason, registered_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        statement.bind(blob: receiver.digest, at: 1)
        statement.bind(try makeTenant(receiver.tenant), at: 2)
        statement.bind(receiver.user, at: 3)
        statement.bind(receiver.pushEnvironment, at: 4)
        statement.bind(receiver.client, at: 5)
        statement.bind(receiver.cursor, at: 6)
        statement.bind(receiver.createdAt, at: 7)
        statement.bind(receiver.seenAt, at: 8)
        statement.bind(receiver.channel.rawValue, at: 9)
        statement.bind(blob: receiver.definition, at: 10)
        statement.bind(blob: receiver.state, at: 11)
        statement.bind(receiver.origin?.stored, at: 12)
        statement.bind(receiver.firstCursor, at: 13)
        statement.bind(receiver.endedAt.map { .int($0) } ?? StorageValue.null, at: 14)
        statement.bind(receiver.endReason, at: 15)
        statement.bind(receiver.registeredAt, at: 16)
        try statement.run()
    }

    func deleteReceiver(digest: [UInt8]) throws {
        let statement = try connection.statement("DELETE FROM receiver WHERE digest = ?")
        statement.bind(blob: digest, at: 1)
        try statement.run()
    }

    func deleteReceivers(unseenSince time: Int64, endedBefore end: Int64) throws {
        try run("DELETE FROM receiver WHERE channel = 'courier' AND seen_at < ?", .int(time))
        try run("DELETE FROM receiver WHERE ended_at < ?", .int(end))
    }
}
