import PostgresAccess
import RecordStorage
import RecordStoragePostgres
import Synchronization
import TestSupport
import Testing

/// A real server whose session ends while it commits: the node finds out what became of the write before it answers.
@Suite(.serialized) struct LostCommitTests {
    /// A store on a server of the test's own, and a connection of somebody who ends sessions.
    private func withServer(
        _ body: (PostgresStore, PostgresConnection) async throws -> Void
    ) async throws {
        let cluster = try PostgresCluster()
        // Its own commits need not wait for a standby.
        let connection = try PostgresConnection(
            url: cluster.url, settings: ["synchronous_commit": "local"])
        let store = try PostgresStore(url: cluster.url)
        do { try await body(store, connection) } catch {
            await store.close()
            throw error
        }
        await store.close()
        connection.close()
    }

    private final class Names: Sendable {
        private let names = Mutex<Set<String>>([])

        var all: Set<String> { names.withLock { $0 } }

        func add(_ name: String) { names.withLock { _ = $0.insert(name) } }
    }

    private static func insert(_ name: String, _ store: PostgresStore) async throws {
        try await store.write { try $0.insert(OperatorRow(name: name, createdAt: 1)) }
    }

    private static func names(_ store: PostgresStore) async throws -> [String] {
        try await store.read(.short) { try $0.operators().map(\.name) }
    }

    @Test func `A write that was stored before its session ended succeeds`() async throws {
        try await withServer { store, connection in
            try await Self.insert("before", store)
            // A commit waits for a standby that never comes: it is on the disk then, and its answer is due.
            try connection.run(sql: "ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
            try connection.run(sql: "SELECT pg_reload_conf()")
            // The server takes the setting some time after that call: it is in effect when a commit waits.
            let stored = Names()
            let isEnded = Atomic(false)
            async let writes: Void = {
                while !isEnded.load(ordering: .acquiring) {
                    let name = "stored \(stored.all.count)"
                    try await Self.insert(name, store)
                    stored.add(name)
                }
            }()
            let ended = try await eventually {
                try connection.run(
                    sql: """
                        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                        WHERE wait_event = 'SyncRep' AND query = 'COMMIT'
                        """
                ).count > 0
            }
            #expect(ended)
            isEnded.store(true, ordering: .releasing)
            try connection.run(sql: "ALTER SYSTEM RESET synchronous_standby_names")
            try connection.run(sql: "SELECT pg_reload_conf()")
            try await writes
            #expect(try await Set(Self.names(store)) == stored.all.union(["before"]))
            try await Self.insert("then", store)
        }
    }

    @Test func `A write that was undone when its session ended fails, and says that nothing was written`()
        async throws
    {
        try await withServer { store, connection in
            // The session ends in the commit itself. It is the node's first one, of which no row tells yet.
            try connection.run(
                sql: """
                    CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(0); RETURN NULL; END $$
                    """)
            try connection.run(
                sql: """
                    CREATE CONSTRAINT TRIGGER die AFTER INSERT ON committer DEFERRABLE INITIALLY DEFERRED
                    FOR EACH ROW EXECUTE FUNCTION die()
                    """)
            await #expect { try await Self.insert("undone", store) } throws: { error in
                (error as? StorageError)?.code == "STORAGE_UNREACHABLE"
            }
            try connection.run(sql: "DROP TRIGGER die ON committer")
            #expect(try await Self.names(store) == [])
            try await Self.insert("then", store)
            #expect(try await Self.names(store) == ["then"])
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `Writes for which a lost transaction had no room are done by the next one`() async throws {
        try await withServer { store, connection in
            try connection.run(
                sql: """
                    CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN
                        IF (SELECT count(*) FROM operator) > 1000 THEN
                            PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(0);
                        END IF;
                        RETURN NULL;
                    END $$
                    """)
            try connection.run(
                sql: """
                    CREATE CONSTRAINT TRIGGER die AFTER INSERT OR UPDATE ON committer
                    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION die()
                    """)
            let hasBegun = Atomic(false)
            let isReleased = Atomic(false)
            async let held: Void = store.write { _ in
                hasBegun.store(true, ordering: .releasing)
                while !isReleased.load(ordering: .acquiring) {}
            }
            // Begun alone, so that it is none of those that are lost.
            #expect(try await eventually { hasBegun.load(ordering: .acquiring) })
            let (stored, failed) = (Names(), Names())
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<64 {
                    group.addTask {
                        do {
                            try await store.write { store in
                                for number in 0..<100 {
                                    try store.insert(OperatorRow(name: "\(writer)-\(number)", createdAt: 1))
                                }
                            }
                            stored.add("\(writer)")
                        } catch let error as StorageError {
                            #expect(error.code == "STORAGE_UNREACHABLE", "\(error)")
                            failed.add("\(writer)")
                        }
                    }
                }
                try await Task.sleep(for: .milliseconds(500))
                isReleased.store(true, ordering: .releasing)
                try await group.waitForAll()
            }
            try await held
            #expect(stored.all.count + failed.all.count == 64)
            #expect(!failed.all.isEmpty)
            let names = try await Self.names(store)
            #expect(names.count == stored.all.count * 100)
            #expect(Set(names.map { $0.prefix { $0 != "-" } }) == Set(stored.all.map { $0[...] }))
        }
    }

    @Test func `Whatever moment a session ends at, what is answered is true`() async throws {
        try await withServer { store, connection in
            let stored = Names()
            let failed = Names()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        for number in 0..<150 {
                            let name = "\(writer)-\(number)"
                            do {
                                try await Self.insert(name, store)
                                stored.add(name)
                            } catch let error as StorageError {
                                #expect(error.code == "STORAGE_UNREACHABLE", "\(error)")
                                failed.add(name)
                                try await Task.sleep(for: .milliseconds(5))
                            }
                        }
                    }
                }
                for round in 0..<25 {
                    try await Task.sleep(for: .milliseconds(1 + round * 7_919 % 40))
                    // The session that writes is the one whose last statement was, or is, a commit of its own.
                    try connection.run(
                        sql: """
                            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                            WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
                            """)
                }
                try await group.waitForAll()
            }
            // Readers lost their sessions, too; the first to notice gets the error.
            var names: Set<String> = []
            _ = try await eventually {
                names = Set((try? await Self.names(store)) ?? [])
                return !names.isEmpty
            }
            #expect(names == stored.all)
            #expect(names.isDisjoint(with: failed.all))
        }
    }
}
