import RecordModel
import RecordStorage
import RecordWire

/// Delivers the changes of one webhook, as long as it runs.
///
/// It reads the change log from the hook's cursor on and hands what is to be told to a lane for each zone. A lane delivers
/// in the order of the commits. One whose delivery is not taken is *held back*: it leaves memory, and reads the log from a
/// cursor of its own when it is due again, until it has caught up; the other lanes go on. Cursor and held zones are stored
/// together, so what was not taken is delivered after a crash, and what was taken in its last moment again.
actor WebhookWorker {
    /// Another worker delivers for the hook now, or the hook is gone.
    struct Replaced: Error {}

    let service: RecordService
    let transport: any WebhookTransport
    let slots: WebhookSlots
    let baseURL: String
    let id: String
    /// By which a stored row shows that this worker has the hook.
    private let holder: Int64
    private(set) var row: WebhookRow
    var plan: WebhookPlan
    var state: WebhookState

    /// The sequence number up to which the log was read and handed out.
    var dispatched: Int64
    var lanes: [WebhookLaneKey: WebhookLane] = [:]
    var waitingBytes = 0
    /// The zones whose lanes deliver at this moment, and those that wait for their turn to.
    private var running: Set<WebhookLaneKey> = []
    var ready: [WebhookLaneKey] = []
    var isChanged = false
    private var savedAt = ContinuousClock.now
    private var savedCursor: Int64
    var receiver: ChangeReceiver

    /// The most bytes of deliveries that wait in memory for one hook.
    private static let mostWaitingBytes = 1_048_576
    /// How many changes are read at once.
    static let portion = 64
    private static let savingInterval = Duration.seconds(1)
    /// How often held zones and what an operator changed are looked at.
    private static let lookInterval = Duration.milliseconds(250)
    /// How far the log may move on without a delivery before the cursor is stored, in sequence numbers.
    private static let silentDistance: Int64 = 50_000
    /// After how long it is stored though nothing was delivered.
    private static let silentInterval = Duration.seconds(3_600)

    /// Takes a hook: a worker that has it on another node stores nothing from then on.
    init(
        _ id: String, service: RecordService, transport: any WebhookTransport, slots: WebhookSlots,
        baseURL: String
    ) async throws {
        let drawn = service.environment.random(8).reduce(Int64(0)) { ($0 << 8 | Int64($1)) & .max }
        let found = try await service.store.write { store -> (WebhookRow, WebhookPlan)? in
            guard var row = try store.webhook(id) else { return nil }
            row.holder = drawn
            try store.store(row)
            return (row, try WebhookPlan(row, store, baseURL: baseURL))
        }
        guard let (row, plan) = found else { throw Replaced() }
        self.id = id
        self.service = service
        self.transport = transport
        self.slots = slots
        self.baseURL = baseURL
        self.row = row
        self.plan = plan
        holder = drawn
        state = try WebhookState(json: row.state)
        dispatched = row.cursor
        savedCursor = row.cursor
        receiver = ChangeReceiver(
            types: [row.database: [ChangeWatch.allTypes]], party: row.subscriber, onlyWakes: true)
    }

    /// Delivers until the task is cancelled or another worker takes the hook.
    func run() async throws {
        sendHeld()
        try await service.hub.attach(receiver, as: .hook)
        do {
            try await deliverAll()
        } catch {
            await service.hub.detach(receiver)
            throw error
        }
        await service.hub.detach(receiver)
    }

    private func deliverAll() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [receiver] in
                while (try? await Task.sleep(for: Self.lookInterval)) != nil { receiver.wake() }
            }
            defer { group.cancelAll() }
            while !Task.isCancelled {
                if case .end = receiver.take() { break }
                let hasMore = try await round()
                while running.count < Limits.webhookDeliveriesPerHook, !ready.isEmpty {
                    let zone = ready.removeFirst()
                    running.insert(zone)
                    group.addTask { await self.run(lane: zone) }
                }
                if !hasMore { await receiver.wait() }
            }
        }
        try await save(isLast: true)
    }

    /// Reads on, wakes the zones that are due, and stores how far it is.
    ///
    /// - Returns: whether there is more to read.
    private func round() async throws -> Bool {
        let hasMore = try await readOn()
        let now = service.environment.now()
        for zone in state.held.values where !zone.isParked && zone.dueAt <= now && isBehind(zone) {
            enqueue(zone.lane)
        }
        let since = state.held.values.compactMap(\.failedSince) + lanes.values.map(\.since)
        service.webhookCounts.note(waitingSince: since.min(), of: id)
        try await save(isLast: false)
        return hasMore
    }

    /// Whether a zone has something to tell before the others read on: not one that was told of a gap as far as the log's
    /// horizon, which they have yet to reach.
    func isBehind(_ zone: WebhookState.HeldZone) -> Bool {
        zone.lane == .everything || zone.cursor <= dispatched
    }

    private func enqueue(_ zone: WebhookLaneKey) {
        guard !running.contains(zone), !ready.contains(zone) else { return }
        ready.append(zone)
    }

    private func run(lane zone: WebhookLaneKey) async {
        if zone == .everything {
            await tellAll()
        } else if state.held[zone] != nil {
            await catchUp(zone)
        } else {
            await deliver(lane: zone)
        }
        running.remove(zone)
        if lanes[zone] != nil { enqueue(zone) }
        receiver.wake()
    }

    // MARK: What an operator changed

    /// Takes the row as it is stored now.
    ///
    /// - Returns: false where another worker has it.
    func update(_ stored: WebhookRow) async -> Bool {
        guard stored.holder == holder else { return false }
        row.sendAgainAt = stored.sendAgainAt
        sendHeld()
        // What cannot be read is looked at again a moment later.
        if stored.definition != row.definition { try? await readPlan(stored.definition) }
        // What cannot be subscribed now is at the next look.
        if !plan.isComplete(service.store.schema(of: row.tenant)) { try? await subscribeAgain() }
        receiver.wake()
        return true
    }

    private func readPlan(_ definition: [UInt8]) async throws {
        var row = row
        row.definition = definition
        plan = try await service.store.read(.short) { [row, baseURL] in
            try WebhookPlan(row, $0, baseURL: baseURL)
        }
        self.row.definition = definition
    }

    /// A type or a zone is there again that the hook is about: its changes since are not in the log, and the receiver
    /// hears that.
    private func subscribeAgain() async throws {
        let now = service.environment.now()
        let row = row
        guard try await service.store.read(.short, { try Webhooks.isMissingSubscriptions(row, $0) }) else {
            return
        }
        try await service.store.write { try Webhooks.subscribe(row, in: $0, now: now) }
        try await readPlan(row.definition)
        state.held[.everything] = .init(lane: .everything, cursor: dispatched, dueAt: now)
        isChanged = true
    }

    /// Has what is held back sent where an operator asked for it, also while no worker ran.
    private func sendHeld() {
        guard row.sendAgainAt > state.sentAgainAt else { return }
        state.sentAgainAt = row.sendAgainAt
        let now = service.environment.now()
        for zone in state.held.keys {
            state.held[zone]?.isParked = false
            state.held[zone]?.dueAt = now
            state.held[zone]?.failedSince = nil
            state.held[zone]?.attempts = 0
        }
        isChanged = true
    }

    // MARK: The log

    /// Hands out the next changes, as far as there is room for them.
    private func readOn() async throws -> Bool {
        guard state.held[.everything] == nil,
            state.held.values.count(where: isBehind) < Limits.webhookHeldZones,
            waitingBytes < Self.mostWaitingBytes, lanes[.allZones] == nil,
            (state.held[.allZones]?.cursor ?? .max) >= dispatched
        else { return false }
        let (from, database) = (dispatched, row.database)
        let (horizon, last, changes) = try await service.store.read(.short) { reader in
            (
                try reader.forgottenChanges(), try reader.lastSequence(),
                try reader.loggedChanges(after: from, in: database, limit: Self.portion)
            )
        }
        assert(dispatched == from, "Only this function reads on")
        guard from >= horizon else {
            startAgain(at: horizon)
            return false
        }
        // Lanes go on while conditions are asked, so what is handed out is decided afterwards, in one piece.
        var found: [(change: FollowedChange, reason: WebhookPlan.Reason?)] = []
        for change in changes {
            let followed = FollowedChange(change)
            found.append((followed, try await plan.reason(for: followed, by: service.conditions)))
        }
        guard dispatched == from, state.held[.everything] == nil else { return true }
        for (change, reason) in found {
            guard mayPass(change.logged) else {
                dispatched = change.sequence - 1
                return false
            }
            take(change, reason)
            dispatched = change.sequence
        }
        if changes.isEmpty { dispatched = max(from, last) }
        return !changes.isEmpty
    }

    /// Whether a change may be handed out now: what is about all zones comes after all before it, and before all after it.
    private func mayPass(_ change: LoggedChange) -> Bool {
        guard lanes[.allZones] == nil, (state.held[.allZones]?.cursor ?? .max) >= change.sequence else {
            return false
        }
        guard WebhookLaneKey(of: change) == .allZones, plan.reason(for: FollowedChange(change)) != nil
        else { return true }
        return lanes.isEmpty && !state.held.values.contains { $0.cursor < change.sequence }
    }

    private func take(_ change: FollowedChange, _ reason: WebhookPlan.Reason?) {
        let lane = WebhookLaneKey(of: change.logged)
        // A zone that is held back reads the log by itself.
        guard state.held[lane] == nil, let reason else { return }
        let delivery = WebhookDelivery(reason, of: change, plan, service)
        waitingBytes += lanes[lane, default: WebhookLane(since: service.environment.now())].add(delivery)
        isChanged = true
        enqueue(lane)
    }

    /// The log has forgotten what comes next: everything else waits until the receiver knows.
    private func startAgain(at horizon: Int64) {
        state.held = state.held.filter { $0.value.cursor >= horizon }
        state.held[.everything] = .init(
            lane: .everything, cursor: horizon, dueAt: service.environment.now())
        isChanged = true
    }

    // MARK: The store

    /// How far all zones are that are not held back.
    private var cursor: Int64 { lanes.values.compactMap(\.cursor).reduce(dispatched, min) }

    private func save(isLast: Bool) async throws {
        let cursor = cursor
        // The log is forgotten by time: a hook that was quiet for a week has to know that it missed nothing.
        let isSilent =
            cursor != savedCursor && (isLast || ContinuousClock.now - savedAt >= Self.silentInterval)
        let isFar = cursor - savedCursor > Self.silentDistance
        guard isChanged || isFar || isSilent, isLast || ContinuousClock.now - savedAt >= Self.savingInterval
        else {
            return
        }
        isChanged = false
        savedAt = .now
        let (id, holder, state) = (id, holder, state.json)
        do {
            try await service.store.write { store in
                guard var row = try store.webhook(id), row.holder == holder else { throw Replaced() }
                row.cursor = cursor
                row.state = state
                try store.store(row)
            }
            savedCursor = cursor
        } catch let error as Replaced {
            throw error
        } catch {
            // What is not stored is delivered again after a restart; a full disk may have room later.
            isChanged = true
        }
    }
}
