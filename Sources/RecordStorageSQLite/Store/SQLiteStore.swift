import Foundation
public import RecordModel
public import RecordStorage
import SQLiteAccess

/// The records of all tenants in one SQLite file (`RecordStore` has the guarantees).
///
/// One thread writes and commits for all; readers use connections of their own and never wait for it.
public final class SQLiteStore: RecordStore {
    /// Who else may use the files at the same time.
    public enum Sharing: Sendable {
        /// Nobody: this is the server.
        case exclusive
        /// A server may run beside: this is a command that makes a token, say.
        case shared
    }

    /// The directory that holds the files.
    public let directory: String

    /// When the write-ahead log was last written before this process opened it, in milliseconds since 1970; nil where there was none.
    let logWrittenBefore: Int64?

    private let lock: DirectoryLock?
    private let condition: StoreCondition
    let log: WriteAheadLog
    private let room: ReservedRoom?
    let catalog: SharedCatalog
    private let readers: ConnectionPool
    let writes: WriteLoop
    private let checkpointer: Checkpointer
    let advisor: IndexAdvisor
    private let holder = AdvisorHolder()
    private let zoneCache = DefaultZoneCache()

    /// The name of the database file in its directory.
    public static let fileName = "stratus.sqlite"

    /// Opens the store of a directory, making both where they are missing.
    ///
    /// - Parameters:
    ///   - directory: the data directory.
    ///   - sharing: whether other processes may open it meanwhile.
    ///   - keepsRoom: whether room is kept back on the disk (`Limits.reservedBytes`), so that a full disk is left by
    ///     itself as soon as there is room again. Needs `exclusive`.
    ///   - report: takes sentences for the operator's log.
    /// - Throws: `StorageError`: locked by another server, damaged, of a newer version, or not writable.
    public convenience init(
        directory: String, sharing: Sharing = .exclusive, keepsRoom: Bool = false,
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        var background = BackgroundPace.Settings()
        // A command leaves what is much work to the server.
        background.isAutomatic = sharing == .exclusive
        try self.init(
            directory: directory, sharing: sharing, keepsRoom: keepsRoom, report: report,
            background: background)
    }

    /// Opens a store whose background, and whose clock, a test decides.
    init(
        directory: String, sharing: Sharing = .exclusive, keepsRoom: Bool = false,
        report: @escaping @Sendable (String) -> Void = { _ in }, background: BackgroundPace.Settings,
        horizon: DeletionHorizon = DeletionHorizon(),
        indexIdleSeconds: Double = Double(Limits.automaticIndexIdleSeconds),
        clock: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1_000) }
    ) throws {
        do {
            // All records are in there, those of private databases too.
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw StorageError.engine("The data directory \(directory) cannot be made.", error)
        }
        self.directory = directory
        lock = sharing == .exclusive ? try DirectoryLock(directory: directory) : nil
        let path = directory + "/" + Self.fileName
        logWrittenBefore = FileTime.lastWrite(path + "-wal")
        // The log of a server that runs is being written.
        if sharing == .exclusive || !StoreInspection.isServed(directory: directory) {
            try HiddenCommits.refuse(path)
        }
        let reserve = ReservedRoom(directory: directory)
        let connections = try reserve.opening { try Connections(path: path) }
        let room = keepsRoom && sharing == .exclusive ? reserve : nil
        let condition = StoreCondition(waitsForRoom: room != nil, sink: report)
        var bounds = LogBounds()
        if let room {
            if !room.restore() { condition.noteFull() }
            bounds = LogBounds(reservedBytes: room.bytes)
        }
        let catalog = SharedCatalog(try Catalog.load(connections.writer))
        log = try WriteAheadLog(
            path: path, connection: connections.writer, condition: condition, bounds: bounds,
            isOthers: sharing == .shared && StoreInspection.isServed(directory: directory)
                && FileManager.default.fileExists(atPath: directory + "/" + Self.archiveFolderName))
        checkpointer = Checkpointer(
            connection: connections.checkpointer, catalog: catalog, log: log, condition: condition, room: room
        )
        let writes = WriteLoop(
            connection: connections.writer, catalog: catalog, zoneCache: zoneCache, log: log,
            condition: condition, background: background, horizon: horizon, clock: clock)
        readers = ConnectionPool(short: connections.short, long: connections.long)
        self.room = room
        self.condition = condition
        self.catalog = catalog
        self.writes = writes
        advisor = Self.makeAdvisor(writes: writes, holder: holder, idleSeconds: indexIdleSeconds)
    }

    public var health: StoreHealth { condition.health }

    public var gauges: [(name: String, value: Int)] {
        let figures = log.figures
        return [
            ("log_bytes", log.bytes), ("log_file_bytes", log.fileBytes), ("log_restarts", figures.restarts),
            ("checkpoint_failures", figures.failures), ("readers_stopped", figures.stopped),
            ("reserved_bytes", room?.bytes ?? 0), ("background_failures", writes.failedSlices),
        ]
    }

    public var backgroundWork: BackgroundWork { writes.backgroundWork }

    public func listen(_ listener: (@Sendable () -> Void)?) { writes.listener.set(listener) }

    public func listenForRevocations(_ listener: (@Sendable () -> Void)?) {
        writes.revocations.set(listener)
    }

    /// Whether this process does the work in the background.
    var isExclusive: Bool { lock != nil }

    /// The schema of a tenant as of the last commit.
    public func schema(of tenant: Tenant) -> Schema { catalog.current.schemas[tenant] ?? Schema() }

    public func effort(of scan: RecordScan) -> ReadEffort {
        ScanSQL.index(for: scan, in: catalog.current).plan == .index ? .short : .long
    }

    public func read<Value: Sendable>(
        _ effort: ReadEffort, for party: ReadParty,
        _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) async throws -> Value {
        let catalog = catalog
        let advisor = advisor
        let zoneCache = zoneCache
        let holders = log.readers
        let gate = log.gate
        return try await readers.run(effort, for: party, seconds: Limits.querySeconds) { connection in
            // Taken last: the snapshot that follows is as new, or newer.
            let catalog = catalog.current
            let reader = SQLiteReader(
                connection: connection, catalog: catalog, indexAdvisor: advisor, zoneCache: zoneCache)
            if effort == .long { gate.pass(connection.deadline) }
            try connection.statement("BEGIN").run()
            let holder = holders.enter(connection)
            defer {
                holders.leave(holder)
                // However late it is: a transaction left open would be met by the next reader.
                connection.allow(until: nil)
                connection.endReading()
            }
            do {
                return try body(reader)
            } catch let error as StorageError {
                if holders.isStopped(holder) { throw StorageError.gaveWay() }
                // The catalog may be older than the snapshot and name an index that went in between.
                guard try reader.takeCatalogOfSnapshot() else { throw error }
                return try body(reader)
            }
        }
    }

    public func write<Value: Sendable>(
        _ effort: WriteEffort, _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) async throws -> Value {
        try await writes.perform(effort) { try body($0) }
    }

    /// Does slices of the work in the background by hand, for tests whose store does none by itself.
    ///
    /// - Returns: whether something is left to do.
    func runSlices(_ count: Int) async throws -> Bool {
        for _ in 0..<count {
            guard try await writes.runSlice() else { return false }
        }
        return !backgroundWork.isDone
    }

    public func close() async {
        await writes.stop()
        await readers.close()
        await checkpointer.stop()
        holder.set(nil)
        lock?.release()
    }

    private static func makeAdvisor(
        writes: WriteLoop, holder: AdvisorHolder, idleSeconds: Double
    ) -> IndexAdvisor {
        // The advisor asks the writer, and the writer tells the advisor when it is done.
        let advisor = IndexAdvisor(idleSeconds: idleSeconds) { shape, type in
            let done: @Sendable () -> Void = { holder.advisor?.done(shape, type: type) }
            writes.submit(
                WriteLoop.Job(
                    run: { writer in
                        let indexes = (writer.catalog.indexes[type] ?? []).filter { $0.state != .removing }
                        let isFull = indexes.count >= Limits.automaticIndexesPerType
                        let old = isFull ? holder.advisor?.leastUsed(of: indexes) : nil
                        if !isFull || old != nil { try writer.orderIndex(shape, type: type, replacing: old) }
                        return { _ in done() }
                    },
                    fail: { _ in done() }))
        }
        holder.set(advisor)
        return advisor
    }
}
