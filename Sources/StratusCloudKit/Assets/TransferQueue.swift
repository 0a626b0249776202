internal import Synchronization

/// Does jobs a few at once, and reports what happens in the caller's task, one thing at a time.
enum TransferQueue {
    /// How many jobs are done at once.
    static let width = 4

    private enum Event<Outcome: Sendable>: Sendable {
        case progress(Int, Double)
        case done(Int, Outcome)
    }

    /// Does all jobs, also when the task is cancelled: a job finds that out for itself.
    ///
    /// - Parameters:
    ///   - perform: does one job and reports how much of it is done, below 1.
    ///   - onProgress: called with the number of a job that is not done yet, and how much of it is.
    ///   - onOutcome: called with the result of each job, in the order of the jobs.
    static func run<Job: Sendable, Outcome: Sendable>(
        _ jobs: [Job],
        perform: @escaping @Sendable (Job, _ progress: @escaping @Sendable (Double) -> Void) async -> Outcome,
        onProgress: (Int, Double) -> Void, onOutcome: (Int, Outcome) -> Void
    ) async {
        let (events, continuation) = AsyncStream<Event<Outcome>>.makeStream()
        await withTaskGroup(of: (Int, Outcome).self) { group in
            var started = 0
            func start() {
                guard started < jobs.count else { return }
                let index = started
                started += 1
                group.addTask {
                    let outcome = await perform(jobs[index]) { continuation.yield(.progress(index, $0)) }
                    continuation.yield(.done(index, outcome))
                    return (index, outcome)
                }
            }
            var line = OutcomeLine<Outcome>()
            for _ in 0..<width { start() }
            if !jobs.isEmpty {
                for await event in events {
                    switch event {
                    case .progress(let index, let fraction): onProgress(index, fraction)
                    case .done(let index, let outcome):
                        line.add(index, outcome, deliver: onOutcome)
                        start()
                    }
                    if line.delivered == jobs.count { break }
                }
            }
            // A cancelled task reads no stream to its end; the group still gives what came of the jobs.
            while line.delivered < jobs.count, let (index, outcome) = await group.next() {
                line.add(index, outcome, deliver: onOutcome)
                start()
            }
        }
        continuation.finish()
    }
}

/// Outcomes that wait until those before them have come.
private struct OutcomeLine<Outcome> {
    private(set) var delivered = 0
    private var waiting: [Int: Outcome] = [:]

    /// Takes the outcome of a job; one that was taken before is passed over.
    mutating func add(_ index: Int, _ outcome: Outcome, deliver: (Int, Outcome) -> Void) {
        guard index >= delivered else { return }
        waiting[index] = outcome
        while let next = waiting.removeValue(forKey: delivered) {
            deliver(delivered, next)
            delivered += 1
        }
    }
}

/// Adds up the bytes of a record's files, and reports how much of them has moved, in steps of a hundredth.
///
/// It never goes back, also when a file has to be moved again, and leaves the last step to who knows that all is done.
final class ProgressMeter: Sendable {
    private struct State {
        var moved: [Int64]
        var told: Int64 = 0
    }

    private let total: Int64
    private let state: Mutex<State>
    private let tell: @Sendable (Double) -> Void

    init(sizes: [Int64], tell: @escaping @Sendable (Double) -> Void) {
        total = sizes.reduce(0, +)
        state = Mutex(State(moved: sizes.map { _ in 0 }))
        self.tell = tell
    }

    /// Notes how many bytes of a file have moved so far.
    func note(_ bytes: Int64, ofFile index: Int) {
        state.withLock { state in
            guard total > 0, state.moved.indices.contains(index), bytes > state.moved[index] else { return }
            state.moved[index] = bytes
            let hundredths = Int64(Double(state.moved.reduce(0, +)) / Double(total) * 100)
            guard hundredths > state.told, hundredths < 100 else { return }
            state.told = hundredths
            // Under the lock, so that steps are reported in their order.
            tell(Double(hundredths) / 100)
        }
    }
}
