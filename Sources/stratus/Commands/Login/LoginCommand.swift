import ArgumentParser
import CurlAccess
import Foundation
import RecordModel
import RecordWire

/// `stratus login`
struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Sign in to a container in a browser, here or on another device.",
        discussion: """
            The command shows an address and a code; whoever opens the one and enters the other lets it in. 'stratus query' and \
            'stratus import' use the token from then on, which is kept in ~/.config/stratus/credentials.json for you alone.

            EXAMPLE
              stratus login --url https://stratus.example.org --container iCloud.com.example.app --api-token …
            """)

    @OptionGroup var remote: LoginOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let target = try remote.target()
        guard let apiToken = target.apiToken else {
            throw Failure.usage(
                "No API token was given.",
                remedy:
                    "Ask whoever runs the server for one, and give it with --api-token or STRATUS_API_TOKEN.")
        }
        let file = try LoginOptions.file()
        let device = DeviceSignIn(url: target.url, tenant: target.tenant, apiToken: apiToken)
        let codes = try await device.begin()
        let console = Console.standard
        console.note("Open \(codes.page) in any browser and enter the code \(codes.userCode)")
        console.note("or open \(codes.wholePage)")
        console.note("Waiting; the code is good for \(Format.seconds(Double(codes.lifetimeSeconds))).")
        let granted = try await device.wait(for: codes)
        try file.keep(
            CredentialFile.Login(
                url: target.url, tenant: target.tenant, apiToken: apiToken, webAuthToken: granted.token,
                user: granted.user))
        guard output.json else { return console.note("You are signed in, as \(granted.user).") }
        console.line(
            json: JSONWriter.text { writer in
                writer.beginObject()
                writer.member("userRecordName", granted.user)
                writer.endObject()
            })
    }
}

/// `stratus logout`
struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "End the session of 'stratus login', and forget its token.",
        discussion: "EXAMPLE\n  stratus logout --container iCloud.com.example.app")

    @OptionGroup var remote: LoginOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let target = try remote.target()
        let file = try LoginOptions.file()
        guard let login = try file.login(to: target.url, target.tenant) else {
            throw Failure("You are not signed in to \(target.tenant) at \(target.url.absoluteString).")
        }
        // The token is forgotten here in any case; a server that cannot be reached ends the session by itself later.
        try file.forget(target.url, target.tenant)
        try await DeviceSignIn(url: target.url, tenant: target.tenant, apiToken: login.apiToken)
            .revoke(login.webAuthToken)
        guard output.json else { return Console.standard.note("You are signed out.") }
        Console.standard.line(json: Array("{\"signedOut\":true}".utf8))
    }
}

/// Which container of which server.
struct LoginOptions: ParsableArguments {
    @OptionGroup var tenant: TenantOptions
    @Option(Settings.url) var url: String?
    @Option(Settings.apiToken, parsing: .unconditional) var apiToken: String?

    /// What was meant.
    func target() throws -> (url: URL, tenant: Tenant, apiToken: String?) {
        let layers = try SettingsLayers.standard(
            flags: tenant.flags.merging([Settings.url.key: url, Settings.apiToken.key: apiToken]) { $1 })
        return (
            try layers.value(of: Settings.url), try layers.tenant(), try layers.optional(Settings.apiToken)
        )
    }

    /// Where tokens are kept.
    static func file() throws -> CredentialFile {
        guard let file = CredentialFile() else {
            throw Failure.usage("Nothing says where your files are.", remedy: "Set HOME or XDG_CONFIG_HOME.")
        }
        return file
    }
}
