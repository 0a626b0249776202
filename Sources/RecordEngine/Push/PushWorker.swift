import RecordModel
import RecordStorage
import RecordWire

/// Sends the notifications of one receiver, one after the other.
///
/// It is a reader of the change log as a long poll is one, and decides with the same code what is told. One that is not
/// taken is tried again, and those after it wait, unless it will never be taken; what the log has forgotten meanwhile is
/// told as `startAgain`.
struct PushWorker {
    let service: RecordService
    let transport: any PushTransport
    let slots: WebhookSlots
    let channel: any PushChannel
    let row: ReceiverRow

    /// How often a receiver that waits looks at the clock.
    private static let lookInterval = Duration.seconds(1)

    /// Sends until the task is cancelled or the receiver is gone.
    ///
    /// - Throws: `StorageError`; `CancellationError`; `ServiceError` where the server stops.
    func run() async throws {
        // Nothing waits for a receiver that is gone, or that another node serves.
        defer { service.pushCounts.note(waitingSince: nil, of: row.digest.hex) }
        var state = (try? ReceiverState(json: row.state)) ?? ReceiverState()
        var place = NotificationPlace(endOf: row.cursor)
        if let known = service.desk.place(of: row.digest) { place = max(place, known) }
        while true {
            try Task.checkCancellation()
            if state.dueAt > service.environment.now() {
                try await Task.sleep(for: Self.lookInterval)
                continue
            }
            let found: CourierPoll.Outcome
            do {
                let poll = try await CourierPoll(
                    service: service, row: row, place: place, as: .push, mostBytes: channel.mostBytes)
                found = try await poll.run(until: .now + .seconds(Limits.notificationPollSeconds))
            } catch let error as ServiceError where error.code == .notFound {
                try await endOrphan()
                throw error
            }
            switch found {
            case .nothing(let last):
                // What failed may be nobody's any more.
                service.pushCounts.note(waitingSince: nil, of: row.digest.hex)
                if last > place { service.desk.set(last, of: row.digest) }
                place = max(place, last)
            case .again(let last): place = last
            case .found(let json, let next, let collapseID):
                let notification = PushNotification(json: json, id: next.id, collapseID: collapseID)
                switch try await send(notification, at: next, &state) {
                case .ended: return
                case .later: continue
                case .done:
                    place = next
                    service.desk.set(place, of: row.digest)
                }
            }
        }
    }

    /// Ends the receiver where the session or the token is over that it was registered with.
    private func endOrphan() async throws {
        let (digest, now) = (row.digest, service.environment.now())
        try await service.store.write { store in
            guard let stored = try store.receiver(digest: digest), stored.endedAt == nil,
                try !stored.isOriginGood(store, at: now)
            else { return }
            try store.end(stored, because: ReceiverRow.orphanReason, at: now)
        }
    }

    private enum Outcome { case done, later, ended }

    /// Sends one notification.
    private func send(
        _ notification: PushNotification, at place: NotificationPlace, _ state: inout ReceiverState
    ) async throws -> Outcome {
        let now = service.environment.now()
        service.pushCounts.note(waitingSince: state.failedSince ?? now, of: row.digest.hex)
        let (answer, found) = try await Self.push(
            notification, to: row, channel, transport, slots, service.environment)
        var verdict = found
        service.pushCounts.note(isTaken: verdict == .taken)
        if case .gone(let since) = verdict {
            let attempt = ReceiverState.Attempt(
                at: now, change: place.change, isTaken: false, answer: answer.words)
            if try await end(attempt, since: since ?? now) { return .ended }
            verdict = .later
        }
        var dueAt: Int64 = 0
        if verdict == .later {
            let usual = WebhookDelay.milliseconds(
                attempts: state.tries + 1, random: service.environment.random(1).first ?? 0)
            let asked = min(answer.retryAfterSeconds ?? 0, Int64(Limits.webhookRetrySeconds)) * 1_000
            dueAt = service.environment.now() + max(usual, asked)
        }
        let attempt = ReceiverState.Attempt(
            at: now, change: place.change, isTaken: verdict == .taken, answer: answer.words,
            isLeftOut: verdict == .never, dueAt: dueAt)
        state.note(attempt)
        service.desk.note(attempt, of: row.digest)
        guard verdict != .later else { return .later }
        service.pushCounts.note(waitingSince: nil, of: row.digest.hex)
        return .done
    }

    /// Ends the receiver: its push service says that it is gone since a time.
    ///
    /// - Returns: false where it was registered again after that, or with other keys.
    private func end(_ attempt: ReceiverState.Attempt, since: Int64) async throws -> Bool {
        let (row, now) = (row, service.environment.now())
        let isEnded = try await service.store.write { store -> Bool in
            guard var stored = try store.receiver(digest: row.digest), stored.endedAt == nil else {
                return true
            }
            guard stored.definition == row.definition, stored.registeredAt <= since else { return false }
            var state = (try? ReceiverState(json: stored.state)) ?? ReceiverState()
            state.note(attempt)
            stored.state = state.json
            try store.end(stored, because: "Its push service refused it: \(attempt.answer).", at: now)
            return true
        }
        if isEnded { service.pushCounts.note(waitingSince: nil, of: row.digest.hex) }
        return isEnded
    }

    /// One push, when it is its turn.
    static func push(
        _ notification: PushNotification, to row: ReceiverRow, _ channel: any PushChannel,
        _ transport: any PushTransport, _ slots: WebhookSlots, _ environment: ServiceEnvironment
    ) async throws -> (PushAnswer, PushVerdict) {
        let request: PushRequest
        do {
            request = try await channel.request(notification, to: row, now: environment.now())
        } catch let error as CancellationError {
            throw error
        } catch {
            // What is stored cannot be read, or a key is missing: an operator sees it.
            let reason = (error as? ServiceError)?.reason ?? "The receiver's address cannot be read."
            return (PushAnswer(status: nil, text: reason), .later)
        }
        await slots.take()
        let answer: PushAnswer
        do {
            answer = try await transport.send(request)
        } catch {
            await slots.giveBack()
            throw error
        }
        await slots.giveBack()
        return (answer, channel.verdict(on: answer))
    }
}
