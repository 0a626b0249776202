internal import DequeModule

/// Writes that could not have a lock in the short time that they may hold everybody up for it: they are tried again one
/// at a time, in their order, between the writes of others.
///
/// A change of a table waits for whoever reads it. Were it waited for at once, a reader of ten seconds would make all
/// writes of the node wait as long.
struct PostponedWrites {
    private var jobs: Deque<PostgresCommitter.Job> = []
    /// When the first may be tried again; nil where there is none.
    private(set) var nextTry: ContinuousClock.Instant?

    var count: Int { jobs.count }

    /// Takes in one that was tried; none is tried again before a delay is over.
    mutating func add(_ job: PostgresCommitter.Job, delay: Duration) {
        jobs.append(job)
        nextTry = .now + delay
    }

    /// The first, once it may be tried; the others may follow it at once, as long as nothing is added.
    mutating func take() -> PostgresCommitter.Job? {
        guard let nextTry, nextTry <= .now, let job = jobs.popFirst() else { return nil }
        if jobs.isEmpty { self.nextTry = nil }
        return job
    }
}
