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
            what changes. The exit code is 0 also when they differ; 'stratus schema check' is for scripts. With --file the \
            new side is a file, and the old one development unless it is named: what 'stratus schema import' would do.

            EXAMPLES
              stratus schema diff --container iCloud.com.example.app
              stratus schema diff development schema.ckdb --container iCloud.com.example.app
              stratus schema diff --file schema.ckdb --container iCloud.com.example.app
            """)

    @Argument(help: ArgumentHelp("The old side. Default: production.", valueName: "from"))
    var from: String?

    @Argument(help: ArgumentHelp("The new side. Default: development.", valueName: "to"))
    var to: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The new side as a file, as 'stratus schema import' names it; the old one is then development by default.",
            valueName: "file"))
    var file: String?

    @Flag(help: "Accepted as by 'stratus schema import'; nothing is asked.")
    var yes = false

    @OptionGroup var container: ContainerOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard file == nil || to == nil else {
            throw ValidationError("The new side is named twice: leave out '\(to ?? "")', or --file.")
        }
    }

    func run() async throws {
        let standard = file == nil ? CloudEnvironment.production : .development
        let from = SchemaSide(from ?? standard.rawValue)
        // A file of the name of an environment is a file here.
        let to = file.map { SchemaSide.file($0) } ?? SchemaSide(to ?? CloudEnvironment.development.rawValue)
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
