import Foundation
import PostgresAccess
import Synchronization
import TestSupport
import Testing

@Suite struct PostgresPoolTests {
    private func pool(_ count: Int, waitingLimit: Int = 1_000) throws -> PostgresPool {
        let url = try PostgresCluster.shared().url
        return PostgresPool(count: count, waitingLimit: waitingLimit) { try PostgresConnection(url: url) }
    }

    /// How many run at once.
    private final class Gauge: Sendable {
        private let counts = Mutex((now: 0, most: 0))

        var most: Int { counts.withLock { $0.most } }

        func enter() { counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }

        func leave() { counts.withLock { $0.now -= 1 } }
    }

    @Test func `Work runs on as many connections as there are, and each has its own`() async throws {
        let pool = try pool(4)
        let gauge = Gauge()
        let sum = try await withThrowingTaskGroup(of: Int64.self) { group in
            for number in 0..<200 {
                group.addTask {
                    try await pool.run { connection in
                        gauge.enter()
                        defer { gauge.leave() }
                        let statement = PostgresStatement("SELECT $1 + 1, pg_sleep(0.002)", .int8)
                        return try connection.run(statement, .int(Int64(number))).int(0, 0)
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == (1...200).reduce(0, +))
        #expect(gauge.most == 4)
        await pool.close()
        await #expect(throws: PostgresPool.Refusal.closed) { try await pool.run { _ in } }
    }

    /// The statements sleep for an hour: that the test ends at all proves that they were ended.
    @Test(.timeLimit(.minutes(10))) func `A task that is cancelled ends its statement, or leaves the queue`()
        async throws
    {
        let pool = try pool(1)
        let running = Task {
            try await pool.run { try $0.run(sql: "SELECT pg_sleep(3600)").count }
        }
        let waiting = Task { try await pool.run { try $0.run(sql: "SELECT pg_sleep(3600)").count } }
        try await Task.sleep(for: .milliseconds(200))
        waiting.cancel()
        // Whichever of them came first: both are told the same.
        await #expect(throws: CancellationError.self) { try await waiting.value }
        running.cancel()
        await #expect(throws: CancellationError.self) { try await running.value }
        #expect(try await pool.run { try $0.run(sql: "SELECT 5::int8").int(0, 0) } == 5)
        await pool.close()
    }

    /// Each cancellation comes at another moment: before the connection is had, while the statement is on its way, between
    /// two statements, and while the server sleeps for an hour.
    @Test(.timeLimit(.minutes(10)))
    func `A cancellation at any moment ends its own work, and nobody else's`() async throws {
        let pool = try pool(2)
        for round in 0..<200 {
            let victim = Task {
                try await pool.run { connection in
                    for _ in 0..<20 { try connection.run(sql: "SELECT 1") }
                    try connection.run(sql: "SELECT pg_sleep(3600)")
                }
            }
            let neighbour = Task {
                try await pool.run {
                    try $0.run(PostgresStatement("SELECT $1 + 0", .int8), .int(Int64(round))).int(0, 0)
                }
            }
            try await Task.sleep(for: .microseconds(round * 40))
            victim.cancel()
            await #expect(throws: CancellationError.self) { try await victim.value }
            #expect(try await neighbour.value == Int64(round))
            let next = try await pool.run { try $0.run(sql: "SELECT 7::int8").int(0, 0) }
            #expect(next == 7)
        }
        await pool.close()
    }

    @Test func `A connection that was lost is opened again`() async throws {
        let pool = try pool(1)
        for _ in 0..<3 {
            await #expect(throws: PostgresFailure.self) {
                try await pool.run { try $0.run(sql: "SELECT pg_terminate_backend(pg_backend_pid())").count }
            }
            #expect(try await pool.run { try $0.run(sql: "SELECT 1::int8").int(0, 0) } == 1)
        }
        await pool.close()
    }

    @Test func `A transaction that work leaves open is rolled back`() async throws {
        let pool = try pool(1)
        let table = "left_open_\(UUID().uuidString.prefix(8).lowercased())"
        try await pool.run { _ = try $0.run(sql: "CREATE TABLE \(table) (k int8)") }
        try await pool.run {
            try $0.run(sql: "BEGIN")
            try $0.run(sql: "INSERT INTO \(table) VALUES (1)")
        }
        #expect(try await pool.run { try $0.run(sql: "SELECT count(*) FROM \(table)").int(0, 0) } == 0)
        await pool.close()
    }

    @Test func `More than may wait are refused at once`() async throws {
        let pool = try pool(1, waitingLimit: 2)
        let tasks = (0..<12).map { _ in
            Task { try await pool.run { try $0.run(sql: "SELECT pg_sleep(0.2)").count } }
        }
        var refused = 0
        for task in tasks {
            switch await task.result {
            case .success: break
            case .failure(PostgresPool.Refusal.busy): refused += 1
            case .failure(let error): throw error
            }
        }
        #expect(refused >= 9)
        await pool.close()
    }
}
