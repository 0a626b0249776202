import SQLiteAccess

/// The numbers that the file keeps about itself.
enum MetaKey: String {
    /// The last sequence number that was given.
    case sequence
    /// How often tables were changed.
    case schemaVersion
    /// How often the watches of changes were changed, and the last of these times at which some went.
    case watchVersion
    case watchRemoval
    /// The sequence number up to which logged changes may be forgotten.
    case changeHorizon
}

extension Connection {
    /// A number of the table `meta`; 0 where it is missing.
    func meta(_ key: MetaKey) throws -> Int64 {
        let statement = try statement("SELECT value FROM meta WHERE key = '\(key.rawValue)'")
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : 0
    }

    /// Sets a number of the table `meta`.
    func set(_ key: MetaKey, to value: Int64) throws {
        let statement = try statement(
            "INSERT INTO meta VALUES ('\(key.rawValue)', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
        )
        statement.bind(value, at: 1)
        try statement.run()
    }
}
