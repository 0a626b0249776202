import ArgumentParser
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire

/// `stratus schema removed`
struct SchemaRemovedCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "removed",
        abstract: "List deleted types and fields whose values are still kept.",
        discussion: """
            What is deleted from development with its values is kept for as many days as the setting removedSchemaDays says.

            EXAMPLE
              stratus schema removed --container iCloud.com.example.app
            """)

    @OptionGroup var container: ContainerOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = Tenant(container: try container.containerID(data), environment: .development)
        let parts = try await data.withStore { store in
            try await store.read(.short) { try RemovedParts.all(of: tenant, reader: $0) }
        }
        let console = Console.standard
        if output.json {
            let json = JSONWriter.text { writer in
                writer.beginArray()
                for part in parts {
                    writer.beginObject()
                    writer.member("id", part.id)
                    writer.member("type", part.type)
                    writer.member("field", part.field)
                    writer.member("removedAt", part.removedAt)
                    writer.member("endsAt", part.endsAt)
                    writer.endObject()
                }
                writer.endArray()
            }
            return console.line(json: json)
        }
        guard !parts.isEmpty else { return console.note("Nothing that was deleted is kept.") }
        console.line(
            Table.text(
                [
                    .init(title: "NAME"), .init(title: "ID"), .init(title: "DELETED"),
                    .init(title: "KEPT UNTIL"),
                ],
                rows: parts.map {
                    [$0.title, "\($0.id)", Format.time($0.removedAt), Format.time($0.endsAt)]
                }, width: console.tableWidth))
    }
}

/// `stratus schema restore`
struct SchemaRestoreCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Bring a deleted type or field back, with its values.",
        discussion: """
            What is there by now stays as it is: a record of the name, a value of the field. An interrupted restore goes on \
            when it is run again.

            EXAMPLES
              stratus schema restore Player --container iCloud.com.example.app
              stratus schema restore Player.score --container iCloud.com.example.app
            """)

    @Argument(help: "The type, TYPE.FIELD, or the id that 'stratus schema removed' shows.")
    var name: String

    @OptionGroup var container: ContainerOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = Tenant(container: try container.containerID(data), environment: .development)
        let outcome = try await data.withStore {
            try await RemovedParts.bringBack(name, in: tenant, store: $0)
        }
        let console = Console.standard
        if output.json {
            let json = JSONWriter.text { writer in
                writer.beginObject()
                writer.member("records", outcome.records)
                writer.member("passedOver", outcome.passedOver)
                writer.member("refusals", outcome.refusals)
                writer.endObject()
            }
            console.line(json: json)
        } else {
            let rest = outcome.passedOver > 0 ? " \(outcome.passedOver) stay as they are by now." : ""
            console.note("\(name) is back, with the values of \(counted(outcome.records, "record")).\(rest)")
            for refusal in outcome.refusals.prefix(20) { console.note("Not put back: \(refusal)") }
        }
        if !outcome.refusals.isEmpty { throw ExitCode(Failure.failureCode) }
    }
}

/// `stratus schema purge`
struct SchemaPurgeCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Remove what a deleted type or field held for good.",
        discussion: """
            A running server gives the room back within an hour.

            EXAMPLE
              stratus schema purge Player.score --yes Player.score --container iCloud.com.example.app
            """)

    @Argument(help: "The type, TYPE.FIELD, or the id that 'stratus schema removed' shows.")
    var name: String

    @Option(help: ArgumentHelp("The same name again, to confirm.", valueName: "name"))
    var yes: String?

    @OptionGroup var container: ContainerOptions
    @OptionGroup var data: DataOptions

    func run() async throws {
        guard yes == name else {
            throw Failure(
                "What \(name) held would be gone for good.",
                remedy: "Say its name again: stratus schema purge \(name) --yes \(name)")
        }
        let tenant = Tenant(container: try container.containerID(data), environment: .development)
        try await data.withStore { try await RemovedParts.purge(name, in: tenant, store: $0) }
        Console.standard.note("What \(name) held is gone for good.")
    }
}
