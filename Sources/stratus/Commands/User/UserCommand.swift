import ArgumentParser
import RecordModel
import RecordStorage
import RecordWire

/// `stratus user`
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Make, list, disable and remove the users of a container, and sign them out.",
        discussion: """
            A user has a record name, '_' and 32 hexadecimal digits, that records are stamped with, and a name by \
            which you know the user. The commands work on the data directory, also while a server runs on it.
            """,
        subcommands: [
            UserAddCommand.self, UserListCommand.self, UserSessionsCommand.self, UserEndCommand.self,
            UserDisableCommand.self, UserEnableCommand.self, UserRemoveCommand.self,
        ])
}

extension JSONWriter {
    /// Writes a user as the commands print it.
    mutating func user(_ user: UserRow) {
        beginObject()
        member("name", user.label)
        member("userRecordName", user.recordName)
        member("container", user.tenant.container.rawValue)
        member("environment", user.tenant.environment.rawValue)
        member("createdAt", user.createdAt)
        member("disabled", user.isDisabled)
        key("roles")
        beginArray()
        for role in user.roles { string(role) }
        endArray()
        endObject()
    }
}
