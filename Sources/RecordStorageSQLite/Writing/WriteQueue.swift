import DequeModule
import RecordStorage

/// The writes that wait for the writing thread. Short ones do not wait for all long ones that came before them, and a long one
/// waits for no more than one commit's worth of short ones: each commit begins with the first of them.
struct WriteQueue {
    private var short: Deque<WriteLoop.Job> = []
    private var long: Deque<WriteLoop.Job> = []

    /// How many wait.
    var count: Int { short.count + long.count }

    /// Adds a write after those of its kind.
    mutating func append(_ job: WriteLoop.Job) {
        switch job.effort {
        case .short: short.append(job)
        case .long: long.append(job)
        }
    }

    /// Takes what the next commit is to do, in its order: the first long write, the short ones, the other long ones.
    ///
    /// - Parameter most: how many at most, one or more.
    mutating func take(_ most: Int) -> [WriteLoop.Job] {
        assert(most > 0)
        var jobs: [WriteLoop.Job] = []
        if let first = long.popFirst() { jobs.append(first) }
        for _ in 0..<min(short.count, most - jobs.count) { jobs.append(short.removeFirst()) }
        for _ in 0..<min(long.count, most - jobs.count) { jobs.append(long.removeFirst()) }
        return jobs
    }

    /// Gives back what was taken last and not done: it comes before what was added since.
    mutating func putBack(_ jobs: ArraySlice<WriteLoop.Job>) {
        for job in jobs.reversed() {
            switch job.effort {
            case .short: short.prepend(job)
            case .long: long.prepend(job)
            }
        }
    }
}
