import RecordModel
import RecordStorage

/// Follows the change log of a store, and hands each change to the receivers that want it.
///
/// The log is the truth: a hint of the store only says when to look, and a look without a hint follows every second. As
/// long as nobody receives anything, nothing is read.
actor ChangeHub {
    /// What a receiver is counted as.
    enum Kind: Hashable {
        case live, poll, hook, push

        fileprivate var most: (all: Int, ofOne: Int) {
            switch self {
            case .live: (Limits.liveQueries, Limits.liveQueriesPerUser)
            case .poll: (Limits.notificationPolls, Limits.notificationPollsPerUser)
            case .hook: (Limits.webhooks, Limits.webhooks)
            case .push: (Limits.pushReceivers, Limits.receiversPerUser)
            }
        }

        fileprivate var name: String {
            switch self {
            case .live: "live queries"
            case .poll: "polls for notifications"
            case .hook: "webhooks"
            case .push: "receivers of pushes"
            }
        }
    }

    private let store: any RecordStore
    /// The position up to which changes were handed out; nil while nobody receives any.
    private var tail: Int64?
    private var receivers: [ObjectIdentifier: (receiver: ChangeReceiver, kind: Kind)] = [:]
    private var byDatabase: [Int64: [ObjectIdentifier: ChangeReceiver]] = [:]
    private var counts: [Kind: Int] = [:]
    private var countsOfParties: [Kind: [String: Int]] = [:]
    private var follower: Task<Void, Never>?
    private var isDraining = false

    /// How many changes of one database are read at once, by everybody who follows it.
    static let portion = 256
    /// How often the log is looked at without a hint.
    private static let lookInterval = Duration.seconds(1)
    /// After how many looks readers look at their clocks.
    private static let looksPerTick = 5

    init(store: any RecordStore) { self.store = store }

    /// How many receivers there are.
    var count: Int { receivers.count }

    /// Adds a receiver. Every change that is committed after this returned is offered to it; what was committed before
    /// is in the log.
    ///
    /// - Throws: `THROTTLED` where there are too many; `StorageError`.
    func attach(_ receiver: ChangeReceiver, as kind: Kind) async throws {
        guard !isDraining else {
            throw ServiceError(.tryAgainLater, "The server is stopping.", remedy: "Ask again.")
        }
        try checkRoom(for: receiver, kind)
        let id = ObjectIdentifier(receiver)
        receivers[id] = (receiver, kind)
        for database in receiver.types.keys { byDatabase[database, default: [:]][id] = receiver }
        counts[kind, default: 0] += 1
        countsOfParties[kind, default: [:]][receiver.party, default: 0] += 1
        guard tail == nil else { return }
        do {
            let last = try await store.read(.short) { try $0.lastSequence() }
            // Another one may have come first, and what it read is older.
            if tail == nil { tail = last }
        } catch {
            detach(receiver)
            throw error
        }
        if follower == nil, !receivers.isEmpty { follow() }
    }

    private func checkRoom(for receiver: ChangeReceiver, _ kind: Kind) throws {
        let ofOne = countsOfParties[kind]?[receiver.party] ?? 0
        guard counts[kind, default: 0] < kind.most.all, ofOne < kind.most.ofOne else {
            var error = ServiceError(
                .throttled, "No more \(kind.name) can be open at once.",
                remedy:
                    "End one that is not needed, or ask again later; GET /limits says how many are allowed.")
            error.retryAfterSeconds = 5
            throw error
        }
    }

    /// Takes a receiver away.
    func detach(_ receiver: ChangeReceiver) {
        let id = ObjectIdentifier(receiver)
        guard let (_, kind) = receivers.removeValue(forKey: id) else { return }
        for database in receiver.types.keys {
            byDatabase[database]?[id] = nil
            if byDatabase[database]?.isEmpty == true { byDatabase[database] = nil }
        }
        counts[kind, default: 0] -= 1
        if let count = countsOfParties[kind]?[receiver.party] {
            countsOfParties[kind]?[receiver.party] = count > 1 ? count - 1 : nil
        }
        guard receivers.isEmpty else { return }
        follower?.cancel()
        follower = nil
        tail = nil
    }

    /// The open connections of a tenant: how many, and the oldest of them.
    func connections(of tenant: Tenant, limit: Int) -> (count: Int, oldest: [LiveConnection]) {
        let all = receivers.values.compactMap(\.receiver.connection).filter { $0.tenant == tenant }
        return (all.count, Array(all.sorted { $0.openedAt < $1.openedAt }.prefix(limit)))
    }

    /// Has the receivers of a party look again at what they follow.
    func reload(party: String) {
        for (receiver, _) in receivers.values where receiver.party == party { receiver.reload() }
    }

    /// Ends all receivers and takes no more.
    func drain() {
        isDraining = true
        for (receiver, _) in receivers.values { receiver.end() }
    }

    // MARK: Following

    private func follow() {
        let (hints, hint) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        store.listen { hint.yield() }
        follower = Task { [weak self] in
            let looks = Task {
                while (try? await Task.sleep(for: Self.lookInterval)) != nil { hint.yield() }
            }
            defer { looks.cancel() }
            hint.yield()
            var ticked = ContinuousClock.now
            for await _ in hints {
                guard !Task.isCancelled, let self else { return }
                await self.readOn()
                if ContinuousClock.now - ticked > Self.lookInterval * Self.looksPerTick {
                    ticked = .now
                    await self.tick()
                }
            }
        }
    }

    private func tick() {
        guard let tail else { return }
        for (receiver, _) in receivers.values { receiver.note(tail: tail) }
    }

    /// Hands out what the log has so far. What cannot be read is tried again at the next look.
    private func readOn() async {
        while let from = tail {
            let limit = Self.portion
            guard
                let changes = try? await store.read(
                    .short,
                    {
                        try $0.loggedChanges(after: from, in: nil, limit: limit)
                    }), let last = changes.last, tail == from
            else { return }
            for change in changes { handOut(change) }
            tail = last.sequence
        }
    }

    private func handOut(_ change: LoggedChange) {
        guard let receivers = byDatabase[change.database] else { return }
        let followed = FollowedChange(change)
        for receiver in receivers.values where receiver.wants(change) { receiver.offer(followed) }
    }
}
