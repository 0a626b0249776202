import ArgumentParser
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire

/// `stratus schema diff`
struct SchemaDiffCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Show what turns one schema into another.",
        discussion: """
            A side is 'development', 'production' or a file. Lines begin with + for what is added, - for what is removed and ~ for \
            what changes. The exit code is 0 also when they differ; 'stratus schema check' is for scripts.

            EXAMPLES
              stratus schema diff --container iCloud.com.example.app
              stratus schema diff development schema.ckdb --container iCloud.com.example.app
            """)

    @Argument(help: ArgumentHelp("The old side.", valueName: "from"))
    var from = CloudEnvironment.production.rawValue

    @Argument(help: ArgumentHelp("The new side.", valueName: "to"))
    var to = CloudEnvironment.development.rawValue

    @OptionGroup var container: ContainerOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let from = SchemaSide(from)
        let to = SchemaSide(to)
        let diff = try await difference(from, to)
        if output.json {
            let json = JSONWriter.text { writer in
                writer.beginObject()
                writer.member("from", from.name)
                writer.member("to", to.name)
                writer.key("changes")
                writer.changes(diff.changes)
                writer.endObject()
            }
            return Console.standard.line(json: json)
        }
        for change in diff.changes { Console.standard.line(change.description) }
        Console.standard.note(
            diff.isEmpty
                ? "\(from.name) and \(to.name) have the same schema."
                : "\(counted(diff.changes.count, "difference")) from \(from.name) to \(to.name).")
    }

    private func difference(_ from: SchemaSide, _ to: SchemaSide) async throws -> SchemaDiff {
        // Two files need no store.
        if case .file(let old) = from, case .file(let new) = to {
            return try SchemaDiff(
                from: SchemaFile(path: old).validDocument(), to: SchemaFile(path: new).validDocument())
        }
        let container = try container.containerID(data)
        return try await data.withStore { store in
            try SchemaDiff(
                from: from.document(container: container, store: store),
                to: to.document(container: container, store: store))
        }
    }
}
