import Foundation
public import RecordModel
public import RecordStorage
public import RecordWire

/// Webhooks as the operator handles them: the secret is seen once.
public enum Webhooks {
    /// A webhook with what is known of it.
    public struct Listed: Sendable {
        /// The row.
        public var row: WebhookRow
        /// What the operator said of it.
        public var definition: WebhookDictionary
        /// What became of its deliveries.
        public var state: WebhookState
        /// Why it hears nothing of some of its types any more, in sentences.
        public var problems: [String] = []
    }

    /// Makes a webhook, which is told of changes from now on.
    ///
    /// - Returns: the hook and its secret.
    /// - Throws: `BAD_REQUEST` for an address that is none; what a query for the same records would; `QUOTA_EXCEEDED`.
    public static func add(
        _ definition: WebhookDictionary, to tenant: Tenant, store: any RecordStore,
        environment: ServiceEnvironment
    ) async throws -> (hook: Listed, secret: String) {
        let secret = WebhookSignature.secret(random: environment.random(WebhookSignature.keyBytes))
        let id = "wh" + environment.random(6).hex
        let now = environment.now()
        var definition = definition
        definition.secrets = [.init(text: secret)]
        let stored = definition
        let row = try await store.write { store in
            let hooks = try store.webhooks()
            guard hooks.count < Limits.webhooks,
                hooks.count(where: { $0.tenant == tenant }) < Limits.webhooksPerTenant
            else {
                throw ServiceError(
                    exceeding: "webhooksPerTenant",
                    "A container has \(Limits.webhooksPerTenant) webhooks in an environment at most, and the service \(Limits.webhooks).",
                    remedy: "Remove those that are not needed.")
            }
            let database = try store.makeDatabase(DatabaseID(tenant: tenant, owner: stored.owner))
            try check(stored, tenant, store, database)
            var row = WebhookRow(
                id: id, tenant: tenant, database: database, definition: text(stored), cursor: 0,
                createdAt: now)
            try subscribe(row, in: store, now: now)
            row.cursor = try store.lastSequence()
            try store.store(row)
            return row
        }
        return (Listed(row: row, definition: definition, state: WebhookState()), secret)
    }

    /// The webhooks of a tenant, the oldest first.
    ///
    /// - Throws: `StorageError` where the store cannot be read, or holds a webhook that is damaged.
    public static func list(of tenant: Tenant, _ reader: any StoreReader) throws -> [Listed] {
        try reader.webhooks().filter { $0.tenant == tenant }.map { try listed($0, reader) }
    }

    /// One webhook of a tenant.
    ///
    /// - Throws: `NOT_FOUND`.
    public static func find(_ id: String, of tenant: Tenant, _ reader: any StoreReader) throws -> Listed {
        guard let row = try reader.webhook(id), row.tenant == tenant else { throw notFound(id, tenant) }
        return try listed(row, reader)
    }

    private static func listed(_ row: WebhookRow, _ reader: any StoreReader) throws -> Listed {
        let plan = try WebhookPlan(row, reader, baseURL: "")
        return Listed(
            row: row, definition: plan.definition, state: try WebhookState(json: row.state),
            problems: plan.problems(try reader.schema(of: row.tenant)))
    }

    /// Changes what a webhook wants. What is waiting for it is decided by what it wants then.
    ///
    /// - Throws: as ``add(_:to:store:environment:)``; `NOT_FOUND`.
    @discardableResult
    public static func set(
        _ id: String, of tenant: Tenant, store: any RecordStore, environment: ServiceEnvironment,
        _ change: @escaping @Sendable (inout WebhookDictionary) throws -> Void
    ) async throws -> WebhookDictionary {
        let now = environment.now()
        return try await store.write { store in
            var row = try find(id, of: tenant, store).row
            let former = try row.read()
            var definition = former
            try change(&definition)
            try check(definition, tenant, store, row.database)
            row.definition = text(definition)
            if definition.recordTypes != former.recordTypes || definition.zoneName != former.zoneName
                || definition.predicate != former.predicate || definition.firesOn != former.firesOn
            {
                let names = definition.recordTypes.isEmpty ? [WebhookPlan.allTypes] : definition.recordTypes
                for subscription in try store.subscriptions(of: row.subscriber, in: row.database)
                where !names.contains(subscription.name) {
                    try store.deleteSubscription(
                        named: subscription.name, of: row.subscriber, in: row.database)
                }
                try subscribe(row, in: store, now: now)
            }
            try store.store(row)
            return definition
        }
    }

    /// Gives a webhook a new secret; the former one signs beside it for `Limits.webhookSecretSeconds`.
    ///
    /// - Returns: the new one.
    /// - Throws: `NOT_FOUND`.
    public static func rotate(
        _ id: String, of tenant: Tenant, store: any RecordStore, environment: ServiceEnvironment
    ) async throws -> String {
        let secret = WebhookSignature.secret(random: environment.random(WebhookSignature.keyBytes))
        let end = environment.now() + Int64(Limits.webhookSecretSeconds) * 1_000
        try await set(id, of: tenant, store: store, environment: environment) { definition in
            let former = definition.secrets.first.map { WebhookDictionary.Secret(text: $0.text, endsAt: end) }
            definition.secrets = [.init(text: secret)] + [former].compactMap { $0 }
        }
        return secret
    }

    /// Forgets a webhook, with what waits for it.
    ///
    /// - Throws: `NOT_FOUND`.
    public static func remove(_ id: String, of tenant: Tenant, store: any RecordStore) async throws {
        try await store.write { store in
            let row = try find(id, of: tenant, store).row
            for subscription in try store.subscriptions(of: row.subscriber, in: row.database) {
                try store.deleteSubscription(named: subscription.name, of: row.subscriber, in: row.database)
            }
            try store.deleteWebhook(id)
        }
    }

    /// Has what is held back or parked sent at once; servers see it within a second.
    ///
    /// - Returns: how many zones wait.
    /// - Throws: `NOT_FOUND`.
    @discardableResult
    public static func sendAgain(
        _ id: String, of tenant: Tenant, store: any RecordStore, environment: ServiceEnvironment
    ) async throws -> Int {
        let now = environment.now()
        return try await store.write { store in
            let hook = try find(id, of: tenant, store)
            var row = hook.row
            row.sendAgainAt = max(now, row.sendAgainAt + 1)
            try store.store(row)
            return hook.state.held.count
        }
    }

    /// Sends a delivery that is about no change, from this process.
    ///
    /// - Throws: `NOT_FOUND`; `CancellationError`.
    public static func sendTest(
        _ id: String, of tenant: Tenant, over transport: any WebhookTransport, store: any RecordStore,
        environment: ServiceEnvironment
    ) async throws -> WebhookAnswer {
        let plan = try await store.read(.short) { reader in
            try WebhookPlan(find(id, of: tenant, reader).row, reader, baseURL: "")
        }
        let delivery = WebhookDelivery(testOf: plan, random: environment.random(8))
        let (answer, _) = await WebhookSending.send(delivery, plan, over: transport, environment)
        guard let answer else { throw CancellationError() }
        return answer
    }

    // MARK: Parts

    private static func text(_ definition: WebhookDictionary) -> [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            definition.writeMembers(to: &writer, hasSecrets: true)
            writer.endObject()
        }
    }

    private static func notFound(_ id: String, _ tenant: Tenant) -> ServiceError {
        ServiceError(
            .notFound, "\(tenant) has no webhook '\(id.prefix(40))'.",
            remedy: "'stratus webhook list' shows them.")
    }

    /// Whether a subscription that a hook means is not there, and could be.
    static func isMissingSubscriptions(_ row: WebhookRow, _ reader: any StoreReader) throws -> Bool {
        let definition = try row.read()
        let context = WebhookPlan.context(row.tenant, owner: definition.owner)
        let existing = try reader.subscriptions(of: row.subscriber, in: row.database)
        return try WebhookPlan.subscriptions(
            definition, context, reader, database: row.database, skipsMissing: true
        ).contains { wanted in
            !existing.contains {
                $0.name == wanted.name && $0.type == wanted.type && $0.zone == wanted.zone
            }
        }
    }

    /// Stores the subscriptions that a hook means, as far as their types and zone are there, and has their changes logged.
    static func subscribe(_ row: WebhookRow, in store: any StoreWriter, now: Int64) throws {
        let definition = try row.read()
        let context = WebhookPlan.context(row.tenant, owner: definition.owner)
        let existing = try store.subscriptions(of: row.subscriber, in: row.database)
        for wanted in try WebhookPlan.subscriptions(
            definition, context, store, database: row.database, skipsMissing: true)
        {
            let known = existing.first {
                $0.name == wanted.name && $0.type == wanted.type && $0.zone == wanted.zone
            }
            let watch = try store.watch(wanted.type, in: row.database, at: now)
            let since = try known?.since ?? max(watch.since, store.lastSequence())
            try store.store(
                SubscriptionRow(
                    database: row.database, user: row.subscriber, name: wanted.name, type: wanted.type,
                    zone: wanted.zone, since: since,
                    definition: JSONWriter.text { wanted.definition.write(to: &$0) }))
        }
    }

    private static func check(
        _ definition: WebhookDictionary, _ tenant: Tenant, _ reader: any StoreReader, _ database: Int64
    ) throws {
        let parts = URLComponents(string: definition.url)
        guard ["http", "https"].contains(parts?.scheme ?? ""), parts?.host?.isEmpty == false,
            parts?.user == nil,
            parts?.password == nil, parts?.fragment == nil,
            definition.url.utf8.count <= Limits.webhookAddressBytes,
            definition.url.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw ServiceError(
                .badRequest,
                "'\(definition.url.prefix(100))' is not an address that a webhook can be sent to.",
                remedy: "Give it as https://example.org/hook, without a user and a password.")
        }
        guard definition.label.utf8.count <= Limits.webhookLabelBytes,
            definition.recordTypes.count <= Limits.webhookTypes,
            Set(definition.recordTypes).count == definition.recordTypes.count
        else {
            throw ServiceError(
                .badRequest,
                "A webhook names \(Limits.webhookTypes) record types at most, each once, and its label has \(Limits.webhookLabelBytes) bytes at most."
            )
        }
        guard !definition.firesOn.isEmpty else {
            throw ServiceError(
                .badRequest, "A webhook that fires on nothing is never sent.",
                remedy: "Name one or more of 'create', 'update', 'delete'.")
        }
        if let owner = definition.owner, try reader.user(named: owner, of: tenant) == nil {
            throw ServiceError(.notFound, "There is no user '\(owner.prefix(64))'.")
        }
        let context = WebhookPlan.context(tenant, owner: definition.owner)
        _ = try WebhookPlan.subscriptions(definition, context, reader, database: database)
    }
}

extension WebhookRow {
    /// What the operator said of it.
    func read() throws(JSONError) -> WebhookDictionary {
        try WebhookDictionary(json: JSONReader.read(definition).object ?? JSONObject())
    }
}

extension Webhooks.Listed {
    /// What it is told of, in words.
    public var subject: String {
        let types =
            definition.recordTypes.isEmpty ? "all types" : definition.recordTypes.joined(separator: ", ")
        let zone = definition.zoneName.map { " in \($0)" } ?? ""
        let condition = definition.predicate.map { " where \($0)" } ?? ""
        let isAll = definition.firesOn.count == SubscriptionDictionary.Trigger.allCases.count
        let what = isAll ? "" : " (\(definition.firesOn.map(\.rawValue).joined(separator: ", ")))"
        return types + zone + condition + what
    }

    /// How it stands, in words.
    public var standing: String {
        if definition.isPaused { return "paused" }
        if !problems.isEmpty { return "broken" }
        if state.parkedCount > 0 { return "parked in \(Self.zones(state.parkedCount))" }
        let failing = state.held.values.count { $0.attempts > 0 }
        return failing > 0 ? "trying again in \(Self.zones(failing))" : "good"
    }

    private static func zones(_ count: Int) -> String { count == 1 ? "1 zone" : "\(count) zones" }
}
