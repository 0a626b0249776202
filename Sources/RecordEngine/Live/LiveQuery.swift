import DequeModule
import RecordModel
import RecordStorage
import RecordWire

/// A live query or a live count of one client, opened by ``RecordService/openLive(_:after:from:)``.
///
/// Most of its life it waits, so what it holds while it waits is kept small: a task never gives back the stack that it
/// needed once, and what needs much, as reading a page does, is done by tasks of its own.
public actor LiveQuery {
    /// What has to be read before the query can go on.
    private enum Need {
        /// Everything that the client lacks so far.
        case beginning(LiveCursor?)
        /// The next portion of the log, while the query catches up with it.
        case log
        /// All of the result, in the place of what the client has.
        case replacement
        /// What the condition says of the next change, which takes time.
        case verdict(FollowedChange)
    }

    /// What takes time.
    private enum Errand {
        /// Changes have to come.
        case wait
        /// What is needed has to be read.
        case read
        /// Who asks has to be looked at again, which ends a turn.
        case renew
    }

    private var plan: LivePlan
    private let receiver: ChangeReceiver
    /// The number that is wanted instead of records; nil for a live query.
    private var tally: LiveTally?
    private var need: Need?
    private var isCatchingUp = false
    /// The position up to which the client has everything, with what is in the outbox.
    private var place: Int64 = 0
    /// Changes that nobody looked at yet, and the position up to which there are no others.
    private var taken: Deque<FollowedChange> = []
    private var tail: Int64 = 0
    /// What the condition says of the next change, where that had to be waited for.
    private var decided: (change: FollowedChange, condition: ListenedCondition, verdict: ChangeVerdict)?
    private var outbox = LiveOutbox()
    private var checkedAt = ContinuousClock.now
    /// In the shared database: what the client was told last, and when that was read.
    private var told: (page: Int, readAt: ContinuousClock.Instant)?
    private let endsAt = ContinuousClock.now + .seconds(Limits.liveSeconds)
    private var isOver = false
    private var isClosed = false

    init(_ plan: LivePlan, after cursor: LiveCursor?, receiver: ChangeReceiver, isCount: Bool) {
        self.plan = plan
        self.receiver = receiver
        need = .beginning(cursor)
        tally = isCount ? LiveTally(cursor) : nil
    }

    deinit {
        guard !isClosed else { return }
        // The place of one that nobody took an event of.
        let (hub, receiver) = (plan.service.hub, receiver)
        Task { await hub.detach(receiver) }
    }

    /// Gives the place of the query back: there are no more events.
    public func close() async {
        isOver = true
        isClosed = true
        await plan.service.hub.detach(receiver)
    }

    /// Sends events until the client leaves, the server stops or `Limits.liveSeconds` are over, and closes the query.
    ///
    /// - Parameter send: takes events, as many as there are by then, and returns when the connection has room for more.
    /// - Throws: what `send` and ``next()`` throw.
    public nonisolated func run(_ send: ([LiveEvent]) async throws -> Void) async throws {
        do {
            while let events = try await next() { try await send(events) }
        } catch {
            await close()
            throw error
        }
        await close()
    }

    /// Waits for events. One task at a time asks.
    ///
    /// - Returns: as many as there are by then; nil where there are no more, since the task was cancelled, the server stops
    ///   or `Limits.liveSeconds` are over. What the query would be refused with now is an event, the last one.
    /// - Throws: `StorageError` where the store cannot be read, `JSONError` where a stored record is damaged,
    ///   `SealingError` where an encrypted field does not open; `CancellationError` where the task is cancelled
    ///   during a read.
    public func next() async throws -> [LiveEvent]? {
        while let errand = try upcoming() {
            switch errand {
            case .wait: await receiver.wait()
            case .read: try await aside(errand)
            case .renew:
                await plan.service.liveTurns.enter()
                try await aside(errand)
            }
        }
        return outbox.take()
    }

    /// What has to be done before there is anything to send; nil where something is to be sent, or all is over.
    // In the frame of who waits, what this needs would be kept for as long as the connection is open.
    @inline(never)
    private func upcoming() throws -> Errand? {
        do {
            while !isOver, !outbox.isFull, !Task.isCancelled, ContinuousClock.now < endsAt {
                if case .verdict = need, !outbox.isEmpty { return nil }
                if need != nil { return .read }
                if areRightsOld { return .renew }
                if try step() { return outbox.isEmpty && !isOver ? .wait : nil }
            }
        } catch let error as ServiceError {
            end(with: error)
        }
        return nil
    }

    private func end(with error: ServiceError) {
        isOver = true
        outbox.add(LiveEvent(name: .error, id: id(of: 0), json: error.json(uuid: plan.context.requestID)))
    }

    private func cursor(at place: Int64) -> LiveCursor {
        LiveCursor(position: place, query: plan.fingerprint, count: tally.map { max(0, $0.count) })
    }

    /// The id of an event.
    private func id(of place: Int64) -> String { cursor(at: place).text }
}

// MARK: What is read

extension LiveQuery {
    /// Runs an errand in a task that goes with its stack.
    @inline(never)
    private func aside(_ errand: Errand) async throws {
        let task = Task { try await attend(to: errand) }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func attend(to errand: Errand) async throws {
        do {
            switch errand {
            case .wait: break
            case .read:
                guard let asked = need else { break }
                need = nil
                try await read(asked)
            case .renew:
                defer { plan.service.liveTurns.leave() }
                try await renew()
            }
        } catch is Sessions.ReplacedToken {
            isOver = true
        } catch let error as ServiceError {
            end(with: error)
        }
    }

    private func read(_ asked: Need) async throws {
        switch asked {
        case .beginning(nil): try await readAll(isReplacement: false)
        case .beginning(let cursor?):
            guard try await plan.canGoOn(after: cursor, isCount: tally != nil) else {
                return try await readAll(isReplacement: true)
            }
            place = cursor.position
            if let count = cursor.count { tally?.count = count }
            isCatchingUp = true
        case .log:
            guard let changes = try await plan.changes(after: place) else {
                isCatchingUp = false
                return try await readAll(isReplacement: true)
            }
            taken = Deque(changes.filter(receiver.wants).map { FollowedChange($0) })
            tail = changes.last?.sequence ?? place
            // A portion with nothing that is wanted would be read again and again, and nothing be sent meanwhile.
            if taken.isEmpty { place = tail }
            isCatchingUp = !changes.isEmpty
        case .replacement: try await readAll(isReplacement: true)
        case .verdict(let change): await decide(change)
        }
    }

    /// Waits for what the condition says of a change, for as long as a client waits for a sign of life.
    private func decide(_ change: FollowedChange) async {
        let (condition, sides) = (plan.condition, plan.candidates(of: change))
        let end = ContinuousClock.now + .seconds(Limits.liveHeartbeatSeconds)
        let found = await plan.service.conditions.verdict(
            of: condition, on: change, sides, for: receiver.party, until: end)
        if let found {
            decided = (change, condition, found)
        } else if receiver.hasEnded {
            isOver = true
        } else if outbox.isIdle {
            outbox.add(LiveEvent(name: .beat, id: id(of: place), json: []))
        }
    }

    /// What the condition says of a change; nil where that has to be waited for.
    private func verdict(on change: FollowedChange) -> ChangeVerdict? {
        let sides = plan.candidates(of: change)
        if let decided, decided.change === change, decided.condition === plan.condition,
            decided.verdict.covers(sides)
        {
            return decided.verdict
        }
        return change.quickVerdict(of: plan.condition, sides)
    }

    private var areRightsOld: Bool {
        // What was waited for is told by the rights of now.
        (taken.isEmpty || decided != nil)
            && ContinuousClock.now - checkedAt >= .seconds(ChangeVisibility.rememberedSeconds)
    }

    /// Looks again who asks.
    private func renew() async throws {
        let renewed = try await plan.renewed()
        // All of it is read when others have had their turn. What is shared may have been so at another node.
        if renewed.isShared || renewed.hasOtherResult(than: plan) { need = .replacement }
        plan = renewed
        checkedAt = .now
    }

    /// Reads all that the query finds in the shared database, and tells it where it is another than what was told last.
    private func readShared(isReplacement: Bool) async throws {
        if let told { try await Task.sleep(until: told.readAt + LivePlan.sharedPause) }
        // At most so many of those at once whom one change of an owner concerns.
        await plan.service.liveTurns.enter()
        defer { plan.service.liveTurns.leave() }
        do {
            let types = try await plan.service.sharedDatabases(plan.plan, plan.context)
            // Changes that come from now on are offered; those from before are in what is read.
            if types != receiver.types { await plan.service.hub.watch(types, for: receiver) }
            let readAt = ContinuousClock.now
            let (json, count, position) = try await plan.sharedResult(
                isCount: tally != nil, isReplacement: isReplacement)
            place = max(place, position)
            tally?.count = count
            if tally == nil, isReplacement || told?.page != json.hashValue {
                outbox.add(LiveEvent(name: .page, id: id(of: position), json: json))
            }
            told = (json.hashValue, readAt)
        } catch let error as ServiceError where error.code == .zoneNotFound && told != nil {
            throw ServiceError.sharedNoMore
        }
    }

    private func readAll(isReplacement: Bool) async throws {
        if plan.isShared {
            try await readShared(isReplacement: isReplacement && told == nil)
        } else if let known = tally {
            let (count, position) = try await plan.count(isKnown: known.told != nil)
            tally?.count = count
            place = max(place, position)
        } else {
            let (json, position) = try await plan.page(isReplacement: isReplacement)
            place = max(place, position)
            outbox.add(LiveEvent(name: .page, id: id(of: position), json: json))
        }
    }
}

// MARK: What is told

extension LiveQuery {
    /// Looks at what there is, without waiting for anything.
    ///
    /// - Returns: whether that was all: what is in the outbox can be sent now, and if there is nothing, it is time to wait.
    private func step() throws -> Bool {
        if taken.isEmpty {
            guard !isCatchingUp else {
                need = .log
                return false
            }
            take()
        }
        while need == nil, !outbox.isFull, let change = taken.first {
            if change.sequence > place, !(try tell(change)) {
                need = .verdict(change)
                return false
            }
            taken.removeFirst()
            decided = nil
        }
        guard need == nil, taken.isEmpty else { return false }
        place = max(place, tail)
        guard !isCatchingUp, !isOver else { return isOver }
        tellCount()
        if outbox.isIdle { outbox.add(LiveEvent(name: .beat, id: id(of: place), json: [])) }
        return need == nil
    }

    private func take() {
        switch receiver.take() {
        case .changes(let changes, let position):
            taken = Deque(changes)
            tail = position
        case .overflow where plan.isShared: need = .replacement
        case .overflow where tally != nil:
            // A number needs none of the changes in between: the log has them still.
            need = .beginning(cursor(at: place))
        case .overflow:
            outbox.add(LiveEvent(name: .behind, id: id(of: place), json: Array("{}".utf8)))
            isOver = true
        case .reload: if plan.isShared { need = .replacement }
        case .end: isOver = true
        }
    }

    /// Adds what a change means for the result, if it means anything.
    ///
    /// - Returns: false where that has to be waited for.
    private func tell(_ change: FollowedChange) throws -> Bool {
        if plan.isShared {
            // What it is to the caller, the next read finds: once for all changes that came meanwhile.
            if plan.isInZone(change) { need = .replacement }
            place = max(place, change.sequence)
            return true
        }
        switch change.kind {
        case .zoneDeleted:
            if plan.isInZone(change) { need = .replacement }
        case .typeDeleted:
            guard change.logged.type == plan.plan.type.id else { break }
            throw ServiceError(
                .notFound, "did not find required record type",
                remedy: "The type '\(plan.plan.type.name)' was removed from the schema.")
        case .zoneCreated, .shareChanged, .shareLost: break
        case .created, .updated, .deleted, .retagged:
            guard let verdict = verdict(on: change) else { return false }
            if tally != nil {
                let (before, after) = plan.results(of: change, verdict)
                tally?.note(before: before, after: after)
            } else if let event = try plan.sharedEvent(of: change, verdict, id: { id(of: change.sequence) }) {
                outbox.add(event)
            }
        }
        place = max(place, change.sequence)
        return true
    }

    /// Adds the count where the client has another one.
    private func tellCount() {
        guard let count = tally?.count else { return }
        // Only who goes on with a number that was never told can come below nothing.
        guard count >= 0 else {
            need = .replacement
            return
        }
        guard count != tally?.told else { return }
        outbox.add(LiveEvent(name: .count, id: id(of: place), json: Array("{\"count\":\(count)}".utf8)))
        tally?.told = count
    }
}
