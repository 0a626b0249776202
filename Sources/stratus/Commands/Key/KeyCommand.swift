import ArgumentParser
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire

/// `stratus key`
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Make, list, use and revoke server-to-server keys; change the master key.",
        discussion: """
            A program on a server signs its requests with the private half of a P-256 key and needs no token. The server \
            keeps the public half. A key is good in the public database of one container and environment, and acts as a \
            user: records are stamped with it, and 'stratus role give' gives it rights. The commands but 'sign' and \
            'rotate' work on the data directory, also while a server runs on it. 'rotate' is for the key of another kind with \
            which encrypted fields lie in the database.
            """,
        subcommands: [
            KeyCreateCommand.self, KeyListCommand.self, KeyRevokeCommand.self, KeySignCommand.self,
            KeyRotateCommand.self,
        ])
}

extension JSONWriter {
    /// Writes what is known of a key, after the members that the caller has written.
    mutating func keyMembers(_ row: TokenRow) {
        member("name", row.label)
        member("container", row.tenant.container.rawValue)
        member("environment", row.tenant.environment.rawValue)
        member("userRecordName", row.user)
        member("createdAt", row.createdAt)
        member("usedAt", row.usedAt)
    }
}
