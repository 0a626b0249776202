import ArgumentParser
import RecordEngine
import RecordStorage

/// `stratus token set`
struct TokenSetCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract:
            "Change where the users of an app go from the sign-in page, and whether it may ask for people.",
        discussion: """
            An origin or a callback that is not named is as if it had never been; with --people or --no-people alone, both \
            stay as they are.

            EXAMPLES
              stratus token set 3f9a1c20be77 --origin https://app.example.org --container iCloud.com.example.app
              stratus token set 3f9a1c20be77 --callback https://app.example.org/in --container iCloud.com.example.app
              stratus token set 3f9a1c20be77 --no-people --container iCloud.com.example.app
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

    @Flag(
        inversion: .prefixedNo,
        help:
            "Whether the app may ask for the names of people who agreed to it, and find them by their addresses."
    )
    var people: Bool?

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let setsTargets = callback != nil || !origin.isEmpty || people == nil
        try await data.withStore { store in
            if setsTargets {
                try await Tokens.setTargets(
                    callback: callback, origins: origin, of: token, tenant: tenant, store: store)
            }
            if let people {
                try await Tokens.setAsksForPeople(people, of: token, tenant: tenant, store: store)
            }
        }
        guard output.json else {
            if setsTargets { Console.standard.note("The sign-in page now uses that.") }
            if let people {
                Console.standard.note(
                    "The app \(people ? "may" : "may not") ask for people; servers know it within five seconds."
                )
            }
            return
        }
        Console.standard.line(json: Array("{\"set\":true}".utf8))
    }
}
