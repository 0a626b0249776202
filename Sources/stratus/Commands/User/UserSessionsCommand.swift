import ArgumentParser
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire

/// `stratus user sessions`
struct UserSessionsCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "List where a user is signed in.",
        discussion: "EXAMPLE\n  stratus user sessions ada@example.org --container iCloud.com.example.app")

    @Argument(help: "The user, by name or record name.")
    var user: String

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let sessions = try await data.withStore { store in
            try await UserSessions.list(of: user, in: tenant, store: store)
        }
        let console = Console.standard
        if output.json {
            let json = JSONWriter.text { writer in
                writer.beginArray()
                for session in sessions {
                    writer.beginObject()
                    writer.member("id", session.id)
                    writer.member("label", session.label)
                    writer.member("createdAt", session.createdAt)
                    writer.member("seenAt", session.seenAt)
                    writer.member("endsAt", session.endsAt)
                    writer.endObject()
                }
                writer.endArray()
            }
            return console.line(json: json)
        }
        guard !sessions.isEmpty else { return console.note("'\(user)' is signed in nowhere.") }
        console.line(
            Table.text(
                ["SESSION", "FROM", "SINCE", "LAST SEEN"].map { Table.Column(title: $0) },
                rows: sessions.map {
                    [$0.id, $0.label, Format.time($0.createdAt), Format.time($0.seenAt)]
                }, width: console.tableWidth))
    }
}

/// `stratus user end`
struct UserEndCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "end",
        abstract: "Sign a user out: everywhere, or of one session.",
        discussion: "EXAMPLE\n  stratus user end ada@example.org --container iCloud.com.example.app")

    @Argument(help: "The user, by name or record name.")
    var user: String

    @Option(help: ArgumentHelp("One session alone, as 'user sessions' shows it.", valueName: "id"))
    var session: String?

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let count = try await data.withStore { store in
            try await UserSessions.end(session, of: user, in: tenant, store: store)
        }
        guard output.json else {
            return Console.standard.note(
                "Ended \(count). A running server may accept their tokens for five more seconds.")
        }
        let json = JSONWriter.text { writer in
            writer.beginObject()
            writer.member("ended", Int64(count))
            writer.endObject()
        }
        Console.standard.line(json: json)
    }
}
