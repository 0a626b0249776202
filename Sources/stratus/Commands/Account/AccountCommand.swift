import ArgumentParser
import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire

/// `stratus account`
struct AccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account",
        abstract: "Invite people, and manage their accounts.",
        discussion: """
            An account is a person's, with a mail address and a password, for the whole server; each container knows it as a \
            user of its own. Who may make one by themselves is said with 'stratus sign-in set'. The commands work on the data \
            directory, also while a server runs on it.
            """,
        subcommands: [
            AccountInviteCommand.self, AccountListCommand.self, AccountDisableCommand.self,
            AccountEnableCommand.self, AccountExportCommand.self, AccountRemoveCommand.self,
        ])
}

/// `stratus account invite`
struct AccountInviteCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Print a link with which somebody creates an account in a container.",
        discussion: """
            The link is good once, within a week. Give it to the person whose address it is. Somebody who has an account \
            already gets no link, and may sign in to the container from now on.

            EXAMPLE
              stratus account invite ada@example.org --container iCloud.com.example.app
            """)

    @Argument(help: "The email address.")
    var address: String

    @Option(Settings.url) var url: String?
    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let settings = try data.settings()
        let key = try ServerSecret.key(for: settings)
        let path = try await data.withStore { store in
            try await Accounts(
                store: store, secret: ServiceSecret(bytes: key), environment: .system,
                stretcher: NoStretcher(), post: NoPost()
            ).invite(address, to: tenant)
        }
        let server =
            try settings.publicURL
            ?? SettingsLayers.standard(flags: [Settings.url.key: url].merging(data.flags) { $1 }).value(
                of: Settings.url
            ).absoluteString
        let base = server.hasSuffix("/") ? String(server.dropLast()) : server
        let console = Console.standard
        if output.json {
            let json = JSONWriter.text { writer in
                writer.beginObject()
                writer.member("address", address)
                writer.member("link", path.map { base + $0 })
                writer.endObject()
            }
            return console.line(json: json)
        }
        guard let path else {
            return console.note("\(address) has an account, and may sign in to \(tenant) now.")
        }
        console.line(base + path)
        console.note("The link works once, within a week. It is not shown again.")
    }
}

/// Of commands, which know no passwords.
private struct NoStretcher: PasswordStretcher {
    func stretch(
        _ password: [UInt8], salt: [UInt8], cost: StretchingCost, for party: StretchingParty
    ) async throws -> [UInt8] {
        throw ServiceError(.internalError, "Commands stretch no passwords.")
    }
}

/// Of commands, which print links.
private struct NoPost: AccountPost {
    var reachesPeople: Bool { false }
    func send(_ mail: AccountMail) async {}
    func noteFailure(_ error: any Error) {}
}

/// `stratus account list`
struct AccountListCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the accounts of the server by address.",
        discussion: "EXAMPLE\n  stratus account list")

    @Option(help: ArgumentHelp("How many accounts are shown.", valueName: "number"))
    var limit = 1_000

    @Option(help: ArgumentHelp("Begin after this address.", valueName: "address"))
    var after = ""

    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    private struct Line: Sendable {
        let account: AccountRow
        let containers: [String]
        let sessions: Int
    }

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be a number above 0.") }
    }

    func run() async throws {
        let (limit, after) = (limit, after)
        var lines = try await data.withStore { store in
            try await store.read(.long) { store in
                try store.accounts(after: after, limit: limit + 1).map { account in
                    Line(
                        account: account,
                        containers: try store.users(ofAccount: account.id).map { "\($0.tenant)" },
                        sessions: try store.sessions(of: account.id).count)
                }
            }
        }
        let hasMore = lines.count > limit
        if hasMore { lines.removeLast() }
        let console = Console.standard
        if output.json {
            console.line(json: Self.json(lines))
        } else if lines.isEmpty {
            console.note(hints.completing("There are no accounts; 'stratus account invite' makes one."))
        } else {
            console.line(Self.table(lines, width: console.tableWidth))
        }
        guard hasMore, let last = lines.last?.account.address else { return }
        console.note(
            hints.completing("There are more accounts; 'stratus account list --after \(last)' goes on."))
    }

    private static func json(_ lines: [Line]) -> [UInt8] {
        JSONWriter.text { writer in
            writer.beginArray()
            for line in lines {
                writer.beginObject()
                writer.member("address", line.account.address)
                writer.member("createdAt", line.account.createdAt)
                writer.member("disabled", line.account.isDisabled)
                writer.member("sessions", Int64(line.sessions))
                writer.key("containers")
                writer.beginArray()
                for container in line.containers { writer.string(container) }
                writer.endArray()
                writer.endObject()
            }
            writer.endArray()
        }
    }

    private static func table(_ lines: [Line], width: Int?) -> String {
        Table.text(
            ["ADDRESS", "MADE", "STATE", "SESSIONS", "CONTAINERS"].map { Table.Column(title: $0) },
            rows: lines.map { line in
                [
                    line.account.address, Format.time(line.account.createdAt),
                    line.account.isDisabled ? "disabled" : "good", "\(line.sessions)",
                    line.containers.joined(separator: ", "),
                ]
            }, width: width)
    }
}

/// `stratus account disable`
struct AccountDisableCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Disable an account: it is signed out everywhere and cannot sign in.",
        discussion: "EXAMPLE\n  stratus account disable ada@example.org")

    @Argument(help: "The email address.")
    var address: String

    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await data.withStore { try await AccountList.setDisabled(true, address, store: $0) }
        guard output.json else {
            return Console.standard.note(
                "Disabled. A running server may accept its tokens for five more seconds.")
        }
        Console.standard.line(json: Array("{\"disabled\":true}".utf8))
    }
}

/// `stratus account enable`
struct AccountEnableCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Enable a disabled account again.",
        discussion: "EXAMPLE\n  stratus account enable ada@example.org")

    @Argument(help: "The email address.")
    var address: String

    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await data.withStore { try await AccountList.setDisabled(false, address, store: $0) }
        guard output.json else { return Console.standard.note("\(address) may sign in again.") }
        Console.standard.line(json: Array("{\"disabled\":false}".utf8))
    }
}
