import RecordEngine
import RecordModel

/// The webhooks of a container.
struct WebhooksPage: TemplatePage {
    static let template = Template("webhooks", PackageResources.webhooks_mustache)

    struct Hook: TemplateModel {
        let id: String
        let href: String
        let url: String
        let label: String
        let about: String
        let database: String
        let standing: String
        let isGood: Bool
        let last: TimeModel?
        let answer: String
    }

    struct Choice: TemplateModel {
        let recordName: String
        let name: String
    }

    let hooks: [Hook]
    let isEmpty: Bool
    /// The secret that was made just now.
    let secret: String?
    let users: [Choice]
}

/// One webhook, and what became of its deliveries.
struct WebhookPage: TemplatePage {
    static let template = Template("webhook", PackageResources.webhook_mustache)

    /// A zone that is held back.
    struct Held: TemplateModel {
        let zone: String
        let isParked: Bool
        let attempts: String
        let since: TimeModel?
        let due: TimeModel?
        let answer: String
    }

    struct Attempt: TemplateModel {
        let at: TimeModel
        let reason: String
        let zone: String
        let name: String
        let change: String
        let isTaken: Bool
        let answer: String
        let milliseconds: String
    }

    let id: String
    let url: String
    let label: String
    let about: String
    let database: String
    let standing: String
    let isGood: Bool
    /// Why it hears nothing of some of its types.
    let problems: [String]
    /// Where it is explained what became of a record.
    let whyAction: String
    let isPaused: Bool
    let taken: String
    let failed: String
    let held: [Held]
    let isHeld: Bool
    let attempts: [Attempt]
    let hasAttempts: Bool
    let action: String
    let secret: String?
}

extension Webhooks.Listed {
    /// Whether nothing has to be done about it.
    var isGood: Bool { standing == "good" }
}
