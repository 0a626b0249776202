import ArgumentParser
import RecordEngine
import RecordStorage
import RecordWire

/// `stratus token create`
struct TokenCreateCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a token and print it, this once.",
        discussion: """
            Without --user it is an API token, which names an app. With --user it is a web auth token, which names \
            that user. Standard output holds the token and nothing else.

            EXAMPLES
              export STRATUS_API_TOKEN=$(stratus token create --container iCloud.com.example.app)
              stratus token create --container iCloud.com.example.app --user ada --expires-in 30d
            """)

    @OptionGroup var tenant: TenantOptions

    @Option(
        help: ArgumentHelp("The user whom the token names, by name or record name.", valueName: "name"))
    var user: String?

    @Option(help: ArgumentHelp("A note that 'token list' shows.", valueName: "text"))
    var label = ""

    @Option(
        help: ArgumentHelp(
            "How long the token is valid: 90s, 15m, 12h, 30d. Default: without end.", valueName: "time"))
    var expiresIn: Lifetime?

    @Option(
        help: ArgumentHelp(
            "An origin whose pages the sign-in page may tell who signed in, of an API token; repeat it for more. Default: pages of this server, and in development those of one's own machine.",
            valueName: "origin"))
    var origin: [String] = []

    @Option(
        help: ArgumentHelp(
            "Where the sign-in page sends people with their token, of an API token: an https address, or one with a scheme of the app. Default: it tells the page that opened it.",
            valueName: "address"))
    var callback: String?

    @Flag(
        help:
            "Let the app ask for the names of people who agreed to it, and find them by their addresses; of an API token."
    )
    var people = false

    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        guard user == nil || origin.isEmpty && callback == nil && !people else {
            throw Failure.usage(
                "--origin, --callback and --people are for API tokens.", remedy: "Leave out --user.")
        }
        let created = try await data.withStore { store in
            var owner: UserRow?
            if let user { owner = try await Users.find(user, in: tenant, store: store) }
            return try await Tokens.create(
                tenant: tenant, user: owner, label: label, lifetimeMilliseconds: expiresIn?.milliseconds,
                callback: callback, origins: origin, asksForPeople: people, store: store, environment: .system
            )
        }
        let console = Console.standard
        if output.json {
            let json = JSONWriter.text { writer in
                writer.beginObject()
                writer.member("token", created.token)
                writer.tokenMembers(created.row)
                writer.endObject()
            }
            return console.line(json: json)
        }
        console.line(created.token)
        let kind = created.row.kind == .api ? "An API token" : "A web auth token of '\(user ?? "")'"
        let end = created.row.expiresAt.map { "until \(Format.time($0))" } ?? "until it is revoked"
        console.note("\(kind) for \(tenant), good \(end). It is not shown again.")
    }
}
