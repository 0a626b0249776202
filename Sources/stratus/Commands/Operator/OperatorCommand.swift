import ArgumentParser
import RecordConsole
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire

/// `stratus operator`
struct OperatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operator",
        abstract: "Say who may use the console.",
        discussion: """
            An operator sees and changes everything on this server; one with read access looks at everything, private \
            databases too, and changes nothing. The commands work on the data directory, also \
            while a server runs on it, and take effect at once.

            EXAMPLES
              stratus operator add ada        prints a secret, once
              stratus operator link ada       prints a link with which ada signs in once, within a day
              stratus operator add bob --access read
            """,
        subcommands: [
            OperatorAddCommand.self, OperatorLinkCommand.self, OperatorListCommand.self,
            OperatorSetCommand.self, OperatorRemoveCommand.self,
        ])
}

/// `stratus operator add`
struct OperatorAddCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Make an operator and print the secret.",
        discussion: "EXAMPLE\n  stratus operator add ada --data /var/lib/stratus")

    @Argument(help: "The operator's name: a letter, then letters, digits and '_'.")
    var name: String

    @Option(help: "full, or read: looks at everything, changes nothing.")
    var access = OperatorLevel.full

    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let secret = try await data.withStore {
            try await Operators.add(name, isReadOnly: access == .read, to: $0, environment: .system)
        }
        let console = Console.standard
        if output.json {
            let json = JSONWriter.text { writer in
                writer.beginObject()
                writer.member("name", name)
                writer.member("secret", secret)
                writer.endObject()
            }
            return console.line(json: json)
        }
        console.line(secret)
        console.note("The line above is \(name)'s secret for the console; it is not shown again.")
    }
}

/// `stratus operator link`
struct OperatorLinkCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Print a link with which an operator signs in once, within a day.",
        discussion: "EXAMPLE\n  stratus operator link ada")

    @Argument(help: "The operator's name.")
    var name: String

    @Option(
        help: ArgumentHelp("The server's address. Default: where it was started last.", valueName: "address"))
    var url: String?

    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let path = try await data.withStore {
            try await Operators.link(for: name, in: $0, environment: .system)
        }
        let settings = try data.settings()
        let address =
            url ?? settings.publicURL ?? ServerAddress.read(in: settings.dataDirectory)
            ?? "http://\(settings.host):\(settings.port)"
        let link = (address.hasSuffix("/") ? String(address.dropLast()) : address) + path
        if output.json {
            let json = JSONWriter.text { writer in
                writer.beginObject()
                writer.member("link", link)
                writer.endObject()
            }
            return Console.standard.line(json: json)
        }
        Console.standard.line(link)
    }
}

/// `stratus operator list`
struct OperatorListCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the operators by name.",
        discussion: "EXAMPLE\n  stratus operator list")

    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (rows, withStep) = try await data.withStore { store in
            try await store.read(.short) { store throws in
                let rows = try store.operators()
                return (rows, Set(try rows.map(\.name).filter { try OperatorSteps.isOn($0, store) }))
            }
        }
        let console = Console.standard
        if output.json {
            let json = JSONWriter.text { writer in
                writer.beginArray()
                for row in rows {
                    writer.beginObject()
                    writer.member("name", row.name)
                    writer.member("createdAt", row.createdAt)
                    writer.member("access", OperatorLevel(row).rawValue)
                    writer.member("secondStep", withStep.contains(row.name))
                    writer.endObject()
                }
                writer.endArray()
            }
            return console.line(json: json)
        }
        guard !rows.isEmpty else {
            return console.note(
                hints.completing("There are no operators; 'stratus operator add NAME' makes one."))
        }
        console.line(
            Table.text(
                [.init(title: "NAME"), .init(title: "ACCESS"), .init(title: "MADE")],
                rows: rows.map { [$0.name, OperatorLevel($0).rawValue, Format.time($0.createdAt)] },
                width: console.tableWidth))
    }
}

/// What an operator may do.
enum OperatorLevel: String, ExpressibleByArgument, CaseIterable {
    case full, read

    init(_ row: OperatorRow) { self = row.isReadOnly ? .read : .full }
}

/// `stratus operator set`
struct OperatorSetCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Say what an operator may do, and forget a lost second step.",
        discussion: """
            It counts at once, in browsers that are signed in too. One operator who may change things has to stay.

            EXAMPLES
              stratus operator set ada --access read
              stratus operator set ada --forget-second-step   ada has lost the app and the recovery codes
            """)

    @Argument(help: "The operator's name.")
    var name: String

    @Option(help: "full, or read: looks at everything, changes nothing.")
    var access: OperatorLevel?

    @Flag(help: "Forget the authenticator app and the recovery codes, so that a new app can be set up.")
    var forgetSecondStep = false

    @OptionGroup var data: DataOptions

    func validate() throws {
        guard access != nil || forgetSecondStep else {
            throw ValidationError("Say what to set: --access or --forget-second-step.")
        }
    }

    func run() async throws {
        let console = Console.standard
        if let access {
            try await data.withStore { try await Operators.setReadOnly(access == .read, name, in: $0) }
            console.note(
                access == .read
                    ? "\(name) looks at everything and changes nothing from now on."
                    : "\(name) changes everything from now on.")
        }
        if forgetSecondStep {
            let wasOn = try await data.withStore { try await OperatorSteps.forget(name, in: $0) }
            console.note(
                wasOn
                    ? "\(name)'s second step is forgotten; where one is required, the next entry sets a new one up."
                    : "\(name) had no second step.")
        }
    }
}

/// `stratus operator remove`
struct OperatorRemoveCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an operator and end their sessions.",
        discussion: """
            The only operator is removed only with --yes, or after a question on a terminal.

            EXAMPLE
              stratus operator remove ada
            """)

    @Argument(help: "The operator's name.")
    var name: String

    @Flag(help: "Remove also the only operator.")
    var yes = false

    @OptionGroup var data: DataOptions

    func run() async throws {
        let console = Console.standard
        let isOnlyOne = try await data.withStore { store in
            let isOnlyOne = try await Operators.isOnlyOne(name, in: store)
            let isMeant = yes || (isOnlyOne && console.canAsk && ask(console))
            try await Operators.remove(name, from: store, evenOnlyOne: isMeant)
            return isOnlyOne
        }
        console.note("\(name) is not an operator any more.")
        if isOnlyOne {
            console.note("No operator is left: the next start of the server makes one, and prints a link.")
        }
    }

    private func ask(_ console: Console) -> Bool {
        console.ask("'\(name)' is the only operator: nobody could enter the console. Remove it? [y/N]")
        return ["y", "yes"].contains(readLine()?.lowercased())
    }
}
