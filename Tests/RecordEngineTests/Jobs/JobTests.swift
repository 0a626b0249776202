import RecordEngine
import RecordStorage
import Synchronization
import TestSupport
import Testing

/// Jobs that nodes share, with two nodes on one PostgreSQL.
@Suite struct JobTests {
    private final class Counter: Sendable {
        private let value = Mutex(0)

        var count: Int { value.withLock { $0 } }

        func add() { value.withLock { $0 += 1 } }
    }

    private func withNodes(_ body: ([RecordService], [any RecordStore]) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        let stores = [try StoreEngine.postgres.open(directory), try StoreEngine.postgres.open(directory)]
        let services = stores.map { store in
            RecordService(
                store: store, secret: ServiceSecret(bytes: Array(repeating: 7, count: 32)),
                environment: ServiceEnvironment(now: { 0 }, random: { Array(repeating: 0, count: $0) }))
        }
        let result: Result<Void, any Error>
        do { result = .success(try await body(services, stores)) } catch { result = .failure(error) }
        for store in stores { await store.close() }
        try result.get()
    }

    @Test func `Two nodes do a job once between them, however long it takes`() async throws {
        try await withNodes { nodes, _ in
            let job = StoreJob(name: "long", intervalSeconds: 3_600, leaseSeconds: 1)
            let times = Counter()
            let done = try await withThrowingTaskGroup(of: Bool.self) { group in
                for node in nodes {
                    group.addTask {
                        try await node.run(job) {
                            times.add()
                            try await Task.sleep(for: .milliseconds(1_500))
                        }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(done == 1 && times.count == 1)
            for node in nodes {
                let isDue = try await node.run(job, {})
                #expect(!isDue)
            }
        }
    }

    @Test func `What failed is another node's at once, and what a dead node did after its lease`()
        async throws
    {
        try await withNodes { nodes, stores in
            let job = StoreJob(name: "failing", intervalSeconds: 3_600, leaseSeconds: 1)
            await #expect(throws: TestFailure.self) {
                try await nodes[0].run(job) { throw TestFailure("It broke.") }
            }
            let begun = Counter()
            let hanging = Task {
                try await nodes[0].run(job) {
                    begun.add()
                    try await Task.sleep(for: .seconds(600))
                }
            }
            let hasBegun = try await eventually { begun.count == 1 }
            #expect(hasBegun)
            let isFree = try await nodes[1].run(job, {})
            #expect(!isFree)
            // The node loses its database, so it cannot keep the lease: the other one takes over, and it gives up.
            await stores[0].close()
            let isTaken = try await eventually { try await nodes[1].run(job, {}) }
            #expect(isTaken)
            await #expect(throws: CancellationError.self) { try await hanging.value }
        }
    }
}
