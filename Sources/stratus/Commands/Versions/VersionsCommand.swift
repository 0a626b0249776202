import ArgumentParser
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire

/// `stratus versions`
struct VersionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "versions",
        abstract: "Say how many earlier versions of records are kept, and for how long.",
        discussion: """
            A type that keeps versions keeps what a record was when it is changed, and its last state when it is deleted: \
            'records/versions' lists them, the operation 'restore' of 'records/modify' puts one back, and so do the pages of \
            the console. It is said for each record type of each environment; nothing is kept where nothing was said. The \
            commands work on the data directory, also while a server runs on it.
            """,
        subcommands: [VersionsKeepCommand.self, VersionsStopCommand.self, VersionsListCommand.self])
}

/// `stratus versions keep`
struct VersionsKeepCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "keep",
        abstract: "Keep versions of a type's records.",
        discussion: """
            EXAMPLE
              stratus versions keep Player --count 20 --days 30 --container iCloud.com.example.app
            """)

    @Argument(help: "The record type.")
    var type: String

    @Option(
        help: ArgumentHelp(
            "The number kept of one record, at most \(Limits.versionsPerRecord).", valueName: "number"))
    var count = VersionKeeping.usual.count

    @Option(
        help: ArgumentHelp(
            "How long each is kept after it was replaced or deleted, \(Limits.versionDays) days at most.",
            valueName: "number"))
    var days = VersionKeeping.usual.days

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard VersionKeeping(count: count, days: days) != nil else {
            throw ValidationError(
                "--count must be from 1 to \(Limits.versionsPerRecord), --days from 1 to \(Limits.versionDays)."
            )
        }
    }

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let keeping = VersionKeeping(count: count, days: days)
        try await data.withStore {
            try await VersionSettings.set(keeping, ofTypeNamed: type, in: tenant, store: $0)
        }
        guard output.json else {
            return Console.standard.note(
                "Of each \(type), \(count) versions are kept for \(days) days, from its next change on.")
        }
        Console.standard.line(json: JSONWriter.text { $0.keeping(keeping, ofTypeNamed: type) })
    }
}

/// `stratus versions stop`
struct VersionsStopCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "Stop keeping versions of a type's records, and remove those that are kept.",
        discussion: """
            A running server forgets what is kept within an hour or so: until then 'stratus versions keep' saves it.

            EXAMPLE
              stratus versions stop Player --container iCloud.com.example.app
            """)

    @Argument(help: "The record type.")
    var type: String

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        try await data.withStore {
            try await VersionSettings.set(nil, ofTypeNamed: type, in: tenant, store: $0)
        }
        guard output.json else {
            return Console.standard.note(
                "Versions of \(type) are no longer kept; a running server removes existing ones within an hour."
            )
        }
        Console.standard.line(json: JSONWriter.text { $0.keeping(nil, ofTypeNamed: type) })
    }
}

/// `stratus versions list`
struct VersionsListCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List what is kept of each record type's records.",
        discussion: "EXAMPLE\n  stratus versions list --container iCloud.com.example.app")

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let types = try await data.withStore {
            $0.schema(of: tenant).types.values.sorted { $0.name < $1.name }
        }
        let console = Console.standard
        if output.json {
            let json = JSONWriter.text { writer in
                writer.beginArray()
                for type in types { writer.keeping(type.keeping, ofTypeNamed: type.name) }
                writer.endArray()
            }
            return console.line(json: json)
        }
        guard !types.isEmpty else { return console.note("\(tenant) has no record types yet.") }
        console.line(
            Table.text(
                [
                    .init(title: "TYPE"), .init(title: "VERSIONS", isNumber: true),
                    .init(title: "DAYS", isNumber: true),
                ],
                rows: types.map { type in
                    [
                        type.name, type.keeping.map { String($0.count) } ?? "none",
                        type.keeping.map { String($0.days) } ?? "",
                    ]
                },
                width: console.tableWidth))
    }
}

extension JSONWriter {
    /// Writes what is kept of a type's records.
    fileprivate mutating func keeping(_ keeping: VersionKeeping?, ofTypeNamed name: String) {
        beginObject()
        member("recordType", name)
        member("versions", keeping?.count ?? 0)
        member("days", keeping?.days ?? 0)
        endObject()
    }
}
