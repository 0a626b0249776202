import Dispatch
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

    /// - Parameter standing: Called when all of them stand in line.
    private func crowd(
        _ executor: PartyExecutor, _ sight: StepSight, of count: Int, steps: Int, standing: () -> Void = {}
    ) async {
        await withTaskGroup { group in
            for _ in 0..<count {
                group.addTask(executorPreference: executor) {
                    for _ in 0..<steps {
                        sight.step()
                        await Task.yield()
                    }
                }
            }
            standing()
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

    /// In a line of one thread, so that only the order of the line counts and not how busy the machine is.
    @Test func `Who comes alone waits for a few steps of a crowd, not for all that stand there`() async {
        let (threads, sight) = (DispatchQueue(label: "threads"), StepSight())
        let waits = Mutex<[Int]>([])
        @Sendable func comeAlone(times: Int) {
            guard times > 0 else { return }
            let before = sight.begun.load(ordering: .relaxed)
            threads.async {
                waits.withLock { $0.append(sight.begun.load(ordering: .relaxed) - before) }
                comeAlone(times: times - 1)
            }
        }
        threads.suspend()
        await crowd(PartyExecutor(width: Self.width, threads: threads), sight, of: 500, steps: 10) {
            threads.async { comeAlone(times: 20) }
            threads.resume()
        }
        let seen = waits.withLock { $0 }
        #expect(seen.count == 20)
        #expect(seen.allSatisfy { $0 <= Self.width }, "steps between: \(seen)")
        // The crowd was there all the while.
        #expect(seen.reduce(0, +) >= 10 * Self.width)
    }
}
