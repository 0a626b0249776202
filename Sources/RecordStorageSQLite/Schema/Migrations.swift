import Foundation
import RecordStorage
import RecordWire
import SQLiteAccess

/// The versions of the file's layout. A version that was released never changes; a new one is added below.
enum Migrations {
    /// Brings a file to the newest layout, or to an older one where a test wants it.
    ///
    /// A file that has the layout is not written to: it may be on a full disk.
    ///
    /// - Returns: the connection that was used, still open.
    /// - Throws: ``StorageError`` when the file is of a newer version than this program.
    @discardableResult
    static func run(path: String, upTo last: String? = nil) throws -> Connection {
        var options = Connection.Options()
        options.busySeconds = Connection.busySeconds
        let connection = try Connection(path: path, options: options) { StorageError($0) }
        do { try migrate(connection, path, last) } catch {
            connection.close()
            throw error
        }
        return connection
    }

    private static func migrate(_ connection: Connection, _ path: String, _ last: String?) throws {
        let tables = try Set(connection.texts("SELECT name FROM sqlite_master WHERE type = 'table'"))
        guard tables.isEmpty || tables.contains("grdb_migrations") else {
            throw StorageError.foreign(path: path)
        }
        if tables.isEmpty {
            // Auto-vacuum can be chosen only before the first table is there.
            try connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            try connection.execute("PRAGMA journal_mode = WAL")
            // Named after the library that wrote it in the first versions; the name is part of the layout.
            try connection.execute(
                "CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
        }
        let known = Set(versions.map(\.name))
        let applied = try applied(connection)
        guard !applied.contains(unfinishedCopy) else { throw StorageError.unfinishedCopy(path) }
        guard known.isSuperset(of: applied) else { throw StorageError.tooNew("an unknown layout") }
        for version in versions {
            if !applied.contains(version.name) { try apply(version, connection) }
            if version.name == last { break }
        }
    }

    /// Applies a version where that was not done: another process may have done it since the last look.
    private static func apply(_ version: Version, _ connection: Connection) throws {
        try connection.transaction {
            guard try !applied(connection).contains(version.name) else { return }
            try version.apply(connection)
            try connection.run(
                "INSERT INTO grdb_migrations (identifier) VALUES (?)", [.text(version.name)])
        }
    }

    private static func applied(_ connection: Connection) throws -> Set<String> {
        try Set(connection.texts("SELECT identifier FROM grdb_migrations"))
    }

    /// The name of a version that no program knows: with it, programs of all versions refuse the file.
    static let unfinishedCopy = "unfinished copy"

    /// The layout of version 1.
    ///
    /// `directory` finds a record by name over all types and is the change feed of custom zones; each record
    /// type has a table of its own (see ``SQLiteWriter``) with one column for each field that can be asked for.
    private static let version1 = """
        CREATE TABLE meta (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
        INSERT INTO meta VALUES ('sequence', 0), ('schemaVersion', 0);

        CREATE TABLE tenant (
            id INTEGER PRIMARY KEY, container TEXT NOT NULL, environment TEXT NOT NULL,
            UNIQUE (container, environment));
        CREATE TABLE database (
            id INTEGER PRIMARY KEY, tenant INTEGER NOT NULL, owner TEXT NOT NULL,
            UNIQUE (tenant, owner));
        CREATE TABLE zone (
            id INTEGER PRIMARY KEY AUTOINCREMENT, database INTEGER NOT NULL, name TEXT NOT NULL,
            sequence INTEGER NOT NULL, deleted INTEGER NOT NULL DEFAULT 0);
        CREATE UNIQUE INDEX zone_name ON zone (database, name) WHERE deleted = 0;
        CREATE INDEX zone_feed ON zone (database, sequence);

        CREATE TABLE record_type (
            id INTEGER PRIMARY KEY AUTOINCREMENT, tenant INTEGER NOT NULL, name TEXT NOT NULL,
            UNIQUE (tenant, name));
        CREATE TABLE field (
            type INTEGER NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL,
            scalar TEXT NOT NULL, list INTEGER NOT NULL, indexes INTEGER NOT NULL,
            PRIMARY KEY (type, number), UNIQUE (type, name)) WITHOUT ROWID;
        CREATE TABLE automatic_index (
            name TEXT PRIMARY KEY, type INTEGER NOT NULL, shape TEXT NOT NULL) WITHOUT ROWID;

        CREATE TABLE directory (
            zone INTEGER NOT NULL, name TEXT NOT NULL, type INTEGER NOT NULL, id INTEGER NOT NULL,
            sequence INTEGER NOT NULL, tracked INTEGER NOT NULL, deleted INTEGER NOT NULL,
            PRIMARY KEY (zone, name)) WITHOUT ROWID;
        CREATE INDEX directory_feed ON directory (zone, sequence) WHERE tracked = 1;
        CREATE TABLE reference (
            zone INTEGER NOT NULL, target TEXT NOT NULL, owner TEXT NOT NULL, field TEXT NOT NULL,
            action TEXT NOT NULL,
            PRIMARY KEY (zone, target, owner, field)) WITHOUT ROWID;
        CREATE INDEX reference_owner ON reference (zone, owner);

        CREATE TABLE token (
            digest BLOB PRIMARY KEY, kind TEXT NOT NULL, tenant INTEGER NOT NULL, user TEXT,
            label TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER) WITHOUT ROWID;
        CREATE TABLE user (
            tenant INTEGER NOT NULL, record_name TEXT NOT NULL, label TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            PRIMARY KEY (tenant, record_name), UNIQUE (tenant, label)) WITHOUT ROWID;
        """

    /// Files of assets, and the fields of records that refer to them.
    ///
    /// `unused_since` is null while something refers to the file; -1 from the moment that a record lets go of
    /// it until a sweep has checked whether another one holds it; else the time since when nothing does.
    private static let assets = """
        CREATE TABLE asset (
            digest BLOB PRIMARY KEY, size INTEGER NOT NULL, created_at INTEGER NOT NULL,
            unused_since INTEGER) WITHOUT ROWID;
        CREATE INDEX asset_unused ON asset (unused_since) WHERE unused_since IS NOT NULL;
        CREATE TABLE asset_use (
            zone INTEGER NOT NULL, owner TEXT NOT NULL, field TEXT NOT NULL, digest BLOB NOT NULL,
            PRIMARY KEY (zone, owner, field, digest)) WITHOUT ROWID;
        CREATE INDEX asset_use_digest ON asset_use (digest);
        """

    /// Who may use the console, and what was done there.
    private static let operators = """
        CREATE TABLE operator (name TEXT PRIMARY KEY, created_at INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE operator_token (
            digest BLOB PRIMARY KEY, kind TEXT NOT NULL, operator TEXT NOT NULL,
            created_at INTEGER NOT NULL, expires_at INTEGER) WITHOUT ROWID;
        CREATE TABLE audit (
            id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, operator TEXT NOT NULL,
            action TEXT NOT NULL, container TEXT, environment TEXT, subject TEXT NOT NULL,
            request TEXT NOT NULL);
        """

    /// What a schema's text can say beyond types, fields and indexes.
    ///
    /// `last_field` is the highest number that a field which is gone had, so that no number is used again.
    private static let schemaText = """
        ALTER TABLE field ADD COLUMN declaration TEXT NOT NULL DEFAULT 'plain';
        ALTER TABLE record_type ADD COLUMN last_field INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE record_type ADD COLUMN has_grants INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE type_grant (
            type INTEGER NOT NULL, position INTEGER NOT NULL, role TEXT NOT NULL, permissions INTEGER NOT NULL,
            PRIMARY KEY (type, position)) WITHOUT ROWID;
        CREATE TABLE system_index (
            type INTEGER NOT NULL, field TEXT NOT NULL, indexes INTEGER NOT NULL,
            PRIMARY KEY (type, field)) WITHOUT ROWID;
        CREATE TABLE security_role (
            tenant INTEGER NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL,
            PRIMARY KEY (tenant, position)) WITHOUT ROWID;
        """

    /// What is done in slices beside other writes, and what may be forgotten.
    ///
    /// A `job` is done from its beginning to its end by many transactions (see ``BackgroundJob``). An index with a
    /// `slot` holds the rows whose column `i<slot>` is 1. `moment` tells which sequence number was the last at a time.
    /// A `horizon` is the sequence number of the last deletion that was forgotten; `zones` counts a database's custom
    /// zones.
    private static let background = """
        CREATE TABLE job (
            id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, type INTEGER NOT NULL,
            zone INTEGER NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, sequence INTEGER NOT NULL,
            phase INTEGER NOT NULL DEFAULT 0, place INTEGER NOT NULL DEFAULT 0, done INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE moment (at INTEGER PRIMARY KEY, sequence INTEGER NOT NULL);
        ALTER TABLE automatic_index ADD COLUMN slot INTEGER;
        ALTER TABLE automatic_index ADD COLUMN state INTEGER NOT NULL DEFAULT 2;
        ALTER TABLE zone ADD COLUMN horizon INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE database ADD COLUMN horizon INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE database ADD COLUMN zones INTEGER NOT NULL DEFAULT 0;
        UPDATE database SET zones = (
            SELECT count(*) FROM zone
            WHERE zone.database = database.id AND zone.deleted = 0 AND zone.name <> '_defaultZone');
        """

    /// What became of requests with idempotency keys. `position` is the sum of the bytes kept since the first: what lies
    /// further before the last than there is room goes, and so the oldest are found without an index of times.
    private static let keptOutcomes = """
        CREATE TABLE kept_outcome (
            position INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, request BLOB NOT NULL,
            created_at INTEGER NOT NULL, outcome BLOB NOT NULL);
        """

    /// The security roles that operators gave to users, a line for each.
    private static let userRoles = "ALTER TABLE user ADD COLUMN roles TEXT NOT NULL DEFAULT ''"

    /// What is watched, the log of its changes, and who is told of them.
    ///
    /// `position` is the sum of the log's bytes since the first: what lies further back than there is room goes.
    /// A `change_mark` says which sequence number was the last at a time, which is how the log forgets by age.
    private static let changeLog = """
        CREATE TABLE change_log (
            sequence INTEGER PRIMARY KEY, position INTEGER NOT NULL, kind INTEGER NOT NULL,
            database INTEGER NOT NULL, zone INTEGER NOT NULL, type INTEGER NOT NULL, record INTEGER NOT NULL,
            name TEXT NOT NULL, zone_name TEXT NOT NULL, before BLOB, after BLOB);
        CREATE INDEX change_log_database ON change_log (database, sequence);
        CREATE TABLE change_mark (at INTEGER PRIMARY KEY, sequence INTEGER NOT NULL);
        CREATE TABLE change_watch (
            database INTEGER NOT NULL, type INTEGER NOT NULL, since INTEGER NOT NULL, used_at INTEGER NOT NULL,
            version INTEGER NOT NULL, PRIMARY KEY (database, type)) WITHOUT ROWID;
        CREATE INDEX change_watch_version ON change_watch (version);
        CREATE TABLE subscription (
            database INTEGER NOT NULL, user TEXT NOT NULL, name TEXT NOT NULL, type INTEGER NOT NULL,
            zone INTEGER NOT NULL, since INTEGER NOT NULL, ended_at INTEGER, definition BLOB NOT NULL,
            PRIMARY KEY (database, user, name)) WITHOUT ROWID;
        CREATE INDEX subscription_type ON subscription (type, database);
        CREATE TABLE receiver (
            digest BLOB PRIMARY KEY, tenant INTEGER NOT NULL, user TEXT NOT NULL,
            push_environment TEXT NOT NULL, client TEXT NOT NULL, cursor INTEGER NOT NULL,
            created_at INTEGER NOT NULL, seen_at INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX receiver_user ON receiver (tenant, user);
        """

    /// The public halves of server-to-server keys, which are rows of `token`, and when they were last used.
    private static let serverKeys = """
        ALTER TABLE token ADD COLUMN public_key BLOB;
        ALTER TABLE token ADD COLUMN used_at INTEGER;
        """

    /// Accounts of people who sign in by themselves, and what an app's token says of its sign-in page.
    ///
    /// The tokens of a `session` follow each other: one has the digest of the one before it in `previous` until it is
    /// first used, which sets that one's `replaced_at`.
    private static let accounts = """
        CREATE TABLE sign_in_account (
            id TEXT PRIMARY KEY, address TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL,
            disabled INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE credential (
            kind TEXT NOT NULL, name TEXT NOT NULL, account TEXT NOT NULL, secret BLOB NOT NULL,
            created_at INTEGER NOT NULL, PRIMARY KEY (kind, name)) WITHOUT ROWID;
        CREATE INDEX credential_account ON credential (account);
        CREATE TABLE account_link (
            digest BLOB PRIMARY KEY, purpose TEXT NOT NULL, account TEXT, address TEXT NOT NULL,
            tenant INTEGER NOT NULL, api_token TEXT, created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX account_link_address ON account_link (address);
        CREATE TABLE session (
            id TEXT PRIMARY KEY, tenant INTEGER NOT NULL, user TEXT NOT NULL, account TEXT NOT NULL,
            label TEXT NOT NULL, created_at INTEGER NOT NULL, seen_at INTEGER NOT NULL, ends_at INTEGER NOT NULL,
            idle INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX session_account ON session (account);
        CREATE TABLE sign_in_policy (
            tenant INTEGER PRIMARY KEY, admission TEXT NOT NULL, invited TEXT NOT NULL, title TEXT NOT NULL);
        ALTER TABLE token ADD COLUMN session TEXT;
        ALTER TABLE token ADD COLUMN previous BLOB;
        ALTER TABLE token ADD COLUMN replaced_at INTEGER;
        ALTER TABLE token ADD COLUMN callback TEXT;
        ALTER TABLE token ADD COLUMN origins TEXT NOT NULL DEFAULT '';
        CREATE INDEX token_session ON token (session) WHERE session IS NOT NULL;
        ALTER TABLE user ADD COLUMN account TEXT;
        CREATE INDEX user_account ON user (account) WHERE account IS NOT NULL;
        """

    /// How much each database and each tenant holds. What already exists is counted by jobs, one for each type and one
    /// for all files.
    private static let usage = """
        ALTER TABLE database ADD COLUMN records INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE database ADD COLUMN record_bytes INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE database ADD COLUMN asset_bytes INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE tenant ADD COLUMN records INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE tenant ADD COLUMN record_bytes INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE tenant ADD COLUMN asset_bytes INTEGER NOT NULL DEFAULT 0;
        """ + UsageSQL.recount

    /// Providers of OpenID Connect with which people sign in.
    private static let signInProviders = """
        CREATE TABLE sign_in_provider (
            tenant INTEGER NOT NULL, name TEXT NOT NULL, title TEXT NOT NULL, issuer TEXT NOT NULL,
            client TEXT NOT NULL, secret BLOB NOT NULL, key_id TEXT NOT NULL, team TEXT NOT NULL,
            scopes TEXT NOT NULL, posts_form INTEGER NOT NULL, created_at INTEGER NOT NULL,
            PRIMARY KEY (tenant, name)) WITHOUT ROWID
        """

    /// Webhooks. What they want is in `subscription`, in their names.
    private static let webhooks = """
        CREATE TABLE webhook (
            id TEXT PRIMARY KEY, tenant INTEGER NOT NULL, database INTEGER NOT NULL, definition BLOB NOT NULL,
            state BLOB NOT NULL, cursor INTEGER NOT NULL, holder INTEGER NOT NULL,
            send_again_at INTEGER NOT NULL, created_at INTEGER NOT NULL);
        """

    /// How receivers are reached, and what became of their notifications.
    private static let receiverChannels = """
        ALTER TABLE receiver ADD COLUMN channel TEXT NOT NULL DEFAULT 'courier';
        ALTER TABLE receiver ADD COLUMN definition BLOB NOT NULL DEFAULT x'';
        ALTER TABLE receiver ADD COLUMN state BLOB NOT NULL DEFAULT x'';
        """

    /// The receivers that the service looks for by itself.
    private static let pushReceivers = """
        CREATE INDEX receiver_push ON receiver (digest) WHERE channel <> 'courier'
        """

    /// Earlier states of records, by the number of the change that ended each, and what of them is kept of a type's
    /// records: 0 of them for nothing.
    private static let recordVersions = """
        CREATE TABLE record_version (
            id INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, database INTEGER NOT NULL, zone INTEGER NOT NULL,
            type INTEGER NOT NULL, record INTEGER NOT NULL, name TEXT NOT NULL, kind INTEGER NOT NULL,
            ended_by TEXT NOT NULL, ended_at INTEGER NOT NULL, created_by TEXT NOT NULL,
            created_at INTEGER NOT NULL, bytes INTEGER NOT NULL, body BLOB NOT NULL);
        CREATE INDEX record_version_name ON record_version (zone, name, id);
        CREATE INDEX record_version_group ON record_version (zone, type, kind, id);
        CREATE TABLE version_asset (
            version INTEGER NOT NULL, digest BLOB NOT NULL, PRIMARY KEY (version, digest)) WITHOUT ROWID;
        CREATE INDEX version_asset_digest ON version_asset (digest);
        ALTER TABLE record_type ADD COLUMN keep_count INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE record_type ADD COLUMN keep_days INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE database ADD COLUMN versions INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE database ADD COLUMN version_bytes INTEGER NOT NULL DEFAULT 0;
        """

    /// Users whose records are being removed, and what becomes of public ones.
    private static let erasures = """
        CREATE TABLE erasure (
            tenant INTEGER NOT NULL, user TEXT NOT NULL, public_records TEXT NOT NULL, created_at INTEGER NOT NULL,
            PRIMARY KEY (tenant, user)) WITHOUT ROWID;
        ALTER TABLE sign_in_policy ADD COLUMN public_records TEXT NOT NULL DEFAULT 'keep';
        """

    /// Keys for Apple's push service.
    private static let pushKeys =
        "CREATE TABLE push_key (tenant INTEGER PRIMARY KEY, definition BLOB NOT NULL)"

    /// Who may look at all and change nothing.
    private static let operatorRights =
        "ALTER TABLE operator ADD COLUMN read_only INTEGER NOT NULL DEFAULT 0"

    /// Whom others may find by what name, and which apps may ask for that.
    private static let discovery = """
        ALTER TABLE user ADD COLUMN discoverable INTEGER;
        ALTER TABLE user ADD COLUMN given_name TEXT NOT NULL DEFAULT '';
        ALTER TABLE user ADD COLUMN family_name TEXT NOT NULL DEFAULT '';
        CREATE INDEX user_discoverable ON user (tenant, record_name) WHERE discoverable = 1;
        ALTER TABLE token ADD COLUMN asks_for_people INTEGER NOT NULL DEFAULT 0;
        """

    /// The wrapped keys of encrypted fields.
    private static let databaseKeys = "ALTER TABLE database ADD COLUMN data_key BLOB"

    /// With what sign-in receivers end, where they began, and when and why they ended.
    private static let receiverEnds = """
        ALTER TABLE receiver ADD COLUMN session TEXT;
        ALTER TABLE receiver ADD COLUMN first_cursor INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE receiver ADD COLUMN registered_at INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE receiver ADD COLUMN ended_at INTEGER;
        ALTER TABLE receiver ADD COLUMN end_reason TEXT NOT NULL DEFAULT '';
        CREATE INDEX receiver_session ON receiver (session) WHERE session IS NOT NULL;
        CREATE INDEX receiver_reached ON receiver (registered_at)
            WHERE channel <> 'courier' AND ended_at IS NULL;
        """

    /// Users whom an operator shut out, the app of a session, and how a sign-in page looks.
    private static let accessOfApps = """
        ALTER TABLE user ADD COLUMN disabled INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE session ADD COLUMN api_token BLOB;
        CREATE INDEX session_api_token ON session (api_token) WHERE api_token IS NOT NULL;
        ALTER TABLE sign_in_policy ADD COLUMN color TEXT NOT NULL DEFAULT '';
        ALTER TABLE sign_in_policy ADD COLUMN logo BLOB;
        """

    /// Whether links show what is shared to everybody.
    private static let openLinks = Catalogue.policies.shape.addition(of: "shows_shares")

    /// What is shared. Stores of the days before had empty tables of the same names.
    private static let sharing =
        Catalogue.sharing.map { "DROP TABLE IF EXISTS \($0.name)" } + Catalogue.sharing.flatMap(\.creation)

    /// Which apps open links, and whether people are told by mail what is shared with them.
    private static let linkedApps = ["app_link", "linked_apps", "mutes_invitations"]
        .map { Catalogue.policies.shape.addition(of: $0) }

    /// In the order in which they are applied.
    private static let versions = [
        Version("1: records", version1), Version("2: assets", assets),
        Version("3: schema text", schemaText),
        Version("4: operators", operators), Version("5: bodies", upgradeBodies),
        Version("6: background", background), Version("7: kept outcomes", keptOutcomes),
        Version("8: user roles", userRoles),
        Version("9: change log", changeLog),
        Version("10: server keys", serverKeys),
        Version("11: accounts", accounts),
        Version("12: usage", usage),
        Version("13: sign-in providers", signInProviders),
        Version("14: webhooks", webhooks),
        Version("15: receiver channels", receiverChannels),
        Version("16: push receivers", pushReceivers),
        Version("17: record versions", recordVersions),
        Version("18: erasures", erasures),
        Version("19: push keys", pushKeys),
        Version("20: operator rights", operatorRights),
        Version("21: discovery of users", discovery),
        Version("22: database keys", databaseKeys),
        Version("23: ends of receivers", receiverEnds),
        Version("24: access of apps", accessOfApps),
        Version("25: sharing", openLinks), Version("26: shares", sharing.joined(separator: ";\n")),
        Version("27: apps of links", linkedApps.joined(separator: ";\n")),
    ]

    /// The names of all versions, in the order in which they are applied.
    static var names: [String] { versions.map(\.name) }

    private struct Version: Sendable {
        let name: String
        let apply: @Sendable (Connection) throws -> Void

        init(_ name: String, _ apply: @escaping @Sendable (Connection) throws -> Void) {
            self.name = name
            self.apply = apply
        }

        init(_ name: String, _ sql: String) { self.init(name) { try $0.execute(sql) } }
    }

    /// Brings the bodies of all records into today's form, a run of them at a time, so that memory stays small.
    @Sendable private static func upgradeBodies(_ connection: Connection) throws {
        for row in try connection.rows("SELECT id FROM record_type") {
            guard case .int(let type)? = row.first else { continue }
            var last = Int64.min
            while true {
                let rows = try connection.rows(
                    "SELECT id, body FROM b\(type) WHERE id > ? ORDER BY id LIMIT 256", [.int(last)])
                guard case .int(let end)? = rows.last?.first else { break }
                last = end
                for row in rows {
                    guard case .blob(let body) = row[1], let newer = RecordBody.upgraded(Array(body)) else {
                        continue
                    }
                    try connection.run(
                        "UPDATE b\(type) SET body = ? WHERE id = ?", [.blob(Data(newer)), row[0]])
                }
            }
        }
    }
}
