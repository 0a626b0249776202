import RecordModel
import RecordStorage
import RecordStorageConformance
import SQLiteAccess
import Synchronization
import TestSupport
import Testing

@testable import RecordStorageSQLite

/// Long reads end when nobody waits for them any more, and keep nobody else waiting.
@Suite(.timeLimit(.minutes(10))) struct LongReadTests {
    private static func party(_ name: String) throws -> ReadParty {
        ReadParty(tenant: try Ground.tenant(), name: name)
    }

    /// Longer than any test waits, also on a machine that is busy: what ends sooner was ended.
    private static let longSeconds = 3_600

    /// Reads without end.
    private static func readEndlessly(_ pool: ConnectionPool, _ party: ReadParty) async throws {
        try await pool.run(.long, for: party, seconds: longSeconds) {
            _ = try $0.statement(DeadlineTests.endless).step()
        }
    }

    /// A read that takes no time.
    private static func look(_ pool: ConnectionPool, _ party: ReadParty) async throws {
        let found = try await pool.run(.long, for: party, seconds: longSeconds) {
            try $0.statement("SELECT 1").step()
        }
        #expect(found)
    }

    /// Runs with a pool of so many connections for long reads.
    private static func withPool(_ long: Int = 3, _ body: (ConnectionPool) async throws -> Void) async throws
    {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file.sqlite"
        let connections = try (0...long).map { _ in try Connection(path: path, role: .writer, cacheKiB: 512) }
        let pool = ConnectionPool(short: [connections[0]], long: Array(connections[1...]))
        do { try await body(pool) } catch {
            await pool.close()
            throw error
        }
        await pool.close()
    }

    /// Cancels a task, which has to end by that.
    private static func end(_ task: Task<Void, any Error>) async {
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `A read that is given up ends within moments, running or waiting`() async throws {
        try await Self.withPool { pool in
            let party = try Self.party("a")
            // More than there are places, so some of them wait.
            let tasks = (0..<8).map { _ in Task { try await Self.readEndlessly(pool, party) } }
            try await Task.sleep(for: .milliseconds(200))
            for task in tasks.reversed() { await Self.end(task) }
            // The connections are as good as new.
            for _ in 0..<8 { try await Self.look(pool, party) }
        }
    }

    /// How far a read is that runs on another thread.
    private final class ReadProgress: Sendable {
        private let state = Mutex((hasBegun: false, hasEnded: false))
        var hasBegun: Bool { state.withLock { $0.hasBegun } }
        var hasEnded: Bool { state.withLock { $0.hasEnded } }

        func begin() { state.withLock { $0.hasBegun = true } }
        func end() { state.withLock { $0.hasEnded = true } }
    }

    @Test func `The scan of a read that is given up stops`() async throws {
        try await Self.withPool { pool in
            let party = try Self.party("a")
            for _ in 0..<20 {
                let progress = ReadProgress()
                let task = Task {
                    try await pool.run(.long, for: party, seconds: Self.longSeconds) { connection in
                        progress.begin()
                        defer { progress.end() }
                        _ = try connection.statement(DeadlineTests.endless).step()
                    }
                }
                #expect(try await eventually { progress.hasBegun })
                await Self.end(task)
                #expect(progress.hasEnded)
            }
        }
    }

    @Test func `A read that was given up before it began does nothing`() async throws {
        try await Self.withPool { pool in
            let party = try Self.party("a")
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                try await Self.readEndlessly(pool, party)
            }
            await Self.end(task)
        }
    }

    @Test func `One party's reads do not keep another's waiting`() async throws {
        try await Self.withPool { pool in
            let loud = try Self.party("loud")
            let tasks = (0..<30).map { _ in Task { try await Self.readEndlessly(pool, loud) } }
            try await Task.sleep(for: .milliseconds(200))
            let quiet = try Self.party("quiet")
            // Were it kept waiting, it would be for an hour.
            for _ in 0..<20 { try await Self.look(pool, quiet) }
            for task in tasks { task.cancel() }
            for task in tasks { _ = await task.result }
        }
    }

    @Test func `Only so many reads of one party wait; the next is told to try again`() async throws {
        try await Self.withPool { pool in
            let party = try Self.party("a")
            let tasks = (0..<(Limits.waitingLongReadsPerParty + 12)).map { _ in
                Task { try await Self.readEndlessly(pool, party) }
            }
            let error = try await #require(
                throws: StorageError.self,
                performing: {
                    // Some of them may still be on their way.
                    while true { try await Self.refused(pool, party) }
                })
            #expect(error.code == "STORAGE_BUSY" && error.isTemporary)
            let other = try Self.party("other")
            try await Self.look(pool, other)
            for task in tasks { task.cancel() }
            for task in tasks { _ = await task.result }
        }
    }

    /// Reads, and gives up after a moment.
    private static func refused(_ pool: ConnectionPool, _ party: ReadParty) async throws {
        let task = Task { try await Self.look(pool, party) }
        let timer = Task {
            try await Task.sleep(for: .milliseconds(100))
            task.cancel()
        }
        defer { timer.cancel() }
        do { try await task.value } catch is CancellationError {}
    }

    @Test func `Waiting counts against the time that a read may take`() async throws {
        try await Self.withPool(1) { pool in
            let party = try Self.party("a")
            let (holding, waited) = (ReadProgress(), ReadProgress())
            let holder = Task {
                try await pool.run(.long, for: party, seconds: Self.longSeconds) { connection in
                    holding.begin()
                    defer { holding.end() }
                    _ = try connection.statement(DeadlineTests.endless).step()
                }
            }
            #expect(try await eventually { holding.hasBegun })
            let waiting = (0..<4).map { _ in
                Task {
                    try await pool.run(.long, for: party, seconds: 1) { _ in waited.begin() }
                }
            }
            for task in waiting {
                let error = await #expect(throws: StorageError.self) { try await task.value }
                #expect(error?.code == "STORAGE_TIMEOUT")
            }
            // All four gave up while the connection was still another's.
            #expect(!waited.hasBegun && !holding.hasEnded)
            await Self.end(holder)
        }
    }

    @Test func `A match that takes minutes for a single row ends as well`() async throws {
        try await Self.withPool { pool in
            let party = try Self.party("a")
            let progress = ReadProgress()
            let task = Task {
                try await pool.run(.long, for: party, seconds: Self.longSeconds) { connection in
                    progress.begin()
                    // What LIKE does for '?' grows with the pattern; CONTAINS reads a text once, and is never long.
                    let sql = """
                        SELECT stratus_text(printf('%.*c', 1000000, 'a'), 'like',
                            '*' || printf('%.*c', 400000, '?') || 'b*', 0)
                        """
                    _ = try connection.statement(sql).step()
                }
            }
            #expect(try await eventually { progress.hasBegun })
            await Self.end(task)
        }
    }
}
