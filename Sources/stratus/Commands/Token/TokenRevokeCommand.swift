import ArgumentParser
import RecordEngine
import RecordWire

/// `stratus token revoke`
struct TokenRevokeCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "End a token.",
        discussion: """
            EXAMPLE
              stratus token revoke 3f9a1c20be77 --container iCloud.com.example.app
            """)

    @Argument(help: "The token, or its id from 'token list'.")
    var token: String

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let row = try await data.withStore { try await Tokens.revoke(token, of: tenant, store: $0) }
        guard output.json else {
            return Console.standard.note("Revoked. A running server may accept it for five more seconds.")
        }
        let json = JSONWriter.text { writer in
            writer.beginObject()
            writer.member("revoked", true)
            writer.tokenMembers(row)
            writer.endObject()
        }
        Console.standard.line(json: json)
    }
}
