import PostgresAccess
import RecordStorageConformance
import RecordStoragePostgres
import TestSupport
import Testing

/// Histories of clients over nodes on one PostgreSQL whose sessions end at any moment.
@Suite(.serialized) struct NodeHistoryTests {
    @Test(arguments: Seed.some(3))
    func `Transactions have one order, whenever sessions end`(_ seed: Seed) async throws {
        let cluster = try PostgresCluster()
        let nodes = (try PostgresStore(url: cluster.url), try PostgresStore(url: cluster.url))
        let history = try await ListAppendHistory([nodes.0, nodes.1])
        let (findings, stored, refused, _) = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let killer = try PostgresConnection(url: cluster.url)
                defer { killer.close() }
                var random = seed.random
                while !Task.isCancelled {
                    // By what was done, not by time: on a slow machine nothing would come through.
                    let next = history.storedCount + random.int(4...20)
                    while history.storedCount < next, !Task.isCancelled {
                        try? await Task.sleep(for: .milliseconds(1))
                    }
                    try killer.run(
                        sql: """
                            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                            WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
                            """)
                }
            }
            let result = try await history.run(clients: 8, transactions: 40, seed)
            group.cancelAll()
            try await group.waitForAll()
            return result
        }
        for finding in findings { Issue.record("\(finding)") }
        #expect(stored > 100 && refused > 0)
        await nodes.0.close()
        await nodes.1.close()
    }
}
