import Foundation
import RecordModel

/// The server, and the database of it, that a command talks to.
struct RemoteSettings: Sendable {
    /// The address of the server.
    var url: URL
    /// The container and the environment.
    var tenant: Tenant
    /// The database.
    var scope: DatabaseScope
    /// The zone; nil for the default one.
    var zone: ZoneID?
    /// What names the app.
    var apiToken: String
    /// What names the user.
    var webAuthToken: String?

    /// Finds the values: flags over environment over file over default.
    ///
    /// - Throws: a ``Failure`` that says what is missing or cannot be.
    init(
        flags: [SettingKey: String?], scope: DatabaseScope, zone: String?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        let layers = try SettingsLayers.standard(flags: flags, environment: environment)
        url = try layers.value(of: .url, expecting: "an address like http://127.0.0.1:8080") { text in
            guard let url = URL(string: text), url.scheme == "http" || url.scheme == "https", url.host != nil
            else { return nil }
            return url
        }
        let container = try layers.value(of: .container, expecting: "a container like iCloud.com.example.app")
        {
            try? ContainerID($0)
        }
        let environment = try layers.value(of: .environment, expecting: "development or production") {
            CloudEnvironment(rawValue: $0)
        }
        tenant = Tenant(container: container, environment: environment)
        self.scope = scope
        self.zone = zone.map { ZoneID(zoneName: $0) }
        guard let token = layers.value(of: .apiToken).value else {
            throw Failure.usage(
                "No API token was given.",
                remedy:
                    "Make one with 'stratus token create --container \(container)', and give it with --api-token or STRATUS_API_TOKEN."
            )
        }
        apiToken = token
        webAuthToken = layers.value(of: .webAuthToken).value
        guard scope == .public || webAuthToken != nil else {
            throw Failure.usage(
                "The \(scope.rawValue) database needs a user, and no web auth token was given.",
                remedy:
                    "Make one with 'stratus token create --container \(container) --user NAME', and give it with --web-auth-token or STRATUS_WEB_AUTH_TOKEN."
            )
        }
    }
}
