import Foundation
import RecordModel
public import RecordStorage

/// A user with all receivers.
struct UserAudience: Audience {
    let databases: [(number: Int64, isPrivate: Bool)]
    private let plans: [(plan: SubscriptionPlan, visibility: ChangeVisibility)]
    private let receivers: [Subscribers.Receiver]
    private let user: UserRow

    init(_ user: UserRow, _ tenant: Tenant, _ reader: any StoreReader, _ indexes: IndexRules) throws {
        self.user = user
        let schema = try reader.schema(of: tenant)
        var databases: [(Int64, Bool)] = []
        var plans: [(SubscriptionPlan, ChangeVisibility)] = []
        for isPrivate in [true, false] {
            let id = DatabaseID(tenant: tenant, owner: isPrivate ? user.recordName : nil)
            guard let number = try reader.database(id) else { continue }
            databases.append((number, isPrivate))
            let context = try UserRights.context(
                of: user.recordName, isPrivate: isPrivate, tenant, schema, reader, indexes: indexes)
            for row in try reader.subscriptions(of: user.recordName, in: number) {
                plans.append(
                    (
                        try SubscriptionPlan(row, context, schema: schema),
                        ChangeVisibility(rights: context.rights)
                    ))
            }
        }
        self.databases = databases
        self.plans = plans
        receivers = try Subscribers.receivers(
            of: user.recordName, in: tenant, limit: Int.max, reader)
    }

    var notes: [String] {
        var notes: [String] = []
        if plans.isEmpty { notes.append("'\(user.label)' has no subscriptions.") }
        if receivers.isEmpty {
            notes.append(
                "'\(user.label)' has no receivers: no device has registered for notifications, or its user has signed out."
            )
        }
        for receiver in receivers {
            guard let at = receiver.row.endedAt else { continue }
            notes.append(
                "The receiver \(receiver.row.channel.words) \(receiver.id) ended at \(Self.time(at)). \(receiver.row.endReason)"
            )
        }
        return notes
    }

    func verdicts(on change: FollowedChange) -> [Verdict] {
        plans.filter { $0.plan.row.database == change.logged.database }
            .map { $0.plan.verdict(on: change, $0.visibility) }
    }

    func fates(of change: LoggedChange, horizon: Int64) -> [Fate] {
        receivers.map { receiver in
            let (stage, sentence) = fate(of: change, receiver, horizon)
            return Fate(
                receiver: "\(receiver.row.channel.words) \(receiver.id)", stage: stage, sentence: sentence)
        }
    }

    private func fate(
        of change: LoggedChange, _ receiver: Subscribers.Receiver, _ horizon: Int64
    ) -> (Fate.Stage, String) {
        let (row, state) = (receiver.row, receiver.state)
        // A deletion has no time; receivers of earlier versions have no first cursor.
        let isEarlier =
            row.firstCursor > 0
            ? change.sequence <= row.firstCursor : change.time.map { $0 < row.createdAt } ?? false
        if isEarlier {
            return (.madeLater, "The receiver was made later, at \(Self.time(row.createdAt)).")
        }
        guard change.sequence > row.cursor else {
            guard
                let attempt = state.attempts.last(where: {
                    $0.change == change.sequence && ($0.isTaken || $0.isLeftOut)
                })
            else {
                return (
                    .passed,
                    "It is passed; no delivery is on record. The receiver is at change \(row.cursor), and its last \(ReceiverState.attemptsKept) attempts are kept."
                )
            }
            guard attempt.isTaken else {
                return (
                    .refused,
                    "It was refused for good at \(Self.time(attempt.at)) and left out, answered \(attempt.answer)."
                )
            }
            let answer = attempt.answer.isEmpty ? "" : ", answered \(attempt.answer)"
            return (.sent, "It was notified at \(Self.time(attempt.at))\(answer).")
        }
        if let at = row.endedAt {
            return (.ended, "The receiver ended at \(Self.time(at)). \(row.endReason)")
        }
        guard row.cursor >= horizon else {
            return (
                .forgotten,
                "The receiver was away for longer than the log remembers. When it comes back, it has to start again."
            )
        }
        if state.tries > 0 {
            return (
                .failing,
                "\(state.tries) attempts since \(Self.time(state.failedSince ?? 0)) failed, the next is due at \(Self.time(state.dueAt)). Last answer: \(state.lastError ?? "none")"
            )
        }
        return row.channel == .courier
            ? (
                .waiting,
                "It waits until the client asks, which it did last about \(Self.time(row.seenAt)). The receiver is at change \(row.cursor)."
            ) : (.waiting, "It waits to be sent. The receiver is at change \(row.cursor).")
    }

    static func time(_ milliseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601)
    }
}

extension ReceiverRow.Channel {
    /// How a receiver is reached, in words.
    public var words: String {
        switch self {
        case .courier: "web courier"
        case .webPush: "Web Push"
        case .apns: "APNs"
        }
    }
}
