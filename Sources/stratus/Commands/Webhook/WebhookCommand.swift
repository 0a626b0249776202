import ArgumentParser
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire

/// `stratus webhook`
struct WebhookCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhook",
        abstract: "Notify other services of changes by HTTP requests.",
        discussion: """
            A webhook gets each change of its records at least once, in the order of commits within a zone, with a \
            signature that its secret makes. The commands work on the data directory, also while a server runs on it; \
            the server knows within a second. Documentation/Webhooks.md has a receiver in ten lines.
            """,
        subcommands: [
            WebhookAddCommand.self, WebhookListCommand.self, WebhookSetCommand.self, WebhookSendCommand.self,
            WebhookRotateCommand.self, WebhookRemoveCommand.self,
        ])
}

/// Which changes a webhook is about.
struct WebhookOptions: ParsableArguments {
    @Option(
        name: .customLong("type"),
        help: ArgumentHelp("A record type whose records count; repeat it for more.", valueName: "name"))
    var types: [String] = []

    @Option(help: ArgumentHelp("The zone whose records count.", valueName: "name"))
    var zone: String?

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            "What the records have to fulfil, in the predicate format language.", valueName: "predicate"))
    var predicate: String?

    @Option(
        help: ArgumentHelp(
            "Events that trigger it, comma-separated: create, update, delete.", valueName: "what"))
    var firesOn: String?

    @Option(help: ArgumentHelp("A note that 'webhook list' shows.", valueName: "text"))
    var label: String?

    /// What to fire on.
    ///
    /// - Throws: a ``Failure`` for another word.
    func triggers() throws -> [SubscriptionDictionary.Trigger]? {
        guard let firesOn else { return nil }
        do {
            return try WebhookDictionary.triggers(firesOn.split(separator: ",").map(String.init))
        } catch {
            throw Failure.usage("\(error.description)", remedy: "Add --fires-on create,update,delete.")
        }
    }
}

/// `stratus webhook add`
struct WebhookAddCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Make a webhook and print its secret, this once.",
        discussion: """
            Without --type it hears of all record types, and of zones that are made and deleted. Standard output \
            holds the secret and nothing else.

            EXAMPLES
              stratus webhook add https://example.org/hook --type Player --container iCloud.com.example.app
              stratus webhook add https://example.org/hook --type Post --where 'likes > 100' --fires-on update --container iCloud.com.example.app
            """)

    @Argument(help: "Where deliveries go.")
    var url: String

    @Option(
        help: ArgumentHelp(
            "The user whose private database it is notified of, by name or record name. Default: the public database.",
            valueName: "name"))
    var user: String?

    @OptionGroup var what: WebhookOptions
    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        var definition = WebhookDictionary(url: url)
        definition.label = what.label ?? ""
        definition.recordTypes = what.types
        definition.zoneName = what.zone
        definition.predicate = what.predicate
        if let triggers = try what.triggers() { definition.firesOn = triggers }
        let wanted = definition
        let (hook, secret) = try await data.withStore { store in
            var definition = wanted
            if let user { definition.owner = try await Users.find(user, in: tenant, store: store).recordName }
            return try await Webhooks.add(definition, to: tenant, store: store, environment: .system)
        }
        guard output.json else {
            Console.standard.line(secret)
            return Console.standard.note(
                "The webhook \(hook.row.id) of \(tenant) is notified of changes from now on. Its secret is not shown again."
            )
        }
        Console.standard.line(
            json: JSONWriter.text { writer in
                writer.beginObject()
                writer.member("id", hook.row.id)
                writer.member("secret", secret)
                hook.definition.writeMembers(to: &writer)
                writer.endObject()
            })
    }
}

/// `stratus webhook set`
struct WebhookSetCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change a webhook's address and what it is notified of.",
        discussion: """
            What is not named stays as it is. Deliveries that wait go to the new address.

            EXAMPLES
              stratus webhook set wh3f9a1c20be77 --url https://example.org/other --container iCloud.com.example.app
              stratus webhook set wh3f9a1c20be77 --pause --container iCloud.com.example.app
            """)

    @Argument(help: "The webhook's id, from 'webhook list'.")
    var id: String

    @Option(help: ArgumentHelp("Where deliveries go.", valueName: "address"))
    var url: String?

    @Flag(help: "Notify it of all record types.")
    var allTypes = false

    @Flag(help: "Send nothing until it is resumed.")
    var pause = false

    @Flag(help: "Go on where it was paused.")
    var resume = false

    @OptionGroup var what: WebhookOptions
    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let triggers = try what.triggers()
        guard !(pause && resume), !(allTypes && !what.types.isEmpty) else {
            throw Failure.usage(
                "--pause and --resume, and --all-types and --type, exclude each other.",
                remedy: "Use one of the two.")
        }
        let (url, id, what, pause, resume, allTypes) = (url, id, what, pause, resume, allTypes)
        let set = try await data.withStore { store in
            try await Webhooks.set(id, of: tenant, store: store, environment: .system) { definition in
                definition.url = url ?? definition.url
                definition.label = what.label ?? definition.label
                definition.zoneName = what.zone ?? definition.zoneName
                definition.firesOn = triggers ?? definition.firesOn
                if allTypes { (definition.recordTypes, definition.predicate) = ([], nil) }
                if !what.types.isEmpty { definition.recordTypes = what.types }
                definition.predicate = what.predicate ?? definition.predicate
                definition.isPaused = pause || definition.isPaused && !resume
            }
        }
        guard output.json else {
            return Console.standard.note("The webhook \(id) uses that within a second.")
        }
        Console.standard.line(
            json: JSONWriter.text { writer in
                writer.beginObject()
                writer.member("id", id)
                set.writeMembers(to: &writer)
                writer.endObject()
            })
    }
}

/// `stratus webhook rotate`
struct WebhookRotateCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Give a webhook a new secret and print it, this once.",
        discussion: """
            For a day deliveries are signed with both, so that the receiver can change over meanwhile.

            EXAMPLE
              stratus webhook rotate wh3f9a1c20be77 --container iCloud.com.example.app
            """)

    @Argument(help: "The webhook's id, from 'webhook list'.")
    var id: String

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let secret = try await data.withStore {
            try await Webhooks.rotate(id, of: tenant, store: $0, environment: .system)
        }
        guard output.json else {
            Console.standard.line(secret)
            return Console.standard.note(
                "The former secret signs for a day more. The new one is not shown again.")
        }
        Console.standard.line(
            json: JSONWriter.text { writer in
                writer.beginObject()
                writer.member("id", id)
                writer.member("secret", secret)
                writer.endObject()
            })
    }
}

/// `stratus webhook remove`
struct WebhookRemoveCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a webhook, with all that waits for it.",
        discussion: "EXAMPLE\n  stratus webhook remove wh3f9a1c20be77 --container iCloud.com.example.app")

    @Argument(help: "The webhook's id, from 'webhook list'.")
    var id: String

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        try await data.withStore { try await Webhooks.remove(id, of: tenant, store: $0) }
        guard output.json else { return Console.standard.note("Removed.") }
        Console.standard.line(json: Array("{\"removed\":true}".utf8))
    }
}
