internal import PostgresAccess
internal import RecordModel
internal import RecordStorage
internal import Synchronization

/// Makes the indexes that a node's queries miss, one after the other, beside all reads and writes; one node at a time.
final class PostgresIndexMaker: Sendable {
    let wishes = IndexWishes()
    private let pool: PostgresPool
    private let readers: PostgresPool
    private let leases: PostgresLeases
    private let committer: PostgresCommitter
    private let idle: Duration
    /// How often each index had been used when it was last looked at, and since when that is so.
    private let uses = Mutex<[String: (scans: Int64, since: ContinuousClock.Instant)]>([:])

    private static let job = StoreJob(name: "indexes", intervalSeconds: 0)
    /// How often the wishes are looked at, which asks nobody.
    private static let look = Duration.milliseconds(100)
    private static let renewal = Duration.seconds(20)
    /// How long after a refusal the same wish is looked at again.
    private static let pause = Duration.seconds(60)
    /// How long the server may work on an index without a word.
    static let silenceSeconds = 86_400

    /// Makes indexes with a connection of its own, which is opened when it is first needed.
    ///
    /// - Parameters:
    ///   - idleSeconds: how long an index has to lie idle before another takes its place.
    ///   - connect: opens a connection whose statements may take long.
    init(
        readers: PostgresPool, leases: PostgresLeases, committer: PostgresCommitter, idleSeconds: Double,
        connect: @escaping @Sendable () throws -> PostgresConnection
    ) {
        pool = PostgresPool(count: 1, waitingLimit: 100, connect: connect)
        self.readers = readers
        self.leases = leases
        self.committer = committer
        idle = .seconds(idleSeconds)
    }

    /// Fulfils wishes until the task is cancelled.
    func work() async {
        while !Task.isCancelled {
            guard let (wish, reason) = wishes.next else {
                try? await Task.sleep(for: Self.look)
                continue
            }
            do {
                guard try await pool.run({ [leases] in try leases.take(Self.job, $0) }) else {
                    // Another node makes one.
                    try await Task.sleep(for: .seconds(1))
                    continue
                }
                let isThere = try await fulfil(wish, reason)
                wishes.end(wish, reason, refusedFor: isThere ? nil : Self.pause)
            } catch {
                await tidy()
                // Another one may have made room for it, and is missed by nobody's catalogue before that is said.
                try? await committer.perform { try $0.takeIndexes() }
                // A value that is too long for an index will be there for a while.
                let isTooWide = (error as? PostgresFailure)?.isTooWide == true
                wishes.end(
                    wish, reason,
                    refusedFor: isTooWide ? .seconds(Limits.automaticIndexIdleSeconds) : Self.pause)
            }
            // A lease that is not given back ends by itself.
            try? await pool.run { [leases] in try leases.giveBack(Self.job, isDone: true, $0) }
        }
    }

    /// Ends the connection, after ``work()``.
    func close() async { await pool.close() }

    /// - Returns: whether the index is there.
    private func fulfil(_ wish: IndexWishes.Wish, _ reason: IndexWishes.Reason) async throws -> Bool {
        let renewal = Task { [readers, leases] in
            while !Task.isCancelled {
                try await Task.sleep(for: Self.renewal)
                // A lease that could not be renewed is tried again soon, three times before it ends; then another node may
                // begin the same index, which costs work and nothing else.
                _ = try? await readers.run { try leases.renew(Self.job, $0) }
            }
        }
        defer { renewal.cancel() }
        let name = PostgresAutomaticIndex.makeName(type: wish.type)
        let isThere = try await pool.run { [self] connection in
            guard try prepare(wish, reason, connection) else { return false }
            try connection.run([PostgresAutomaticIndex.making(name, wish.shape, type: wish.type)])
            // What is known of the values decides whether it is used.
            try connection.run(sql: "ANALYZE r\(wish.type)")
            return true
        }
        if isThere { try await committer.perform { try $0.takeIndexes() } }
        return isThere
    }

    /// Makes room for an index.
    ///
    /// - Returns: whether it is to be made.
    private func prepare(
        _ wish: IndexWishes.Wish, _ reason: IndexWishes.Reason, _ connection: PostgresConnection
    ) throws -> Bool {
        let known = PostgresAutomaticIndex.all(try connection.run([PostgresAutomaticIndex.list])[0])
        // Nobody makes one now: the lease is ours.
        for index in known where !index.isWhole {
            try connection.run([PostgresAutomaticIndex.dropping(index.name)])
        }
        let same = known.filter { $0.isWhole && $0.type == wish.type }
        guard !same.contains(where: { $0.shape == wish.shape }) else { return false }
        guard try connection.run(sql: "SELECT to_regclass('r\(wish.type)') IS NOT NULL").bool(0, 0) else {
            return false
        }
        let isWorthIt = try reason.isOrdered || hasManyRows(wish.type, zone: reason.zone, connection)
        guard isWorthIt else { return false }
        guard same.count >= Limits.automaticIndexesPerType else { return true }
        guard let old = leastUsed(of: same, isIdle: !reason.isOrdered) else { return false }
        try connection.run([PostgresAutomaticIndex.dropping(old.name)])
        return true
    }

    /// Whether a zone has so many rows of a type that an index is worth its room and the time of each write. What a query
    /// without an index looks at is at most that.
    private func hasManyRows(_ type: Int64, zone: Int64, _ connection: PostgresConnection) throws -> Bool {
        let rows = try connection.run(
            PostgresStatement(
                "SELECT count(*) FROM (SELECT 1 FROM r\(type) WHERE zone = $1 LIMIT $2) AS looked", .int8,
                .int8
            ),
            .int(zone), .int(Int64(Limits.automaticIndexRows + 1)))
        return rows.int(0, 0) > Int64(Limits.automaticIndexRows)
    }

    /// The one that no node has used for the longest time, as far as this one has seen; nil where all are in use.
    private func leastUsed(of indexes: [PostgresAutomaticIndex], isIdle: Bool) -> PostgresAutomaticIndex? {
        let now = ContinuousClock.now
        return uses.withLock { uses in
            for index in indexes where uses[index.name]?.scans != index.scans {
                uses[index.name] = (index.scans, now)
            }
            func since(_ index: PostgresAutomaticIndex) -> ContinuousClock.Instant {
                uses[index.name]?.since ?? now
            }
            let oldest = indexes.min { (since($0), $0.scans) < (since($1), $1.scans) }
            guard let oldest, !isIdle || now - since(oldest) >= idle else { return nil }
            uses[oldest.name] = nil
            return oldest
        }
    }

    /// Drops what is left of an index whose making was interrupted, also where this node is about to end.
    private func tidy() async {
        await Task.detached { [pool] in
            // The next index that is made begins by dropping what is left.
            try? await pool.run { connection in
                let known = PostgresAutomaticIndex.all(try connection.run([PostgresAutomaticIndex.list])[0])
                for index in known where !index.isWhole {
                    try connection.run([PostgresAutomaticIndex.dropping(index.name)])
                }
            }
        }.value
    }
}
