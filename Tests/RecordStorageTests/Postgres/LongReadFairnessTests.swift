import PostgresAccess
import RecordModel
import RecordStorage
import RecordStorageConformance
import TestSupport
import Testing

@testable import RecordStoragePostgres

/// Long reads take turns on PostgreSQL as they do on SQLite, and leave connections to short ones.
@Suite(.timeLimit(.minutes(5))) struct LongReadFairnessTests {
    private static func party(_ name: String) throws -> ReadParty {
        ReadParty(tenant: try Ground.tenant(), name: name)
    }

    /// Keeps a connection for as long as a statement may run.
    private static func readSlowly(_ store: PostgresStore, _ party: ReadParty) async throws {
        try await store.read(.long, for: party) { reader in
            _ = try (reader as? PostgresReader)?.ask(PostgresCommand(sql: "SELECT pg_sleep(3600)"))
        }
    }

    @Test func `One party's reads keep neither another's nor short ones waiting`() async throws {
        let directory = try TemporaryDirectory()
        let store = try PostgresStore(url: StoreEngine.databaseURL(of: directory))
        let (loud, quiet) = (try Self.party("loud"), try Self.party("quiet"))
        let tasks = (0..<30).map { _ in Task { try await Self.readSlowly(store, loud) } }
        // Those that have a place are as many as one party may have.
        let isFull = try await eventually { store.longReads == PostgresStore.longReadCount - 1 }
        #expect(isFull)
        // Were they kept waiting, it would be until the others' statements end.
        for _ in 0..<20 {
            #expect(try await store.read(.long, for: quiet) { try $0.lastSequence() } == 0)
            #expect(try await store.read(.short, for: loud) { try $0.lastSequence() } == 0)
        }
        // Who leaves gives its place to the next, who leaves as well.
        for task in tasks { task.cancel() }
        for task in tasks { _ = await task.result }
        #expect(try await store.read(.long, for: loud) { try $0.lastSequence() } == 0)
        #expect(store.longReads == 0)
        await store.close()
    }

    @Test func `Only so many reads of one party wait; the next is told to try again`() async throws {
        let directory = try TemporaryDirectory()
        let store = try PostgresStore(url: StoreEngine.databaseURL(of: directory))
        let loud = try Self.party("loud")
        let most = PostgresStore.longReadCount - 1 + Limits.waitingLongReadsPerParty
        let refused = await withTaskGroup(of: String?.self) { group in
            for _ in 0...most {
                group.addTask {
                    do {
                        try await Self.readSlowly(store, loud)
                        return nil
                    } catch {
                        return (error as? StorageError)?.code
                    }
                }
            }
            // One more than may wait is refused at once; the others are given up then.
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        #expect(refused == "STORAGE_BUSY")
        await store.close()
    }

    @Test func `A scan that an index answers is short, and others are long`() async throws {
        let directory = try TemporaryDirectory()
        let store = try PostgresStore(url: StoreEngine.databaseURL(of: directory))
        let ground = try await Ground.make(store)
        try await store.write { try ground.save("a", ["n": .int64(1)], in: $0) }
        let sorted = ground.scan(sort: [SortKey(.column(try ground.column("n")), ascending: true)])
        #expect(store.effort(of: ground.scan()) == .short)
        #expect(store.effort(of: sorted) == .long)
        try await store.makeIndex(for: sorted)
        let isThere = try await eventually { store.effort(of: sorted) == .short }
        #expect(isThere)
        await store.close()
    }
}
