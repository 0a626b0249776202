internal import Dispatch
internal import Foundation
internal import PostgresAccess
public import RecordModel
public import RecordStorage
internal import Synchronization

/// The records of all tenants in a PostgreSQL database (`RecordStore` has the guarantees).
///
/// Several nodes may use one database. Writes of all of them follow each other and are committed in groups; reads run on
/// snapshots, on threads that may wait. What other nodes change of schemas is seen within a second.
public final class PostgresStore: RecordStore {
    let catalog: SharedPostgresCatalog
    let maker: PostgresIndexMaker
    private let readers: PostgresPool
    private let turns = FairReadQueue(
        places: longReadCount, isShared: true, mostWaiting: Limits.waitingLongReads,
        mostWaitingPerParty: Limits.waitingLongReadsPerParty)
    private let committer: PostgresCommitter
    private let watch: Task<Void, Never>
    /// What it does by itself.
    private let tasks = Mutex<[Task<Void, Never>]>([])
    private let use: PostgresUse
    private let leases: PostgresLeases
    private let notices: PostgresListener
    private let subscribers: ChangeListener<String>
    private let knownZones = KnownZones()
    private let readTrips = PostgresTrips()
    private let writeTrips = PostgresTrips()

    /// How many connections read at the same time; a node has three more: one that writes, one that
    /// keeps copies of the database out, and one that learns of other nodes' changes; and once it has made an index, one
    /// for that.
    public static let readerCount = 8
    /// How many of them may be long reads at the same time; no user, or app without one, has the last of these places.
    public static let longReadCount = 4
    /// How many reads may wait for a connection.
    private static let waitingReads = 4_096
    /// How often a node checks whether another one changed a schema.
    private static let watchInterval = Duration.milliseconds(500)

    /// Opens the store of a database, making its tables where they are missing.
    ///
    /// - Parameters:
    ///   - url: as libpq takes it, with several hosts where there are standbys:
    ///     `postgres://stratus@db1,db2/stratus?target_session_attrs=read-write`.
    ///   - isSole: whether no other node may use the database meanwhile: it is being copied.
    /// - Throws: `StorageError`: not reachable, of a newer version, in use, or somebody else's.
    public convenience init(url: String, isSole: Bool = false) throws {
        try self.init(
            url: url, isSole: isSole, indexIdleSeconds: Double(Limits.automaticIndexIdleSeconds))
    }

    /// Opens a store whose test decides how long an index has to lie idle before another takes its place.
    init(url: String, isSole: Bool = false, indexIdleSeconds: Double) throws {
        let writeTrips = self.writeTrips
        let take: @Sendable (PostgresConnection) throws -> PostgresConnection = { connection in
            if !isSole { try PostgresUse.join(connection) }
            return connection
        }
        let connect: @Sendable () throws -> PostgresConnection = {
            try take(PostgresConnection(url: url, settings: Self.settings, trips: writeTrips))
        }
        let read: @Sendable () throws -> PostgresConnection = {
            try take(
                PostgresConnection(
                    url: url,
                    settings: Self.settings.merging([
                        "statement_timeout": "\(Limits.querySeconds * 1_000)",
                        // What is asked together without a transaction sees one moment, too.
                        "default_transaction_isolation": "repeatable read",
                    ]) { $1 }))
        }
        do {
            use = try PostgresUse(url: url, isSole: isSole)
            let connection = try connect()
            defer { connection.close() }
            try PostgresLayout.prepare(connection)
            catalog = SharedPostgresCatalog(try PostgresCatalog.load(connection))
        } catch {
            throw StorageError(error)
        }
        let readers = PostgresPool(count: Self.readerCount, waitingLimit: Self.waitingReads, connect: read)
        self.readers = readers
        var generator = SystemRandomNumberGenerator()
        let node = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        leases = PostgresLeases(node: node)
        committer = PostgresCommitter(node: node, catalog: catalog, connect: connect)
        let (listener, revocations) = (committer.listener, committer.revocations)
        let subscribers = ChangeListener<String>()
        self.subscribers = subscribers
        notices = PostgresListener(
            channels: [
                PostgresLayout.changeChannel, PostgresLayout.revocationChannel,
                PostgresLayout.subscriberChannel,
            ],
            connect: {
                // A session that waits for nothing must not be ended for it.
                try take(PostgresConnection(url: url, settings: ["idle_session_timeout": "0"]))
            },
            onNotice: { notices in
                let channels = Set(notices.map(\.channel))
                if channels.contains(PostgresLayout.changeChannel) { listener.call() }
                if channels.contains(PostgresLayout.revocationChannel) { revocations.call() }
                // One without a name says only that some may have been missed.
                for notice in notices
                where notice.channel == PostgresLayout.subscriberChannel && !notice.text.isEmpty {
                    subscribers.call(PostgresText.decoded(notice.text))
                }
            })
        let catalog = catalog
        watch = Task {
            var seen: Int64?
            while !Task.isCancelled {
                try? await Task.sleep(for: Self.watchInterval)
                // What fails now is tried again soon, and whoever reads or writes meanwhile gets the error.
                guard let count = try? await readers.run({ try Self.look(catalog, $0) }) else { continue }
                if count != seen { revocations.call() }
                seen = count
            }
        }
        let maker = PostgresIndexMaker(
            readers: readers, leases: leases, committer: committer, idleSeconds: indexIdleSeconds,
            connect: {
                // Making an index of a large table takes long, and says nothing meanwhile.
                try take(
                    PostgresConnection(
                        url: url, settings: ["idle_session_timeout": "0"],
                        silenceSeconds: PostgresIndexMaker.silenceSeconds))
            })
        self.maker = maker
        let forgetting = Task { [weak self] in
            if let self { await forgetForEver() }
        }
        tasks.withLock { $0 = [forgetting, Task { await maker.work() }] }
    }

    /// Sessions that hang hold locks; and plans for the values at hand would be made again for each.
    private static let settings = [
        "idle_in_transaction_session_timeout": "30000", "synchronous_commit": "on", "jit": "off",
        "default_transaction_isolation": "read committed",
    ]

    private static func refresh(_ catalog: SharedPostgresCatalog, _ connection: PostgresConnection) throws {
        let version = try connection.run(version).int(0, 0)
        if version > catalog.current.version { catalog.set(try PostgresCatalog.load(connection)) }
    }

    /// Learns of another schema, and how often something was taken away from callers so far.
    private static func look(_ catalog: SharedPostgresCatalog, _ connection: PostgresConnection) throws
        -> Int64
    {
        try refresh(catalog, connection)
        let rows = try connection.run(revocationCount)
        return rows.count > 0 ? rows.int(0, 0) : 0
    }

    private static let revocationCount = PostgresStatement(
        "SELECT value FROM meta WHERE key = 'revocations'")
    private static let version = PostgresStatement("SELECT value FROM meta WHERE key = 'schemaVersion'")

    public var health: StoreHealth { committer.health }

    /// How often reads that were asked for, and its writer, have waited for the server.
    package var trips: (reading: Int, writing: Int) { (readTrips.count, writeTrips.count) }

    public func schema(of tenant: Tenant) -> Schema { catalog.current.schemas[tenant] ?? Schema() }

    /// All reads cross the network, so none keeps its caller's thread; what an index answers need not wait for its turn.
    public func effort(of scan: RecordScan) -> ReadEffort {
        catalog.current.index(for: scan).plan == .index ? .short : .long
    }

    /// How many long reads have a place.
    var longReads: Int { turns.taken }

    public func read<Value: Sendable>(
        _ effort: ReadEffort, for party: ReadParty,
        _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) async throws -> Value {
        guard effort == .long else { return try await read(body) }
        let end = DispatchTime.now().uptimeNanoseconds + UInt64(Limits.querySeconds) * 1_000_000_000
        try await turns.take(for: party, until: end)
        defer { turns.give(by: party) }
        return try await read(body)
    }

    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let (catalog, wishes, trips, knownZones) = (catalog, maker.wishes, readTrips, knownZones)
        return try await ask { connection in
            connection.trips = trips
            defer { connection.trips = nil }
            var (attempt, maySpareTransaction) = (0, true)
            while true {
                let reader = PostgresReader(reading: connection, catalog: catalog.current)
                reader.wishes = wishes
                reader.knownZones = knownZones
                reader.maySpareTransaction = maySpareTransaction
                do {
                    let value = try body(reader)
                    try reader.confirm()
                    if connection.isInTransaction { try connection.endReading() }
                    if reader.repetition == nil { return value }
                } catch {
                    guard Self.mayBeOutdated(reader, error) else { throw error }
                    connection.rollBackOrClose()
                    guard connection.isOpen, attempt < Self.readAttempts else {
                        // Who asks is told of what stopped it, not of an attempt.
                        throw error is PostgresReader.Repetition ? PostgresFailure.closed : error
                    }
                    if reader.repetition == nil {
                        try Self.refresh(catalog, connection)
                        if catalog.current.version == reader.catalog.version { throw error }
                    }
                }
                // Something was not as it was believed to be, so all is asked again.
                if let repetition = reader.repetition {
                    guard attempt < Self.readAttempts else { throw PostgresFailure.closed }
                    switch repetition {
                    case .schema: catalog.set(try PostgresCatalog.load(connection))
                    case .zone: break
                    case .transaction: maySpareTransaction = false
                    }
                }
                attempt += 1
            }
        }
    }

    /// How often a read starts over because schemas or zones change while it runs.
    private static let readAttempts = 5

    /// Whether a read may have failed for tables that another node has changed: the first question goes with the one for
    /// the schema's version.
    private static func mayBeOutdated(_ reader: PostgresReader, _ error: any Error) -> Bool {
        if reader.repetition != nil { return true }
        guard let failure = error as? PostgresFailure else { return false }
        return !failure.isCancelled && !failure.isConnectionLost
    }

    /// Runs a closure on a connection of the readers; what PostgreSQL or the pool refuses is a `StorageError`.
    private func ask<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async throws -> Value {
        do {
            return try await readers.run(body)
        } catch let error as PostgresFailure {
            throw StorageError(error)
        } catch let error as PostgresPool.Refusal {
            throw StorageError(error)
        }
    }

    public func listen(_ listener: (@Sendable () -> Void)?) { committer.listener.set(listener) }

    public func listenForRevocations(_ listener: (@Sendable () -> Void)?) {
        committer.revocations.set(listener)
    }

    public func listenForSubscribers(_ listener: (@Sendable (_ user: String) -> Void)?) {
        subscribers.set(listener)
    }

    public func write<Value: Sendable>(
        _ effort: WriteEffort, _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) async throws -> Value {
        try await committer.perform { try body($0) }
    }

    public func takeLease(of job: StoreJob) async throws -> Bool {
        try await ask { [leases] in try leases.take(job, $0) }
    }

    public func renewLease(of job: StoreJob) async throws -> Bool {
        try await ask { [leases] in try leases.renew(job, $0) }
    }

    public func returnLease(of job: StoreJob, isDone: Bool) async throws {
        try await ask { [leases] in try leases.giveBack(job, isDone: isDone, $0) }
    }

    public func close() async {
        watch.cancel()
        let tasks = tasks.withLock { $0 }
        for task in tasks { task.cancel() }
        await watch.value
        for task in tasks { await task.value }
        await maker.close()
        await notices.stop()
        await committer.stop()
        turns.close()
        await readers.close()
        use.end()
    }
}
