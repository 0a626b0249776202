import ArgumentParser
import RecordEngine
import RecordStorage
import RecordWire

/// `stratus user disable`
struct UserDisableCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Shut a user out of a container: no session, token or key is good for it.",
        discussion: """
            Records stay. For somebody with an account, 'stratus account disable' does so in all containers.

            EXAMPLE
              stratus user disable ada --container iCloud.com.example.app
            """)

    @Argument(help: "The user, by name or record name.")
    var user: String

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let row = try await data.withStore {
            try await Users.setDisabled(true, user, of: tenant, store: $0)
        }
        guard output.json else {
            return Console.standard.note(
                "'\(row.label)' is disabled. A running server may accept its tokens for five more seconds.")
        }
        Console.standard.line(json: JSONWriter.text { $0.user(row) })
    }
}

/// `stratus user enable`
struct UserEnableCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Enable a disabled user again.",
        discussion: "EXAMPLE\n  stratus user enable ada --container iCloud.com.example.app")

    @Argument(help: "The user, by name or record name.")
    var user: String

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let row = try await data.withStore {
            try await Users.setDisabled(false, user, of: tenant, store: $0)
        }
        guard output.json else { return Console.standard.note("'\(row.label)' is enabled again.") }
        Console.standard.line(json: JSONWriter.text { $0.user(row) })
    }
}
