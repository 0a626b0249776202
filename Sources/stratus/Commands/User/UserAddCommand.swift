import ArgumentParser
import RecordEngine
import RecordStorage
import RecordWire

/// `stratus user add`
struct UserAddCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Make a user.",
        discussion: """
            EXAMPLE
              stratus user add ada --container iCloud.com.example.app
              stratus token create --container iCloud.com.example.app --user ada
            """)

    @Argument(help: "The name you give the user.")
    var name: String

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let user = try await data.withStore {
            try await Users.add(name, to: tenant, store: $0, environment: .system)
        }
        if output.json {
            Console.standard.line(json: JSONWriter.text { $0.user(user) })
        } else {
            Console.standard.line(user.recordName)
            Console.standard.note(
                "'\(user.label)' is a user of \(tenant) now; the line above is the record name.")
        }
    }
}
