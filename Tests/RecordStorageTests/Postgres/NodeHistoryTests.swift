import PostgresAccess
import RecordStorage
import RecordStorageConformance
import RecordStoragePostgres
import TestSupport
import Testing

/// Histories of clients over nodes on one PostgreSQL whose sessions end at any moment.
@Suite(.serialized) struct NodeHistoryTests {
    @Test(arguments: Seed.some(3))
    func `Transactions have one order, whenever sessions end`(_ seed: Seed) async throws {
        try await withNodes { stores, cluster in
            let result = try await run(
                ListAppendHistory(stores), on: cluster, clients: 8, transactions: 40, seed)
            for finding in result.findings { Issue.record("\(finding)") }
            #expect(result.stored > 100 && result.refused > 0)
        }
    }

    /// `STRATUS_SOAK=500 scripts/laws.sh NodeHistory` runs 10,000.
    @Test func `Short histories have one order, whenever sessions end`() async throws {
        try await withNodes { stores, cluster in
            for (number, seed) in Seed.some(20).enumerated() {
                var history: ListAppendHistory?
                // The session that makes its zone may have been ended by the one before.
                _ = try await eventually {
                    do {
                        history = try await ListAppendHistory(stores, zone: "Zone\(number)")
                    } catch let error as StorageError where error.isTemporary {
                        return false
                    }
                    return true
                }
                let result = try await run(
                    #require(history), on: cluster, clients: 6, transactions: 6, seed)
                for finding in result.findings { Issue.record("\(seed.testDescription): \(finding)") }
            }
        }
    }

    private func withNodes(_ body: ([any RecordStore], PostgresCluster) async throws -> Void) async throws {
        let cluster = try PostgresCluster()
        let nodes = (try PostgresStore(url: cluster.url), try PostgresStore(url: cluster.url))
        try await body([nodes.0, nodes.1], cluster)
        await nodes.0.close()
        await nodes.1.close()
    }

    /// Runs a history while all sessions of the nodes are ended again and again.
    private func run(
        _ history: ListAppendHistory, on cluster: PostgresCluster, clients: Int, transactions: Int,
        _ seed: Seed
    ) async throws -> (findings: [String], stored: Int, refused: Int, unknown: Int) {
        try await withThrowingTaskGroup(of: Void.self) { group in
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
            let result = try await history.run(clients: clients, transactions: transactions, seed)
            group.cancelAll()
            try await group.waitForAll()
            return result
        }
    }
}
