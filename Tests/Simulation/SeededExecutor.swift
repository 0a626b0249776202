import Glibc
import Synchronization

/// All of Swift's jobs of this process, run on one thread in an order that somebody else decides.
///
/// The runtime has a hook for jobs that are to run somewhere; it belongs to the process, so simulations have a process of
/// their own. Jobs of other threads (a timer of the machine's clock that ended) wait until a simulation is over: time in it is
/// not the machine's.
final class SeededExecutor: Sendable {
    private struct State {
        var ready: [UnownedJob] = []
        var foreign: [UnownedJob] = []
    }

    static let shared = SeededExecutor()

    private let state = Mutex(State())
    private let thread = pthread_self()

    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    /// Takes all jobs from now on.
    func takeOver() {
        guard let symbol = dlsym(nil, "swift_task_enqueueGlobal_hook") else {
            fatalError("This Swift has no hook for jobs, so nothing can be simulated.")
        }
        symbol.assumingMemoryBound(to: Hook?.self).pointee = { job, _ in SeededExecutor.shared.add(job) }
    }

    private func add(_ job: UnownedJob) {
        let isForeign = pthread_equal(pthread_self(), thread) == 0
        state.withLock { if isForeign { $0.foreign.append(job) } else { $0.ready.append(job) } }
    }

    /// How many jobs are ready to run.
    var count: Int { state.withLock { $0.ready.count } }

    /// Runs the job at a place of those that are ready.
    func run(at index: Int) {
        let job = state.withLock { $0.ready.remove(at: index) }
        swiftJobRun(job, genericExecutor)
    }

    /// Runs everything that is left, also what came from other threads.
    func drain() {
        while true {
            state.withLock { state in
                state.ready += state.foreign
                state.foreign = []
            }
            guard count > 0 else { return }
            run(at: 0)
        }
    }

    /// Nobody's thread in particular, as the runtime writes it.
    private let genericExecutor = unsafeBitCast((0, 0), to: UnownedSerialExecutor.self)
}

@_silgen_name("swift_job_run")
private func swiftJobRun(_ job: UnownedJob, _ executor: UnownedSerialExecutor)
