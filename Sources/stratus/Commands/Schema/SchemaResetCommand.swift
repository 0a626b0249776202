import ArgumentParser
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire

/// `stratus schema reset`
struct SchemaResetCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract:
            "Set development back to production's schema, and delete all that is stored in development.",
        discussion: """
            Users and tokens stay. Without --yes the command only says what would go. With it records are kept for some days all \
            the same, each type by itself ('stratus schema removed', 'stratus schema restore').

            EXAMPLES
              stratus schema reset --container iCloud.com.example.app
              stratus schema reset --container iCloud.com.example.app --yes
            """,
        aliases: ["reset-schema"])

    @Flag(help: "Do it.")
    var yes = false

    @Flag(help: "Show what would be removed, and change nothing.")
    var dryRun = false

    @Option(help: .hidden)
    var environment = CloudEnvironment.development.rawValue

    @OptionGroup var container: ContainerOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let container = try container.containerID(data)
        guard environment == CloudEnvironment.development.rawValue else {
            throw Failure.usage("Only development can be reset.")
        }
        let days = try data.settings().removedSchemaDays
        let summary = try await data.withStore { store in
            if yes, !dryRun {
                return try await SchemaReset.apply(
                    container: container, store: store,
                    keeping: RemovalKeeping(days: days, now: { Clock.milliseconds }))
            }
            return try await store.read(.long) { try SchemaReset.summary(container: container, reader: $0) }
        }
        output.json ? printJSON(summary, container) : try printText(summary, container, days)
    }

    private func printText(
        _ summary: SchemaReset.Summary, _ container: ContainerID, _ days: Int
    ) throws {
        let what =
            "\(counted(summary.types, "record type")), \(counted(summary.records, "record")) and \(counted(summary.zones, "custom zone"))"
        if yes, !dryRun {
            Console.standard.note(
                "Development of \(container) has production's schema; \(what) were deleted.")
            guard days > 0, summary.records > 0 else { return }
            return Console.standard.note(
                "The records can be brought back for \(days) days: stratus schema removed --container \(container)"
            )
        }
        guard !dryRun else {
            return Console.standard.line("\(what) of development of \(container) would be deleted.")
        }
        throw Failure(
            "A reset deletes everything in development of \(container): \(what).",
            remedy: "To delete it: stratus schema reset --container \(container) --yes")
    }

    private func printJSON(_ summary: SchemaReset.Summary, _ container: ContainerID) {
        let json = JSONWriter.text { writer in
            writer.beginObject()
            writer.member("container", container.rawValue)
            writer.member("reset", yes && !dryRun)
            writer.member("recordTypes", summary.types)
            writer.member("records", summary.records)
            writer.member("zones", summary.zones)
            writer.endObject()
        }
        Console.standard.line(json: json)
    }
}
