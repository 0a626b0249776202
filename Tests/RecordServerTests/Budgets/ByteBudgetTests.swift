import RecordModel
import Synchronization
import TestSeeds
import TestSupport
import Testing

@testable import RecordServer

@Suite struct ByteBudgetTests {
    private final class Counter: Sendable {
        private let value = Mutex(0)
        var count: Int { value.withLock { $0 } }

        @discardableResult
        func add(_ more: Int) -> Int {
            value.withLock { value in
                value += more
                return value
            }
        }
    }

    @Test(arguments: Seed.some(10))
    func `No more is taken than there is, and everybody gets in`(seed: Seed) async throws {
        let budget = ByteBudget(capacity: 1_000, patience: .seconds(120))
        let taken = Counter()
        var random = seed.random
        let sizes = (0..<300).map { _ in Int.random(in: 0...1_400, using: &random) }
        try await withThrowingTaskGroup { group in
            for size in sizes {
                group.addTask {
                    try await budget.enter(room: max(size, 100), taking: size)
                    let now = taken.add(size)
                    #expect(now <= max(1_000, size))
                    await Task.yield()
                    taken.add(-size)
                    budget.give(size)
                }
            }
            try await group.waitForAll()
        }
        #expect(budget.used == 0 && budget.waiting == 0)
    }

    @Test func `Who waits too long is told to try again`() async throws {
        let budget = ByteBudget(capacity: 100, patience: .milliseconds(20))
        try await budget.enter(room: 80, taking: 80)
        let error = await #expect(throws: ServiceError.self) { try await budget.enter(room: 21, taking: 21) }
        #expect(error?.code == .tryAgainLater && error?.retryAfterSeconds == 1)
        #expect(budget.waiting == 0 && budget.used == 80)
    }

    @Test func `Who gives up leaves the line, and lets those after it in`() async throws {
        let budget = ByteBudget(capacity: 100, patience: .seconds(120))
        try await budget.enter(room: 80, taking: 80)
        let large = Task { try await budget.enter(room: 100, taking: 100) }
        #expect(try await eventually { budget.waiting == 1 })
        let small = Task { try await budget.enter(room: 10, taking: 10) }
        #expect(try await eventually { budget.waiting == 2 }, "nobody overtakes")
        large.cancel()
        await #expect(throws: CancellationError.self) { try await large.value }
        try await small.value
        #expect(budget.used == 90 && budget.waiting == 0)
    }

    @Test func `Who only needs room comes in as there is room for it`() async throws {
        let budget = ByteBudget(capacity: 100, patience: .seconds(600))
        budget.add(150)
        let isIn = Counter()
        await withTaskGroup { group in
            for _ in 0..<10 {
                group.addTask {
                    // The others are told to leave at the end.
                    guard (try? await budget.enter(room: 40, taking: 0)) != nil else { return }
                    budget.add(40)
                    isIn.add(1)
                }
            }
            #expect((try? await eventually { budget.waiting == 10 }) == true)
            budget.give(90)
            #expect((try? await eventually { isIn.count == 1 }) == true)
            #expect(budget.waiting == 9)
            group.cancelAll()
        }
        #expect(isIn.count == 1 && budget.used == 100)
    }
}
