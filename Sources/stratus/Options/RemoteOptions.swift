import ArgumentParser
import RecordModel

/// The server, container and database that a command talks to over HTTP.
struct RemoteOptions: ParsableArguments {
    /// The databases that can be named: no command asks the shared one.
    enum Database: String, ExpressibleByArgument, CaseIterable {
        case `public`
        case `private`

        var scope: DatabaseScope { self == .public ? .public : .private }
    }

    @OptionGroup var tenant: TenantOptions

    @Option(Settings.url) var url: String?
    // A token may begin with a dash.
    @Option(Settings.apiToken, parsing: .unconditional) var apiToken: String?
    @Option(Settings.webAuthToken, parsing: .unconditional) var webAuthToken: String?

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

    /// What was given.
    var flags: [SettingKey: String?] {
        let own: [SettingKey: String?] = [
            Settings.url.key: url, Settings.apiToken.key: apiToken, Settings.webAuthToken.key: webAuthToken,
        ]
        return own.merging(tenant.flags) { $1 }
    }

    /// What counts after environment and settings file were looked at.
    func settings() throws -> RemoteSettings {
        try RemoteSettings(flags: flags, scope: database.scope, zone: zone)
    }
}
