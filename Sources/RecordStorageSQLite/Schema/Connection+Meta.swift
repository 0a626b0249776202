import SQLiteAccess

/// The numbers that the file keeps about itself.
enum MetaKey: String {
    /// The last sequence number that was given.
    case sequence
    /// How often tables were changed.
    case schemaVersion
}

extension Connection {
    /// A number of the table `meta`; 0 where it is missing.
    func meta(_ key: MetaKey) throws -> Int64 {
        let statement = try statement("SELECT value FROM meta WHERE key = '\(key.rawValue)'")
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : 0
    }
}
