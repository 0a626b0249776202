import ArgumentParser
import CurlAccess
import Foundation
import RecordModel
import RecordWire
import SignInClient

/// `stratus login`
struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Sign in to a container in a browser, here or on another device.",
        discussion: """
            The command shows an address and a code; whoever opens the one and enters the other lets it in. 'stratus query' and \
            'stratus import' use the token from then on, which is kept in ~/.config/stratus/credentials.json for you alone.
            With --browser there is no code: the address is for a browser on this machine, which comes back to the command.

            EXAMPLE
              stratus login --url https://stratus.example.org --container iCloud.com.example.app --api-token …
            """)

    @OptionGroup var remote: LoginOptions
    @OptionGroup var output: OutputOptions
    @Flag(help: "Sign in with a browser on this machine, without a code.") var browser = false

    func run() async throws {
        let target = try remote.target()
        guard let apiToken = target.apiToken else {
            throw Failure.usage(
                "No API token was given.",
                remedy:
                    "Ask whoever runs the server for one, and give it with --api-token or STRATUS_API_TOKEN.")
        }
        let file = try LoginOptions.file()
        // What cannot be kept is no reason to have somebody sign in.
        _ = try file.login(to: target.url, target.tenant)
        let console = Console.standard
        let server = LoginOptions.server(target.url, target.tenant, apiToken)
        let name = "stratus on \(ProcessInfo.processInfo.hostName)"
        let granted: SignInServer.Granted
        if browser {
            granted = try await BrowserSignIn(server, baseURL: LoginOptions.base(target.url))
                .signIn(as: name) { console.note("Open \($0) in a browser on this machine.") }
        } else {
            let device = DeviceSignIn(server)
            let codes = try await device.begin(as: name)
            console.note("Open \(codes.page) in any browser and enter the code \(codes.userCode)")
            console.note("or open \(codes.wholePage)")
            console.note("Waiting; the code is valid for \(Format.seconds(Double(codes.lifetimeSeconds))).")
            granted = try await device.wait(for: codes)
        }
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
        do {
            try await LoginOptions.server(target.url, target.tenant, login.apiToken).revoke(
                login.webAuthToken)
        } catch let failure as Failure {
            throw Failure(
                "The token is forgotten here, but: \(failure.sentence)",
                remedy: "End the session on the page of your account.")
        }
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

    /// The container's sign-in page, asked over libcurl.
    static func server(_ url: URL, _ tenant: Tenant, _ apiToken: String) -> SignInServer {
        let client = CurlClient(connectionsPerHost: 1)
        return SignInServer(tenant: tenant, apiToken: apiToken) { path, form in
            var request = CurlRequest(
                url: base(url) + path, body: .bytes(form, type: "application/x-www-form-urlencoded"),
                to: .memory(maximumBytes: 65_536), secondsWithoutBytes: 30)
            request.headers = ["Accept": "application/json"]
            request.followsRedirections = false
            do {
                let answer = try await client.send(request)
                return SignInServer.Answer(status: answer.status, body: answer.body)
            } catch let error as CurlError where error.kind != .cancelled {
                throw Failure(
                    "The server at \(url.absoluteString) cannot be reached: \(error)",
                    remedy: "Name its address with --url or STRATUS_URL.")
            }
        }
    }

    /// An address without a `/` at its end.
    static func base(_ url: URL) -> String {
        url.absoluteString.hasSuffix("/") ? String(url.absoluteString.dropLast()) : url.absoluteString
    }

    /// Where tokens are kept.
    static func file() throws -> CredentialFile {
        guard let file = CredentialFile() else {
            throw Failure.usage("Nothing says where your files are.", remedy: "Set HOME or XDG_CONFIG_HOME.")
        }
        return file
    }
}
