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

    private final class Order: Sendable {
        private let value = Mutex<[String]>([])
        var names: [String] { value.withLock { $0 } }
        func note(_ name: String) { value.withLock { $0.append(name) } }
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

    @Test func `Whoever waits with one request does not wait for all of somebody's`() async throws {
        let budget = ByteBudget(capacity: 100, patience: .seconds(120))
        try await budget.enter(room: 100, taking: 100)
        let order = Order()
        var tasks: [Task<Void, any Error>] = []
        for (count, party) in [(20, "loud"), (1, "quiet")] {
            for _ in 0..<count {
                let before = budget.waiting
                tasks.append(
                    Task {
                        try await budget.enter(room: 100, taking: 100, of: .token(party))
                        order.note(party)
                        budget.give(100)
                    })
                #expect(try await eventually { budget.waiting == before + 1 })
            }
        }
        budget.give(100)
        for task in tasks { try await task.value }
        #expect(order.names.firstIndex(of: "quiet").map { $0 <= 1 } == true)
        #expect(budget.used == 0 && budget.waiting == 0)
    }

    @Test func `Those who come first may use more, and are let in before others`() async throws {
        let budget = ByteBudget(capacity: 100, preferred: 300, patience: .seconds(120))
        budget.add(290)
        #expect(budget.missing(room: 20) == 0)
        let other = Task { try await budget.enter(room: 20, taking: 20, of: .token("holder")) }
        #expect(try await eventually { budget.waiting == 1 })
        #expect(budget.missing(room: 20) == 210)
        let first = Task {
            try await budget.enter(room: 20, taking: 20, of: .token("new"), rank: .preferred)
        }
        #expect(try await eventually { budget.waiting == 2 })
        budget.give(10)
        try await first.value
        #expect(budget.used == 300 && budget.waiting == 1)
        budget.give(220)
        try await other.value
        #expect(budget.used == 100)
    }

    @Test func `A budget tells that it refuses, but not of whoever waits for its own`() async throws {
        let budget = ByteBudget(capacity: 100, patience: .milliseconds(20))
        try await budget.enter(room: 100, taking: 100)
        #expect(!budget.isRefusing)
        await #expect(throws: ServiceError.self) {
            try await budget.enter(room: 10, taking: 10, of: .token("a"))
        }
        let patient = ByteBudget(capacity: 100, patience: .seconds(120))
        try await patient.enter(room: 100, taking: 100)
        let leaving = Task { try await patient.enter(room: 10, taking: 10, of: .token("a")) }
        #expect(try await eventually { patient.waiting == 1 })
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        #expect(!patient.isRefusing, "who leaves was not refused")
    }
}
