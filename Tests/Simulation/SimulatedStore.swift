import RecordModel
import RecordStorage
import RecordStorageMemory

/// The process is gone, and nobody gets an answer.
struct SimulatedCrash: Error {}

/// A store as one node has it: reads that wait, a loop that gathers writes and commits them together, and everything that can
/// happen between two of its steps. Who simulates decides which step comes next.
///
/// It is the engines' loop in small: a write runs in a savepoint of its own, callers are told after the commit, a commit whose
/// answer was lost is looked up. All of it is used by one thread, that of the simulation.
final class SimulatedStore: RecordStore, @unchecked Sendable {
    struct Job {
        /// Does the write; gives what its caller is told when the commit has ended.
        var run:
            (inout MemoryMoment, _ withoutUndo: Bool) throws -> (told: ((any Error)?) -> Void, logged: Bool)
        var fail: (any Error) -> Void
    }

    private struct Batch {
        var left: [Job]
        var working: MemoryMoment
        var start: MemoryMoment
        /// The state after the first write alone.
        var first: MemoryMoment?
        var told: [((any Error)?) -> Void] = []
        /// Those that have to be told something when nothing can be committed.
        var unanswered: [Job] = []
        var events: [Disk.Event] = []
        var hasLogged = false
    }

    private enum Loop {
        case idle
        case applying(Batch)
        case committing(Batch)
        case answering([() -> Void])
    }

    private let disk: Disk
    private let world: World
    private var loop = Loop.idle
    private var waiting: [Job] = []
    private var reads: [(run: () -> Void, fail: (any Error) -> Void)] = []
    private var listener: (@Sendable () -> Void)?
    private var isDead = false

    init(_ disk: Disk, _ world: World) {
        self.disk = disk
        self.world = world
    }

    // MARK: What the service asks

    func read<Value: Sendable>(
        _ effort: ReadEffort, for party: ReadParty,
        _ body: @escaping @Sendable (any StoreReader) throws -> Value
    ) async throws -> Value {
        if isDead { throw StorageError.closed }
        return try await withCheckedThrowingContinuation { continuation in
            reads.append(
                (
                    run: { [self] in
                        let moment =
                            world.flaw == .readBehind && world.isFaulty(3) ? disk.before : disk.moment
                        continuation.resume(with: Result { try moment.read(body) })
                    }, fail: { continuation.resume(throwing: $0) }
                ))
        }
    }

    func write<Value: Sendable>(
        _ effort: WriteEffort, _ body: @escaping @Sendable (any StoreWriter) throws -> Value
    ) async throws -> Value {
        if isDead { throw StorageError.closed }
        return try await withCheckedThrowingContinuation { continuation in
            waiting.append(
                Job(
                    run: { moment, withoutUndo in
                        let (value, logged, _) =
                            withoutUndo ? try moment.writeWithoutUndo(body) : try moment.write(body)
                        return (
                            { error in
                                if let error {
                                    continuation.resume(throwing: error)
                                } else {
                                    continuation.resume(returning: value)
                                }
                            }, logged
                        )
                    }, fail: { continuation.resume(throwing: $0) }))
        }
    }

    func schema(of tenant: Tenant) -> Schema { disk.moment.schema(of: tenant) }
    func effort(of scan: RecordScan) -> ReadEffort { .short }
    func explain(_ scan: RecordScan) -> ScanExplanation { ScanExplanation(plan: .scan) }
    func makeIndex(for scan: RecordScan) async throws {}
    func listen(_ listener: (@Sendable () -> Void)?) { self.listener = listener }
    var health: StoreHealth { isDead ? .closed : .good }
    func close() async { crash() }

    // MARK: What who simulates decides

    /// The steps that could be next.
    var steps: Int { reads.count + (canGoOn ? 1 : 0) }

    private var canGoOn: Bool {
        if case .idle = loop {
            return !waiting.isEmpty && (disk.writer == nil || disk.writer == ObjectIdentifier(self))
        }
        return true
    }

    /// Does one of the steps.
    func step(_ index: Int) {
        guard index >= reads.count else {
            let read = reads.remove(at: index)
            if world.isFaulty(60) {
                read.fail(StorageError.unreachable(SimulatedCrash()))
            } else {
                read.run()
            }
            return
        }
        switch loop {
        case .idle: gather()
        case .applying(let batch): apply(batch)
        case .committing(let batch): commit(batch)
        case .answering(var left):
            left.removeFirst()()
            loop = left.isEmpty ? .idle : .answering(left)
        }
    }

    /// Ends the process in which this store is: nobody is answered any more.
    func crash() {
        guard !isDead else { return }
        isDead = true
        if disk.writer == ObjectIdentifier(self) { disk.writer = nil }
        var left = waiting
        var told: [((any Error)?) -> Void] = []
        switch loop {
        case .applying(let batch), .committing(let batch):
            left += batch.left
            told = batch.told
        case .answering(let answers): for answer in answers { answer() }
        case .idle: break
        }
        loop = .idle
        waiting = []
        for job in left { job.fail(SimulatedCrash()) }
        for outcome in told { outcome(SimulatedCrash()) }
        for read in reads { read.fail(SimulatedCrash()) }
        reads = []
        if world.flaw == .numbersAgain { disk.damage { $0.forgetNumbers(4) } }
    }

    /// Something was logged by some node.
    func hint() { if !isDead { listener?() } }

    // MARK: The loop

    private func gather() {
        disk.writer = ObjectIdentifier(self)
        let count = min(waiting.count, world.int(1...4))
        let jobs = Array(waiting.prefix(count))
        waiting.removeFirst(count)
        var working = disk.moment
        if world.flaw == .laggingUsage { working.answerUsage(of: disk.moment) }
        loop = .applying(Batch(left: jobs, working: working, start: disk.moment))
    }

    private func apply(_ batch: Batch) {
        var batch = batch
        guard !batch.left.isEmpty else {
            loop = .committing(batch)
            return
        }
        let job = batch.left.removeFirst()
        if world.isFaulty(40) {
            job.fail(StorageError.busy)
        } else {
            run(job, &batch)
        }
        if batch.left.isEmpty, world.flaw == .earlyAcknowledgement {
            for told in batch.told { told(nil) }
            batch.told = []
        }
        loop = .applying(batch)
    }

    private func run(_ job: Job, _ batch: inout Batch) {
        let before = batch.working
        // Another transaction was in the way: what was done is undone, and decided again.
        if world.isFaulty(20) {
            _ = try? job.run(&batch.working, false)
            if world.flaw != .retryWithoutUndo { batch.working = before }
        }
        do {
            let (told, logged) = try job.run(&batch.working, world.flaw == .refusedStays)
            batch.told.append(told)
            batch.hasLogged = batch.hasLogged || logged
        } catch {
            batch.told.append { _ in job.fail(error) }
        }
        damage(&batch.working, since: before, isFirst: batch.told.count == 1)
        for zone in disk.zones where zone.isTracked {
            batch.events += Disk.events(zone.id, from: before, to: batch.working)
        }
        if batch.first == nil { batch.first = batch.working }
    }

    private func damage(_ working: inout MemoryMoment, since before: MemoryMoment, isFirst: Bool) {
        for zone in disk.zones where zone.isTracked {
            if world.flaw == .feedStandsStill, world.oneIn(4) {
                working.leaveInFeed(zone: zone.id, since: before)
            }
        }
        if world.flaw == .unlogged, !isFirst { working.forgetLogged(since: before) }
    }

    private func commit(_ batch: Batch) {
        var batch = batch
        batch.working.answerUsage(of: nil)
        if world.flaw == .noTombstone {
            for zone in disk.zones where zone.isTracked { batch.working.forgetTombstones(ofZone: zone.id) }
        }
        disk.writer = nil
        var answer: (any Error)?
        switch world.isFaulty(8) ? world.int(0...3) : -1 {
        case 0:
            // Refused before anything was written.
            return end(batch, StorageError.unreachable(SimulatedCrash()))
        case 1:
            // The answer was lost, and what became of the commit was looked up.
            if world.flaw == .lostTakenForFailed { answer = StorageError.unreachable(SimulatedCrash()) }
            if world.flaw == .outcomeKeptApart {
                batch.working.forgetOutcomes(since: batch.start)
                answer = StorageError.outcomeUnknown(SimulatedCrash())
            }
        case 2: answer = StorageError.outcomeUnknown(SimulatedCrash())
        case 3: return end(batch, StorageError.outcomeUnknown(SimulatedCrash()))
        default: break
        }
        if world.flaw == .halfCommit, batch.told.count > 1, world.oneIn(6), let first = batch.first {
            batch.working = first
        }
        disk.commit(batch.working, batch.events)
        if batch.hasLogged { world.hint() }
        end(batch, answer)
    }

    private func end(_ batch: Batch, _ error: (any Error)?) {
        let answers = batch.told.map { told in { told(error) } }
        loop = answers.isEmpty ? .idle : .answering(answers)
    }
}
