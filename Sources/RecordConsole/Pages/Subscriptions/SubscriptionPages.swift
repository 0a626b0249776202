import RecordEngine
import RecordModel
import RecordServer
import RecordStorage
import RecordWire

/// Who is told of what, how far they have got, and why a record did not reach somebody.
enum SubscriptionPages {
    static let routes: [Route] = [
        .get("/c/:container/:environment/subscriptions", list),
        .get("/c/:container/:environment/subscriptions/why", explain),
        .post("/c/:container/:environment/receivers/:id/remove", remove),
        .post("/c/:container/:environment/receivers/:id/test", test),
    ]

    /// The length of each list on a page, and the most users that can be chosen.
    private static let pageLength = 50
    private static let shownConnections = 100
    private static let listedUsers = 200

    /// Where a list goes on, in an address.
    private static func text(_ place: SubscriptionPlace) -> String {
        "&database=\(place.database)&of=\(FormValues.encoded(place.user))&after=\(FormValues.encoded(place.name))"
    }

    /// The bytes of a digest in an address; none for a text that is not a digest.
    private static func bytes(_ text: String) -> [UInt8] { AssetDigest(hex: text)?.bytes ?? [] }

    private static func place(_ context: ConsoleContext) -> SubscriptionPlace {
        guard let database = context.query["database"].flatMap(Int64.init) else { return .start }
        return SubscriptionPlace(
            database: database, user: context.query.text("of") ?? "", name: context.query.text("after") ?? "")
    }

    @Sendable private static func list(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let user = context.query["user"]
        let (place, digest) = (place(context), bytes(context.query["receiver"] ?? ""))
        let indexes = context.console.service.indexRules
        let found = try await context.read { reader in
            (
                users: try reader.users(of: tenant, limit: listedUsers),
                chosen: try user.flatMap { try reader.user(named: $0, of: tenant) },
                subscriptions: try Subscribers.subscriptions(
                    of: user, in: tenant, after: place, limit: pageLength + 1, reader, indexes: indexes),
                receivers: try Subscribers.receivers(
                    of: user, in: tenant, after: digest, limit: pageLength + 1, reader)
            )
        }
        if let user {
            guard found.chosen != nil else {
                throw ServiceError(.notFound, "There is no user '\(user.prefix(64))'.")
            }
            try await context.audit("private.look", user, tenant: tenant)
        }
        let users = found.users + [found.chosen].compactMap(\.self).filter { !found.users.contains($0) }
        let base = "/console" + ConsoleContext.path(tenant, "/subscriptions")
        // A user's are on one page.
        let length = user == nil ? pageLength : Int.max
        let subscriptions = found.subscriptions.prefix(length)
        let receivers = found.receivers.prefix(length)
        let (count, open) = await context.console.service.connections(of: tenant, limit: shownConnections)
        let names = Dictionary(
            users.map { ($0.recordName, $0.label) }, uniquingKeysWith: { first, _ in first })
        return context.page(
            SubscriptionsPage(
                users: users.map {
                    .init(recordName: $0.recordName, name: $0.label, isChosen: $0.recordName == user)
                },
                subscriptions: subscriptions.map { model($0, base, tenant) },
                hasSubscriptions: !subscriptions.isEmpty,
                firstSubscriptions: place == .start ? nil : base,
                nextSubscriptions: found.subscriptions.count > subscriptions.count
                    ? subscriptions.last.map { base + "?" + text($0.row.place).dropFirst() } : nil,
                receivers: receivers.map { model($0, base, tenant, context) },
                hasReceivers: !receivers.isEmpty,
                firstReceivers: digest.isEmpty ? nil : base,
                nextReceivers: found.receivers.count > receivers.count
                    ? receivers.last.map { "\(base)?receiver=\($0.row.digest.hex)" } : nil,
                connections: open.filter { user == nil || $0.user == user }.map { model($0, names) },
                hasConnections: !open.isEmpty,
                moreConnections: count > open.count ? NumberText.grouped(count - open.count) : nil),
            title: "Subscriptions", section: .subscriptions)
    }

    private static func model(
        _ subscription: Subscribers.Subscription, _ base: String, _ tenant: Tenant
    ) -> SubscriptionsPage.Subscription {
        let href =
            subscription.webhook.map {
                "/console" + ConsoleContext.path(tenant, "/webhooks/\(FormValues.encoded($0))")
            } ?? "\(base)?user=\(FormValues.encoded(subscription.row.user))"
        return .init(
            name: subscription.row.name, subscriber: subscription.subscriber, href: href,
            kind: subscription.webhook == nil ? subscription.definition.kind.rawValue : "webhook",
            about: subscription.subject, database: subscription.scope.rawValue,
            hasFired: subscription.row.endedAt != nil, problem: subscription.problem)
    }

    private static func model(
        _ receiver: Subscribers.Receiver, _ base: String, _ tenant: Tenant, _ context: ConsoleContext
    ) -> SubscriptionsPage.Receiver {
        let (row, state) = (receiver.row, receiver.state)
        let most = Subscribers.mostCounted
        let lag =
            switch receiver.waiting {
            case 0: "none"
            case 1: "1 change"
            case most...: "\(most) or more changes"
            default: "\(receiver.waiting) changes"
            }
        let action =
            "/console" + ConsoleContext.path(tenant, "/receivers/\(row.digest.hex)")
        return .init(
            id: receiver.id, user: receiver.user, href: "\(base)?user=\(FormValues.encoded(row.user))",
            channel: row.channel.words, cursor: String(row.cursor),
            lag: lag,
            waitingSince: receiver.waitingSince.map(TimeModel.init), isPastHorizon: receiver.isPastHorizon,
            last: state.lastTaken.map { TimeModel($0.at) }, error: state.lastError,
            ended: row.endedAt.map { TimeModel($0) }, endReason: row.endReason,
            due: state.tries > 0 ? TimeModel(state.dueAt) : nil, seen: TimeModel(row.seenAt),
            testAction: row.channel == .courier || row.endedAt != nil
                || context.console.settings.pushes == nil
                ? nil : action + "/test", removeAction: action + "/remove")
    }

    private static func model(
        _ connection: LiveConnection, _ names: [String: String]
    ) -> SubscriptionsPage.Connection {
        let user = connection.user.map { names[$0] ?? $0 } ?? "somebody at \(connection.address)"
        return .init(
            user: user,
            database: connection.type == nil
                ? "both" : connection.owner.map { "private of \(names[$0] ?? $0)" } ?? "public",
            kind: connection.kind, query: connection.query, opened: TimeModel(connection.openedAt))
    }

    @Sendable private static func explain(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let record = context.query["record"] ?? ""
        let zone = context.query["zone"]
        guard !record.isEmpty else {
            throw ServiceError(.badRequest, "Name the record that somebody was not notified of.")
        }
        let (user, hook) = (context.query["user"], context.query["hook"])
        let indexes = context.console.service.indexRules
        let (name, explanation) = try await context.read { reader in
            if let hook {
                return (
                    "the webhook \(hook)",
                    try DeliveryExplanation(
                        of: record, zone: zone, for: .webhook(hook), in: tenant, reader)
                )
            }
            guard let user, let row = try reader.user(named: user, of: tenant) else {
                throw ServiceError(.notFound, "There is no user '\((user ?? "").prefix(64))'.")
            }
            return (
                row.label,
                try DeliveryExplanation(
                    of: record, zone: zone, for: .user(row), in: tenant, reader, indexes: indexes)
            )
        }
        try await context.audit("private.look", "\(user ?? hook ?? "") \(record)", tenant: tenant)
        return context.page(
            DeliveryPage(
                record: record, zone: zone ?? "", audience: name, user: user, hook: hook,
                changes: explanation.changes.map(DeliveryPage.Change.init), notes: explanation.notes),
            title: "What became of \(record.prefix(60))", section: .subscriptions)
    }

    @Sendable private static func remove(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let id = context.parameters["id"] ?? ""
        try await context.doing("receiver.remove", id, tenant: tenant) {
            try await Subscribers.removeReceiver(
                bytes(id), of: tenant, store: context.store, now: context.now)
        }
        return context.redirect(
            to: ConsoleContext.path(tenant, "/subscriptions"), saying: "The receiver was removed.")
    }

    @Sendable private static func test(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let id = context.parameters["id"] ?? ""
        guard let transport = context.console.settings.pushes else {
            throw ServiceError(.badRequest, "This server sends no pushes.")
        }
        try await context.audit("receiver.test", id, tenant: tenant)
        let (isTaken, answer) = try await context.console.service.sendTestPush(
            to: bytes(id), of: tenant, over: transport)
        return context.redirect(
            to: ConsoleContext.path(tenant, "/subscriptions"),
            saying: isTaken
                ? "The push service took the test: \(answer)."
                : "The push service did not take the test: \(answer)")
    }
}
