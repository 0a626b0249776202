internal import PostgresAccess
internal import RecordStorage

/// The tables, and how they are made.
///
/// `directory` finds a record by name over all types and is the change feed of custom zones; each record type has a
/// table of its own, `r` and its number, with a column for each field that can be asked for and the body in the row.
/// Texts are compared by bytes. A row of `meta` is locked by each write, so writes follow each other on all nodes, and
/// sequence numbers are in the order of commits.
enum PostgresLayout {
    /// The layout that this program writes. A layout that was released never changes; what changes it comes after it.
    static let version: Int64 = 25
    /// The version of a layout that a copy is being made into: programs of all versions take it for a newer one's.
    static let unfinishedCopy = Int64.max
    /// The channel on which nodes tell each other that changes were logged.
    static let changeChannel = "stratus_changes"
    /// The channel on which they tell each other that something was taken away from callers.
    static let revocationChannel = "stratus_revocations"
    /// Where a node says whose subscriptions it changed: the record name of a user in each notice.
    static let subscriberChannel = "stratus_subscribers"

    /// Makes what is missing.
    ///
    /// - Throws: ``StorageError`` for a layout of a newer program.
    static func prepare(_ connection: PostgresConnection) throws {
        // Two nodes may start at once; the lock goes with the transaction.
        try connection.transaction {
            try connection.run(sql: "SELECT pg_advisory_xact_lock(7316482053)")
            let isThere = try connection.run(sql: "SELECT to_regclass('meta') IS NOT NULL").bool(0, 0)
            guard isThere else {
                let later = [signInProviders, webhooks, receiverChannels, pushReceivers] + recordVersions
                let last = erasures + [pushKeys, operatorRights] + moments + discovery + [databaseKeys]
                let newest = receiverEnds + accessOfApps + openLinks + sharing + linkedApps
                for statement in tables + changeLog + accounts + later + last + newest {
                    try connection.run(sql: statement)
                }
                return
            }
            let found = try connection.run(sql: "SELECT value FROM meta WHERE key = 'layout'")
            guard found.count == 1 else { throw StorageError.foreign(path: "The PostgreSQL database") }
            guard found.int(0, 0) != unfinishedCopy else {
                throw StorageError.unfinishedCopy("The PostgreSQL database")
            }
            guard found.int(0, 0) <= version else { throw StorageError.tooNew("layout \(found.int(0, 0))") }
            for (number, statements) in [
                (2, version2), (3, version3), (4, version4), (5, version5), (6, version6), (7, version7),
                (8, version8), (9, version9), (10, version10), (11, version11), (12, version12),
                (13, version13), (14, version14),
                (15, version15), (16, version16), (17, version17), (18, version18),
                (19, version19), (20, version20), (21, version21), (22, version22), (23, version23),
                (24, version24), (25, version25),
            ] where found.int(0, 0) < number {
                for statement in statements { try connection.run(sql: statement) }
                if number == 9 { try countStored(connection) }
            }
            // Of nodes that are gone.
            try connection.run(sql: "DELETE FROM committer WHERE at < now() - interval '1 day'")
        }
    }

    /// What copies from other engines carry: horizons, below which they forgot deletions, and the last zone's number.
    private static let version2 = [
        "ALTER TABLE zone ADD COLUMN horizon int8 NOT NULL DEFAULT 0",
        "ALTER TABLE database ADD COLUMN horizon int8 NOT NULL DEFAULT 0",
        "INSERT INTO meta VALUES ('zone', 0)",
        "UPDATE meta SET value = 2 WHERE key = 'layout'",
    ]

    /// What became of requests with idempotency keys. `position` is the sum of the bytes kept since the first: what lies
    /// further before the last than there is room goes, and so the oldest are found without an index of times.
    private static let keptOutcomes = """
        CREATE TABLE kept_outcome (
            position int8 PRIMARY KEY, key bytea NOT NULL UNIQUE, request bytea NOT NULL,
            created_at int8 NOT NULL, outcome bytea NOT NULL)
        """

    /// Which node does a job until when, and when it was last done (`StoreJob`).
    private static let leases = """
        CREATE TABLE lease (
            job \(text) PRIMARY KEY, holder bytea NOT NULL, ends_at timestamptz NOT NULL, done_at timestamptz)
        """

    /// How much each database holds.
    private static let version9 = [
        """
        ALTER TABLE database ADD COLUMN records int8 NOT NULL DEFAULT 0,
            ADD COLUMN record_bytes int8 NOT NULL DEFAULT 0, ADD COLUMN asset_bytes int8 NOT NULL DEFAULT 0
        """,
        "UPDATE meta SET value = 9 WHERE key = 'layout'",
    ]

    /// Counts what is stored already, in the transaction that brings the columns.
    private static func countStored(_ connection: PostgresConnection) throws {
        let types = try connection.run(sql: "SELECT id FROM record_type ORDER BY id")
        for row in 0..<types.count {
            try connection.run(
                sql: """
                    UPDATE database SET records = database.records + found.records, record_bytes = record_bytes + found.bytes
                    FROM (
                        SELECT zone.database AS id, count(*) AS records, sum(octet_length(body)) AS bytes
                        FROM r\(types.int(row, 0)) AS r JOIN zone ON zone.id = r.zone GROUP BY zone.database) AS found
                    WHERE found.id = database.id
                    """)
        }
        try connection.run(
            sql: """
                UPDATE database SET asset_bytes = found.bytes FROM (
                    SELECT zone.database AS id, sum(asset.size) AS bytes
                    FROM asset_use JOIN asset USING (digest) JOIN zone ON zone.id = asset_use.zone
                    GROUP BY zone.database) AS found
                WHERE found.id = database.id
                """)
    }

    /// The public halves of server-to-server keys, which are rows of `token`, and when they were last used.
    private static let version7 = [
        "ALTER TABLE token ADD COLUMN public_key bytea",
        "ALTER TABLE token ADD COLUMN used_at int8",
        "UPDATE meta SET value = 7 WHERE key = 'layout'",
    ]

    /// The security roles that operators gave to users, a line for each.
    private static let version5 = [
        "ALTER TABLE account ADD COLUMN roles \(text) NOT NULL DEFAULT ''",
        "UPDATE meta SET value = 5 WHERE key = 'layout'",
    ]

    /// What is watched, the log of its changes, and who is told of them. `position` is the sum of the log's bytes since
    /// the first; a `change_mark` says which sequence number was the last at a time.
    private static let changeLog = [
        "INSERT INTO meta VALUES ('watchVersion', 0), ('watchRemoval', 0), ('changeHorizon', 0)",
        """
        CREATE TABLE change_log (
            sequence int8 PRIMARY KEY, position int8 NOT NULL, kind int8 NOT NULL, database int8 NOT NULL,
            zone int8 NOT NULL, type int8 NOT NULL, record int8 NOT NULL, name \(text) NOT NULL,
            zone_name \(text) NOT NULL, before bytea, after bytea)
        """,
        "CREATE INDEX change_log_database ON change_log (database, sequence)",
        "CREATE INDEX change_log_position ON change_log (position)",
        "CREATE TABLE change_mark (at int8 PRIMARY KEY, sequence int8 NOT NULL)",
        """
        CREATE TABLE change_watch (
            database int8 NOT NULL, type int8 NOT NULL, since int8 NOT NULL, used_at int8 NOT NULL,
            version int8 NOT NULL, PRIMARY KEY (database, type))
        """,
        "CREATE INDEX change_watch_version ON change_watch (version)",
        """
        CREATE TABLE subscription (
            database int8 NOT NULL, "user" \(text) NOT NULL, name \(text) NOT NULL, type int8 NOT NULL,
            zone int8 NOT NULL, since int8 NOT NULL, ended_at int8, definition bytea NOT NULL,
            PRIMARY KEY (database, "user", name))
        """,
        "CREATE INDEX subscription_type ON subscription (type, database)",
        """
        CREATE TABLE receiver (
            digest bytea PRIMARY KEY, tenant int8 NOT NULL REFERENCES tenant, "user" \(text) NOT NULL,
            push_environment \(text) NOT NULL, client \(text) NOT NULL, cursor int8 NOT NULL,
            created_at int8 NOT NULL, seen_at int8 NOT NULL)
        """,
        "CREATE INDEX receiver_user ON receiver (tenant, \"user\")",
    ]

    /// Accounts of people who sign in by themselves, and what an app's token says of its sign-in page. (`account` has
    /// users, as tenants know them.) The tokens of a `session` follow each other: one has the digest of the one before it
    /// in `previous` until it is first used, which sets that one's `replaced_at`.
    private static let accounts = [
        """
        CREATE TABLE sign_in_account (
            id \(text) PRIMARY KEY, address \(text) NOT NULL UNIQUE, created_at int8 NOT NULL,
            disabled bool NOT NULL)
        """,
        """
        CREATE TABLE credential (
            kind \(text) NOT NULL, name \(text) NOT NULL, account \(text) NOT NULL, secret bytea NOT NULL,
            created_at int8 NOT NULL, PRIMARY KEY (kind, name))
        """,
        "CREATE INDEX credential_account ON credential (account)",
        """
        CREATE TABLE account_link (
            digest bytea PRIMARY KEY, purpose \(text) NOT NULL, account \(text), address \(text) NOT NULL,
            tenant int8 NOT NULL REFERENCES tenant, api_token \(text), created_at int8 NOT NULL,
            expires_at int8 NOT NULL)
        """,
        "CREATE INDEX account_link_address ON account_link (address)",
        """
        CREATE TABLE session (
            id \(text) PRIMARY KEY, tenant int8 NOT NULL REFERENCES tenant, "user" \(text) NOT NULL,
            account \(text) NOT NULL, label \(text) NOT NULL, created_at int8 NOT NULL, seen_at int8 NOT NULL,
            ends_at int8 NOT NULL, idle int8 NOT NULL)
        """,
        "CREATE INDEX session_account ON session (account)",
        """
        CREATE TABLE sign_in_policy (
            tenant int8 PRIMARY KEY REFERENCES tenant, admission \(text) NOT NULL, invited \(text) NOT NULL,
            title \(text) NOT NULL)
        """,
        "ALTER TABLE token ADD COLUMN session \(text)",
        "ALTER TABLE token ADD COLUMN previous bytea",
        "ALTER TABLE token ADD COLUMN replaced_at int8",
        "ALTER TABLE token ADD COLUMN callback \(text)",
        "ALTER TABLE token ADD COLUMN origins \(text) NOT NULL DEFAULT ''",
        "CREATE INDEX token_session ON token (session) WHERE session IS NOT NULL",
        "ALTER TABLE account ADD COLUMN account \(text)",
        "CREATE INDEX account_account ON account (account) WHERE account IS NOT NULL",
    ]

    /// Providers of OpenID Connect with which people sign in.
    private static let signInProviders = """
        CREATE TABLE sign_in_provider (
            tenant int8 NOT NULL REFERENCES tenant, name \(text) NOT NULL, title \(text) NOT NULL,
            issuer \(text) NOT NULL, client \(text) NOT NULL, secret bytea NOT NULL, key_id \(text) NOT NULL,
            team \(text) NOT NULL, scopes \(text) NOT NULL, posts_form bool NOT NULL, created_at int8 NOT NULL,
            PRIMARY KEY (tenant, name))
        """

    private static let version10 = [signInProviders, "UPDATE meta SET value = 10 WHERE key = 'layout'"]

    /// Webhooks. What they want is in `subscription`, in their names.
    private static let webhooks = """
        CREATE TABLE webhook (
            id \(text) PRIMARY KEY, tenant int8 NOT NULL REFERENCES tenant, database int8 NOT NULL,
            definition bytea NOT NULL, state bytea NOT NULL, cursor int8 NOT NULL, holder int8 NOT NULL,
            send_again_at int8 NOT NULL, created_at int8 NOT NULL)
        """

    /// Earlier states of records, by the number of the change that ended each, and what of them is kept of a type's
    /// records: 0 of them for nothing.
    private static let recordVersions = [
        """
        CREATE TABLE record_version (
            id int8 PRIMARY KEY, sequence int8 NOT NULL, database int8 NOT NULL, zone int8 NOT NULL,
            type int8 NOT NULL, record int8 NOT NULL, name \(text) NOT NULL, kind int8 NOT NULL,
            ended_by \(text) NOT NULL, ended_at int8 NOT NULL, created_by \(text) NOT NULL,
            created_at int8 NOT NULL, bytes int8 NOT NULL, body bytea NOT NULL)
        """,
        "ALTER TABLE record_version ALTER COLUMN body SET STORAGE EXTERNAL",
        "CREATE INDEX record_version_name ON record_version (zone, name, id)",
        "CREATE INDEX record_version_group ON record_version (zone, type, kind, id)",
        """
        CREATE TABLE version_asset (
            version int8 NOT NULL, digest bytea NOT NULL, PRIMARY KEY (version, digest))
        """,
        "CREATE INDEX version_asset_digest ON version_asset (digest)",
        """
        ALTER TABLE record_type ADD COLUMN keep_count int8 NOT NULL DEFAULT 0,
            ADD COLUMN keep_days int8 NOT NULL DEFAULT 0
        """,
        """
        ALTER TABLE database ADD COLUMN versions int8 NOT NULL DEFAULT 0,
            ADD COLUMN version_bytes int8 NOT NULL DEFAULT 0
        """,
    ]

    private static let version14 = recordVersions + ["UPDATE meta SET value = 14 WHERE key = 'layout'"]

    private static let version11 = [webhooks, "UPDATE meta SET value = 11 WHERE key = 'layout'"]

    /// How receivers are reached, and what became of their notifications.
    private static let receiverChannels = """
        ALTER TABLE receiver ADD COLUMN channel \(text) NOT NULL DEFAULT 'courier',
            ADD COLUMN definition bytea NOT NULL DEFAULT '', ADD COLUMN state bytea NOT NULL DEFAULT ''
        """
    private static let version12 = [receiverChannels, "UPDATE meta SET value = 12 WHERE key = 'layout'"]

    /// The receivers that the service looks for by itself.
    private static let pushReceivers =
        "CREATE INDEX receiver_push ON receiver (digest) WHERE channel <> 'courier'"
    private static let version13 = [pushReceivers, "UPDATE meta SET value = 13 WHERE key = 'layout'"]

    /// Users whose records are being removed, and what becomes of public ones.
    private static let erasures = [
        """
        CREATE TABLE erasure (
            tenant int8 NOT NULL REFERENCES tenant, "user" \(text) NOT NULL, public_records \(text) NOT NULL,
            created_at int8 NOT NULL, PRIMARY KEY (tenant, "user"))
        """,
        "ALTER TABLE sign_in_policy ADD COLUMN public_records \(text) NOT NULL DEFAULT 'keep'",
    ]

    private static let version15 = erasures + ["UPDATE meta SET value = 15 WHERE key = 'layout'"]

    /// Keys for Apple's push service.
    private static let pushKeys = "CREATE TABLE push_key (tenant int8 PRIMARY KEY, definition bytea NOT NULL)"
    private static let version16 = [pushKeys, "UPDATE meta SET value = 16 WHERE key = 'layout'"]

    /// Who may look at all and change nothing.
    private static let operatorRights = "ALTER TABLE operator ADD COLUMN read_only int8 NOT NULL DEFAULT 0"
    private static let version17 = [operatorRights, "UPDATE meta SET value = 17 WHERE key = 'layout'"]

    /// Which sequence number was the last at a time, and the deletions in the change feeds by age: those of long ago are
    /// forgotten.
    private static let moments = [
        "CREATE TABLE moment (at int8 PRIMARY KEY, sequence int8 NOT NULL)",
        "CREATE INDEX directory_gone ON directory (sequence) WHERE deleted",
    ]
    private static let version18 = moments + ["UPDATE meta SET value = 18 WHERE key = 'layout'"]

    /// Whom others may find by what name, and which apps may ask for that.
    private static let discovery = [
        "ALTER TABLE account ADD COLUMN discoverable int8",
        "ALTER TABLE account ADD COLUMN given_name \(text) NOT NULL DEFAULT ''",
        "ALTER TABLE account ADD COLUMN family_name \(text) NOT NULL DEFAULT ''",
        "CREATE INDEX account_discoverable ON account (tenant, record_name) WHERE discoverable = 1",
        "ALTER TABLE token ADD COLUMN asks_for_people int8 NOT NULL DEFAULT 0",
    ]
    private static let version19 = discovery + ["UPDATE meta SET value = 19 WHERE key = 'layout'"]

    /// The wrapped keys of encrypted fields.
    private static let databaseKeys = "ALTER TABLE database ADD COLUMN data_key bytea"
    private static let version20 = [databaseKeys, "UPDATE meta SET value = 20 WHERE key = 'layout'"]

    /// With what sign-in receivers end, where they began, and when and why they ended.
    private static let receiverEnds = [
        """
        ALTER TABLE receiver ADD COLUMN session \(text), ADD COLUMN first_cursor int8 NOT NULL DEFAULT 0,
            ADD COLUMN registered_at int8 NOT NULL DEFAULT 0, ADD COLUMN ended_at int8,
            ADD COLUMN end_reason \(text) NOT NULL DEFAULT ''
        """,
        "CREATE INDEX receiver_session ON receiver (session) WHERE session IS NOT NULL",
        """
        CREATE INDEX receiver_reached ON receiver (registered_at)
            WHERE channel <> 'courier' AND ended_at IS NULL
        """,
    ]
    private static let version21 = receiverEnds + ["UPDATE meta SET value = 21 WHERE key = 'layout'"]

    /// Users whom an operator shut out, the app of a session, and how a sign-in page looks.
    private static let accessOfApps = [
        "ALTER TABLE account ADD COLUMN disabled int8 NOT NULL DEFAULT 0",
        "ALTER TABLE session ADD COLUMN api_token bytea",
        "CREATE INDEX session_api_token ON session (api_token) WHERE api_token IS NOT NULL",
        "ALTER TABLE sign_in_policy ADD COLUMN color \(text) NOT NULL DEFAULT ''",
        "ALTER TABLE sign_in_policy ADD COLUMN logo bytea",
    ]
    private static let version22 = accessOfApps + ["UPDATE meta SET value = 22 WHERE key = 'layout'"]

    /// Whether links show what is shared to everybody.
    private static let openLinks = [Catalogue.policies.shape.addition(of: "shows_shares")]
    private static let version23 = openLinks + ["UPDATE meta SET value = 23 WHERE key = 'layout'"]

    /// What is shared. Databases of the days before had empty tables of the same names.
    private static let sharing =
        Catalogue.sharing.map { "DROP TABLE IF EXISTS \($0.postgresName)" }
        + Catalogue.sharing.flatMap(\.creation)
    private static let version24 = sharing + ["UPDATE meta SET value = 24 WHERE key = 'layout'"]

    /// Which apps open links, and whether people are told by mail what is shared with them.
    private static let linkedApps = ["app_link", "linked_apps", "mutes_invitations"]
        .map { Catalogue.policies.shape.addition(of: $0) }
    private static let version25 = linkedApps + ["UPDATE meta SET value = 25 WHERE key = 'layout'"]

    private static let version8 = accounts + ["UPDATE meta SET value = 8 WHERE key = 'layout'"]

    private static let version6 = changeLog + ["UPDATE meta SET value = 6 WHERE key = 'layout'"]

    private static let version4 = [leases, "UPDATE meta SET value = 4 WHERE key = 'layout'"]

    private static let version3 = [keptOutcomes, "UPDATE meta SET value = 3 WHERE key = 'layout'"]

    static let text = #"text COLLATE "C""#

    private static let tables = [
        "CREATE TABLE meta (key \(text) PRIMARY KEY, value int8 NOT NULL)",
        "INSERT INTO meta VALUES ('layout', \(version)), ('sequence', 0), ('schemaVersion', 0), ('type', 0), ('zone', 0)",
        """
        CREATE TABLE tenant (
            id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY, container \(text) NOT NULL,
            environment \(text) NOT NULL, UNIQUE (container, environment))
        """,
        """
        CREATE TABLE database (
            id int8 PRIMARY KEY, tenant int8 NOT NULL REFERENCES tenant, owner \(text) NOT NULL,
            horizon int8 NOT NULL DEFAULT 0, records int8 NOT NULL DEFAULT 0,
            record_bytes int8 NOT NULL DEFAULT 0, asset_bytes int8 NOT NULL DEFAULT 0, UNIQUE (tenant, owner))
        """,
        """
        CREATE TABLE zone (
            id int8 PRIMARY KEY, database int8 NOT NULL REFERENCES database, name \(text) NOT NULL,
            sequence int8 NOT NULL, deleted bool NOT NULL DEFAULT false, horizon int8 NOT NULL DEFAULT 0)
        """,
        "CREATE UNIQUE INDEX zone_name ON zone (database, name) WHERE NOT deleted",
        "CREATE INDEX zone_feed ON zone (database, sequence)",
        """
        CREATE TABLE record_type (
            id int8 PRIMARY KEY, tenant int8 NOT NULL REFERENCES tenant, name \(text) NOT NULL,
            last_field int8 NOT NULL DEFAULT 0, has_grants bool NOT NULL DEFAULT false,
            UNIQUE (tenant, name))
        """,
        """
        CREATE TABLE field (
            type int8 NOT NULL, number int8 NOT NULL, name \(text) NOT NULL, scalar \(text) NOT NULL,
            list bool NOT NULL, indexes int8 NOT NULL, declaration \(text) NOT NULL,
            PRIMARY KEY (type, number), UNIQUE (type, name))
        """,
        """
        CREATE TABLE type_grant (
            type int8 NOT NULL, position int8 NOT NULL, role \(text) NOT NULL, permissions int8 NOT NULL,
            PRIMARY KEY (type, position))
        """,
        """
        CREATE TABLE system_index (
            type int8 NOT NULL, field \(text) NOT NULL, indexes int8 NOT NULL, PRIMARY KEY (type, field))
        """,
        """
        CREATE TABLE security_role (
            tenant int8 NOT NULL, position int8 NOT NULL, name \(text) NOT NULL,
            PRIMARY KEY (tenant, position))
        """,
        """
        CREATE TABLE directory (
            zone int8 NOT NULL, name \(text) NOT NULL, type int8 NOT NULL, id int8 NOT NULL,
            sequence int8 NOT NULL, tracked bool NOT NULL, deleted bool NOT NULL, PRIMARY KEY (zone, name))
        """,
        "CREATE INDEX directory_feed ON directory (zone, sequence) WHERE tracked",
        """
        CREATE TABLE reference (
            zone int8 NOT NULL, target \(text) NOT NULL, owner \(text) NOT NULL, field \(text) NOT NULL,
            action \(text) NOT NULL, PRIMARY KEY (zone, target, owner, field))
        """,
        "CREATE INDEX reference_owner ON reference (zone, owner)",
        """
        CREATE TABLE asset (
            digest bytea PRIMARY KEY, size int8 NOT NULL, created_at int8 NOT NULL, unused_since int8)
        """,
        "CREATE INDEX asset_unused ON asset (unused_since) WHERE unused_since IS NOT NULL",
        """
        CREATE TABLE asset_use (
            zone int8 NOT NULL, owner \(text) NOT NULL, field \(text) NOT NULL, digest bytea NOT NULL,
            PRIMARY KEY (zone, owner, field, digest))
        """,
        "CREATE INDEX asset_use_digest ON asset_use (digest)",
        """
        CREATE TABLE token (
            digest bytea PRIMARY KEY, kind \(text) NOT NULL, tenant int8 NOT NULL REFERENCES tenant,
            "user" \(text), label \(text) NOT NULL, created_at int8 NOT NULL, expires_at int8,
            public_key bytea, used_at int8)
        """,
        """
        CREATE TABLE account (
            tenant int8 NOT NULL REFERENCES tenant, record_name \(text) NOT NULL, label \(text) NOT NULL,
            created_at int8 NOT NULL, roles \(text) NOT NULL DEFAULT '', PRIMARY KEY (tenant, record_name),
            UNIQUE (tenant, label))
        """,
        "CREATE TABLE operator (name \(text) PRIMARY KEY, created_at int8 NOT NULL)",
        """
        CREATE TABLE operator_token (
            digest bytea PRIMARY KEY, kind \(text) NOT NULL, operator \(text) NOT NULL,
            created_at int8 NOT NULL, expires_at int8)
        """,
        """
        CREATE TABLE audit (
            id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at int8 NOT NULL, operator \(text) NOT NULL,
            action \(text) NOT NULL, container \(text), environment \(text), subject \(text) NOT NULL,
            request \(text) NOT NULL)
        """,
        keptOutcomes, leases,
        // What became of a commit whose answer was lost.
        "CREATE TABLE committer (node bytea PRIMARY KEY, batch int8 NOT NULL, at timestamptz NOT NULL)",
        // The haversine formula of RecordModel's Location, step by step, so that both round alike.
        """
        CREATE FUNCTION stratus_distance(lat1 float8, lon1 float8, lat2 float8, lon2 float8) RETURNS float8
        LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
            SELECT 2 * 6371008.8::float8 * asin(least(1::float8, sqrt(
                sin((lat2 - lat1) * 0.017453292519943295::float8 / 2)
                * sin((lat2 - lat1) * 0.017453292519943295::float8 / 2)
                + cos(lat1 * 0.017453292519943295::float8) * cos(lat2 * 0.017453292519943295::float8)
                * sin((lon2 - lon1) * 0.017453292519943295::float8 / 2)
                * sin((lon2 - lon1) * 0.017453292519943295::float8 / 2))))
        $$
        """,
    ]

    /// The statements that make the table of a type.
    static func table(ofType id: Int64) -> [String] {
        [
            """
            CREATE TABLE r\(id) (
                id int8 PRIMARY KEY, zone int8 NOT NULL, name \(text) NOT NULL, sequence int8 NOT NULL,
                created_by \(text) NOT NULL, created_at int8 NOT NULL, modified_by \(text) NOT NULL,
                modified_at int8 NOT NULL, parent \(text), body bytea NOT NULL) WITH (fillfactor = 90)
            """,
            // Bodies are compact already, and short reads want them where the row is.
            "ALTER TABLE r\(id) ALTER COLUMN body SET STORAGE EXTERNAL",
            "CREATE INDEX r\(id)_zone ON r\(id) (zone, id)",
        ]
    }
}
