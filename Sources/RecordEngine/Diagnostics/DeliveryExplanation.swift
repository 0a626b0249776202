public import RecordModel
public import RecordStorage
import RecordWire

/// Why a receiver was, or was not, told of a record: the answer to an operator, as far as the log goes back.
public struct DeliveryExplanation: Sendable {
    /// Who was to be told.
    public enum Subscriber: Sendable {
        /// A user, with all receivers.
        case user(UserRow)
        /// The webhook of an id.
        case webhook(String)
    }

    /// What a subscription says of a change.
    public struct Verdict: Sendable {
        /// Its name.
        public var subscription: String
        /// Whether it fired.
        public var isMatched: Bool
        /// Why, or why not, in a sentence.
        public var sentence: String
    }

    /// What became of a change that fired, for one receiver.
    public struct Fate: Sendable {
        /// How far it got.
        public enum Stage: String, Sendable {
            /// It was taken, or handed to the client.
            case sent
            /// The receiver is past it, and nothing of a delivery is kept.
            case passed
            /// It was refused for good, and left out.
            case refused
            /// The receiver ended before it was told.
            case ended
            /// It is next, or waits behind others.
            case waiting
            /// It was tried and not taken, and will be again.
            case failing
            /// An operator has to ask for it.
            case parked, paused
            /// It was forgotten before it could be told; the receiver is told to start again.
            case forgotten
            /// The receiver was made afterwards.
            case madeLater
        }

        /// The receiver's name.
        public var receiver: String
        /// How far it got.
        public var stage: Stage
        /// The same in a sentence.
        public var sentence: String
    }

    /// One change of the record.
    public struct Change: Sendable {
        /// The sequence number.
        public var sequence: Int64
        /// What was done: `created`, `updated`, `deleted` and so on.
        public var kind: String
        /// When, in milliseconds; nil where the log does not say.
        public var at: Int64?
        /// The zone's name.
        public var zoneName: String
        /// Whether it is in the private database.
        public var isPrivate: Bool
        /// What each subscription says.
        public var verdicts: [Verdict]
        /// What became of it, where one fired.
        public var fates: [Fate]
    }

    /// The changes of the record that the log has, the newest first; at most ``mostChanges``.
    public var changes: [Change]
    /// What there is to say besides, in sentences.
    public var notes: [String]

    /// The most changes that are explained.
    public static let mostChanges = 20

    /// Explains what became of a record.
    ///
    /// - Parameters:
    ///   - record: the name of the record.
    ///   - zone: the name of its zone; nil for all zones.
    ///   - subscriber: who was to be told.
    ///   - tenant: the container and environment.
    ///   - reader: what reads the store.
    ///   - indexes: which indexes production asks of a schema.
    /// - Throws: `NOT_FOUND` for an unknown webhook; `StorageError`.
    public init(
        of record: String, zone: String?, for subscriber: Subscriber, in tenant: Tenant,
        _ reader: any StoreReader, indexes: IndexRules = .open
    ) throws {
        let audience: any Audience =
            switch subscriber {
            case .user(let user): try UserAudience(user, tenant, reader, indexes)
            case .webhook(let id): try WebhookAudience(id, tenant, reader)
            }
        var found: [(LoggedChange, isPrivate: Bool)] = []
        for (database, isPrivate) in audience.databases {
            found += try reader.loggedChanges(named: record, in: database, limit: Self.mostChanges)
                .filter { zone == nil || $0.zoneName == zone }.map { ($0, isPrivate) }
        }
        let horizon = try reader.forgottenChanges()
        let newest = found.sorted { $0.0.sequence > $1.0.sequence }.prefix(Self.mostChanges)
        changes = newest.map { change, isPrivate in
            let followed = FollowedChange(change)
            let verdicts = audience.verdicts(on: followed)
            return Change(
                sequence: change.sequence, kind: change.kind.words, at: change.time,
                zoneName: change.zoneName, isPrivate: isPrivate, verdicts: verdicts,
                fates: verdicts.contains(where: \.isMatched)
                    ? audience.fates(of: change, horizon: horizon) : []
            )
        }
        notes = audience.notes
        if changes.isEmpty {
            notes.append(
                "The log has no change of a record '\(record.prefix(Limits.nameLength))'\(zone.map { " in the zone '\($0)'" } ?? "") there: it was not changed, nobody watched its type then, or the change was forgotten."
            )
        }
        notes.append(
            horizon == 0
                ? "Nothing was forgotten so far."
                : "The log no longer has what came up to change \(horizon).")
    }
}

/// Whoever is to be told: what their subscriptions say, and how far they have got.
protocol Audience {
    typealias Verdict = DeliveryExplanation.Verdict
    typealias Fate = DeliveryExplanation.Fate

    /// The numbers of the databases, and whether they are private.
    var databases: [(number: Int64, isPrivate: Bool)] { get }
    /// What is missing altogether, in sentences.
    var notes: [String] { get }
    func verdicts(on change: FollowedChange) -> [Verdict]
    func fates(of change: LoggedChange, horizon: Int64) -> [Fate]
}

extension LoggedChange.Kind {
    /// What was done, in a word.
    var words: String {
        switch self {
        case .created: "created"
        case .updated: "updated"
        case .deleted: "deleted"
        case .retagged: "retagged"
        case .zoneCreated: "zone created"
        case .zoneDeleted: "zone deleted"
        case .typeDeleted: "type deleted"
        case .shareChanged: "share changed"
        case .shareLost: "share lost"
        }
    }
}

extension SubscriptionPlan {
    /// What the query asks for, in words; nil where it asks for nothing or cannot be understood.
    var conditionWords: String? {
        guard let condition else { return definition.query?.predicate }
        let asked = condition.condition
        return asked == .constant(true) || asked == .and([]) ? nil : asked.words
    }

    /// What the subscription says of a change, for an operator.
    func verdict(on change: FollowedChange, _ visibility: ChangeVisibility) -> DeliveryExplanation.Verdict {
        switch outcome(of: change, visibility) {
        case .fires:
            let sentence = conditionWords.map { "It matches: \($0)." } ?? "It matches."
            return .init(subscription: row.name, isMatched: true, sentence: sentence)
        case .silent(let silence):
            return .init(
                subscription: row.name, isMatched: false, sentence: sentence(silence, change, visibility))
        }
    }

    private func sentence(
        _ silence: Silence, _ change: FollowedChange, _ visibility: ChangeVisibility
    ) -> String {
        switch silence {
        case .otherDatabase: return "It is about another database."
        case .otherType: return "It is about another record type."
        case .otherZone:
            return definition.kind == .database
                ? "It is about custom zones, and this is the default zone." : "It is about another zone."
        case .tooLate: return "It was made after the change, which counts from change \(row.since) on."
        case .ended: return "It fires once, and had fired on change \(row.endedAt ?? 0) already."
        case .otherKind: return "It is not about what happened: \(change.kind.words)."
        case .trigger(let trigger):
            let words = definition.firesOn.map(\.rawValue).joined(separator: ", ")
            return "It does not fire on \(trigger.rawValue), only on \(words)."
        case .broken: return "It fires on nothing any more: \(problem ?? "")"
        case .damaged:
            return "The record in the log cannot be read; 'stratus doctor' looks through the store."
        case .condition:
            guard let condition, let record = change.kind == .deleted ? change.before : change.after else {
                return "The record does not fulfil its query."
            }
            // What a user may read is a part of the condition.
            guard visibility.mayRead(record, of: type) else { return visibility.refusal(of: record, type) }
            return
                "The record does not fulfil \(record.unfulfilled(condition.condition).joined(separator: "; "))."
        case .right:
            let record = change.after ?? change.before
            return visibility.refusal(of: record, type)
        }
    }
}

extension ChangeVisibility {
    /// Which right to read a record is missing, in a sentence.
    fileprivate func refusal(of record: LoggedRecord?, _ type: RecordType?) -> String {
        guard let type else { return "Its user may not read records of a type that is gone." }
        let roles = type.effectiveGrants.filter { $0.permissions.contains(.read) }.map(\.role)
        let granted = roles.isEmpty ? "to nobody" : "to \(roles.joined(separator: ", "))"
        let creator = record.map { ", and '\($0.created.userRecordName)' made this one" } ?? ""
        return "Its user has no right to read the record: '\(type.name)' grants READ \(granted)\(creator)."
    }
}
