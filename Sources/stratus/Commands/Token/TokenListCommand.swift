import ArgumentParser
import RecordEngine
import RecordStorage
import RecordWire

/// `stratus token list`
struct TokenListCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the tokens of a container, the newest first.",
        discussion: """
            The tokens themselves are known to their holders only; the first column is what 'token revoke' takes.

            EXAMPLE
              stratus token list --container iCloud.com.example.app
            """)

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let (tokens, users) = try await data.withStore { store in
            (
                try await store.read(.short) {
                    try $0.identifiedTokens(of: tenant).filter { $0.row.kind != .key }
                },
                try await store.read(.short) { try $0.users(of: tenant) }
            )
        }
        let console = Console.standard
        if output.json { return console.line(json: json(tokens)) }
        guard !tokens.isEmpty else {
            return console.note(
                hints.completing("\(tenant) has no tokens; 'stratus token create' makes one."))
        }
        let names = Dictionary(
            users.map { ($0.recordName, $0.label) }, uniquingKeysWith: { first, _ in first })
        let now = Clock.milliseconds
        let rows = tokens.map { token in
            let row = token.row
            let end = row.expiresAt.map { ($0 <= now ? "expired " : "until ") + Format.time($0) } ?? "no end"
            return [
                Tokens.identifier(of: token.digest), kind(of: row),
                row.user.map { names[$0] ?? $0 } ?? "", Format.time(row.createdAt), end, row.label,
            ]
        }
        let titles = ["ID", "KIND", "USER", "MADE", "GOOD", "LABEL"]
        console.line(
            Table.text(titles.map { Table.Column(title: $0) }, rows: rows, width: console.tableWidth))
    }

    private func kind(of row: TokenRow) -> String {
        row.kind == .api ? row.asksForPeople ? "api, people" : "api" : "web auth"
    }

    private func json(_ tokens: [IdentifiedToken]) -> [UInt8] {
        JSONWriter.text { writer in
            writer.beginArray()
            for token in tokens {
                writer.beginObject()
                writer.member("id", Tokens.identifier(of: token.digest))
                writer.tokenMembers(token.row)
                writer.endObject()
            }
            writer.endArray()
        }
    }
}
