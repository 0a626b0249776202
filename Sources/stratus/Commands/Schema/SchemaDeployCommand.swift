import ArgumentParser
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import SchemaLanguage

/// `stratus schema deploy`
struct SchemaDeployCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "deploy",
        abstract: "Deploy the schema of development to production.",
        discussion: """
            Only ever adds: roles, types, fields and indexes that production has and development lacks stay; the grants \
            of a type become development's. A running server sees the change at once. With --plan it deploys what --dry-run \
            showed, or nothing; with --file only if development has the schema of the file. Nothing is asked, so --yes \
            changes nothing.

            EXAMPLES
              stratus schema deploy --container iCloud.com.example.app --dry-run
              stratus schema deploy --container iCloud.com.example.app
            """)

    @Flag(help: "Show what would change, and change nothing.")
    var dryRun = false

    @Option(
        help: ArgumentHelp(
            "Deploy only if the changes are still those that --dry-run showed.", valueName: "digest"))
    var plan: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Deploy only if development has the schema of this file; - is standard input.", valueName: "file")
    )
    var file: String?

    @Flag(help: "Accepted as by 'stratus schema import'; nothing is asked.")
    var yes = false

    @OptionGroup var container: ContainerOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let container = try container.containerID(data)
        let document = try file.map { try SchemaFile(path: $0).validDocument() }
        let (changes, digest) = try await data.withStore { store in
            let development = store.schema(of: Tenant(container: container, environment: .development))
            if let file, let document { try requireSame(development, document, file, container) }
            let changes: [SchemaDeployment.Change]
            if dryRun {
                changes = try SchemaDeployment.changes(
                    from: development,
                    to: store.schema(of: Tenant(container: container, environment: .production)))
            } else {
                changes = try await SchemaDeployment.deploy(
                    container: container, expecting: plan, store: store)
            }
            return (changes, SchemaDeployment.digest(of: changes))
        }
        output.json ? printJSON(changes, digest, container) : printText(changes, digest, container)
    }

    /// Refuses where development is not what a file says.
    private func requireSame(
        _ development: Schema, _ document: SchemaDocument, _ file: String, _ container: ContainerID
    ) throws {
        let diff = SchemaDiff(from: SchemaText.document(of: development), to: document)
        guard !diff.isEmpty else { return }
        throw Failure(
            "Development of \(container) is not what \(file) says; nothing was deployed.\n"
                + diff.changes.map { "  \($0)" }.joined(separator: "\n"),
            remedy:
                "Import the file first: stratus schema import --file \(ShellWord.quoted(file)) --container \(container)"
        )
    }

    private func printText(
        _ changes: [SchemaDeployment.Change], _ digest: String, _ container: ContainerID
    ) {
        let console = Console.standard
        for change in changes { console.line(change.description) }
        if changes.isEmpty {
            console.note("Production of \(container) has all that development has.")
        } else if dryRun {
            console.note(
                hints.completing(
                    "Nothing was changed. Deploy just this: stratus schema deploy --container \(container) --plan \(digest)"
                ))
        } else {
            console.note("Deployed \(counted(changes.count, "change")) of \(container).")
        }
        let touchesGrants = changes.contains { change in
            switch change {
            case .role, .grants: true
            default: false
            }
        }
        if touchesGrants { console.note(SchemaCommand.grantsNote) }
    }

    private func printJSON(
        _ changes: [SchemaDeployment.Change], _ digest: String, _ container: ContainerID
    ) {
        let json = JSONWriter.text { writer in
            writer.beginObject()
            writer.member("container", container.rawValue)
            writer.member("deployed", !dryRun)
            if dryRun { writer.member("plan", digest) }
            writer.member("changes", changes.map(\.description))
            writer.endObject()
        }
        Console.standard.line(json: json)
    }
}
