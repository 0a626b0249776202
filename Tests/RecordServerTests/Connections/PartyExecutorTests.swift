import Synchronization
import Testing

@testable import RecordServer

/// What was seen of the steps of a crowd.
final class StepSight: Sendable {
    let running = Atomic<Int>(0)
    let most = Atomic<Int>(0)
    let begun = Atomic<Int>(0)

    /// A step that keeps its thread busy for a while.
    func step() {
        begun.add(1, ordering: .relaxed)
        most.max(running.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
        let end = ContinuousClock.now + .microseconds(200)
        while ContinuousClock.now < end {}
        running.subtract(1, ordering: .relaxed)
    }
}

@Suite struct PartyExecutorTests {
    private static let width = 3
    /// How many steps the largest crowd has.
    private static let all = 5_000

    private func crowd(_ executor: PartyExecutor, _ sight: StepSight, of count: Int, steps: Int) async {
        await withTaskGroup { group in
            for _ in 0..<count {
                group.addTask(executorPreference: executor) {
                    for _ in 0..<steps {
                        sight.step()
                        await Task.yield()
                    }
                }
            }
        }
    }

    @Test func `All steps of a party run, and only so many at once`() async {
        let sight = StepSight()
        await crowd(PartyExecutor(width: Self.width), sight, of: 64, steps: 20)
        #expect(sight.begun.load(ordering: .relaxed) == 64 * 20)
        #expect(sight.running.load(ordering: .relaxed) == 0)
        #expect(sight.most.load(ordering: .relaxed) <= Self.width)
    }

    @Test func `What waits holds no place`() async {
        let executor = PartyExecutor(width: 1)
        let (gate, opening) = AsyncStream<Void>.makeStream()
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        await withTaskGroup { group in
            for _ in 0..<10 {
                group.addTask(executorPreference: executor) {
                    arrival.yield()
                    for await _ in gate {}
                }
            }
            // All ten begin, though none of them can end.
            var arrived = arrivals.makeAsyncIterator()
            for _ in 0..<10 { _ = await arrived.next() }
            opening.finish()
        }
    }

    @Test func `Who comes alone waits for a few steps of a crowd, not for all that stand there`() async {
        let (executor, sight) = (PartyExecutor(width: Self.width), StepSight())
        async let done: Void = crowd(executor, sight, of: 500, steps: Self.all / 500)
        await eventuallyBegun(sight, 100)
        var waits: [Int] = []
        for _ in 0..<20 {
            let before = sight.begun.load(ordering: .relaxed)
            let after = await Task.detached { sight.begun.load(ordering: .relaxed) }.value
            waits.append(after - before)
            await eventuallyBegun(sight, after + 50)
        }
        await done
        // Those in line before it, those that run, and as many again: other tests of the process use the same threads.
        #expect(waits.sorted()[waits.count / 2] <= 4 * Self.width, "steps between: \(waits)")
    }

    private func eventuallyBegun(_ sight: StepSight, _ count: Int) async {
        while sight.begun.load(ordering: .relaxed) < min(count, Self.all) { await Task.yield() }
    }
}
