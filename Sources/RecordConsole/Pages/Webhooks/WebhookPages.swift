import RecordEngine
import RecordModel
import RecordServer
import RecordStorage
import RecordWire

/// The webhooks of a container: making them, seeing how they stand, and having sent what was not taken.
enum WebhookPages {
    static let routes: [Route] = [
        .get("/c/:container/:environment/webhooks", list),
        .get("/c/:container/:environment/webhooks/:id", show),
        .post("/c/:container/:environment/webhooks", add),
        .post("/c/:container/:environment/webhooks/:id/send", send),
        .post("/c/:container/:environment/webhooks/:id/test", test),
        .post("/c/:container/:environment/webhooks/:id/rotate", rotate),
        .post("/c/:container/:environment/webhooks/:id/pause", pause),
        .post("/c/:container/:environment/webhooks/:id/remove", remove),
    ]

    /// The most users whose databases can be chosen.
    private static let listedUsers = 200

    private static func secret(_ context: ConsoleContext) -> String? {
        context.query["made"].flatMap {
            context.console.newTokens.token($0, session: context.session?.csrf ?? "", now: context.now)?.token
        }
    }

    /// Keeps a secret for the page that shows it.
    private static func query(keeping secret: String, _ tenant: Tenant, _ context: ConsoleContext) -> String {
        let row = TokenRow(
            kind: .key, tenant: tenant, user: nil, label: "", createdAt: context.now, expiresAt: nil)
        let key = context.console.newTokens.keep(
            Tokens.Created(token: secret, row: row), session: context.session?.csrf ?? "", now: context.now)
        return "?made=\(FormValues.encoded(key))"
    }

    private static func path(_ id: String) -> String { "/webhooks/\(FormValues.encoded(id))" }

    private static func database(_ hook: Webhooks.Listed, _ names: [String: String]) -> String {
        hook.definition.owner.map { "private of \(names[$0] ?? $0)" } ?? "public"
    }

    @Sendable private static func list(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let (hooks, users) = try await context.read {
            (try Webhooks.list(of: tenant, $0), try $0.users(of: tenant, limit: listedUsers))
        }
        let names = Dictionary(
            users.map { ($0.recordName, $0.label) }, uniquingKeysWith: { first, _ in first })
        let rows = hooks.map { hook in
            WebhooksPage.Hook(
                id: hook.row.id, href: "/console" + ConsoleContext.path(tenant, path(hook.row.id)),
                url: hook.definition.url, label: hook.definition.label, about: hook.subject,
                database: database(hook, names), standing: hook.standing, isGood: hook.isGood,
                last: hook.state.attempts.last.map { TimeModel($0.at) },
                answer: hook.state.attempts.last?.answer ?? "")
        }
        return context.page(
            WebhooksPage(
                hooks: rows, isEmpty: rows.isEmpty, secret: secret(context),
                users: users.map { WebhooksPage.Choice(recordName: $0.recordName, name: $0.label) }),
            title: "Webhooks", section: .webhooks)
    }

    @Sendable private static func show(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let id = context.parameters["id"] ?? ""
        let hook = try await context.read { try Webhooks.find(id, of: tenant, $0) }
        let state = hook.state
        let held = state.held.values.sorted { $0.lane < $1.lane }.map { zone in
            WebhookPage.Held(
                zone: zone.zoneName.isEmpty ? "all zones" : zone.zoneName, isParked: zone.isParked,
                attempts: NumberText.grouped(zone.attempts), since: zone.failedSince.map(TimeModel.init),
                due: zone.isParked || zone.dueAt == 0 ? nil : TimeModel(zone.dueAt), answer: zone.answer)
        }
        let attempts = state.attempts.reversed().map { attempt in
            WebhookPage.Attempt(
                at: TimeModel(attempt.at), reason: attempt.reason, zone: attempt.zoneName, name: attempt.name,
                change: String(attempt.change), isTaken: attempt.isTaken, answer: attempt.answer,
                milliseconds: NumberText.grouped(attempt.milliseconds))
        }
        return context.page(
            WebhookPage(
                id: id, url: hook.definition.url, label: hook.definition.label, about: hook.subject,
                database: database(hook, [:]), standing: hook.standing, isGood: hook.isGood,
                problems: hook.problems,
                whyAction: "/console" + ConsoleContext.path(tenant, "/subscriptions/why"),
                isPaused: hook.definition.isPaused, taken: NumberText.grouped(state.taken),
                failed: NumberText.grouped(state.failed), held: held, isHeld: !held.isEmpty,
                attempts: Array(attempts), hasAttempts: !state.attempts.isEmpty,
                action: "/console" + ConsoleContext.path(tenant, path(id)), secret: secret(context)),
            title: "Webhook \(id)", section: .webhooks)
    }

    @Sendable private static func add(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let form = context.form
        var definition = WebhookDictionary(url: form["url"] ?? "")
        definition.label = form["label"] ?? ""
        definition.owner = form["user"]
        definition.recordTypes = (form["types"] ?? "").split { $0 == "," || $0.isWhitespace }.map(String.init)
        definition.zoneName = form["zone"]
        definition.predicate = form["where"]
        definition.firesOn = try WebhookDictionary.triggers(form.all("on"))
        let wanted = definition
        let (_, secret) = try await context.doing("webhook.add", wanted.url, tenant: tenant) {
            try await Webhooks.add(
                wanted, to: tenant, store: context.store, environment: context.console.environment)
        }
        return context.redirect(
            to: ConsoleContext.path(tenant, "/webhooks") + query(keeping: secret, tenant, context))
    }

    @Sendable private static func send(_ context: ConsoleContext) async throws -> SiteAnswer {
        try await doing("webhook.send", "What waits is sent now.", context) { id, tenant in
            try await Webhooks.sendAgain(
                id, of: tenant, store: context.store, environment: context.console.environment)
        }
    }

    @Sendable private static func test(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let id = context.parameters["id"] ?? ""
        guard let transport = context.console.settings.webhooks else {
            throw ServiceError(.badRequest, "This server delivers to no webhooks.")
        }
        try await context.audit("webhook.test", id, tenant: tenant)
        let answer = try await Webhooks.sendTest(
            id, of: tenant, over: transport, store: context.store, environment: context.console.environment)
        return context.redirect(
            to: ConsoleContext.path(tenant, path(id)),
            saying: answer.isTaken
                ? "The receiver took the test: \(answer.text)."
                : "The receiver did not take the test: \(answer.text)")
    }

    @Sendable private static func rotate(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let id = context.parameters["id"] ?? ""
        let secret = try await context.doing("webhook.rotate", id, tenant: tenant) {
            try await Webhooks.rotate(
                id, of: tenant, store: context.store, environment: context.console.environment)
        }
        return context.redirect(
            to: ConsoleContext.path(tenant, path(id)) + query(keeping: secret, tenant, context))
    }

    @Sendable private static func pause(_ context: ConsoleContext) async throws -> SiteAnswer {
        let isPaused = context.form["paused"] == "yes"
        return try await doing(
            isPaused ? "webhook.pause" : "webhook.resume",
            isPaused ? "Nothing is sent until it is resumed." : "It goes on where it was.", context
        ) { id, tenant in
            try await Webhooks.set(
                id, of: tenant, store: context.store, environment: context.console.environment
            ) { $0.isPaused = isPaused }
        }
    }

    @Sendable private static func remove(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let id = context.parameters["id"] ?? ""
        try await context.doing("webhook.remove", id, tenant: tenant) {
            try await Webhooks.remove(id, of: tenant, store: context.store)
        }
        return context.redirect(
            to: ConsoleContext.path(tenant, "/webhooks"), saying: "The webhook \(id) was removed.")
    }

    private static func doing<Value>(
        _ action: String, _ sentence: String, _ context: ConsoleContext,
        _ deed: (String, Tenant) async throws -> Value
    ) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let id = context.parameters["id"] ?? ""
        try await context.doing(action, id, tenant: tenant) { try await deed(id, tenant) }
        return context.redirect(to: ConsoleContext.path(tenant, path(id)), saying: sentence)
    }
}
