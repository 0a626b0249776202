import RecordModel
import RecordStorage
import RecordWire

/// One wait of a receiver: the subscriptions of its user, and the log from a place on.
struct CourierPoll {
    enum Outcome {
        case found([UInt8], NotificationPlace, collapseID: String?)
        case nothing(NotificationPlace)
        /// The subscriptions have changed.
        case again(NotificationPlace)
    }

    /// The subscriptions of one database.
    private struct Source {
        var scope: DatabaseScope
        var subscriptions: SubscriptionIndex
        var visibility: ChangeVisibility
    }

    private let service: RecordService
    private let row: ReceiverRow
    private var place: NotificationPlace
    private var sources: [Int64: Source]
    private let horizon: Int64
    /// When the subscriptions and the user's rights were read.
    private let readAt = ContinuousClock.now
    private let receiver: ChangeReceiver

    private let kind: ChangeHub.Kind
    /// The most bytes of a notification; nil for any.
    private let mostBytes: Int?

    init(
        service: RecordService, row: ReceiverRow, place: NotificationPlace, as kind: ChangeHub.Kind = .poll,
        mostBytes: Int? = nil
    ) async throws {
        self.kind = kind
        self.mostBytes = mostBytes
        self.service = service
        self.row = row
        self.place = place
        (sources, horizon) = try await Self.read(row, service)
        receiver = ChangeReceiver(
            types: sources.mapValues(\.subscriptions.types),
            party: RecordService.party(ofReceiversOf: row.user, row.tenant),
            // A push is no connection of a client.
            connection: kind == .poll
                ? LiveConnection(
                    tenant: row.tenant, owner: row.user, caller: .user(row.user), address: "",
                    openedAt: service.environment.now(), type: nil, condition: nil) : nil)
    }

    private static func read(
        _ row: ReceiverRow, _ service: RecordService
    ) async throws -> ([Int64: Source], Int64) {
        let user = Caller.user(row.user)
        let roles = try await service.authenticator.roles(
            of: user, declared: service.store.schema(of: row.tenant).roles, tenant: row.tenant,
            now: service.environment.now())
        return try await service.store.read(.short) { reader in
            let schema = try reader.schema(of: row.tenant)
            var sources: [Int64: Source] = [:]
            for scope in [DatabaseScope.private, .public] {
                let id = DatabaseID(tenant: row.tenant, owner: scope == .private ? row.user : nil)
                guard let number = try reader.database(id) else { continue }
                let context = CallContext(
                    tenant: row.tenant, database: id, caller: user, roles: scope == .public ? roles : [],
                    now: 0, requestID: "", baseURL: "", indexes: service.indexes)
                let rows = try reader.subscriptions(of: row.user, in: number)
                guard !rows.isEmpty else { continue }
                sources[number] = Source(
                    scope: scope, subscriptions: SubscriptionIndex(rows, context, schema: schema),
                    visibility: ChangeVisibility(rights: context.rights))
            }
            return (sources, try reader.forgottenChanges())
        }
    }

    func run(until end: ContinuousClock.Instant) async throws -> Outcome {
        let hub = service.hub
        try await hub.attach(receiver, as: kind)
        let outcome: Outcome
        do {
            outcome = try await wait(until: end)
        } catch {
            await hub.detach(receiver)
            throw error
        }
        await hub.detach(receiver)
        return outcome
    }

    private func wait(until end: ContinuousClock.Instant) async throws -> Outcome {
        var poll = self
        if let told = poll.startAgain() { return told }
        if let found = try await poll.catchUp() { return found }
        while true {
            switch receiver.take() {
            case .changes(let changes, let tail):
                for change in changes {
                    if let found = try await poll.tell(change) { return found }
                }
                poll.place = max(poll.place, NotificationPlace(endOf: tail))
            case .overflow:
                if let found = try await poll.catchUp() { return found }
            case .reload: return .again(poll.place)
            case .end: return .nothing(poll.place)
            }
            guard !Task.isCancelled, ContinuousClock.now < end else { return .nothing(poll.place) }
            await receiver.wait()
        }
    }

    /// What a receiver is told whose next change the log may have forgotten.
    private mutating func startAgain() -> Outcome? {
        guard place.change < horizon else { return nil }
        let missed = sources.values.filter { $0.subscriptions.oldest.map { $0 < horizon } ?? false }
        let last = NotificationPlace(endOf: horizon)
        guard let source = missed.first(where: { $0.scope == .private }) ?? missed.first else {
            // There was nothing to be told of.
            place = last
            return nil
        }
        return .found(payload(source, last).startAgain(), last, collapseID: nil)
    }

    private func payload(_ source: Source, _ place: NotificationPlace) -> NotificationPayload {
        NotificationPayload(tenant: row.tenant, user: row.user, scope: source.scope, id: place.id)
    }

    /// Reads the log up to now, in which the receiver's changes are since it was attached.
    private mutating func catchUp() async throws -> Outcome? {
        while true {
            // The change of the place itself may have told only some of its notifications.
            let from = place.subscription == .max ? place.change : place.change - 1
            let changes = try await changes(after: from)
            for change in changes {
                if let found = try await tell(FollowedChange(change)) { return found }
            }
            guard let last = changes.last else { return nil }
            place = max(place, NotificationPlace(endOf: last.sequence))
        }
    }

    /// The next changes of all databases, in order.
    private func changes(after sequence: Int64) async throws -> [LoggedChange] {
        let databases = Array(sources.keys)
        return try await service.store.read(.long) { reader in
            var changes: [LoggedChange] = []
            var complete = Int64.max
            for database in databases {
                let some = try reader.loggedChanges(after: sequence, in: database, limit: ChangeHub.portion)
                // Another database's changes may be read further than this one's.
                if let last = some.last { complete = min(complete, Self.isPart(some) ? last.sequence : .max) }
                changes += some
            }
            return changes.filter { $0.sequence <= complete }.sorted { $0.sequence < $1.sequence }
        }
    }

    /// Whether more may follow what was read.
    private static func isPart(_ changes: [LoggedChange]) -> Bool {
        changes.count >= ChangeHub.portion || changes.reduce(0) { $0 + $1.weight } >= Limits.answerBytes
    }

    /// The first notification of a change that comes after the place.
    private mutating func tell(_ change: FollowedChange) async throws -> Outcome? {
        let database = change.logged.database
        guard change.sequence >= place.change,
            let plans = try sources[database]?.subscriptions.plans(for: change.logged),
            !plans.isEmpty, let source = sources[database]
        else { return nil }
        for plan in plans {
            let next = NotificationPlace(change: change.sequence, subscription: plan.row.since)
            guard next > place, let reason = plan.reason(for: change, source.visibility) else { continue }
            // Rights may have been taken meanwhile: what is told is decided again, by those of now.
            guard ContinuousClock.now - readAt < .seconds(ChangeVisibility.rememberedSeconds) else {
                return .again(place)
            }
            if plan.definition.firesOnce { try await end(plan, at: change.sequence) }
            return .found(
                payload(source, next).json(plan, change, reason, mostBytes: mostBytes), next,
                collapseID: plan.definition.notificationInfo?["collapseIdKey"]?.string)
        }
        return nil
    }

    /// Ends a subscription that fires once: for all receivers of the user at the same change, which is the first in the log.
    private func end(_ plan: SubscriptionPlan, at sequence: Int64) async throws {
        guard plan.row.endedAt == nil else { return }
        try await service.store.write { store in
            guard
                var row = try store.subscription(
                    named: plan.row.name, of: plan.row.user, in: plan.row.database),
                row.since == plan.row.since, row.endedAt.map({ $0 > sequence }) ?? true
            else { return }
            row.endedAt = sequence
            try store.store(row)
        }
    }
}
