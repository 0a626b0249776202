import ArgumentParser
import RecordEngine
import RecordModel
import RecordStorage
import RecordStorageSQLite
import RecordWire

/// `stratus schema deploy`
struct SchemaDeployCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "deploy",
        abstract: "Give production what development has.",
        discussion: """
            Only ever adds: roles, types, fields and indexes that production has and development lacks stay; the grants \
            of a type become development's. A running server takes it up at once.

            EXAMPLES
              stratus schema deploy --container iCloud.com.example.app --dry-run
              stratus schema deploy --container iCloud.com.example.app
            """)

    @Flag(help: "Show what would change, and change nothing.")
    var dryRun = false

    @OptionGroup var container: ContainerOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let container = try container.containerID()
        let changes = try await data.withStore { store in
            guard dryRun else { return try await SchemaDeployment.deploy(container: container, store: store) }
            return try SchemaDeployment.changes(
                from: store.schema(of: Tenant(container: container, environment: .development)),
                to: store.schema(of: Tenant(container: container, environment: .production)))
        }
        output.json ? printJSON(changes, container) : printText(changes, container)
    }

    private func printText(_ changes: [SchemaDeployment.Change], _ container: ContainerID) {
        let console = Console.standard
        for change in changes { console.line(change.description) }
        if changes.isEmpty {
            console.note("Production of \(container) has all that development has.")
        } else if dryRun {
            console.note(
                hints.completing(
                    "Nothing was changed. Deploy: stratus schema deploy --container \(container)"))
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

    private func printJSON(_ changes: [SchemaDeployment.Change], _ container: ContainerID) {
        let json = JSONWriter.text { writer in
            writer.beginObject()
            writer.member("container", container.rawValue)
            writer.member("deployed", !dryRun)
            writer.member("changes", changes.map(\.description))
            writer.endObject()
        }
        Console.standard.line(json: json)
    }
}
