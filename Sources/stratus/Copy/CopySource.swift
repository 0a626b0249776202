import ArgumentParser
import Foundation
import RecordModel

/// The service that a copy reads, and what lets it in.
struct CopySource: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The address of the service to read; iCloud is https://api.apple-cloudkit.com.",
            valueName: "address"))
    var from: String

    @OptionGroup var tenant: TenantOptions

    @Option(
        name: [.customLong("key"), .customLong("key-id")],
        help: ArgumentHelp(
            "The id of a server-to-server key of the source. It reads the public database, also where tokens are given.",
            valueName: "id"))
    var key: String?

    @Option(help: ArgumentHelp("The private half of the key, as PEM.", valueName: "file"))
    var keyFile: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "An API token of the source. Better given in STRATUS_API_TOKEN, which no process list shows.",
            valueName: "token"))
    var apiToken: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The web auth token of a user of the source, whose private database is read as well. Better given in STRATUS_WEB_AUTH_TOKEN, which no process list shows.",
            valueName: "token"))
    var webAuthToken: String?

    /// The address.
    ///
    /// - Throws: a ``Failure`` for a text that is none.
    func url() throws -> URL {
        guard let url = URL(string: from), url.scheme == "http" || url.scheme == "https", url.host != nil
        else {
            throw Failure.usage(
                "--from must be an address like https://api.apple-cloudkit.com, not '\(from)'.")
        }
        return url
    }

    /// What lets requests in, for each database that it opens: a key opens the public one, a user's tokens the private one
    /// as well. Where both are given the key reads the public database and the tokens the private one.
    ///
    /// - Throws: a ``Failure`` where something is missing.
    func credentials() throws -> [DatabaseScope: RequestCredentials] {
        let flags: [SettingKey: String?] = [
            Settings.apiToken.key: apiToken, Settings.webAuthToken.key: webAuthToken,
        ]
        let layers = try SettingsLayers.standard(flags: flags)
        return try credentials(
            api: layers.optional(Settings.apiToken), user: layers.optional(Settings.webAuthToken))
    }

    /// The same with the tokens that flags, environment and settings came to.
    func credentials(api: String?, user: String?) throws -> [DatabaseScope: RequestCredentials] {
        var opened: [DatabaseScope: RequestCredentials] = [:]
        if let api {
            let tokens = RequestCredentials(apiToken: api, webAuthToken: user)
            opened[.public] = tokens
            if user != nil { opened[.private] = tokens }
        } else if user != nil {
            throw Failure.usage(
                "A web auth token was given without the API token of its app, so the user's private database cannot be read.",
                remedy:
                    "Add --api-token or STRATUS_API_TOKEN; or leave out --web-auth-token and STRATUS_WEB_AUTH_TOKEN."
            )
        }
        switch (key, keyFile) {
        case (let key?, let file?): opened[.public] = try RequestCredentials(keyID: key, file: file)
        case (nil, nil): break
        default:
            throw Failure.usage(
                "--key and --key-file belong together.",
                remedy: "The id is shown where the key was registered, the file is the pair's private half.")
        }
        guard !opened.isEmpty else {
            throw Failure.usage(
                "No credentials for the source were given.",
                remedy:
                    "Add --key and --key-file for the public database, --api-token and --web-auth-token for a user's databases, or all of them. All are made in the CloudKit Console, under Tokens & Keys."
            )
        }
        return opened
    }
}
