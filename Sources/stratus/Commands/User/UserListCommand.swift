import ArgumentParser
import RecordStorage
import RecordWire

/// `stratus user list`
struct UserListCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the users of a container, the newest first.",
        discussion: "EXAMPLE\n  stratus user list --container iCloud.com.example.app")

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let users = try await data.withStore { store in
            try await store.read(.short) { try $0.users(of: tenant) }
        }
        let console = Console.standard
        if output.json {
            let json = JSONWriter.text { writer in
                writer.beginArray()
                for user in users { writer.user(user) }
                writer.endArray()
            }
            return console.line(json: json)
        }
        guard !users.isEmpty else {
            return console.note(
                hints.completing("\(tenant) has no users; 'stratus user add' makes one."))
        }
        console.line(
            Table.text(
                [
                    .init(title: "NAME"), .init(title: "USER RECORD NAME"), .init(title: "MADE"),
                    .init(title: "ROLES"),
                ],
                rows: users.map {
                    [
                        $0.isDisabled ? "\($0.label) (disabled)" : $0.label, $0.recordName,
                        Format.time($0.createdAt), $0.roles.joined(separator: ", "),
                    ]
                },
                width: console.tableWidth))
    }
}
