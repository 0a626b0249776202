import RecordModel
import RecordStorage
import RecordWire

/// A webhook.
struct WebhookAudience: Audience {
    let databases: [(number: Int64, isPrivate: Bool)]
    let notes: [String]
    private let hook: Webhooks.Listed
    private let plan: WebhookPlan

    init(_ id: String, _ tenant: Tenant, _ reader: any StoreReader) throws {
        hook = try Webhooks.find(id, of: tenant, reader)
        plan = try WebhookPlan(hook.row, reader, baseURL: "")
        databases = [(hook.row.database, hook.definition.owner != nil)]
        notes = hook.problems
    }

    func verdicts(on change: FollowedChange) -> [Verdict] {
        if let reason = plan.reason(for: change) {
            let words = plan.subscriptions.compactMap(\.conditionWords).first
            return [
                Verdict(
                    subscription: hook.row.id, isMatched: true,
                    sentence: "It matches, as \(reason.rawValue)\(words.map { ": \($0)" } ?? "").")
            ]
        }
        return plan.subscriptions.map { subscription in
            var verdict = subscription.verdict(on: change, plan.visibility)
            // A hook without types hears of all, and then chooses.
            guard verdict.isMatched else { return verdict }
            let words = hook.definition.firesOn.map(\.rawValue).joined(separator: ", ")
            verdict.isMatched = false
            verdict.sentence = "The hook fires on \(words) only."
            return verdict
        }
    }

    func fates(of change: LoggedChange, horizon: Int64) -> [Fate] {
        let (stage, sentence) = fate(of: change, horizon)
        return [Fate(receiver: "webhook \(hook.row.id)", stage: stage, sentence: sentence)]
    }

    private func fate(of change: LoggedChange, _ horizon: Int64) -> (Fate.Stage, String) {
        let held = hook.state.held[.everything] ?? hook.state.held[WebhookLaneKey(of: change)]
        let cursor = held?.cursor ?? hook.row.cursor
        guard change.sequence > cursor else {
            guard
                let attempt = hook.state.attempts.last(where: { $0.change == change.sequence && $0.isTaken })
            else { return (.sent, "It was delivered: the hook is at change \(cursor).") }
            return (.sent, "It was taken at \(UserAudience.time(attempt.at)), answered \(attempt.answer).")
        }
        if hook.definition.isPaused { return (.paused, "The hook is paused, at change \(cursor).") }
        guard cursor >= horizon else {
            return (
                .forgotten, "It was held back for longer than the log remembers, so it gets 'startAgain'."
            )
        }
        guard let held, held.attempts > 0 else {
            return (.waiting, "It waits to be sent. The hook is at change \(cursor).")
        }
        let tries = "\(held.attempts) attempts since \(UserAudience.time(held.failedSince ?? 0)) failed"
        if held.isParked {
            return (.parked, "\(tries), and an operator has to send it again. Last answer: \(held.answer)")
        }
        let due = UserAudience.time(held.dueAt)
        return (.failing, "\(tries), the next is due at \(due). Last answer: \(held.answer)")
    }
}
