import ArgumentParser
import RecordEngine
import RecordStorage
import RecordWire

/// `stratus webhook list`
struct WebhookListCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the webhooks of a container, and how they stand.",
        discussion: """
            EXAMPLE
              stratus webhook list --container iCloud.com.example.app
            """)

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let hooks = try await data.withStore { store in
            try await store.read(.short) { try Webhooks.list(of: tenant, $0) }
        }
        let console = Console.standard
        if output.json { return console.line(json: JSONWriter.text { Self.write(hooks, to: &$0) }) }
        guard !hooks.isEmpty else {
            return console.note(
                hints.completing("\(tenant) has no webhooks; 'stratus webhook add' makes one."))
        }
        let rows = hooks.map { hook in
            [
                hook.row.id, hook.definition.url, hook.subject, hook.standing,
                hook.state.attempts.last.map { "\(Format.time($0.at)): \($0.answer)" } ?? "",
                hook.definition.label,
            ]
        }
        let titles = ["ID", "ADDRESS", "ABOUT", "STANDS", "LAST", "LABEL"]
        console.line(
            Table.text(titles.map { Table.Column(title: $0) }, rows: rows, width: console.tableWidth))
        for hook in hooks {
            for problem in hook.problems { console.note("\(hook.row.id) is silent: \(problem)") }
        }
    }

    private static func write(_ hooks: [Webhooks.Listed], to writer: inout JSONWriter) {
        writer.beginArray()
        for hook in hooks {
            writer.beginObject()
            writer.member("id", hook.row.id)
            writer.member("createdAt", hook.row.createdAt)
            writer.member("cursor", hook.row.cursor)
            hook.definition.writeMembers(to: &writer)
            hook.state.writeMembers(to: &writer)
            writer.member("problems", hook.problems)
            writer.endObject()
        }
        writer.endArray()
    }
}
