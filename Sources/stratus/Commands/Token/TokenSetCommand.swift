import ArgumentParser
import RecordEngine
import RecordStorage

/// `stratus token set`
struct TokenSetCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change where the users of an app go from the sign-in page.",
        discussion: """
            What is not named is as if it had never been.

            EXAMPLES
              stratus token set 3f9a1c20be77 --origin https://app.example.org --container iCloud.com.example.app
              stratus token set 3f9a1c20be77 --callback https://app.example.org/in --container iCloud.com.example.app
            """)

    @Argument(help: "The API token, or its id as 'token list' shows it.")
    var token: String

    @Option(
        help: ArgumentHelp(
            "An origin whose pages the sign-in page may tell who signed in; repeat it for more.",
            valueName: "origin"))
    var origin: [String] = []

    @Option(
        help: ArgumentHelp(
            "Where the sign-in page sends people with their token.", valueName: "address"))
    var callback: String?

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        try await data.withStore {
            try await Tokens.setTargets(
                callback: callback, origins: origin, of: token, tenant: tenant, store: $0)
        }
        guard output.json else { return Console.standard.note("The sign-in page follows that now.") }
        Console.standard.line(json: Array("{\"set\":true}".utf8))
    }
}
