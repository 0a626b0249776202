import ArgumentParser
import RecordModel

/// The server, container and database that a command talks to over HTTP.
struct RemoteOptions: ParsableArguments {
    /// The databases that can be named: the shared one is not served yet.
    enum Database: String, ExpressibleByArgument, CaseIterable {
        case `public`
        case `private`

        var scope: DatabaseScope { self == .public ? .public : .private }
    }

    @OptionGroup var tenant: TenantOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The server's address. Default: STRATUS_URL, then http://127.0.0.1:8080.", valueName: "address"))
    var url: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "The API token; better given in STRATUS_API_TOKEN, which no process list shows.",
            valueName: "token"))
    var apiToken: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "The user's token; better given in STRATUS_WEB_AUTH_TOKEN. Needed to write, and for private databases.",
            valueName: "token"))
    var webAuthToken: String?

    @Option(name: .long, help: "The database.")
    var database: Database = .public

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A custom zone of the private database. Default: the default zone.", valueName: "zone"))
    var zone: String?

    func validate() throws {
        guard zone == nil || zone == ZoneID.defaultName || database == .private else {
            throw ValidationError(
                "Custom zones live in private databases: add --database private, or leave out --zone.")
        }
    }

    /// What counts after environment and settings file were looked at.
    func settings() throws -> RemoteSettings {
        try RemoteSettings(
            flags: [
                .url: url, .container: tenant.container, .environment: tenant.environment,
                .apiToken: apiToken,
                .webAuthToken: webAuthToken,
            ], scope: database.scope, zone: zone)
    }
}
