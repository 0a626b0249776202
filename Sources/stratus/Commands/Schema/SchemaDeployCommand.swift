import ArgumentParser
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire

/// `stratus schema deploy`
struct SchemaDeployCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "deploy",
        abstract: "Deploy the schema of development to production.",
        discussion: """
            Only ever adds: roles, types, fields and indexes that production has and development lacks stay; the grants \
            of a type become development's. A running server sees the change at once. With --plan it deploys what --dry-run \
            showed, or nothing.

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

    @OptionGroup var container: ContainerOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let container = try container.containerID(data)
        let (changes, digest) = try await data.withStore { store in
            let development = store.schema(of: Tenant(container: container, environment: .development))
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
