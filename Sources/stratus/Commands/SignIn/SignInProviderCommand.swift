import ArgumentParser
import Foundation
import OpenIDConnect
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire

/// `stratus sign-in provider`
struct SignInProviderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provider",
        abstract: "Let people sign in with another service (OpenID Connect).",
        discussion: """
            The sign-in page has a button for each provider of the container. A person's first visit makes an account, where \
            the container lets one in; who has one connects a provider on the page of the account.
            """,
        subcommands: [
            ProviderAddCommand.self, ProviderListCommand.self, ProviderRemoveCommand.self,
        ])
}

/// `stratus sign-in provider add`
struct ProviderAddCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a provider, or replace the one of that name.",
        discussion: """
            Make a client at the provider first, a web application with the redirect address \
            SERVER/sign-in/CONTAINER/ENVIRONMENT/with/NAME/return. The issuer is asked for its description at \
            /.well-known/openid-configuration.

            Apple wants a secret that a key of your team signs, and sends its answer as a form: see the second example.

            EXAMPLES
              stratus sign-in provider add example --issuer https://id.example.org --client-id stratus --secret-file secret.txt --container iCloud.com.example.app
              stratus sign-in provider add apple --title Apple --issuer https://appleid.apple.com --client-id org.example.app --key-file AuthKey.p8 --key-id ABC123DEFG --team DEF123GHIJ --form-post --scopes "openid email name" --container iCloud.com.example.app
            """)

    @Argument(help: "Its name in addresses: lowercase letters, digits and '-'.")
    var name: String

    @Option(
        help: ArgumentHelp(
            "Who issues the provider's tokens, as the provider writes it.", valueName: "address"))
    var issuer: String

    @Option(help: ArgumentHelp("What the provider calls this server.", valueName: "text"))
    var clientID: String

    @Option(
        help: ArgumentHelp(
            "A file with the client's secret; '-' is standard input. Default: none, for a public client.",
            valueName: "file"))
    var secretFile: String?

    @Option(
        help: ArgumentHelp(
            "A file with the private key (P-256, PEM) that signs the client's secret.", valueName: "file"))
    var keyFile: String?

    @Option(help: ArgumentHelp("The id of that key at the provider.", valueName: "text"))
    var keyID: String?

    @Option(
        help: ArgumentHelp(
            "The id of the team that the key belongs to, with the provider.", valueName: "text"))
    var team: String?

    @Option(
        help: ArgumentHelp(
            "What the sign-in page calls it. Default: the issuer's name in the network.", valueName: "text"))
    var title: String?

    @Option(help: ArgumentHelp("The scopes to ask for, separated by spaces.", valueName: "text"))
    var scopes = "openid email"

    @Flag(help: "The provider sends its answer as a form.")
    var formPost = false

    @Flag(help: "Do not ask the issuer whether it is one.")
    var unchecked = false

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard secretFile == nil || keyFile == nil else {
            throw ValidationError("Use either --secret-file or --key-file.")
        }
        guard (keyFile == nil) == (keyID == nil), (keyFile == nil) == (team == nil) else {
            throw ValidationError("--key-file, --key-id and --team go together.")
        }
    }

    func run() async throws {
        let tenant = try tenant.tenant(data)
        var secret: [UInt8] = []
        if let file = secretFile ?? keyFile {
            let text = String(decoding: try FileContents.read(file), as: UTF8.self)
            secret = Array(text.trimmingCharacters(in: .whitespacesAndNewlines).utf8)
            guard !secret.isEmpty else { throw Failure.usage("The file \(file) is empty.") }
        }
        let row = SignInProviderRow(
            tenant: tenant, name: name, title: title ?? URLComponents(string: issuer)?.host ?? issuer,
            issuer: issuer, clientID: clientID, secret: secret, keyID: keyID ?? "", team: team ?? "",
            scopes: scopes, postsForm: formPost, createdAt: Clock.milliseconds)
        if !unchecked {
            do {
                try await OpenIDProviders(environment: .system).check(issuer: issuer)
            } catch let failure as ProviderFailure {
                throw Failure(failure.reason, remedy: failure.remedy + " Or add it with --unchecked.")
            }
        }
        try await data.withStore { try await SignInProviders.add(row, store: $0) }
        let path = SignInProviders.redirectPath(of: name, in: tenant)
        let base = try data.settings().publicURL.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        guard output.json else {
            Console.standard.note("Added. The provider must know this redirect address:")
            return Console.standard.line((base ?? "SERVER") + path)
        }
        let json = JSONWriter.text { writer in
            writer.beginObject()
            writer.member("name", name)
            writer.member("redirect", (base ?? "") + path)
            writer.endObject()
        }
        Console.standard.line(json: json)
    }
}

/// `stratus sign-in provider list`
struct ProviderListCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the providers of a container.",
        discussion: "EXAMPLE\n  stratus sign-in provider list --container iCloud.com.example.app")

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let rows = try await data.withStore { try await SignInProviders.list(of: tenant, store: $0) }
        let console = Console.standard
        if output.json {
            let json = JSONWriter.text { writer in
                writer.beginArray()
                for row in rows {
                    writer.beginObject()
                    writer.member("name", row.name)
                    writer.member("title", row.title)
                    writer.member("issuer", row.issuer)
                    writer.member("clientID", row.clientID)
                    writer.member("redirect", SignInProviders.redirectPath(of: row.name, in: tenant))
                    writer.endObject()
                }
                writer.endArray()
            }
            return console.line(json: json)
        }
        guard !rows.isEmpty else {
            return console.note(
                hints.completing(
                    "\(tenant) has no providers; 'stratus sign-in provider add' adds one."))
        }
        console.line(
            Table.text(
                ["NAME", "TITLE", "ISSUER", "CLIENT ID", "ADDED"].map { Table.Column(title: $0) },
                rows: rows.map {
                    [$0.name, $0.title, $0.issuer, $0.clientID, Format.time($0.createdAt)]
                }, width: console.tableWidth))
    }
}

/// `stratus sign-in provider remove`
struct ProviderRemoveCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a provider. Accounts stay.",
        discussion: "EXAMPLE\n  stratus sign-in provider remove example --container iCloud.com.example.app")

    @Argument(help: "The provider's name.")
    var name: String

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        try await data.withStore { try await SignInProviders.remove(name, of: tenant, store: $0) }
        guard output.json else { return Console.standard.note("Removed. Its button is gone.") }
        Console.standard.line(json: Array("{\"removed\":true}".utf8))
    }
}
