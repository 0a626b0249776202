import CStratusSQLite
import Foundation
import RecordModel
import RecordStorage
import SQLiteAccess

/// Repairs what ``StoreInspection`` finds and can be repaired from what is there, with the server stopped.
///
/// Records themselves are never touched: only the directory, the references, the indexes and the counter, all of
/// which follow from the records. Everything happens in one transaction.
public struct StoreRepair {
    private let connection: Connection
    private let catalog: Catalog

    /// Repairs the store of a directory.
    ///
    /// - Returns: what was done, one sentence each; empty when there was nothing to do.
    /// - Throws: `StorageError`: a server is running, or the file is damaged.
    public static func run(directory: String) throws -> [String] {
        let lock = try DirectoryLock(directory: directory)
        defer { lock.release() }
        let path = directory + "/" + SQLiteStore.fileName
        let connection = try Connection(path: path, role: .writer, cacheKiB: 16_384)
        defer { connection.close() }
        // Closing would move the log, up to a damage, and remove it with what comes after it.
        let log = try StoreInspection.logFindings(path, connection, isServed: false) { _, _, _ in }
        guard !log.contains(where: { $0.severity == .problem }) else {
            let code = stratus_sqlite3_keep_log(connection.handle)
            assert(code == SQLITE_OK, "the setting is known")
            return []
        }
        let actions = try connection.transaction {
            try StoreRepair(connection: connection, catalog: try Catalog.load(connection)).repair()
        }
        connection.forgetStatements()
        // Somebody who still reads keeps it from being emptied; the next server does it then.
        _ = try connection.int("PRAGMA wal_checkpoint(TRUNCATE)")
        return actions
    }

    private func repair() throws -> [String] {
        var actions: [String] = []
        for action in [
            try fixDirectory(), try fixReferences(), try fixAssets(), try fixSequence(),
            try fixIndexes(), try fixUsage(),
        ] {
            actions += action
        }
        return actions
    }

    private func fixUsage() throws -> [String] {
        let finding = try StoreInspection(
            connection: connection, catalog: catalog, depth: StoreInspection.Depth()
        ).usageFinding()
        guard finding.severity == .problem else { return [] }
        try connection.execute(UsageSQL.recount)
        if try hasVersions { try connection.execute(UsageSQL.recountVersions) }
        return ["What databases hold is counted again by the next server."]
    }

    private var hasVersions: Bool {
        get throws {
            try connection.int("SELECT count(*) FROM sqlite_master WHERE name = 'record_version'") > 0
        }
    }

    private var types: [Int64] {
        get throws {
            let tables = try Set(connection.texts("SELECT name FROM sqlite_master WHERE type = 'table'"))
            return catalog.schemas.values.flatMap { $0.types.values.map(\.id) }
                .filter { tables.contains("r\($0)") }.sorted()
        }
    }

    /// Runs a statement that changes rows, and gives their number.
    private func change(_ sql: String) throws -> Int64 {
        try connection.execute(sql)
        return try connection.int("SELECT changes()")
    }

    private func fixDirectory() throws -> [String] {
        var removed: Int64 = 0
        var added: Int64 = 0
        for type in try types {
            removed += try change(
                "DELETE FROM directory WHERE (zone, name) IN (\(StoreSQL.danglingEntries(of: type, "zone, name")))"
            )
        }
        removed += try change(
            "DELETE FROM directory WHERE (zone, name) IN (\(StoreSQL.entriesOfNoType("zone, name", removedTypes: catalog.removedTypes)))"
        )
        removed += try change(
            "DELETE FROM directory WHERE (zone, name) IN (\(StoreSQL.entriesOfNoZone("zone, name")))")
        for type in try types {
            // A tombstone of the name gives way; a live entry is another record's and stays.
            added += try change(
                """
                INSERT INTO directory (zone, name, type, id, sequence, tracked, deleted)
                SELECT r.zone, r.name, \(type), r.id, r.sequence, zone.name <> '\(ZoneID.defaultName)', 0
                FROM (\(StoreSQL.unlistedRecords(of: type, "zone, name, id, sequence"))) AS r
                JOIN zone ON zone.id = r.zone WHERE true
                ON CONFLICT (zone, name) DO UPDATE SET
                    type = excluded.type, id = excluded.id, sequence = excluded.sequence, deleted = 0
                    WHERE directory.deleted = 1
                """)
        }
        var actions: [String] = []
        if removed > 0 { actions.append("Removed \(removed) directory entries without a record.") }
        if added > 0 { actions.append("Entered \(added) records into the directory.") }
        return actions
    }

    private func fixReferences() throws -> [String] {
        let keys = "zone, target, owner, field"
        let removed = try change(
            "DELETE FROM reference WHERE (\(keys)) IN (\(StoreSQL.ownerlessReferences(keys)))")
        return removed > 0 ? ["Removed \(removed) references of records that do not exist."] : []
    }

    private func fixAssets() throws -> [String] {
        guard try connection.int("SELECT count(*) FROM sqlite_master WHERE name = 'asset_use'") > 0 else {
            return []
        }
        let keys = "zone, owner, field, digest"
        // Marked first, so that a sweep checks whether anything else holds these files.
        try connection.execute(
            "UPDATE asset SET unused_since = \(AssetSQL.released) WHERE digest IN (\(StoreSQL.ownerlessAssetUses("digest")))"
        )
        var removed = try change(
            "DELETE FROM asset_use WHERE (\(keys)) IN (\(StoreSQL.ownerlessAssetUses(keys)))")
        if try hasVersions {
            let ownerless = StoreSQL.ownerlessVersionAssets("digest")
            try connection.execute(
                "UPDATE asset SET unused_since = \(AssetSQL.released) WHERE digest IN (\(ownerless))")
            removed += try change(
                "DELETE FROM version_asset WHERE version NOT IN (SELECT id FROM record_version)")
        }
        return removed > 0 ? ["Released \(removed) files held for records that do not exist."] : []
    }

    private func fixSequence() throws -> [String] {
        let given = try connection.meta(.sequence)
        var largest: Int64 = 0
        let numbers = try types
        for start in stride(from: 0, through: numbers.count, by: 100) {
            let group = Array(numbers[start..<min(start + 100, numbers.count)])
            largest = max(largest, try connection.int(StoreSQL.largestSequence(types: group)))
        }
        if try hasVersions {
            largest = max(largest, try connection.int("SELECT coalesce(max(id), 0) FROM record_version"))
        }
        guard largest > given else { return [] }
        try connection.execute("UPDATE meta SET value = \(largest) WHERE key = 'sequence'")
        return ["Moved the sequence number from \(given) to \(largest)."]
    }

    private func fixIndexes() throws -> [String] {
        let there = try connection.texts(StoreSQL.automaticIndexes(besidesTypes: catalog.removedTypes))
        let known = catalog.indexes.values.joined()
        let wanted = known.filter { $0.state == .filling || $0.state == .ready }
        let isPartial = try wanted.contains { index in
            guard let slot = index.slot, there.contains(index.name), index.state == .ready else {
                return false
            }
            return try connection.int(StoreSQL.hasUnmarkedRows(type: index.type, slot: slot)) > 0
        }
        let isKnown = Set(there).isSubset(of: known.map(\.name))
        guard isPartial || !isKnown || !Set(wanted.map(\.name)).isSubset(of: there) else { return [] }
        for name in there { try connection.execute("DROP INDEX \"\(name)\"") }
        let tables = try Set(types)
        for index in known {
            guard tables.contains(index.type), index.state != .removing else {
                try connection.execute("DELETE FROM automatic_index WHERE name = '\(index.name)'")
                try clearMarks(index)
                continue
            }
            try repair(index)
        }
        if try connection.int("SELECT count(*) FROM sqlite_master WHERE name = 'job'") > 0 {
            try connection.execute("DELETE FROM job WHERE kind IN ('index', 'unindex')")
        }
        try connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'schemaVersion'")
        return ["Made \(wanted.count) automatic indexes again."]
    }

    /// A slot is free for another index only when no row has its mark.
    private func clearMarks(_ index: AutomaticIndex) throws {
        let there = try connection.texts("SELECT name FROM pragma_table_info('r\(index.type)')")
        guard let slot = index.slot, there.contains("i\(slot)") else { return }
        try connection.execute("UPDATE r\(index.type) SET i\(slot) = NULL WHERE i\(slot) IS NOT NULL")
    }

    /// Makes an index in one go: nobody writes meanwhile.
    private func repair(_ index: AutomaticIndex) throws {
        let columns = index.shape.columns.joined(separator: ", ")
        let table = "r\(index.type)"
        guard let slot = index.slot else {
            return try connection.execute("CREATE INDEX \(index.name) ON \(table) (zone, \(columns))")
        }
        let there = try connection.texts("SELECT name FROM pragma_table_info('\(table)')")
        if !there.contains("i\(slot)") {
            try connection.execute("ALTER TABLE \(table) ADD COLUMN i\(slot) INTEGER")
        }
        try connection.execute(
            """
            UPDATE \(table) SET i\(slot) = 1 WHERE i\(slot) IS NOT 1;
            CREATE INDEX \(index.name) ON \(table) (i\(slot), zone, \(columns)) WHERE i\(slot) = 1;
            UPDATE automatic_index SET state = \(AutomaticIndex.State.ready.rawValue) WHERE name = '\(index.name)'
            """)
    }
}
