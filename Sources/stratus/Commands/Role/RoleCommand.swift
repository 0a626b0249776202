import ArgumentParser
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire

/// `stratus role`
struct RoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "role",
        abstract: "Give users the security roles that a schema declares.",
        discussion: """
            A schema declares roles (CREATE ROLE Editor;) and grants them rights to record types of the public database \
            (GRANT READ, WRITE TO Editor). A user who has a role may do what it is granted, beside what everybody may. \
            The commands work on the data directory, also while a server runs on it; the server knows within five seconds.
            """,
        subcommands: [RoleGiveCommand.self, RoleTakeCommand.self, RoleListCommand.self])
}

/// `stratus role give`
struct RoleGiveCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "give",
        abstract: "Give a user a role.",
        discussion: """
            EXAMPLE
              stratus role give Editor --user ada --container iCloud.com.example.app
            """)

    @Argument(help: "The role, as the schema declares it.")
    var role: String

    @Option(help: ArgumentHelp("The user, by name or record name.", valueName: "name"))
    var user: String

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let row = try await data.withStore {
            try await SecurityRoles.give(role, to: user, in: tenant, store: $0)
        }
        guard output.json else {
            return Console.standard.note("'\(row.label)' has the role \(role) now.")
        }
        Console.standard.line(json: JSONWriter.text { $0.user(row) })
    }
}

/// `stratus role take`
struct RoleTakeCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "take",
        abstract: "Take a role from a user.",
        discussion: """
            EXAMPLE
              stratus role take Editor --user ada --container iCloud.com.example.app
            """)

    @Argument(help: "The role.")
    var role: String

    @Option(help: ArgumentHelp("The user, by name or record name.", valueName: "name"))
    var user: String

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let row = try await data.withStore {
            try await SecurityRoles.take(role, from: user, in: tenant, store: $0)
        }
        guard output.json else {
            return Console.standard.note(
                "'\(row.label)' no longer has the role \(role); a running server knows within \(SecurityRoles.rememberedSeconds) seconds."
            )
        }
        Console.standard.line(json: JSONWriter.text { $0.user(row) })
    }
}

/// `stratus role list`
struct RoleListCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the roles of a container's schema and who has them.",
        discussion: "EXAMPLE\n  stratus role list --container iCloud.com.example.app")

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let (roles, users) = try await data.withStore { store in
            let users = try await store.read(.short) { try $0.users(of: tenant) }
            return (store.schema(of: tenant).roles, users)
        }
        let holders = roles.map { role in (role, users.filter { $0.roles.contains(role) }) }
        let console = Console.standard
        if output.json {
            let json = JSONWriter.text { writer in
                writer.beginArray()
                for (role, users) in holders {
                    writer.beginObject()
                    writer.member("role", role)
                    writer.key("users")
                    writer.beginArray()
                    for user in users { writer.user(user) }
                    writer.endArray()
                    writer.endObject()
                }
                writer.endArray()
            }
            return console.line(json: json)
        }
        guard !roles.isEmpty else {
            return console.note(
                "The schema of \(tenant) declares no roles; CREATE ROLE in its text does.")
        }
        console.line(
            Table.text(
                [.init(title: "ROLE"), .init(title: "USERS")],
                rows: holders.map { [$0, $1.map(\.label).joined(separator: ", ")] },
                width: console.tableWidth))
    }
}
