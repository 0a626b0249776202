import RecordEngine
import RecordStorage

/// The subscriptions, receivers and open connections of a container, of one user or of all.
struct SubscriptionsPage: TemplatePage {
    static let template = Template("subscriptions", PackageResources.subscriptions_mustache)

    struct Subscription: TemplateModel {
        let name: String
        let subscriber: String
        let href: String
        let kind: String
        let about: String
        let database: String
        let hasFired: Bool
        let problem: String?
    }

    struct Receiver: TemplateModel {
        let id: String
        let user: String
        let href: String
        let channel: String
        let cursor: String
        let lag: String
        let waitingSince: TimeModel?
        let isPastHorizon: Bool
        let last: TimeModel?
        let error: String?
        /// When it ended, and why; nil for one that is reached.
        let ended: TimeModel?
        let endReason: String
        let due: TimeModel?
        let seen: TimeModel
        /// Where a test is sent to; nil for a receiver that asks by itself.
        let testAction: String?
        let removeAction: String
    }

    struct Connection: TemplateModel {
        let user: String
        let database: String
        let kind: String
        let query: String
        let opened: TimeModel
    }

    struct Choice: TemplateModel {
        let recordName: String
        let name: String
        let isChosen: Bool
    }

    let users: [Choice]
    let subscriptions: [Subscription]
    let hasSubscriptions: Bool
    let firstSubscriptions: String?
    let nextSubscriptions: String?
    let receivers: [Receiver]
    let hasReceivers: Bool
    let firstReceivers: String?
    let nextReceivers: String?
    let connections: [Connection]
    let hasConnections: Bool
    let moreConnections: String?
}

/// What became of one record, for a user or a webhook.
struct DeliveryPage: TemplatePage {
    static let template = Template("delivery", PackageResources.delivery_mustache)

    struct Verdict: TemplateModel {
        let subscription: String
        let isMatched: Bool
        let sentence: String
    }

    struct Fate: TemplateModel {
        let receiver: String
        let stage: String
        let isGood: Bool
        let sentence: String
    }

    struct Change: TemplateModel {
        let sequence: String
        let kind: String
        let at: TimeModel?
        let place: String
        let verdicts: [Verdict]
        let hasVerdicts: Bool
        let fates: [Fate]
        let hasFates: Bool
    }

    let record: String
    let zone: String
    let audience: String
    let user: String?
    let hook: String?
    let changes: [Change]
    let notes: [String]
}

extension DeliveryPage.Change {
    init(_ change: DeliveryExplanation.Change) {
        self.init(
            sequence: String(change.sequence), kind: change.kind, at: change.at.map(TimeModel.init),
            place: "\(change.zoneName), \(change.isPrivate ? "private" : "public") database",
            verdicts: change.verdicts.map {
                .init(subscription: $0.subscription, isMatched: $0.isMatched, sentence: $0.sentence)
            }, hasVerdicts: !change.verdicts.isEmpty,
            fates: change.fates.map {
                .init(
                    receiver: $0.receiver, stage: $0.stage.words, isGood: $0.stage == .sent,
                    sentence: $0.sentence)
            }, hasFates: !change.fates.isEmpty)
    }
}

extension DeliveryExplanation.Fate.Stage {
    fileprivate var words: String { self == .madeLater ? "made later" : rawValue }
}
