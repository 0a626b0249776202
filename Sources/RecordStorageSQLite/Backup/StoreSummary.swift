public import RecordModel
import RecordStorage
import SQLiteAccess

/// What the database of a directory holds, told without changing anything.
public struct StoreSummary: Sendable {
    /// The versions of the layout that were applied to it, in their order.
    public let layouts: [String]
    /// The last sequence number that was given.
    public let sequence: Int64
    /// The schemas of all tenants.
    public let schemas: [Tenant: Schema]
    /// How many records, users, tokens and files it knows.
    public let counts: [(name: String, count: Int64)]

    /// The versions of the layout that this program knows.
    public static var knownLayouts: [String] { Migrations.names }

    /// Reads it.
    ///
    /// - Throws: `StorageError` where there is no database or it cannot be read, and where its layout is newer or
    ///   older than this program's.
    public init(directory: String) throws {
        let connection = try Connection(
            lookingAt: directory + "/" + SQLiteStore.fileName,
            isServed: StoreInspection.isServed(directory: directory))
        defer { connection.close() }
        try connection.execute("BEGIN")
        defer { connection.endReading() }
        layouts = try connection.texts("SELECT identifier FROM grdb_migrations ORDER BY rowid")
        guard Set(Self.knownLayouts).isSuperset(of: layouts) else {
            throw StorageError.tooNew("an unknown layout")
        }
        guard layouts.count == Self.knownLayouts.count else {
            throw StorageError.engine(
                "The database of \(directory) was written by an older version; start a server of this one on it once."
            )
        }
        sequence = try connection.meta(.sequence)
        schemas = try Catalog.load(connection).schemas
        counts = try [
            ("records", "SELECT count(*) FROM directory WHERE deleted = 0"),
            ("users", "SELECT count(*) FROM user"), ("tokens", "SELECT count(*) FROM token"),
            ("assets", "SELECT count(*) FROM asset"),
        ].map { ($0.0, try connection.int($0.1)) }
    }
}
