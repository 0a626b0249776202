internal import PostgresAccess
internal import RecordModel
public import RecordStorage

/// Looks through a store's database without changing it, on one snapshot, also while nodes use it.
public struct PostgresInspection {
    let connection: PostgresConnection
    let catalog: PostgresCatalog
    /// How many records of each type are read.
    let sampledRecords: Int

    /// What is not the service's to repair.
    static let restoreRemedy = "Stop all nodes, and restore the last backup of the database."

    /// Inspects the database at an address.
    ///
    /// - Parameters:
    ///   - url: as ``PostgresStore`` takes it.
    ///   - sampledRecords: how many records of each type are read and compared with their columns.
    /// - Throws: `StorageError` when the server cannot be reached, or refuses.
    public static func run(url: String, sampledRecords: Int = 1_000) throws -> [StoreFinding] {
        do {
            let connection = try PostgresConnection(url: url)
            defer { connection.close() }
            try connection.run(sql: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            let server = try serverFindings(connection)
            let layout = try layoutFinding(connection)
            guard layout.severity == .good else { return server + [layout] }
            let inspection = PostgresInspection(
                connection: connection, catalog: try PostgresCatalog.load(connection),
                sampledRecords: sampledRecords)
            return try server + [layout] + inspection.findings()
        } catch {
            throw StorageError(error)
        }
    }

    /// The databases that have a key of encrypted fields; none in a layout of before there were such keys.
    ///
    /// - Parameter url: as ``PostgresStore`` takes it.
    /// - Throws: `StorageError` when the server cannot be reached, or refuses.
    public static func databaseKeys(url: String) throws -> [KeyedDatabase] {
        do {
            let connection = try PostgresConnection(url: url)
            defer { connection.close() }
            let column = try connection.run(
                sql: """
                    SELECT count(*) FROM pg_attribute
                    WHERE attrelid = to_regclass('database') AND attname = 'data_key' AND NOT attisdropped
                    """)
            guard column.text(0, 0) != "0" else { return [] }
            return PostgresReader.keyedDatabases(
                try connection.run(PostgresReader.keysStatement, .int(0), .int(.max)))
        } catch {
            throw StorageError(error)
        }
    }

    private func findings() throws -> [StoreFinding] {
        let tables = try tableFinding()
        // What follows asks the tables.
        guard tables.severity == .good else { return [tables] }
        return try [
            tables, directoryFinding(), sequenceFinding(), referenceFinding(), indexFinding(), assetFinding(),
            accessFinding(), bodyFinding(), jobFinding(), usageFinding(),
        ]
    }

    /// What the server must not be told to do, if what is acknowledged is to be there after a crash.
    private static func serverFindings(_ connection: PostgresConnection) throws -> [StoreFinding] {
        let rows = try connection.run(
            sql: """
                SELECT current_setting('server_version'), current_setting('fsync'), current_setting('full_page_writes')
                """)
        var findings = [
            StoreFinding("server", .good, "PostgreSQL \(rows.text(0, 0)) answers.")
        ]
        for (column, name) in [(1, "fsync"), (2, "full_page_writes")] where rows.text(0, column) == "off" {
            findings.append(
                StoreFinding(
                    "server", .problem,
                    "The server's '\(name)' is off: a crash of its machine may damage the database.",
                    remedy: "Set '\(name)' to on in postgresql.conf, and restart PostgreSQL."))
        }
        return findings
    }

    private static func layoutFinding(_ connection: PostgresConnection) throws -> StoreFinding {
        guard try connection.run(sql: "SELECT to_regclass('meta') IS NOT NULL").bool(0, 0),
            case let found = try connection.run(sql: "SELECT value FROM meta WHERE key = 'layout'"),
            found.count == 1
        else {
            return StoreFinding(
                "layout", .problem, "The database is not one of Stratus, or no server has opened it yet.",
                remedy: "Name the server's database with --store.")
        }
        switch found.int(0, 0) {
        case PostgresLayout.version:
            return StoreFinding("layout", .good, "The layout is version \(PostgresLayout.version).")
        case PostgresLayout.unfinishedCopy:
            return StoreFinding(
                "layout", .problem, "The database holds part of a copy that was not finished.",
                remedy: "Remove it, and run 'stratus copy-store' again.")
        case let older where older < PostgresLayout.version:
            return StoreFinding(
                "layout", .warning,
                "The layout is version \(older); this program's is \(PostgresLayout.version).",
                remedy: "Start a server of this version: it upgrades the database.")
        case let newer:
            return StoreFinding(
                "layout", .problem, "The layout is version \(newer), of a newer program.",
                remedy: "Use that program, or a newer one.")
        }
    }

    /// The first number of an answer.
    func count(_ sql: String) throws -> Int64 { try connection.run(sql: sql).int(0, 0) }

    /// All record types with their tenants.
    var types: [(tenant: Tenant, type: RecordType)] {
        catalog.schemas.flatMap { tenant, schema in schema.types.values.map { (tenant, $0) } }
            .sorted { $0.type.id < $1.type.id }
    }
}
