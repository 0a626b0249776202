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
            case .push: (Limits.pushReceivers, Limits.pushReceiversPerUser)
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
    private var bySubscriber: [String: [ObjectIdentifier: ChangeReceiver]] = [:]
    private var openOnes: [Kind: Int] = [:]
    private var countsOfParties: [Kind: [String: Int]] = [:]
    private var follower: Task<Void, Never>?
    private var isDraining = false
    /// The most bytes of changes that wait for all receivers together.
    private let mostWaitingBytes: Int
    /// What operators see.
    nonisolated let counts = HubCounts()

    /// How many changes of one database are read at once, by everybody who follows it.
    static let portion = 256
    /// How often the log is looked at without a hint.
    private static let lookInterval = Duration.seconds(1)
    /// After how many looks readers look at their clocks.
    private static let looksPerTick = 5

    init(store: any RecordStore, mostWaitingBytes: Int = Limits.waitingChangeBytesOfNode) {
        self.store = store
        self.mostWaitingBytes = mostWaitingBytes
    }

    /// How many receivers there are.
    var count: Int { receivers.count }

    /// Adds a receiver. Every change that is committed after this returned is offered to it; what was committed before
    /// is in the log.
    ///
    /// - Throws: `THROTTLED` where there are too many, `TRY_AGAIN_LATER` where the server is stopping; `StorageError` where the
    ///   log cannot be read.
    func attach(_ receiver: ChangeReceiver, as kind: Kind) async throws {
        guard !isDraining else {
            throw ServiceError(.tryAgainLater, "The server is stopping.", remedy: "Ask again.")
        }
        try checkRoom(for: receiver, kind)
        let id = ObjectIdentifier(receiver)
        receivers[id] = (receiver, kind)
        for database in receiver.types.keys { byDatabase[database, default: [:]][id] = receiver }
        if let user = receiver.subscriber { bySubscriber[user, default: [:]][id] = receiver }
        openOnes[kind, default: 0] += 1
        countsOfParties[kind, default: [:]][receiver.party, default: 0] += 1
        noteCounts()
        guard tail == nil else { return }
        do {
            let last = try await store.read(.short) { try $0.lastSequence() }
            // Another one may have come first, and what it read is older.
            if tail == nil, !receivers.isEmpty {
                tail = last
                counts.note(isFollowing: true)
            }
        } catch {
            detach(receiver)
            throw error
        }
        if follower == nil, !receivers.isEmpty { follow() }
    }

    /// Says what a receiver wants that was attached before this was known. Every change that is committed after this
    /// returned is offered to it.
    func watch(_ types: [Int64: Set<Int64>], for receiver: ChangeReceiver) {
        let id = ObjectIdentifier(receiver)
        guard receivers[id] != nil else { return }
        for database in receiver.types.keys { forget(id, in: database) }
        receiver.watch(types)
        for database in types.keys { byDatabase[database, default: [:]][id] = receiver }
    }

    private func forget(_ id: ObjectIdentifier, in database: Int64) {
        byDatabase[database]?[id] = nil
        if byDatabase[database]?.isEmpty == true { byDatabase[database] = nil }
    }

    private func checkRoom(for receiver: ChangeReceiver, _ kind: Kind) throws {
        let ofOne = countsOfParties[kind]?[receiver.party] ?? 0
        guard openOnes[kind, default: 0] < kind.most.all, ofOne < kind.most.ofOne else {
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
        for database in receiver.types.keys { forget(id, in: database) }
        if let user = receiver.subscriber {
            bySubscriber[user]?[id] = nil
            if bySubscriber[user]?.isEmpty == true { bySubscriber[user] = nil }
        }
        openOnes[kind, default: 0] -= 1
        if let count = countsOfParties[kind]?[receiver.party] {
            countsOfParties[kind]?[receiver.party] = count > 1 ? count - 1 : nil
        }
        noteCounts()
        guard receivers.isEmpty else { return }
        follower?.cancel()
        follower = nil
        tail = nil
        counts.note(isFollowing: false)
    }

    private func noteCounts() {
        counts.note(liveQueries: openOnes[.live, default: 0], polls: openOnes[.poll, default: 0])
    }

    /// The open connections of a tenant: how many, and the oldest of them.
    func connections(of tenant: Tenant, limit: Int) -> (count: Int, oldest: [LiveConnection]) {
        let all = receivers.values.compactMap(\.receiver.connection).filter { $0.tenant == tenant }
        return (all.count, Array(all.sorted { $0.openedAt < $1.openedAt }.prefix(limit)))
    }

    /// Has the receivers that follow a user's subscriptions read them again.
    func reload(subscriptionsOf subscriber: String) {
        let user = SubscriptionRow.user(ofSharedDatabaseOf: subscriber) ?? subscriber
        for receiver in bySubscriber[user, default: [:]].values { receiver.reload() }
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
        store.listenForSubscribers { [weak self] user in
            Task { await self?.reload(subscriptionsOf: user) }
        }
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
                // What cannot be read now is read at the next look.
                let (changes, horizon) = try? await store.read(
                    .short,
                    {
                        // In this order: what is forgotten in between is missed, and seen to be.
                        (
                            try $0.loggedChanges(after: from, in: nil, limit: limit),
                            try $0.forgottenChanges()
                        )
                    }), tail == from
            else { return }
            guard from >= horizon else {
                // Each reader finds out by its own cursor what it has missed.
                for (receiver, _) in receivers.values { overflow(receiver) }
                tail = horizon
                continue
            }
            guard let last = changes.last else {
                counts.note(isFollowing: true)
                return
            }
            for change in changes { handOut(change) }
            tail = last.sequence
        }
    }

    /// Hands a change to those who want it.
    func handOut(_ change: LoggedChange) {
        guard let wanting = byDatabase[change.database]?.values.filter({ $0.wants(change) }), !wanting.isEmpty
        else { return }
        guard makeRoom(for: change.weight) else {
            for receiver in wanting { overflow(receiver) }
            return
        }
        let followed = FollowedChange(change, countedBy: counts)
        for receiver in wanting where !receiver.offer(followed) { counts.noteOverflow() }
    }

    /// Makes room for a change: those for whom most waits are told to read the log.
    ///
    /// - Returns: whether there is room; not where readers have taken what fills it, and did not tell it yet.
    private func makeRoom(for weight: Int) -> Bool {
        guard counts.waitingBytes + weight > mostWaitingBytes else { return true }
        let slowest = receivers.values.map { (receiver: $0.receiver, bytes: $0.receiver.waitingBytes) }
            .filter { $0.bytes > 0 }.sorted { $0.bytes > $1.bytes }
        for (receiver, _) in slowest {
            overflow(receiver)
            if counts.waitingBytes + weight <= mostWaitingBytes { return true }
        }
        return false
    }

    private func overflow(_ receiver: ChangeReceiver) {
        if receiver.overflow() { counts.noteOverflow() }
    }
}
