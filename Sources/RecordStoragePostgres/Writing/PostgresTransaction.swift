internal import PostgresAccess
internal import RecordStorage

/// One transaction with several writes in it.
struct PostgresTransaction {
    let connection: PostgresConnection
    let catalog: SharedPostgresCatalog
    let node: [UInt8]
    let batch: Int64
    let watched: SharedWatchedTypes
    let listener: ChangeListener

    /// How a transaction ended; all callers but those of `conflict` and `lost` have their answer.
    enum End {
        case done
        /// Another transaction, or an index, was in the way of one of the writes, or of all (nil); nothing was done, and the
        /// same may be tried again.
        case conflict(any Error, culprit: Int?)
        /// The connection was lost: before the commit was sent (no outcomes), or after it.
        case lost(outcomes: [@Sendable ((any Error)?) -> Void]?, any Error)
    }

    /// Begins and takes the lock in one trip. It waits for the writes of other nodes as long as it takes: the short time
    /// allowed afterwards is for locks of tables.
    private static let begin = [
        PostgresCommand(sql: "BEGIN"), PostgresCommand(sql: "SET LOCAL lock_timeout = '10s'"),
        PostgresCommand(
            sql:
                """
                SELECT value, (SELECT value FROM meta WHERE key = 'schemaVersion'),
                    (SELECT value FROM meta WHERE key = 'watchVersion')
                FROM meta WHERE key = 'sequence' FOR UPDATE
                """
        ),
        PostgresCommand(sql: "SET LOCAL lock_timeout = '40ms'"),
    ]
    private static let commit = PostgresCommand(sql: "COMMIT")

    /// Runs the writes and commits.
    func run(_ jobs: ArraySlice<PostgresCommitter.Job>) -> End {
        let writer = PostgresWriter(connection: connection, catalog: catalog.current)
        var outcomes: [@Sendable ((any Error)?) -> Void] = []
        // What the only write asks for is sent with the commit at the latest.
        var culprit: Int?
        do {
            try start(writer)
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
        for outcome in outcomes { outcome(nil) }
        return .done
    }

    /// Whether the same may succeed when it is begun again: another transaction was in the way, or an index that can go.
    private static func isInTheWay(_ error: any Error) -> Bool {
        (error as? PostgresFailure)?.isConflict == true || PostgresAutomaticIndex.refusing(error) != nil
    }

    private func start(_ writer: PostgresWriter) throws {
        let lock = try connection.run(Self.begin)[2]
        // Another node may have changed the schema.
        if lock.int(0, 1) != writer.catalog.version {
            let newer = try PostgresCatalog.load(connection)
            writer.restore(newer, catalogChanged: false)
            catalog.set(newer)
        }
        try takeWatches(version: lock.int(0, 2))
        writer.begin(sequence: lock.int(0, 0), watched: watched.current)
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
    ) throws -> @Sendable ((any Error)?) -> Void {
        let before = writer.catalog
        let changedBefore = writer.catalogChanged
        let trips = writer.trips
        writer.foreseen = Foreseen()
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
