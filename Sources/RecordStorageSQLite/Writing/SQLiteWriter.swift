import RecordModel
import RecordStorage
import SQLiteAccess

/// Does what one write asks for, on the writing thread, inside a transaction.
final class SQLiteWriter: SQLiteReader, StoreWriter {
    /// The last sequence number given; stored with the commit.
    private(set) var sequence: Int64 = 0
    /// Whether tables changed, so that others have to learn of it.
    private(set) var catalogChanged = false
    /// What is watched, as of the beginning of the transaction.
    private(set) var watched = WatchedTypes()
    /// Whether changes were logged.
    var hasLogged = false
    /// Whether something was taken away from callers: a token, a session, a user or a role.
    var hasRevoked = false
    /// Whether there is new work for the background.
    var jobsChanged = false
    /// What this transaction may do of the work that its writes make for the background.
    var inlineBudget: WorkBudget?
    /// Whether a caller's write runs, of which only its own part may be undone.
    var isInSavepoint = false
    /// Whether a large write may run: it would be the first of its transaction.
    var admitsLarge = true
    /// Whether the transaction ended before a write that is to be the first of the next one.
    var hasPutOff = false
    /// The bytes that this transaction's writes give back, held until it is committed.
    var heldBytes = 0

    /// What the transaction adds to the usage of databases.
    var usageChanges = UsageChanges()
    /// Where the jobs that count have got to; nil before the first look.
    var counting: CountingPlaces?

    /// Whether the last transaction, or a part of it, was undone.
    private var wasRolledBack = false

    init(connection: Connection, catalog: Catalog, zoneCache: DefaultZoneCache) {
        super.init(connection: connection, catalog: catalog, indexAdvisor: nil, zoneCache: zoneCache)
    }

    /// Starts a transaction's bookkeeping.
    func begin() throws {
        let stored = try super.lastSequence()
        assert(stored >= sequence || sequence == 0 || wasRolledBack, "A sequence number was given twice.")
        wasRolledBack = false
        sequence = stored
        catalogChanged = false
        jobsChanged = false
        hasLogged = false
        hasRevoked = false
        inlineBudget = nil
        usageChanges = UsageChanges()
        try takeWatches()
        try takeCountingPlaces()
    }

    /// Learns what is watched now. Watches of a transaction that is undone are never seen here.
    private func takeWatches() throws {
        let version = try connection.meta(.watchVersion)
        guard version != watched.version else { return }
        let isAll = try version < watched.version || connection.meta(.watchRemoval) > watched.version
        let rows = try watches(changedAfter: isAll ? -1 : watched.version)
        watched.take(rows, version: version, isAll: isAll)
    }

    /// Stores what has to be there with the commit.
    func prepareCommit() throws {
        try storeUsage()
        let statement = try connection.statement(
            "UPDATE meta SET value = ?1 WHERE key = 'sequence' AND value <> ?1")
        statement.bind(sequence, at: 1)
        try statement.run()
        if catalogChanged {
            catalog.version += 1
            try run("UPDATE meta SET value = ? WHERE key = 'schemaVersion'", .int(catalog.version))
        }
    }

    /// Goes back to the catalog of before, after tables were rolled back.
    func restore(_ catalog: Catalog) {
        self.catalog = catalog
        wasRolledBack = true
        connection.forgetStatements()
    }

    override var isWriting: Bool { true }

    /// Thrown by a write that is too large to come after others in a transaction, before it has done anything.
    struct IsPutOff: Error {}

    override func foresee(_ foresight: PrefetchHint) throws {
        if !admitsLarge, foresight.bytes > LogBounds.largeRequestBytes { throw IsPutOff() }
    }

    func markCatalogChanged() { catalogChanged = true }

    func nextSequence() throws -> Int64 {
        guard sequence < RowID.lastSequence else {
            throw StorageError.usedUp("changes")
        }
        sequence += 1
        return sequence
    }

    /// Takes over a number that was given elsewhere: the next ones are greater.
    func raise(sequence: Int64) { self.sequence = max(self.sequence, sequence) }

    override func lastSequence() throws -> Int64 { sequence }

    override func unstoredUsage(of database: Int64) -> StorageUsage { usageChanges.of(database) }

    override func unstoredUsage(ofTenant tenant: Int64) throws -> StorageUsage {
        var usage = StorageUsage()
        for database in usageChanges.databases {
            let statement = try connection.statement("SELECT tenant FROM database WHERE id = ?")
            defer { statement.reset() }
            statement.bind(database, at: 1)
            if try statement.step(), statement.int(0) == tenant { usage += usageChanges.of(database) }
        }
        return usage
    }

    /// Runs a statement with the given values.
    func run(_ sql: String, _ values: StorageValue...) throws {
        let statement = try connection.statement(sql)
        statement.bind(values)
        try statement.run()
    }
}
