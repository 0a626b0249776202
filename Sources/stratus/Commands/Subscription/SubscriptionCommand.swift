import ArgumentParser
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire

/// `stratus subscription`
struct SubscriptionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscription",
        abstract: "See who is notified of which changes, and why somebody was not.",
        discussion: """
            The commands read the data directory, also while a server runs on it. A receiver's place is up to a second \
            old; connections that are open at the moment are on the console's page Subscriptions.
            """,
        subcommands: [SubscriptionListCommand.self, SubscriptionWhyCommand.self])
}

/// `stratus subscription list`
struct SubscriptionListCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List subscriptions, and how far receivers have got.",
        discussion: """
            Without --user it lists those of all users and webhooks, the first --limit of each.

            EXAMPLES
              stratus subscription list --container iCloud.com.example.app
              stratus subscription list --user ada --container iCloud.com.example.app
            """)

    @Option(help: ArgumentHelp("The user, by name or record name.", valueName: "name"))
    var user: String?

    @Option(help: ArgumentHelp("The most subscriptions and the most receivers.", valueName: "count"))
    var limit = 100

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    private static let mostListed = 10_000

    func run() async throws {
        let tenant = try tenant.tenant(data)
        guard (1...Self.mostListed).contains(limit) else {
            throw Failure.usage(
                "--limit is a number from 1 to \(Self.mostListed).", remedy: "Give another one.")
        }
        let (limit, user) = (limit, user)
        let indexes = try ServerSettings.resolve(flags: data.flags).indexes
        let (subscriptions, receivers) = try await data.withStore { store in
            let name =
                if let user { try await Users.find(user, in: tenant, store: store).recordName } else {
                    String?.none
                }
            return try await store.read(.long) { reader in
                (
                    try Subscribers.subscriptions(
                        of: name, in: tenant, limit: limit, reader, indexes: indexes),
                    try Subscribers.receivers(of: name, in: tenant, limit: limit, reader)
                )
            }
        }
        if output.json {
            return Console.standard.line(
                json: JSONWriter.text { Self.write(subscriptions, receivers, to: &$0) })
        }
        Self.show(subscriptions, receivers, in: tenant)
    }

    private static func show(
        _ subscriptions: [Subscribers.Subscription], _ receivers: [Subscribers.Receiver], in tenant: Tenant
    ) {
        let console = Console.standard
        guard !subscriptions.isEmpty || !receivers.isEmpty else {
            return console.note("\(tenant) has no subscriptions and no receivers there.")
        }
        console.line(
            Table.text(
                ["SUBSCRIPTION", "OF", "KIND", "ABOUT", "DATABASE", "STANDS"].map { Table.Column(title: $0) },
                rows: subscriptions.map { subscription in
                    [
                        subscription.row.name, subscription.subscriber,
                        subscription.webhook == nil ? subscription.definition.kind.rawValue : "webhook",
                        subscription.subject, subscription.scope.rawValue,
                        subscription.problem.map { "silent: \($0)" }
                            ?? (subscription.row.endedAt == nil ? "good" : "fired once"),
                    ]
                }, width: console.tableWidth))
        guard !receivers.isEmpty else { return }
        console.line("")
        console.line(
            Table.text(
                ["RECEIVER", "OF", "BY", "AT CHANGE", "BEHIND", "LAST DELIVERY", "LAST ERROR"].map {
                    Table.Column(title: $0)
                },
                rows: receivers.map { receiver in
                    [
                        receiver.id, receiver.user, receiver.row.channel.words, String(receiver.row.cursor),
                        behind(receiver), receiver.state.lastTaken.map { Format.time($0.at) } ?? "none",
                        receiver.row.endedAt == nil
                            ? receiver.state.lastError ?? "none" : receiver.row.endReason,
                    ]
                }, width: console.tableWidth))
    }

    private static func behind(_ receiver: Subscribers.Receiver) -> String {
        if let at = receiver.row.endedAt { return "ended \(Format.time(at))" }
        if receiver.isPastHorizon { return "starts again" }
        guard receiver.waiting > 0 else { return "none" }
        let since = receiver.waitingSince.map { " since \(Format.time($0))" } ?? ""
        let isMost = receiver.waiting >= Subscribers.mostCounted
        return (isMost ? "\(receiver.waiting) or more changes" : counted(receiver.waiting, "change")) + since
    }

    private static func write(
        _ subscriptions: [Subscribers.Subscription], _ receivers: [Subscribers.Receiver],
        to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.key("subscriptions")
        writer.beginArray()
        for subscription in subscriptions {
            writer.beginObject()
            writer.member("subscriptionID", subscription.row.name)
            writer.member("of", subscription.subscriber)
            writer.member("webhook", subscription.webhook)
            writer.member("database", subscription.scope.rawValue)
            writer.member("about", subscription.subject)
            writer.member("since", subscription.row.since)
            writer.member("endedAt", subscription.row.endedAt)
            writer.member("problem", subscription.problem)
            writer.key("definition")
            writer.raw(subscription.row.definition)
            writer.endObject()
        }
        writer.endArray()
        writer.key("receivers")
        writer.beginArray()
        for receiver in receivers {
            writer.beginObject()
            writer.member("id", receiver.id)
            writer.member("of", receiver.user)
            writer.member("channel", receiver.row.channel.rawValue)
            writer.member("client", receiver.row.client)
            writer.member("cursor", receiver.row.cursor)
            writer.member("createdAt", receiver.row.createdAt)
            writer.member("seenAt", receiver.row.seenAt)
            writer.member("waiting", receiver.waiting)
            writer.member("waitingSince", receiver.waitingSince)
            writer.member("startsAgain", receiver.isPastHorizon)
            writer.member("endedAt", receiver.row.endedAt)
            if receiver.row.endedAt != nil { writer.member("endReason", receiver.row.endReason) }
            receiver.state.writeMembers(to: &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}
