internal import PostgresAccess
internal import RecordStorage

/// One transaction with several writes in it.
///
/// Together: what all of them wish to know is gathered with the lock, each decides on that picture and what those before
/// it have done, and all that they write goes with the commit. So a group takes two trips, three where records change.
/// Where anything of it fails in the database, nothing is done, and each of them runs one by one, in a savepoint of its own: then
/// the one that failed is known, and harms none of the others.
struct PostgresTransaction {
    let connection: PostgresConnection
    let catalog: SharedPostgresCatalog
    let node: [UInt8]
    let batch: Int64
    let watched: SharedWatchedTypes
    let listener: ChangeListener<Void>
    let revocations: ChangeListener<Void>

    /// How a transaction ended; all callers but those of `conflict` and `lost` have their answer.
    enum End {
        case done
        /// The transaction was full, and these were not begun; the others have their answer.
        case partly(rest: Int)
        /// One write changes tables: nothing was done, and it has to run alone, after the others.
        case changesTables(Int)
        /// Another transaction, or an index, was in the way of one of the writes, or of all (nil); nothing was done, and the
        /// same may be tried again.
        case conflict(any Error, culprit: Int?)
        /// The connection was lost: before the commit was sent (no outcomes), or after it.
        case lost(outcomes: [Outcome]?, any Error)
    }

    /// Begins and takes the lock in one trip. It waits for the writes of other nodes as long as it takes: the short time
    /// allowed afterwards is for locks of tables.
    private static let begin = [
        PostgresCommand(sql: "BEGIN"), PostgresCommand(sql: "SET LOCAL lock_timeout = '10s'"),
        PostgresCommand(sql: "SELECT value FROM meta WHERE key = 'sequence' FOR UPDATE"),
        // A statement of its own: one that waited for the lock sees the rest as it was before.
        PostgresCommand(
            sql:
                """
                SELECT (SELECT value FROM meta WHERE key = 'schemaVersion'),
                    (SELECT value FROM meta WHERE key = 'watchVersion')
                """
        ),
        PostgresCommand(sql: "SET LOCAL lock_timeout = '40ms'"),
    ]
    private static let commit = PostgresCommand(sql: "COMMIT")

    typealias Outcome = @Sendable ((any Error)?) -> Void

    /// Runs the writes and commits.
    func run(_ jobs: ArraySlice<PostgresCommitter.Job>) -> End {
        runTogether(jobs) ?? runOneByOne(jobs)
    }

    /// - Returns: nil where nothing was done, and the writes have to run one by one.
    private func runTogether(_ jobs: ArraySlice<PostgresCommitter.Job>) -> End? {
        let current = catalog.current
        let writer = PostgresWriter(connection: connection, catalog: current)
        var outcomes: [Outcome] = []
        do {
            try start(writer, PostgresWriter.wishes(of: jobs, connection, current))
            for (number, job) in jobs.enumerated() {
                if writer.isFull { break }
                guard let outcome = try runTogether(job, writer) else { return giveUp() }
                if writer.catalogChanged, jobs.count > 1 {
                    connection.rollBackOrClose()
                    return .changesTables(number)
                }
                outcomes.append(outcome)
            }
            try prepareCommit(writer)
        } catch {
            return giveUp(error, isOnly: jobs.count == 1)
        }
        do {
            try writer.write(Self.commit)
            try writer.flush()
        } catch {
            if !connection.isOpen { return .lost(outcomes: outcomes, error) }
            return giveUp(error, isOnly: jobs.count == 1)
        }
        if writer.catalogChanged { catalog.set(writer.catalog) }
        if writer.hasLogged { listener.call() }
        if writer.hasRevoked { revocations.call() }
        Self.tell(outcomes)
        return outcomes.count == jobs.count ? .done : .partly(rest: jobs.count - outcomes.count)
    }

    /// Ends a transaction of which nothing is left.
    private func giveUp(_ error: (any Error)? = nil, isOnly: Bool = false) -> End? {
        connection.rollBackOrClose()
        guard let error else { return nil }
        if !connection.isOpen { return .lost(outcomes: nil, error) }
        return isOnly && Self.isInTheWay(error) ? .conflict(error, culprit: 0) : nil
    }

    /// Runs one write on what was gathered; where it fails by itself, what it did is taken back.
    ///
    /// - Returns: nil where that cannot be, since some of it was sent.
    private func runTogether(_ job: PostgresCommitter.Job, _ writer: PostgresWriter) throws -> Outcome? {
        let before = writer.catalog
        writer.beginWrite()
        do {
            let outcome = try job.run(writer)
            if let name = writer.indexInTheWay { throw IndexInTheWay(name: name) }
            writer.usageChanges.settle()
            return outcome
        } catch  where error is PostgresFailure || error is IndexInTheWay || !connection.isOpen {
            throw error
        } catch {
            guard writer.undoWrite(before) else { return nil }
            return { _ in job.fail(error) }
        }
    }

    /// Runs each write in a savepoint of its own, and commits.
    private func runOneByOne(_ jobs: ArraySlice<PostgresCommitter.Job>) -> End {
        let writer = PostgresWriter(connection: connection, catalog: catalog.current)
        var outcomes: [Outcome] = []
        // What the only write asks for is sent with the commit at the latest.
        var culprit: Int?
        do {
            try start(writer, [])
            for (number, job) in jobs.enumerated() {
                culprit = number
                outcomes.append(try run(job, writer, isOnly: jobs.count == 1))
            }
            if jobs.count > 1 { culprit = nil }
            try prepareCommit(writer)
        } catch {
            connection.rollBackOrClose()
            if !connection.isOpen { return .lost(outcomes: nil, error) }
            if Self.isInTheWay(error) { return .conflict(error, culprit: culprit) }
            for outcome in outcomes { outcome(StorageError(error)) }
            for job in jobs.dropFirst(outcomes.count) { job.fail(StorageError(error)) }
            return .done
        }
        return commit(writer, outcomes, culprit: culprit)
    }

    private func commit(_ writer: PostgresWriter, _ outcomes: [Outcome], culprit: Int?) -> End {
        do {
            // What waits goes together with the commit, which is not run where any of it fails.
            try writer.write(Self.commit)
            try writer.flush()
        } catch {
            if !connection.isOpen { return .lost(outcomes: outcomes, error) }
            connection.rollBackOrClose()
            if Self.isInTheWay(error) { return .conflict(error, culprit: culprit) }
            for outcome in outcomes { outcome(StorageError(error)) }
            return .done
        }
        if writer.catalogChanged { catalog.set(writer.catalog) }
        if writer.hasLogged { listener.call() }
        if writer.hasRevoked { revocations.call() }
        Self.tell(outcomes)
        return .done
    }

    /// Tells callers that their writes are stored, beside the next transaction: each one that is woken takes a moment of the
    /// thread that tells it, which added up to a third of the time between two commits.
    private static func tell(_ outcomes: [Outcome]) {
        guard outcomes.count > 1 else {
            for outcome in outcomes { outcome(nil) }
            return
        }
        Task { for outcome in outcomes { outcome(nil) } }
    }

    /// Whether the same may succeed when it is started over: another transaction was in the way, or an index that can go.
    private static func isInTheWay(_ error: any Error) -> Bool {
        (error as? PostgresFailure)?.isConflict == true || PostgresAutomaticIndex.refusing(error) != nil
    }

    /// Takes the lock, and gathers what is wished for.
    private func start(_ writer: PostgresWriter, _ wishes: [PrefetchHint]) throws {
        var group = GroupPrefetch(wishes, writer.catalog)
        var answers = try connection.run(Self.begin + group.commands)
        let (lock, versions) = (answers[2], answers[3])
        answers.removeFirst(Self.begin.count)
        // Another node may have changed the schema.
        if versions.int(0, 0) != writer.catalog.version {
            let newer = try PostgresCatalog.load(connection)
            writer.restore(newer, catalogChanged: false)
            catalog.set(newer)
            group = GroupPrefetch(wishes, newer)
            answers = group.commands.isEmpty ? [] : try connection.run(group.commands)
        }
        try takeWatches(version: versions.int(0, 1))
        writer.begin(sequence: lock.int(0, 0), watched: watched.current)
        guard !wishes.isEmpty else { return }
        let found = group.take(answers, into: &writer.foreseen)
        try GroupPrefetch.fetch(found, connection, into: &writer.foreseen)
    }

    /// Learns what is watched by now.
    private func takeWatches(version: Int64) throws {
        var current = watched.current
        guard version != current.version else { return }
        let removal = try connection.run(sql: "SELECT value FROM meta WHERE key = 'watchRemoval'").int(0, 0)
        let isAll = version < current.version || removal > current.version
        let rows = try connection.run(Self.watches, .int(isAll ? -1 : current.version))
        current.take((0..<rows.count).map { rows.watch($0) }, version: version, isAll: isAll)
        watched.set(current)
    }

    private static let watches = PostgresStatement(
        "SELECT database, type, since, used_at FROM change_watch WHERE version > $1", .int8)

    private func prepareCommit(_ writer: PostgresWriter) throws {
        try writer.write(Self.setSequence, .int(writer.sequence))
        if writer.catalogChanged {
            writer.catalog.version += 1
            try writer.write(Self.setVersion, .int(writer.catalog.version))
        }
        try writer.storeUsage()
        try writer.endLogging()
        try writer.tellRevocations()
        try writer.tellSubscribers()
        try writer.write(Self.setBatch, .bytes(node), .int(batch))
    }

    private static let setSequence = PostgresStatement(
        "UPDATE meta SET value = $1 WHERE key = 'sequence'", .int8)
    private static let setVersion = PostgresStatement(
        "UPDATE meta SET value = $1 WHERE key = 'schemaVersion'", .int8)
    private static let setBatch = PostgresStatement(
        """
        INSERT INTO committer VALUES ($1, $2, now())
        ON CONFLICT (node) DO UPDATE SET batch = excluded.batch, at = excluded.at
        """, .bytea, .int8)

    private static let savepoint = PostgresCommand(sql: "SAVEPOINT job")
    private static let release = PostgresCommand(sql: "RELEASE job")

    private static let undo = [PostgresCommand(sql: "ROLLBACK TO job"), release]

    /// Runs one write in a savepoint; when it fails by itself, its outcome says so whatever becomes of the others.
    ///
    /// What the only one of a transaction writes waits for the commit: where that fails, it is the one that failed.
    private func run(
        _ job: PostgresCommitter.Job, _ writer: PostgresWriter, isOnly: Bool
    ) throws -> Outcome {
        let before = writer.catalog
        let changedBefore = writer.catalogChanged
        let trips = writer.trips
        writer.foreseen = Foreseen()
        writer.beginWrite()
        try writer.write(Self.savepoint)
        do {
            let outcome = try job.run(writer)
            if let name = writer.indexInTheWay { throw IndexInTheWay(name: name) }
            try writer.write(Self.release)
            if !isOnly { try writer.flush() }
            writer.usageChanges.settle()
            return outcome
        } catch {
            guard connection.isOpen else { throw error }
            if Self.isInTheWay(error) { throw error }
            writer.restore(before, catalogChanged: changedBefore)
            writer.usageChanges.undo()
            // What waits goes unsent, with the savepoint where nothing was asked yet.
            if writer.trips > trips { try connection.run(Self.undo) }
            let told: any Error = error is PostgresFailure ? StorageError(error) : error
            return { _ in job.fail(told) }
        }
    }
}
