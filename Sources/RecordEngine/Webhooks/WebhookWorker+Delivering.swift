import RecordModel
import RecordStorage
import RecordWire

/// Sending: each function is one lane's turn.
extension WebhookWorker {
    /// After how many deliveries a lane lets others have a turn.
    private static let turn = 16

    /// Delivers what waits in memory for a zone.
    func deliver(lane zone: WebhookLaneKey) async {
        for _ in 0..<Self.turn {
            guard let delivery = lanes[zone]?.first else { break }
            guard let answer = await send(delivery) else { return }
            guard answer.isTaken else { return hold(delivery, answer) }
            waitingBytes -= lanes[zone]?.removeFirst() ?? 0
            isChanged = true
            guard let lane = lanes[zone], lane.waiting.isEmpty else { continue }
            lanes[zone] = nil
            // What follows is in the log only.
            if lane.hasMore {
                state.held[zone] = .init(lane: zone, cursor: delivery.sequence, dueAt: 0)
            }
            return
        }
    }

    /// Holds a zone back whose delivery was not taken.
    private func hold(_ delivery: WebhookDelivery, _ answer: WebhookAnswer) {
        let lane = delivery.lane
        waitingBytes -= lanes[lane]?.bytes ?? 0
        lanes[lane] = nil
        state.held[lane] = .init(lane: lane, cursor: delivery.sequence - 1, dueAt: 0)
        postpone(lane, answer)
    }

    /// Sets when a zone is due again, or parks it after a day.
    private func postpone(_ zone: WebhookLaneKey, _ answer: WebhookAnswer) {
        guard var held = state.held[zone] else { return }
        let now = service.environment.now()
        held.attempts += 1
        held.answer = String(answer.text.prefix(WebhookState.answerCharacters))
        held.failedSince = held.failedSince ?? now
        held.isParked = now - (held.failedSince ?? now) >= Int64(Limits.webhookRetrySeconds) * 1_000
        held.dueAt =
            now
            + WebhookDelay.milliseconds(
                attempts: held.attempts, random: service.environment.random(1).first ?? 0)
        state.held[zone] = held
        isChanged = true
    }

    /// Delivers from the log what follows in a zone that was held back, as far as the others are.
    func catchUp(_ zone: WebhookLaneKey) async {
        guard let held = state.held[zone], isBehind(held) else { return }
        let (from, upTo, database) = (held.cursor, dispatched, row.database)
        // The zone stays held back, and is tried again.
        let read = try? await service.store.read(.short) { reader in
            (
                try reader.forgottenChanges(),
                try reader.loggedChanges(after: from, in: database, limit: Self.portion)
            )
        }
        guard let (horizon, found) = read else {
            return postpone(zone, .none("The store could not be read."))
        }
        guard from >= horizon else { return await tellGap(held, upTo: horizon) }
        for change in found where change.sequence <= upTo && WebhookLaneKey(of: change) == zone {
            let followed = FollowedChange(change)
            let found: WebhookPlan.Reason?
            do {
                found = try await plan.reason(for: followed, by: service.conditions)
            } catch {
                // The worker stops; the zone stays where it is.
                return
            }
            guard let reason = found else { continue }
            let delivery = WebhookDelivery(reason, of: followed, plan, service)
            guard let answer = await send(delivery) else { return }
            guard answer.isTaken else { return postpone(zone, answer) }
            move(zone, to: change.sequence)
        }
        let last = found.last?.sequence ?? upTo
        move(zone, to: min(last, upTo))
        // Nothing is between this look and the others' next one: from here on the zone is as the others.
        if let cursor = state.held[zone]?.cursor, cursor >= dispatched { state.held[zone] = nil }
    }

    /// What was held back for longer than the log remembers cannot be told any more; that it is gone is.
    private func tellGap(_ held: WebhookState.HeldZone, upTo horizon: Int64) async {
        let delivery = WebhookDelivery(startAgainAt: horizon, in: held.lane, plan)
        guard let answer = await send(delivery) else { return }
        guard answer.isTaken else { return postpone(held.lane, answer) }
        move(held.lane, to: horizon)
    }

    /// Tells that changes of all zones may be gone.
    func tellAll() async {
        guard let held = state.held[.everything] else { return }
        let delivery = WebhookDelivery(startAgainAt: held.cursor, in: .everything, plan)
        guard let answer = await send(delivery) else { return }
        guard answer.isTaken else { return postpone(held.lane, answer) }
        state.held[.everything] = nil
        dispatched = max(dispatched, held.cursor)
        isChanged = true
    }

    private func move(_ zone: WebhookLaneKey, to sequence: Int64) {
        guard var held = state.held[zone] else { return }
        held.cursor = max(held.cursor, sequence)
        held.attempts = 0
        held.failedSince = nil
        held.dueAt = 0
        held.answer = ""
        state.held[zone] = held
        isChanged = true
    }

    /// Sends one delivery; nil where the worker is to stop.
    private func send(_ delivery: WebhookDelivery) async -> WebhookAnswer? {
        await slots.take()
        let (answer, attempt) = await WebhookSending.send(
            delivery, plan, over: transport, service.environment)
        await slots.giveBack()
        guard let answer, !Task.isCancelled || answer.isTaken else { return nil }
        state.note(attempt)
        isChanged = true
        service.webhookCounts.note(isTaken: answer.isTaken)
        return answer
    }
}

/// One request, signed at the moment at which it goes.
enum WebhookSending {
    static func send(
        _ delivery: WebhookDelivery, _ plan: WebhookPlan, over transport: any WebhookTransport,
        _ environment: ServiceEnvironment
    ) async -> (WebhookAnswer?, WebhookState.Attempt) {
        let start = ContinuousClock.now
        let now = environment.now()
        let headers = WebhookSignature.headers(
            id: delivery.id, body: delivery.body, secrets: plan.definition.secrets, now: now)
        // It throws only where the task is cancelled; why nothing was reached is an answer, too.
        let answer = try? await transport.send(
            WebhookRequest(url: plan.definition.url, headers: headers, body: delivery.body))
        let attempt = WebhookState.Attempt(
            at: now, change: delivery.sequence, reason: delivery.reason.rawValue, zoneName: delivery.zoneName,
            name: String(delivery.name.prefix(Limits.nameLength)), isTaken: answer?.isTaken ?? false,
            answer: String((answer?.text ?? "").prefix(WebhookState.answerCharacters)),
            milliseconds: Int((ContinuousClock.now - start) / .milliseconds(1)))
        return (answer, attempt)
    }
}
