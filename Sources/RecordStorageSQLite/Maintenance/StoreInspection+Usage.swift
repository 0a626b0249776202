import RecordStorage
import SQLiteAccess

extension StoreInspection {
    /// What is counted of each database, and of each container, is what is in the tables.
    func usageFinding() throws -> StoreFinding {
        // An inspection may see a file that no server of this version has opened.
        guard
            try connection.int("SELECT count(*) FROM pragma_table_info('database') WHERE name = 'records'")
                > 0
        else {
            return StoreFinding("usage", .good, "What databases hold is not counted yet.")
        }
        guard try connection.int("SELECT EXISTS (SELECT 1 FROM job WHERE kind = 'count')") == 0 else {
            return StoreFinding(
                "usage", .good, "What databases hold is being counted by the server while it runs.")
        }
        var found: [Int64: StorageUsage] = [:]
        for type in try connection.texts(
            "SELECT substr(name, 2) FROM sqlite_master WHERE name GLOB 'b[0-9]*'"
        )
        .compactMap({ Int64($0) }) {
            try add(
                """
                SELECT zone.database, count(*), sum(length(body)), 0 FROM b\(type)
                JOIN zone ON zone.id = \(SQLiteWriter.zone(ofType: type)) GROUP BY zone.database
                """, to: &found)
        }
        try add(
            """
            SELECT zone.database, 0, 0, sum(size) FROM asset_use JOIN asset ON asset.digest = asset_use.digest
            JOIN zone ON zone.id = asset_use.zone GROUP BY zone.database
            """, to: &found)
        var counted: [Int64: StorageUsage] = [:]
        try add("SELECT id, records, record_bytes, asset_bytes FROM database", to: &counted)
        let wrong = counted.filter { $0.value != found[$0.key] ?? StorageUsage() }.count
        let wrongTenants = try connection.int(
            """
            SELECT count(*) FROM tenant WHERE (records, record_bytes, asset_bytes) <> (
                SELECT coalesce(sum(records), 0), coalesce(sum(record_bytes), 0), coalesce(sum(asset_bytes), 0)
                FROM database WHERE database.tenant = tenant.id)
            """)
        let wrongVersions = try versionsAreMiscounted()
        guard wrong > 0 || wrongTenants > 0 || wrongVersions else {
            return StoreFinding("usage", .good, "\(counted.count) databases hold what is counted of them.")
        }
        return StoreFinding(
            "usage", .problem,
            "What \(wrong) databases and \(wrongTenants) containers hold is not what is counted of them, so quotas go wrong.",
            remedy: Self.repairRemedy, isRepairable: true)
    }

    /// Whether a database has other versions than are counted of it.
    private func versionsAreMiscounted() throws -> Bool {
        guard try hasVersions else { return false }
        return try connection.int(
            """
            SELECT EXISTS (SELECT 1 FROM database LEFT JOIN (
                SELECT database AS id, count(*) AS found, sum(bytes) AS bytes FROM record_version GROUP BY database)
                USING (id) WHERE (versions, version_bytes) <> (coalesce(found, 0), coalesce(bytes, 0)))
            """) > 0
    }

    /// Whether the file has a table of versions: a server of this version has opened it.
    var hasVersions: Bool {
        get throws {
            try connection.int("SELECT count(*) FROM sqlite_master WHERE name = 'record_version'") > 0
        }
    }

    private func add(_ sql: String, to usages: inout [Int64: StorageUsage]) throws {
        let statement = try connection.statement(sql)
        defer { statement.reset() }
        while try statement.step() {
            usages[statement.int(0), default: StorageUsage()] += statement.usage(from: 1)
        }
    }
}
