import Foundation
import RecordModel
import SignInClient

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
    var apiToken: String?
    /// What names the user.
    var webAuthToken: String?
    /// Where the user's token is kept that 'stratus login' got; nil for one that was given.
    var keptIn: CredentialFile?

    /// Names a database whose tokens are somewhere else.
    init(url: URL, tenant: Tenant, scope: DatabaseScope) {
        self.url = url
        self.tenant = tenant
        self.scope = scope
    }

    /// Finds the values: flags over environment over file over default.
    ///
    /// - Throws: a ``Failure`` that says what is missing or cannot be.
    init(
        flags: [SettingKey: String?], scope: DatabaseScope, zone: String?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        let layers = try SettingsLayers.standard(flags: flags, environment: environment)
        url = try layers.value(of: Settings.url)
        tenant = try layers.tenant()
        self.scope = scope
        self.zone = zone.map { ZoneID(zoneName: $0) }
        let given = try layers.optional(Settings.apiToken)
        let file = CredentialFile(environment: environment)
        let isWholeWithoutFile = try given != nil && layers.optional(Settings.webAuthToken) != nil
        let login = isWholeWithoutFile ? nil : try file?.login(to: url, tenant)
        guard let token = given ?? login?.apiToken else {
            throw Failure.usage(
                "No API token was given.",
                remedy:
                    "Make one with 'stratus token create --container \(tenant.container)', and give it with --api-token or STRATUS_API_TOKEN."
            )
        }
        apiToken = token
        webAuthToken = try layers.optional(Settings.webAuthToken)
        if webAuthToken == nil, let login, login.apiToken == token {
            webAuthToken = login.webAuthToken
            keptIn = file
        }
        guard scope == .public || webAuthToken != nil else {
            throw Failure.usage(
                "The \(scope.rawValue) database needs a user, and no web auth token was given.",
                remedy:
                    "Sign in with 'stratus login', or make one with 'stratus token create --container \(tenant.container) --user NAME', and give it with --web-auth-token or STRATUS_WEB_AUTH_TOKEN."
            )
        }
    }
}

extension SettingsLayers {
    /// The container and the environment that count.
    ///
    /// - Throws: a ``Failure`` where no container was given or one of them cannot be.
    func tenant() throws -> Tenant {
        try Tenant(
            container: value(of: Settings.container), environment: value(of: Settings.environment))
    }
}
