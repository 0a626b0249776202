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
    /// Whether something was taken away from callers: a token, a session, a user or a role.
    var hasRevoked = false
    /// Whose subscriptions were changed, as record names.
    var subscribers: Set<String> = []
    /// What the transaction adds to the usage of databases, besides what statements add by themselves.
    var usageChanges = UsageChanges()
    /// An index that cannot have what is written.
    var indexInTheWay: String?
    private var pending: [PostgresWrite] = []
    /// The bytes of bodies in `pending`.
    private var pendingBytes = 0
    /// How often something was sent.
    private(set) var trips = 0
    /// Whether writes are only asked what they wish to know, and nothing may be sent.
    private var isOnlyWishing = false
    /// Where the write under way begins in `pending`, and whether any of it was sent.
    private var start = 0
    private(set) var hasSent = false

    /// How many statements and bytes wait at most: what is sent together is held in memory on both sides.
    private static let pendingLimit = 10_000
    private static let pendingBytesLimit = 16 << 20
    /// How much a group of writes puts into one transaction before the others have to wait for the next one.
    private static let groupLimit = 3_000
    private static let groupBytesLimit = 4 << 20

    /// Whether the transaction has as much as it should.
    var isFull: Bool { pending.count >= Self.groupLimit || pendingBytes >= Self.groupBytesLimit }

    /// Starts a transaction's bookkeeping.
    func begin(sequence: Int64, watched: WatchedTypes) {
        self.sequence = sequence
        self.watched = watched
        hasLogged = false
        hasRevoked = false
        subscribers = []
        indexInTheWay = nil
        catalogChanged = false
        (pending, pendingBytes, start, hasSent) = ([], 0, 0, false)
        usageChanges = UsageChanges()
    }

    // MARK: Groups

    /// What a write throws that is only asked what it wishes to know.
    private enum Wish: Error {
        case foresight(PrefetchHint)
        /// It does something else first.
        case nothing
    }

    /// What writes wish to know before they begin: each is run up to its first question, and again later.
    static func wishes(
        of jobs: ArraySlice<PostgresCommitter.Job>, _ connection: PostgresConnection,
        _ catalog: PostgresCatalog
    ) -> [PrefetchHint] {
        jobs.compactMap { job in
            let writer = PostgresWriter(connection: connection, catalog: catalog)
            writer.isOnlyWishing = true
            do {
                _ = try job.run(writer)
                return nil
            } catch Wish.foresight(let foresight) {
                return foresight
            } catch {
                // It says so again when it is done.
                return nil
            }
        }
    }

    override func foresee(_ foresight: PrefetchHint) throws {
        guard !isOnlyWishing else { throw Wish.foresight(foresight) }
        if !foreseen.isGathered { try fetch(foresight) }
    }

    /// Begins one write of several whose statements go together.
    func beginWrite() {
        (start, hasSent) = (pending.count, false)
        foreseen.beginWrite()
    }

    /// Takes back what the write under way has done, as if it had never been.
    ///
    /// - Returns: false where some of it was sent already.
    func undoWrite(_ catalog: PostgresCatalog) -> Bool {
        guard !hasSent else { return false }
        pending.removeSubrange(start...)
        foreseen.undoWrite()
        usageChanges.undo()
        self.catalog = catalog
        catalogChanged = false
        return true
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
        guard !isOnlyWishing else { throw Wish.nothing }
        // What is asked may change something as well; then it is not known here what.
        if commands.contains(where: { !$0.statement.sql.hasPrefix("SELECT") }) {
            hasSent = true
            foreseen.forgetAll()
        }
        trips += 1
        let answers = try connection.run(taken() + commands)
        return Array(answers.suffix(commands.count))
    }

    /// Writes later, at the latest when the write ends, and something of which only the caller knows what it changes.
    func write(_ statement: PostgresStatement, _ values: PostgresValue...) throws {
        try write(PostgresCommand(statement, values: values))
    }

    func write(_ command: PostgresCommand) throws {
        foreseen.forgetAll()
        try enter(.command(command))
    }

    /// Writes later something that changes nothing of what is foreseen, or whose caller keeps that up.
    func enter(_ statement: PostgresStatement, _ values: PostgresValue...) throws {
        try enter(.command(PostgresCommand(statement, values: values)))
    }

    func enter(_ write: PostgresWrite) throws {
        guard !isOnlyWishing else { throw Wish.nothing }
        pending.append(write)
        switch write {
        case .insert(let state), .update(let state): pendingBytes += state.bytes
        default: break
        }
        if pending.count >= Self.pendingLimit || pendingBytes >= Self.pendingBytesLimit { try flush() }
    }

    /// Sends what waits.
    func flush() throws {
        let commands = taken()
        guard !commands.isEmpty else { return }
        trips += 1
        try connection.run(commands)
    }

    private func taken() -> [PostgresCommand] {
        defer { (pending, pendingBytes, start) = ([], 0, 0) }
        if pending.count > start { hasSent = true }
        return PostgresWriteMerger.commands(pending)
    }

    /// Forgets what waits and what was learned, after a rollback.
    func restore(_ catalog: PostgresCatalog, catalogChanged: Bool) {
        self.catalog = catalog
        self.catalogChanged = catalogChanged
        indexInTheWay = nil
        (pending, pendingBytes, start) = ([], 0, 0)
        foreseen = Foreseen()
    }

    func markCatalogChanged() {
        catalogChanged = true
        // What a removal takes along is not what was fetched before it.
        foreseen.forgetAll()
    }

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
}
