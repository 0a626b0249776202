internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

extension PostgresReader {
    private static let loggedColumns =
        "sequence, kind, database, zone, type, record, name, before, after, zone_name FROM change_log"
    private static let changeColumns = "\(loggedColumns) WHERE sequence > $1"
    private static let changesOfNameStatement = PostgresStatement(
        """
        SELECT \(loggedColumns) WHERE database = $1 AND name = $2 AND sequence < $3
        ORDER BY sequence DESC LIMIT 1
        """, .int8, .text, .int8)
    private static let changesStatement = PostgresStatement(
        "SELECT \(changeColumns) ORDER BY sequence LIMIT $2", .int8, .int8)
    private static let changesOfDatabaseStatement = PostgresStatement(
        "SELECT \(changeColumns) AND database = $3 ORDER BY sequence LIMIT $2", .int8, .int8, .int8)
    /// How many rows are asked for at once: libpq holds all of an answer in memory.
    private static let portion = 64

    func loggedChanges(after sequence: Int64, in database: Int64?, limit: Int) throws -> [LoggedChange] {
        var changes: [LoggedChange] = []
        var bytes = 0
        var last = sequence
        while changes.count < limit, bytes < Limits.answerBytes {
            let count = min(limit - changes.count, Self.portion)
            let rows =
                if let database {
                    try ask(Self.changesOfDatabaseStatement, .int(last), .int(Int64(count)), .int(database))
                } else {
                    try ask(Self.changesStatement, .int(last), .int(Int64(count)))
                }
            for row in 0..<rows.count where bytes < Limits.answerBytes {
                let change = try Self.change(rows, row)
                bytes += change.weight
                last = change.sequence
                changes.append(change)
            }
            if rows.count < count { break }
        }
        return changes
    }

    func loggedChanges(named name: String, in database: Int64, limit: Int) throws -> [LoggedChange] {
        var changes: [LoggedChange] = []
        var bytes = 0
        while changes.count < limit, bytes < Limits.answerBytes {
            let rows = try ask(
                Self.changesOfNameStatement, .int(database), .text(PostgresText.encoded(name)),
                .int(changes.last?.sequence ?? .max))
            guard rows.count > 0 else { break }
            let change = try Self.change(rows, 0)
            bytes += change.weight
            changes.append(change)
        }
        return changes
    }

    private static func change(_ rows: PostgresRows, _ row: Int) throws -> LoggedChange {
        guard let kind = LoggedChange.Kind(rawValue: rows.int(row, 1)) else {
            throw StorageError.engine("The change log has an entry of an unknown kind.")
        }
        return LoggedChange(
            sequence: rows.int(row, 0), kind: kind, database: rows.int(row, 2), zone: rows.int(row, 3),
            zoneName: PostgresText.decoded(rows.text(row, 9)), type: rows.int(row, 4),
            record: rows.int(row, 5), name: PostgresText.decoded(rows.text(row, 6)),
            before: rows.isNull(row, 7) ? nil : Array(rows.bytes(row, 7)),
            after: rows.isNull(row, 8) ? nil : Array(rows.bytes(row, 8)))
    }

    private static let horizonStatement = PostgresStatement(
        "SELECT value FROM meta WHERE key = 'changeHorizon'")

    func forgottenChanges() throws -> Int64 {
        let rows = try ask(Self.horizonStatement)
        return rows.count > 0 ? rows.int(0, 0) : 0
    }

    private static let watchStatement = PostgresStatement(
        "SELECT database, type, since, used_at FROM change_watch WHERE database = $1 AND type = $2", .int8,
        .int8)

    func watch(of type: Int64, in database: Int64) throws -> ChangeWatch? {
        let rows = try ask(Self.watchStatement, .int(database), .int(type))
        return rows.count > 0 ? rows.watch(0) : nil
    }

    // MARK: Subscriptions and receivers

    private static let subscriptionColumns =
        "database, \"user\", name, type, zone, since, ended_at, definition FROM subscription"
    private static let subscriptionsStatement = PostgresStatement(
        "SELECT \(subscriptionColumns) WHERE database = $1 AND \"user\" = $2 ORDER BY name", .int8, .text)
    private static let subscriptionStatement = PostgresStatement(
        "SELECT \(subscriptionColumns) WHERE database = $1 AND \"user\" = $2 AND name = $3", .int8, .text,
        .text)

    func subscriptions(of user: String, in database: Int64) throws -> [SubscriptionRow] {
        let rows = try ask(
            Self.subscriptionsStatement, .int(database), .text(PostgresText.encoded(user)))
        return (0..<rows.count).map { Self.subscription(rows, $0) }
    }

    func subscription(named name: String, of user: String, in database: Int64) throws -> SubscriptionRow? {
        let rows = try ask(
            Self.subscriptionStatement, .int(database), .text(PostgresText.encoded(user)),
            .text(PostgresText.encoded(name)))
        return rows.count > 0 ? Self.subscription(rows, 0) : nil
    }

    private static let subscriptionsOfTenantStatement = PostgresStatement(
        """
        SELECT \(subscriptionColumns) WHERE (database, "user", name) > ($1, $2, $3) AND database IN (
            SELECT database.id FROM database JOIN tenant ON tenant.id = database.tenant
            WHERE tenant.container = $4 AND tenant.environment = $5)
        ORDER BY database, "user", name LIMIT $6
        """, .int8, .text, .text, .text, .text, .int8)

    func subscriptions(
        of tenant: Tenant, after place: SubscriptionPlace, limit: Int
    ) throws -> [SubscriptionRow] {
        let rows = try ask(
            Self.subscriptionsOfTenantStatement, .int(place.database),
            .text(PostgresText.encoded(place.user)), .text(PostgresText.encoded(place.name)),
            .text(tenant.container.rawValue), .text(tenant.environment.rawValue), .int(Int64(limit)))
        return (0..<rows.count).map { Self.subscription(rows, $0) }
    }

    private static func subscription(_ rows: PostgresRows, _ row: Int) -> SubscriptionRow {
        SubscriptionRow(
            database: rows.int(row, 0), user: PostgresText.decoded(rows.text(row, 1)),
            name: PostgresText.decoded(rows.text(row, 2)), type: rows.int(row, 3), zone: rows.int(row, 4),
            since: rows.int(row, 5), endedAt: rows.optionalInt(row, 6), definition: Array(rows.bytes(row, 7)))
    }

    private static let receiverColumns = """
        receiver.digest, tenant.container, tenant.environment, receiver."user", receiver.push_environment,
        receiver.client, receiver.cursor, receiver.created_at, receiver.seen_at, receiver.channel,
        receiver.definition, receiver.state, receiver.session, receiver.first_cursor, receiver.ended_at,
        receiver.end_reason, receiver.registered_at
        FROM receiver JOIN tenant ON tenant.id = receiver.tenant
        """
    private static let receiverStatement = PostgresStatement(
        "SELECT \(receiverColumns) WHERE receiver.digest = $1", .bytea)
    private static let receiversStatement = PostgresStatement(
        """
        SELECT \(receiverColumns)
        WHERE tenant.container = $1 AND tenant.environment = $2 AND receiver."user" = $3
        ORDER BY receiver.seen_at, receiver.created_at
        """, .text, .text, .text)

    private static let receiversOfTenantStatement = PostgresStatement(
        """
        SELECT \(receiverColumns)
        WHERE tenant.container = $1 AND tenant.environment = $2 AND receiver.digest > $3
        ORDER BY receiver.digest LIMIT $4
        """, .text, .text, .bytea, .int8)

    func receivers(of tenant: Tenant, after digest: [UInt8], limit: Int) throws -> [ReceiverRow] {
        let rows = try ask(
            Self.receiversOfTenantStatement, .text(tenant.container.rawValue),
            .text(tenant.environment.rawValue), .bytes(digest), .int(Int64(limit)))
        return (0..<rows.count).compactMap { Self.receiver(rows, $0) }
    }

    private static let pushReceiversStatement = PostgresStatement(
        """
        SELECT \(receiverColumns)
        WHERE receiver.channel <> 'courier' AND receiver.ended_at IS NULL AND receiver.digest > $1
        ORDER BY receiver.digest LIMIT $2
        """, .bytea, .int8)

    func pushReceivers(after digest: [UInt8], limit: Int) throws -> [ReceiverRow] {
        let rows = try ask(Self.pushReceiversStatement, .bytes(digest), .int(Int64(limit)))
        return (0..<rows.count).compactMap { Self.receiver(rows, $0) }
    }

    private static let pushReceiverCountStatement = PostgresStatement(
        "SELECT count(*) FROM receiver WHERE channel <> 'courier' AND ended_at IS NULL")

    func pushReceiverCount() throws -> Int { Int(try ask(Self.pushReceiverCountStatement).int(0, 0)) }

    private static let pushReceiverVersionStatement = PostgresStatement(
        """
        SELECT count(*) + coalesce(sum(registered_at), 0)::int8 FROM receiver
        WHERE channel <> 'courier' AND ended_at IS NULL
        """)

    func pushReceiverVersion() throws -> Int64 { try ask(Self.pushReceiverVersionStatement).int(0, 0) }

    func receiver(digest: [UInt8]) throws -> ReceiverRow? {
        let rows = try ask(Self.receiverStatement, .bytes(digest))
        return rows.count > 0 ? Self.receiver(rows, 0) : nil
    }

    func receivers(of user: String, in tenant: Tenant) throws -> [ReceiverRow] {
        let rows = try ask(
            Self.receiversStatement, .text(tenant.container.rawValue), .text(tenant.environment.rawValue),
            .text(PostgresText.encoded(user)))
        return (0..<rows.count).compactMap { Self.receiver(rows, $0) }
    }

    private static func receiver(_ rows: PostgresRows, _ row: Int) -> ReceiverRow? {
        guard let tenant = Tenant(rows.text(row, 1), rows.text(row, 2)),
            let channel = ReceiverRow.Channel(rawValue: rows.text(row, 9))
        else { return nil }
        return ReceiverRow(
            digest: Array(rows.bytes(row, 0)), tenant: tenant, user: PostgresText.decoded(rows.text(row, 3)),
            pushEnvironment: rows.text(row, 4), client: PostgresText.decoded(rows.text(row, 5)),
            cursor: rows.int(row, 6), createdAt: rows.int(row, 7), seenAt: rows.int(row, 8),
            channel: channel, definition: Array(rows.bytes(row, 10)), state: Array(rows.bytes(row, 11)),
            origin: rows.optionalText(row, 12).map { ReceiverOrigin(stored: PostgresText.decoded($0)) },
            firstCursor: rows.int(row, 13),
            registeredAt: rows.int(row, 16), endedAt: rows.optionalInt(row, 14),
            endReason: PostgresText.decoded(rows.text(row, 15)))
    }
}
