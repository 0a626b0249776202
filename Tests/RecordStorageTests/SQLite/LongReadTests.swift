import RecordModel
import RecordStorage
import SQLiteAccess
import TestSupport
import Testing

@testable import RecordStorageSQLite

/// Long reads end when nobody waits for them any more, and keep nobody else waiting.
@Suite struct LongReadTests {
    private static func party(_ name: String) throws -> ReadParty {
        ReadParty(tenant: try Ground.tenant(), name: name)
    }

    /// Reads without end.
    private static func readEndlessly(_ store: SQLiteStore, _ party: ReadParty) async throws {
        try await store.read(.long, for: party) { reader in
            let reader = try #require(reader as? SQLiteReader)
            _ = try reader.connection.statement(DeadlineTests.endless).step()
        }
    }

    private static func run(_ body: (SQLiteStore) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        do { try await body(store) } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    /// How long a task takes to end once it is cancelled.
    private static func timeToEnd(_ task: Task<Void, any Error>) async -> Duration {
        let start = ContinuousClock.now
        task.cancel()
        _ = await task.result
        return ContinuousClock.now - start
    }

    @Test func `A read that is given up ends within moments, running or waiting`() async throws {
        try await Self.run { store in
            let party = try Self.party("a")
            // More than there are places, so some of them wait.
            let tasks = (0..<8).map { _ in Task { try await Self.readEndlessly(store, party) } }
            try await Task.sleep(for: .milliseconds(200))
            for task in tasks.reversed() {
                let time = await Self.timeToEnd(task)
                // 50 ms by themselves; the machine that runs the tests may be busy.
                #expect(time < .seconds(2), "\(time)")
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            // The connections are as good as new.
            for _ in 0..<8 {
                #expect(try await store.read(.long, for: party) { try $0.tenants() }.isEmpty)
            }
        }
    }

    @Test func `A read that was given up before it began does nothing`() async throws {
        try await Self.run { store in
            let party = try Self.party("a")
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                try await Self.readEndlessly(store, party)
            }
            #expect(await Self.timeToEnd(task) < .seconds(2))
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test func `One party's reads do not keep another's waiting`() async throws {
        try await Self.run { store in
            let loud = try Self.party("loud")
            let tasks = (0..<30).map { _ in Task { try await Self.readEndlessly(store, loud) } }
            try await Task.sleep(for: .milliseconds(200))
            let quiet = try Self.party("quiet")
            let start = ContinuousClock.now
            for _ in 0..<20 { _ = try await store.read(.long, for: quiet) { try $0.tenants() } }
            #expect(ContinuousClock.now - start < .seconds(4))
            for task in tasks { task.cancel() }
            for task in tasks { _ = await task.result }
        }
    }

    @Test func `Only so many reads of one party wait; the next is told to try again`() async throws {
        try await Self.run { store in
            let party = try Self.party("a")
            let tasks = (0..<(Limits.waitingLongReadsPerParty + 12)).map { _ in
                Task { try await Self.readEndlessly(store, party) }
            }
            let error = try await #require(
                throws: StorageError.self,
                performing: {
                    // Some of them may still be on their way.
                    while true { try await Self.refused(store, party) }
                })
            #expect(error.code == "STORAGE_BUSY" && error.isTemporary)
            let other = try Self.party("other")
            #expect(try await store.read(.long, for: other) { try $0.tenants() }.isEmpty)
            for task in tasks { task.cancel() }
            for task in tasks { _ = await task.result }
        }
    }

    /// Reads, and gives up after a moment.
    private static func refused(_ store: SQLiteStore, _ party: ReadParty) async throws {
        let task = Task { _ = try await store.read(.long, for: party) { try $0.tenants() } }
        let timer = Task {
            try await Task.sleep(for: .milliseconds(100))
            task.cancel()
        }
        defer { timer.cancel() }
        do { try await task.value } catch is CancellationError {}
    }

    @Test func `Waiting counts against the time that a read may take`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/file.sqlite"
        let connections = try (0..<2).map { _ in try Connection(path: path, role: .writer, cacheKiB: 512) }
        let pool = ConnectionPool(short: [connections[0]], long: [connections[1]])
        let party = try Self.party("a")
        let start = ContinuousClock.now
        let tasks = (0..<4).map { _ in
            Task {
                try await pool.run(.long, for: party, seconds: 1) {
                    _ = try $0.statement(DeadlineTests.endless).step()
                }
            }
        }
        for task in tasks {
            let error = await #expect(throws: StorageError.self) { try await task.value }
            #expect(error?.code == "STORAGE_TIMEOUT")
        }
        let time = ContinuousClock.now - start
        #expect(
            time >= .milliseconds(900) && time < .seconds(3), "all together, not one after the other: \(time)"
        )
        await pool.close()
    }

    @Test(arguments: ["like", "contains"])
    func `A match that takes seconds for a single row ends as well`(_ kind: String) async throws {
        try await Self.run { store in
            let party = try Self.party("a")
            let task = Task {
                try await store.read(.long, for: party) { reader in
                    let reader = try #require(reader as? SQLiteReader)
                    let text = "printf('%.*c', 1000000, 'a')"
                    let pattern =
                        kind == "like"
                        ? "'*' || printf('%.*c', 1000, 'a') || 'b'" : "printf('%.*c', 1000, 'a') || 'b'"
                    let sql = "SELECT stratus_text(\(text), '\(kind)', \(pattern), 0)"
                    _ = try reader.connection.statement(sql).step()
                }
            }
            try await Task.sleep(for: .milliseconds(100))
            #expect(await Self.timeToEnd(task) < .seconds(2))
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }
}
