import Foundation
import GRDB
import RecordStorage
import RecordWire

/// The versions of the file's layout. A version that was released never changes; a new one is added below.
enum Migrations {
    /// Brings a file to the newest layout, or to an older one where a test wants it.
    ///
    /// - Throws: ``StorageError`` when the file is of a newer version than this program.
    static func run(path: String, upTo last: String? = nil) throws {
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(10)
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            // NB: GRDB traps when a queue that has changed the journal mode is released without being closed,
            // so it is closed on the way out of an error too.
            defer { try? queue.close() }
            try queue.inDatabase { database in
                let tables = try Set(
                    String.fetchAll(database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'"))
                guard tables.isEmpty || tables.contains("grdb_migrations") else {
                    throw StorageError.foreign(path: path)
                }
                // Auto-vacuum can be chosen only before the first table is there.
                try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
                try database.execute(sql: "PRAGMA journal_mode = WAL")
            }
            if try queue.read(migrator.hasBeenSuperseded) { throw StorageError.tooNew("an unknown layout") }
            if let last {
                try migrator.migrate(queue, upTo: last)
            } else {
                try migrator.migrate(queue)
            }
        } catch let error as DatabaseError {
            throw StorageError(error)
        }
    }

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
    /// it until a sweep has looked whether another one holds it; else the time since when nothing does.
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

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1: records") { database in
            try database.execute(sql: version1)
        }
        migrator.registerMigration("2: assets") { database in
            try database.execute(sql: assets)
        }
        migrator.registerMigration("3: schema text") { database in
            try database.execute(sql: schemaText)
        }
        migrator.registerMigration("4: operators") { database in
            try database.execute(sql: operators)
        }
        migrator.registerMigration("5: bodies", migrate: upgradeBodies)
        return migrator
    }

    /// Brings the bodies of all records into today's form, a run of them at a time, so that memory stays small.
    @Sendable private static func upgradeBodies(_ database: Database) throws {
        for type in try Int64.fetchAll(database, sql: "SELECT id FROM record_type") {
            var last = Int64.min
            while true {
                let rows = try Row.fetchAll(
                    database, sql: "SELECT id, body FROM b\(type) WHERE id > ? ORDER BY id LIMIT 256",
                    arguments: [last])
                guard let end = rows.last else { break }
                last = try end.decode(Int64.self, atIndex: 0)
                for row in rows {
                    let body = try row.decode(Data.self, atIndex: 1)
                    guard let newer = RecordBody.upgraded(Array(body)) else { continue }
                    try database.execute(
                        sql: "UPDATE b\(type) SET body = ? WHERE id = ?",
                        arguments: [Data(newer), try row.decode(Int64.self, atIndex: 0)])
                }
            }
        }
    }
}
