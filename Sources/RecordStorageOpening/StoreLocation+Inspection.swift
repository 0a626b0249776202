public import RecordStorage
internal import RecordStoragePostgres
internal import RecordStorageSQLite

extension StoreLocation {
    /// How many records of each type are compared with their columns, unless all are.
    private static let sampledRecords = 1_000

    /// Looks through the store without changing it, also while servers use it.
    ///
    /// - Parameters:
    ///   - isThorough: whether all records and index entries are looked at.
    ///   - progress: is told what is done, and how much of it.
    /// - Throws: `StorageError` when the store is not there, cannot be reached, or cannot be read.
    public func inspect(
        isThorough: Bool = false,
        progress: @escaping (_ what: String, _ done: Int, _ total: Int) -> Void = { _, _, _ in }
    ) throws -> [StoreFinding] {
        let samples = isThorough ? 1_000_000_000 : Self.sampledRecords
        switch self {
        case .sqlite(let directory):
            return try StoreInspection.run(
                directory: directory,
                depth: StoreInspection.Depth(checksIndexes: isThorough, sampledRecords: samples),
                progress: progress)
        case .postgres(let url):
            progress("Comparing the tables", 0, 1)
            return try PostgresInspection.run(url: url, sampledRecords: samples)
        case .memory:
            return [StoreFinding("memory", .good, "A store in memory does not exist before its server runs.")]
        }
    }

    /// The databases that have a key of encrypted fields, read without changing anything.
    ///
    /// - Throws: `StorageError` when the store cannot be reached, or read.
    public func databaseKeys() throws -> [KeyedDatabase] {
        switch self {
        case .sqlite(let directory): try StoreInspection.databaseKeys(directory: directory)
        case .postgres(let url): try PostgresInspection.databaseKeys(url: url)
        case .memory: []
        }
    }
}
