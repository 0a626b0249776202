import ArgumentParser
import RecordEngine
import RecordStorage
import RecordWire

/// `stratus subscription why`
struct SubscriptionWhyCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Explain why somebody was or was not notified of a record.",
        discussion: """
            For each change of the record that the log has: what each subscription says of it, with the condition that \
            was false or the right that is missing, and how far each receiver has got.

            EXAMPLES
              stratus subscription why note-1 --user ada --container iCloud.com.example.app
              stratus subscription why ada --webhook wh3f9a1c20be77 --container iCloud.com.example.app
            """)

    @Argument(help: "The name of the record.")
    var record: String

    @Option(
        help: ArgumentHelp("Who should have heard of it: a user, by name or record name.", valueName: "name"))
    var user: String?

    @Option(help: ArgumentHelp("Who should have heard of it: a webhook.", valueName: "id"))
    var webhook: String?

    @Option(help: ArgumentHelp("The zone of the record. Default: all.", valueName: "name"))
    var zone: String?

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        guard (user == nil) != (webhook == nil) else {
            throw Failure.usage(
                "Say who should have been notified.", remedy: "Use either --user or --webhook.")
        }
        let (record, user, webhook, zone) = (record, user, webhook, zone)
        let indexes = try ServerSettings.resolve(flags: data.flags).indexes
        let explanation = try await data.withStore { store in
            let subscriber: DeliveryExplanation.Subscriber =
                if let user { .user(try await Users.find(user, in: tenant, store: store)) } else {
                    .webhook(webhook ?? "")
                }
            return try await store.read(.long) { reader in
                try DeliveryExplanation(
                    of: record, zone: zone, for: subscriber, in: tenant, reader, indexes: indexes)
            }
        }
        if output.json {
            Console.standard.line(json: JSONWriter.text { explanation.write(to: &$0) })
        } else {
            show(explanation)
        }
    }

    private func show(_ explanation: DeliveryExplanation) {
        let console = Console.standard
        for change in explanation.changes {
            let time = change.at.map { " \(Format.time($0))" } ?? ""
            console.line(
                "change \(change.sequence): \(change.kind)\(time), \(change.zoneName), \(change.isPrivate ? "private" : "public") database"
            )
            if change.verdicts.isEmpty { console.line("  No subscription is about this database.") }
            for verdict in change.verdicts {
                console.line(
                    "  \(verdict.isMatched ? "fired" : "silent")  \(verdict.subscription): \(verdict.sentence)"
                )
            }
            for fate in change.fates { console.line("  -> \(fate.receiver): \(fate.sentence)") }
        }
        for note in explanation.notes { console.note(note) }
    }
}

extension DeliveryExplanation {
    /// Writes the explanation as an object.
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("changes")
        writer.beginArray()
        for change in changes {
            writer.beginObject()
            writer.member("change", change.sequence)
            writer.member("kind", change.kind)
            writer.member("at", change.at)
            writer.member("zoneName", change.zoneName)
            writer.member("database", change.isPrivate ? "private" : "public")
            writer.key("subscriptions")
            writer.beginArray()
            for verdict in change.verdicts {
                writer.beginObject()
                writer.member("subscriptionID", verdict.subscription)
                writer.member("fired", verdict.isMatched)
                writer.member("why", verdict.sentence)
                writer.endObject()
            }
            writer.endArray()
            writer.key("receivers")
            writer.beginArray()
            for fate in change.fates {
                writer.beginObject()
                writer.member("receiver", fate.receiver)
                writer.member("stage", fate.stage.rawValue)
                writer.member("why", fate.sentence)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
        writer.member("notes", notes)
        writer.endObject()
    }
}
