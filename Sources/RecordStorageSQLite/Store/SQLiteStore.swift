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

    private let lock: DirectoryLock?
    let catalog: SharedCatalog
    private let readers: ConnectionPool
    let writes: WriteLoop
    private let checkpointer: Checkpointer
    let advisor: IndexAdvisor
    private let holder = AdvisorHolder()
    private let zoneCache = DefaultZoneCache()

    /// The name of the database file in its directory.
    public static let fileName = "stratus.sqlite"
    /// Short reads run on the callers' threads, of which there are as many as cores.
    private static let shortReaders = max(2, ProcessInfo.processInfo.activeProcessorCount)
    private static let longReaders = 2
    /// The memory for pages: of all short readers together, of one long reader, of the writer. What is
    /// not there comes from the system's cache, at the price of a call: more memory here makes pages faster.
    private static let shortReadersCacheKiB = 28_672
    private static let longReaderCacheKiB = 2_048
    private static let writerCacheKiB = 8_192

    /// Opens the store of a directory, making both where they are missing.
    ///
    /// - Throws: `StorageError`: locked by another server, damaged, of a newer version, or not writable.
    public init(directory: String, sharing: Sharing = .exclusive) throws {
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
        try Migrations.run(path: path)

        let writer = try Connection(path: path, role: .writer, cacheKiB: Self.writerCacheKiB)
        let catalog = SharedCatalog(try Catalog.load(writer))
        let checkpoints = try Connection(path: path, role: .checkpointer, cacheKiB: 1_024)
        checkpointer = Checkpointer(connection: checkpoints, catalog: catalog, path: path)
        let writes = WriteLoop(connection: writer, catalog: catalog)
        func readers(_ count: Int, cacheKiB: Int) throws -> [Connection] {
            try (0..<count).map { _ in try Connection(path: path, role: .reader, cacheKiB: cacheKiB) }
        }
        self.readers = ConnectionPool(
            short: try readers(Self.shortReaders, cacheKiB: Self.shortReadersCacheKiB / Self.shortReaders),
            long: try readers(Self.longReaders, cacheKiB: Self.longReaderCacheKiB))
        self.catalog = catalog
        self.writes = writes
        advisor = Self.makeAdvisor(writes: writes, holder: holder)
    }

    public var health: StoreHealth { writes.health }

    /// The schema of a tenant as of the last commit.
    public func schema(of tenant: Tenant) -> Schema { catalog.current.schemas[tenant] ?? Schema() }

    public func effort(of scan: RecordScan) -> ReadEffort {
        ScanSQL.index(for: scan, in: catalog.current).plan == .index ? .short : .long
    }

    public func read<Value: Sendable>(
        _ effort: ReadEffort, _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) async throws -> Value {
        let catalog = catalog.current
        let advisor = advisor
        let zoneCache = zoneCache
        return try await readers.run(effort, seconds: Limits.querySeconds) { connection in
            let reader = SQLiteReader(
                connection: connection, catalog: catalog, indexAdvisor: advisor, zoneCache: zoneCache)
            try connection.statement("BEGIN").run()
            defer {
                // However late it is: a transaction left open would be met by the next reader.
                connection.allow(seconds: nil)
                try? connection.statement("COMMIT").run()
            }
            do {
                return try body(reader)
            } catch let error as StorageError {
                // The catalog may be older than the snapshot and name an index that went in between.
                guard try reader.takeCatalogOfSnapshot() else { throw error }
                return try body(reader)
            }
        }
    }

    public func write<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) async throws -> Value {
        try await writes.perform { try body($0) }
    }

    public func close() async {
        await writes.stop()
        await readers.close()
        await checkpointer.stop()
        holder.set(nil)
        lock?.release()
    }

    private static func makeAdvisor(writes: WriteLoop, holder: AdvisorHolder) -> IndexAdvisor {
        // The advisor asks the writer, and the writer tells the advisor when it is done.
        let advisor = IndexAdvisor { shape, type in
            let done: @Sendable () -> Void = { holder.advisor?.done(shape, type: type) }
            writes.submit(
                WriteLoop.Job(
                    run: { writer in
                        let indexes = writer.catalog.indexes[type] ?? []
                        let isFull = indexes.count >= Limits.automaticIndexesPerType
                        let old = isFull ? holder.advisor?.leastUsed(of: indexes) : nil
                        if !isFull || old != nil { try writer.makeIndex(shape, type: type, dropping: old) }
                        return { _ in done() }
                    },
                    fail: { _ in done() }))
        }
        holder.set(advisor)
        return advisor
    }
}
