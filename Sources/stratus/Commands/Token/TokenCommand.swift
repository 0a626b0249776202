import ArgumentParser
import RecordModel
import RecordStorage
import RecordWire

/// `stratus token`
struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Make, list and revoke the tokens that clients need.",
        discussion: """
            An API token names an app, a web auth token a user of it; a request that writes carries both. The commands \
            work on the data directory, also while a server runs on it. The server may accept a revoked token for \
            five more seconds.
            """,
        subcommands: [
            TokenCreateCommand.self, TokenSetCommand.self, TokenListCommand.self, TokenRevokeCommand.self,
        ])
}

extension JSONWriter {
    /// Writes what is known of a token, after the members that the caller has written.
    mutating func tokenMembers(_ row: TokenRow) {
        member("kind", row.kind == .api ? "apiToken" : "webAuthToken")
        member("container", row.tenant.container.rawValue)
        member("environment", row.tenant.environment.rawValue)
        member("userRecordName", row.user)
        member("label", row.label)
        member("createdAt", row.createdAt)
        member("expiresAt", row.expiresAt)
        if row.kind == .api { member("asksForPeople", row.asksForPeople) }
    }
}
