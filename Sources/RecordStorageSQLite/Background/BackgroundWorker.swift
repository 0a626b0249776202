import RecordStorage
import SQLiteAccess

/// What the writing thread does between the writes of others. Only that thread uses it.
final class BackgroundWorker {
    /// What a slice is to do, found out before its transaction begins.
    enum Task {
        case job(BackgroundJob)
        case compaction(CompactionWalk)
        case housekeeping

        /// What the slice's commit waits for. Sequence numbers that clients learn of must not be given again after a
        /// power cut; all else that a cut takes back is done again.
        var durability: Connection.Durability {
            if case .job(let job) = self, job.kind == .type { .disk } else { .system }
        }
    }

    private(set) var pace: BackgroundPace
    private let horizon: DeletionHorizon
    /// Milliseconds since 1970.
    private let clock: @Sendable () -> Int64
    private var walk: CompactionWalk?
    private var nextHousekeeping: UInt64 = 0
    private var lastHorizon: Int64 = 0
    /// Jobs that failed: the others go first.
    private var putOff: Set<Int64> = []

    init(
        _ settings: BackgroundPace.Settings, horizon: DeletionHorizon, clock: @escaping @Sendable () -> Int64
    ) {
        pace = BackgroundPace(settings)
        // A store that is open for a moment only has nothing to look after.
        nextHousekeeping = Uptime.nanoseconds + UInt64(min(settings.housekeepingSeconds, 60) * 1e9)
        self.horizon = horizon
        self.clock = clock
    }

    /// Notes that there may be something to do.
    func wake() { pace.hasWork = true }

    /// What comes next; nil where nothing is to be done.
    func next(_ writer: SQLiteWriter) throws -> Task? {
        if let job = try writer.nextJob(besides: putOff) { return .job(job) }
        if !putOff.isEmpty {
            putOff = []
            if let job = try writer.nextJob(besides: []) { return .job(job) }
        }
        if let walk { return .compaction(walk) }
        return Uptime.nanoseconds >= nextHousekeeping ? .housekeeping : nil
    }

    /// Does a slice of a task, inside a transaction.
    func work(on task: Task, _ writer: SQLiteWriter) throws {
        var budget = WorkBudget(seconds: pace.settings.sliceSeconds, rows: pace.settings.rowsPerSlice)
        switch task {
        case .job(let job): _ = try writer.work(on: job, within: &budget)
        case .compaction(var walk):
            let isThrough = try writer.compact(&walk, within: &budget)
            self.walk = isThrough ? nil : walk
        case .housekeeping:
            let old = try writer.noteMoment(clock(), horizon)
            if old > lastHorizon { walk = CompactionWalk(horizon: old) }
            lastHorizon = max(lastHorizon, old)
            nextHousekeeping = Uptime.nanoseconds + UInt64(pace.settings.housekeepingSeconds * 1e9)
        }
    }

    /// Notes that a slice has ended well.
    func ended(since start: UInt64, writesWait: Bool) {
        let now = Uptime.nanoseconds
        pace.sliceEnded(at: now, after: now - start, writesWait: writesWait)
        // It may have found more: the next look tells.
        pace.hasWork = true
    }

    /// Notes that a slice failed, of which nothing stays: it is tried again after a pause, and after other work.
    func failed(_ task: Task?) {
        if case .job(let job)? = task { putOff.insert(job.id) }
        pace.sliceFailed(at: Uptime.nanoseconds)
    }

    /// Notes that nothing was done, since there will be room for it in a moment.
    func waited() { pace.waited(at: Uptime.nanoseconds) }

    /// Whether what is left was last counted a while ago: with very many jobs, counting them takes a while itself.
    var isTimeToPublish: Bool {
        let now = Uptime.nanoseconds
        guard now >= nextPublication || !pace.settings.isAutomatic else { return false }
        nextPublication = now + Self.publicationPause
        return true
    }

    private var nextPublication: UInt64 = 0
    private static let publicationPause: UInt64 = 250_000_000

    /// Notes that nothing is left to do.
    func rest() { pace.restUntilChange() }

    /// How long the thread may sleep before the next look, in nanoseconds; nil for ever.
    var sleep: UInt64? {
        guard pace.settings.isAutomatic else { return nil }
        let now = Uptime.nanoseconds
        if let sleep = pace.sleep(at: now) { return sleep }
        let untilHousekeeping = nextHousekeeping > now ? nextHousekeeping - now : 0
        return min(Self.longestSleep, untilHousekeeping)
    }

    /// Whether it is time for a slice.
    var isDue: Bool {
        guard pace.settings.isAutomatic else { return false }
        let now = Uptime.nanoseconds
        return pace.sleep(at: now) == 0 || pace.sleep(at: now) == nil && now >= nextHousekeeping
    }

    /// Other processes may leave work as well: half a second is how soon their changes are noticed.
    private static let longestSleep: UInt64 = 500_000_000
}
