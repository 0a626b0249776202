import Foundation
import RecordStorage
import SQLiteAccess

/// All connections of a store, opened one after the other: each where the one before left the files.
struct Connections {
    let writer: Connection
    let checkpointer: Connection
    let short: [Connection]
    let long: [Connection]

    /// Short reads run on the callers' threads, of which there are as many as cores.
    private static let shortReaders = max(2, ProcessInfo.processInfo.activeProcessorCount)
    /// One more than scans keep a small machine busy: a party may hold all but one of them.
    private static let longReaders = 3
    /// The memory for pages: of all short readers together, of one long reader, of the writer. What is
    /// not there comes from the system's cache, at the price of a call: more memory here makes pages faster.
    private static let shortReadersCacheKiB = 28_672
    private static let longReaderCacheKiB = 2_048
    static let writerCacheKiB = 8_192

    /// - Throws: `StorageError`; nothing is open then.
    init(path: String) throws {
        // It stays open until the others are: the last connection that closes moves the whole log.
        let migrations = try Migrations.run(path: path)
        defer { migrations.close() }
        writer = try Connection(path: path, role: .writer, cacheKiB: Self.writerCacheKiB)
        checkpointer = try Connection(path: path, role: .checkpointer, cacheKiB: 1_024)
        func readers(_ count: Int, cacheKiB: Int) throws -> [Connection] {
            try (0..<count).map { _ in try Connection(path: path, role: .reader, cacheKiB: cacheKiB) }
        }
        short = try readers(Self.shortReaders, cacheKiB: Self.shortReadersCacheKiB / Self.shortReaders)
        long = try readers(Self.longReaders, cacheKiB: Self.longReaderCacheKiB)
    }
}
