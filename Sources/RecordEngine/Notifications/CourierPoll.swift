import RecordModel
import RecordStorage
import RecordWire

/// One wait of a receiver: the subscriptions of its user, and the log from a cursor on.
///
/// Subscriptions and roles may change at another node while it waits. So nothing is told, and no cursor moves, past the
/// position at which they were read before they were read again.
struct CourierPoll {
    enum Outcome {
        case found([UInt8], NotificationPlace, collapseID: String?)
        case nothing(NotificationPlace)
        /// The subscriptions have changed.
        case again(NotificationPlace)
    }

    private let service: RecordService
    private let row: ReceiverRow
    /// Where the wait began.
    private let start: NotificationPlace
    private var place: NotificationPlace
    private var sources: CourierSources
    private let receiver: ChangeReceiver

    private let kind: ChangeHub.Kind
    /// The most bytes of a notification; nil for any.
    private let mostBytes: Int?

    /// How often a poll reads the subscriptions again: the hint that another node stored one may be lost, and there is none for
    /// roles.
    private static let lookInterval = Duration.seconds(20)

    /// Takes a place at the hub, which ``run(until:)`` gives back: whoever makes a poll runs it.
    ///
    /// - Throws: `THROTTLED` where too many wait; `StorageError`.
    init(
        service: RecordService, row: ReceiverRow, place: NotificationPlace, as kind: ChangeHub.Kind = .poll,
        mostBytes: Int? = nil
    ) async throws {
        let receiver = ChangeReceiver(
            types: [:], party: RecordService.party(ofReceiversOf: row.user, row.tenant), subscriber: row.user,
            // A push is no connection of a client.
            connection: kind == .poll
                ? LiveConnection(
                    tenant: row.tenant, owner: row.user, caller: .user(row.user), address: "",
                    openedAt: service.environment.now(), type: nil, condition: nil) : nil)
        // What is subscribed while the rows are read is a reason to read them again, which only an attached one hears.
        try await service.hub.attach(receiver, as: kind)
        let sources: CourierSources
        do {
            sources = try await CourierSources.read(of: row, by: service)
        } catch {
            await service.hub.detach(receiver)
            throw error
        }
        await service.hub.watch(sources.types, for: receiver)
        self.service = service
        self.row = row
        self.start = place
        self.place = place
        self.sources = sources
        self.receiver = receiver
        self.kind = kind
        self.mostBytes = mostBytes
    }

    func run(until end: ContinuousClock.Instant) async throws -> Outcome {
        let outcome: Outcome
        do {
            var poll = self
            outcome = try await poll.wait(until: end)
        } catch {
            await service.hub.detach(receiver)
            throw error
        }
        await service.hub.detach(receiver)
        return outcome
    }

    private mutating func wait(until end: ContinuousClock.Instant) async throws -> Outcome {
        if let told = try await catchUp(until: end) { return told }
        while true {
            switch receiver.take() {
            case .changes(let changes, let tail):
                for change in changes {
                    if let told = try await tell(change, until: end) { return told }
                }
                place = max(place, NotificationPlace(endOf: tail))
            case .overflow:
                if let told = try await catchUp(until: end) { return told }
            case .reload: return .again(knownPlace)
            case .end: return .nothing(knownPlace)
            }
            // Who was cancelled can read nothing more.
            guard !Task.isCancelled else { return .nothing(knownPlace) }
            guard ContinuousClock.now < end else { return try await nothing() }
            // Where nothing was logged since they were read, nothing could be told of another subscription.
            if place.change > sources.position, ContinuousClock.now - sources.readAt >= Self.lookInterval {
                guard try await isCurrent() else { return .again(knownPlace) }
            }
            await receiver.wait()
        }
    }

    // MARK: What may have changed at another node

    /// How far it is certain that nothing was missed: what was subscribed since counts from a later position.
    private var knownPlace: NotificationPlace {
        max(start, min(place, NotificationPlace(endOf: sources.position)))
    }

    /// Reads again what the user is told of.
    ///
    /// - Returns: whether it is the same.
    private mutating func isCurrent() async throws -> Bool {
        let now = try await CourierSources.read(of: row, by: service)
        guard now.isSame(as: sources) else { return false }
        sources = now
        return true
    }

    private mutating func nothing() async throws -> Outcome {
        if place.change > sources.position {
            guard try await isCurrent() else { return .again(knownPlace) }
        }
        return .nothing(place)
    }

    // MARK: The log

    /// What a receiver is told whose next change the log may have forgotten.
    private mutating func startAgain(at horizon: Int64) -> Outcome? {
        let missed = sources.byDatabase.values.filter {
            $0.subscriptions.oldest.map { $0 < horizon } ?? false
        }
        let last = NotificationPlace(endOf: horizon)
        guard let source = missed.first(where: { $0.scope == .private }) ?? missed.first else {
            // There was nothing to be told of.
            place = last
            return nil
        }
        return .found(payload(source, last).startAgain(), last, collapseID: nil)
    }

    private func payload(_ source: CourierSources.Source, _ place: NotificationPlace) -> NotificationPayload {
        NotificationPayload(
            tenant: row.tenant, user: row.user, scope: source.scope, owner: source.visibility.shared?.owner,
            id: place.id)
    }

    /// Reads the log up to now, in which the receiver's changes are since it was attached.
    private mutating func catchUp(until deadline: ContinuousClock.Instant) async throws -> Outcome? {
        while true {
            // The change of the place itself may have told only some of its notifications.
            let from = place.subscription == .max ? place.change : place.change - 1
            let (some, end, horizon) = try await changes(after: from)
            guard from >= horizon else {
                if let told = startAgain(at: horizon) { return told }
                continue
            }
            for change in some {
                if let told = try await tell(FollowedChange(change), until: deadline) { return told }
            }
            guard let last = some.last else {
                place = max(place, NotificationPlace(endOf: end))
                return nil
            }
            place = max(place, NotificationPlace(endOf: last.sequence))
        }
    }

    /// The next changes of all databases, in order; and the end and the horizon of the log in the same read: what was
    /// forgotten a moment before is missing from the changes.
    private func changes(
        after sequence: Int64
    ) async throws -> (changes: [LoggedChange], end: Int64, horizon: Int64) {
        let databases = Array(sources.byDatabase.keys)
        // One change of an owner has all who take part ask again at the same moment.
        await service.liveTurns.enter()
        defer { service.liveTurns.leave() }
        return try await service.store.read(.long) { reader in
            var changes: [LoggedChange] = []
            var complete = Int64.max
            let end = try reader.lastSequence()
            for database in databases {
                let some = try reader.loggedChanges(after: sequence, in: database, limit: ChangeHub.portion)
                // Another database's changes may be read further than this one's. Whether more follows here is not seen by
                // how much came: what is sealed was longer when the store counted it.
                if let last = some.last { complete = min(complete, last.sequence) }
                let isShared = sources.byDatabase[database]?.scope == .shared
                changes += isShared ? some.filter(\.kind.isForParticipants) : some
            }
            return (
                changes.filter { $0.sequence <= complete }.sorted { $0.sequence < $1.sequence }, end,
                try reader.forgottenChanges()
            )
        }
    }

    // MARK: What is told

    /// The first notification of a change that comes after the place; the place moves on with what says nothing.
    private mutating func tell(
        _ change: FollowedChange, until end: ContinuousClock.Instant
    ) async throws -> Outcome? {
        let database = change.logged.database
        guard change.sequence >= place.change,
            let plans = sources.byDatabase[database]?.subscriptions.plans(for: change.logged),
            !plans.isEmpty, let source = sources.byDatabase[database]
        else { return nil }
        for plan in plans {
            let next = NotificationPlace(change: change.sequence, subscription: plan.row.since)
            guard next > place, let asked = plan.question(of: change, source.visibility) else { continue }
            if let condition = asked.condition {
                guard let verdict = await verdict(of: condition, on: change, asked.side, until: end) else {
                    return .nothing(knownPlace)
                }
                guard verdict else {
                    place = next
                    continue
                }
            }
            // Rights may have been taken meanwhile: what is told is decided by those of now.
            let isOld = ContinuousClock.now - sources.readAt >= .seconds(ChangeVisibility.rememberedSeconds)
            if isOld || change.sequence > sources.position {
                guard try await isCurrent() else { return .again(knownPlace) }
            }
            if plan.definition.firesOnce {
                guard try await self.end(plan, at: change.sequence) else { return .again(knownPlace) }
            }
            return .found(
                payload(source, next).json(plan, change, asked.reason, mostBytes: mostBytes), next,
                collapseID: plan.definition.notificationInfo?["collapseIdKey"]?.string)
        }
        place = max(place, NotificationPlace(endOf: change.sequence))
        return nil
    }

    /// Whether a condition holds of a change; nil where that was not known in time.
    private func verdict(
        of condition: ListenedCondition, on change: FollowedChange, _ side: ChangeSides,
        until end: ContinuousClock.Instant
    ) async -> Bool? {
        // A poll that does not wait asks what is there: so much patience has each.
        let end = max(end, .now + .seconds(ChangeVisibility.rememberedSeconds))
        let found = await service.conditions.verdict(
            of: condition, on: change, side, for: receiver.party, until: end)
        return found.map { (side == .before ? $0.before : $0.after) ?? false }
    }

    /// Ends a subscription that fires once, at the first of the changes that any receiver of the user was told of: a
    /// receiver that was made later than that change may have ended it at a later one already.
    ///
    /// - Returns: false where the subscription is another one by now, or ended earlier: then it is not told.
    private func end(_ plan: SubscriptionPlan, at sequence: Int64) async throws -> Bool {
        guard plan.row.endedAt != sequence else { return true }
        return try await service.store.write { store in
            guard
                var row = try store.subscription(
                    named: plan.row.name, of: plan.row.user, in: plan.row.database),
                row.since == plan.row.since, row.endedAt.map({ $0 >= sequence }) ?? true
            else { return false }
            guard row.endedAt != sequence else { return true }
            row.endedAt = sequence
            try store.store(row)
            return true
        }
    }
}
