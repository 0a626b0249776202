package import RecordModel

/// The tables that are described once. ``StoreSection`` names each, and ``shape(of:)`` is what engines copy it by.
package enum Catalogue {
    package static let sessions = StoreTable<SessionRow>(
        "session", key: 1,
        [
            .init("id", \.id), .init("tenant", \.tenant), .init("user", \.user), .init("account", \.account),
            .init("label", \.label), .init("created_at", \.createdAt), .init("seen_at", \.seenAt),
            .init("ends_at", \.endsAt), .init("idle", \.idleMilliseconds), .init("api_token", \.apiToken),
        ]
    ) {
        SessionRow(
            id: "", tenant: $0, user: "", account: "", label: "", createdAt: 0, seenAt: 0, endsAt: 0,
            idleMilliseconds: 0)
    }

    package static let links = StoreTable<DigestedLink>(
        "account_link", key: 1,
        [
            .init("digest", \.digest), .init("purpose", \.link.purpose), .init("account", \.link.account),
            .init("address", \.link.address), .init("tenant", \.link.tenant),
            .init("api_token", \.link.apiToken), .init("created_at", \.link.createdAt),
            .init("expires_at", \.link.expiresAt),
        ]
    ) {
        DigestedLink(
            digest: [],
            link: AccountLinkRow(
                purpose: .dead, account: nil, address: "", tenant: $0, apiToken: nil, createdAt: 0,
                expiresAt: 0))
    }

    package static let pushKeys = StoreTable<PushKeyRow>(
        "push_key", key: 1, [.init("tenant", \.tenant), .init("definition", \.definition)]
    ) { PushKeyRow(tenant: $0, definition: []) }

    package static let subscriptions = StoreTable<SubscriptionRow>(
        "subscription", key: 3,
        [
            .init("database", \.database), .init("user", \.user), .init("name", \.name),
            .init("type", \.type), .init("zone", \.zone), .init("since", \.since),
            .init("ended_at", \.endedAt), .init("definition", \.definition),
        ],
        blank: SubscriptionRow(database: 0, user: "", name: "", type: 0, zone: 0, since: 0, definition: []))

    package static let receivers = StoreTable<ReceiverRow>(
        "receiver", key: 1,
        [
            .init("digest", \.digest), .init("tenant", \.tenant), .init("user", \.user),
            .init("push_environment", \.pushEnvironment), .init("client", \.client),
            .init("cursor", \.cursor), .init("created_at", \.createdAt), .init("seen_at", \.seenAt),
            .init("channel", \.channel), .init("definition", \.definition), .init("state", \.state),
            .init("session", \.origin), .init("first_cursor", \.firstCursor),
            .init("registered_at", \.registeredAt), .init("ended_at", \.endedAt),
            .init("end_reason", \.endReason),
        ]
    ) {
        ReceiverRow(
            digest: [], tenant: $0, user: "", pushEnvironment: "", client: "", cursor: 0, createdAt: 0,
            seenAt: 0)
    }

    package static let webhooks = StoreTable<WebhookRow>(
        "webhook", key: 1,
        [
            .init("id", \.id), .init("tenant", \.tenant), .init("database", \.database),
            .init("definition", \.definition), .init("state", \.state), .init("cursor", \.cursor),
            .init("holder", \.holder), .init("send_again_at", \.sendAgainAt),
            .init("created_at", \.createdAt),
        ]
    ) { WebhookRow(id: "", tenant: $0, database: 0, definition: [], cursor: 0, createdAt: 0) }

    /// An engine numbers the changes of its watches; all that were copied have the first number.
    package static let watches = StoreTable<ChangeWatch>(
        "change_watch", key: 2,
        [
            .init("database", \.database), .init("type", \.type), .init("since", \.since),
            .init("used_at", \.usedAt),
        ],
        constants: [("version", firstWatchVersion)],
        blank: ChangeWatch(database: 0, type: 0, since: 0, usedAt: 0))
    package static let firstWatchVersion: Int64 = 1

    package static let changes = StoreTable<PlacedChange>(
        "change_log", key: 1,
        [
            .init("sequence", \.change.sequence), .init("position", \.position), .init("kind", \.change.kind),
            .init("database", \.change.database), .init("zone", \.change.zone),
            .init("zone_name", \.change.zoneName), .init("type", \.change.type),
            .init("record", \.change.record), .init("name", \.change.name), .init("before", \.change.before),
            .init("after", \.change.after),
        ],
        blank: PlacedChange(
            position: 0,
            change: LoggedChange(sequence: 0, kind: .created, database: 0, zone: 0, name: "")))

    package static let outcomes = StoreTable<PlacedOutcome>(
        "kept_outcome", key: 1,
        [
            .init("position", \.position), .init("key", \.outcome.key), .init("request", \.outcome.request),
            .init("created_at", \.outcome.createdAt), .init("outcome", \.outcome.outcome),
        ],
        blank: PlacedOutcome(
            position: 0, outcome: KeptOutcome(key: [], request: [], createdAt: 0, outcome: [])))

    /// The table that a part of a store is; nil for parts that are not described yet.
    package static func shape(of section: StoreSection) -> TableShape? {
        switch section {
        case .sessions: sessions.shape
        case .links: links.shape
        case .pushKeys: pushKeys.shape
        case .subscriptions: subscriptions.shape
        case .receivers: receivers.shape
        case .webhooks: webhooks.shape
        case .watches: watches.shape
        case .changes: changes.shape
        case .outcomes: outcomes.shape
        case .tenants, .types, .databases, .zones, .records, .assets, .versions, .users, .tokens, .accounts,
            .policies, .operators, .operatorTokens, .audit, .counters:
            nil
        }
    }
}

/// A link with the digest by which it is found.
package struct DigestedLink: Hashable, Sendable {
    package var digest: [UInt8]
    package var link: AccountLinkRow

    package init(digest: [UInt8], link: AccountLinkRow) {
        self.digest = digest
        self.link = link
    }
}

/// A tenant's key for Apple's push service.
package struct PushKeyRow: Hashable, Sendable {
    package var tenant: Tenant
    package var definition: [UInt8]

    package init(tenant: Tenant, definition: [UInt8]) {
        self.tenant = tenant
        self.definition = definition
    }
}

/// A logged change and the bytes of the log up to its end.
package struct PlacedChange: Hashable, Sendable {
    package var position: Int64
    package var change: LoggedChange

    package init(position: Int64, change: LoggedChange) {
        self.position = position
        self.change = change
    }
}

/// A kept outcome and the bytes of all that were kept up to its end.
package struct PlacedOutcome: Hashable, Sendable {
    package var position: Int64
    package var outcome: KeptOutcome

    package init(position: Int64, outcome: KeptOutcome) {
        self.position = position
        self.outcome = outcome
    }
}
