internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

/// Does what one write asks for, inside a transaction that holds the lock of all writes.
///
/// What is written waits until something is asked, or the write ends: statements that need no answer go together, in one
/// trip.
final class PostgresWriter: PostgresReader, StoreWriter {
    /// The last sequence number given; stored with the commit.
    private(set) var sequence: Int64 = 0
    /// Whether tables changed, so that others have to learn of it.
    private(set) var catalogChanged = false
    /// What is watched, as of the beginning of the transaction.
    private(set) var watched = WatchedTypes()
    /// Whether changes were logged.
    var hasLogged = false
    /// What the transaction adds to the usage of databases, besides what statements add by themselves.
    var usageChanges = UsageChanges()
    /// An index that cannot have what is written.
    var indexInTheWay: String?
    private var pending: [PostgresCommand] = []
    /// How often something was sent.
    private(set) var trips = 0

    /// How many statements wait at most: what is sent together is held in memory on both sides.
    private static let pendingLimit = 1_000

    /// Starts a transaction's bookkeeping.
    func begin(sequence: Int64, watched: WatchedTypes) {
        self.sequence = sequence
        self.watched = watched
        hasLogged = false
        indexInTheWay = nil
        catalogChanged = false
        pending = []
        usageChanges = UsageChanges()
    }

    override func unstoredUsage(of database: Int64) -> StorageUsage { usageChanges.of(database) }

    override func unstoredUsage(ofTenant tenant: Int64) throws -> StorageUsage {
        let numbers = usageChanges.databases
        guard !numbers.isEmpty else { return StorageUsage() }
        let rows = try ask(Self.databasesOfTenantStatement, .int(tenant), .ints(Array(numbers)))
        return (0..<rows.count).reduce(StorageUsage()) { $0 + usageChanges.of(rows.int($1, 0)) }
    }

    private static let databasesOfTenantStatement = PostgresStatement(
        "SELECT id FROM database WHERE tenant = $1 AND id = ANY($2)", .int8, .int8Array)

    override func ask(_ commands: [PostgresCommand]) throws -> [PostgresRows] {
        trips += 1
        let answers = try connection.run(taken() + commands)
        return Array(answers.suffix(commands.count))
    }

    /// Writes later, at the latest when the write ends.
    func write(_ statement: PostgresStatement, _ values: PostgresValue...) throws {
        try write(PostgresCommand(statement, values: values))
    }

    func write(_ command: PostgresCommand) throws {
        pending.append(command)
        if pending.count >= Self.pendingLimit { try flush() }
    }

    /// Sends what waits.
    func flush() throws {
        let commands = taken()
        guard !commands.isEmpty else { return }
        trips += 1
        try connection.run(commands)
    }

    private func taken() -> [PostgresCommand] {
        defer { pending = [] }
        return pending
    }

    /// Forgets what waits and what was learned, after a rollback.
    func restore(_ catalog: PostgresCatalog, catalogChanged: Bool) {
        self.catalog = catalog
        self.catalogChanged = catalogChanged
        indexInTheWay = nil
        pending = []
        foreseen = Foreseen()
    }

    func markCatalogChanged() {
        catalogChanged = true
        // What a removal takes along is not what was fetched before it.
        foreseen = Foreseen()
    }

    func nextSequence() throws -> Int64 {
        guard sequence < RowID.lastSequence else {
            throw StorageError.engine("All of the numbers for changes are used up.")
        }
        sequence += 1
        return sequence
    }

    /// Takes over a number that was given elsewhere: the next ones are greater.
    func raise(sequence: Int64) { self.sequence = max(self.sequence, sequence) }

    override func lastSequence() throws -> Int64 { sequence }
}
