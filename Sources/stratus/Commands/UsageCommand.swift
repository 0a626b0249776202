import ArgumentParser
import RecordStorage
import RecordWire

/// `stratus usage`
struct UsageCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "usage",
        abstract: "Show how much each database of a container holds, the largest first.",
        discussion: """
            The bytes of records are those of their bodies; a file counts for each field that refers to it. Works also while a \
            server runs on the directory.

            EXAMPLES
              stratus usage --container iCloud.com.example.app
              stratus usage --container iCloud.com.example.app --environment production --limit 5 --json
            """)

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    @Option(help: ArgumentHelp("How many databases are shown.", valueName: "number"))
    var limit = 50

    private struct Answer: Sendable {
        var all: StorageUsage
        var databases: [DatabaseUsage]
        var names: [String: String]
        var isCounted: Bool
    }

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be a number above 0.") }
    }

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let limit = limit
        let answer = try await data.withStore { store in
            try await store.read(.long) { store in
                let databases = try store.databaseUsages(of: tenant, limit: limit)
                var names: [String: String] = [:]
                for case let owner? in databases.map(\.owner) {
                    names[owner] = try store.user(named: owner, of: tenant)?.label
                }
                return Answer(
                    all: try store.usage(of: tenant), databases: databases, names: names,
                    isCounted: try store.isUsageCounted)
            }
        }
        let console = Console.standard
        guard !output.json else { return console.line(json: json(answer)) }
        console.line(
            Table.text(
                [
                    .init(title: "DATABASE"), .init(title: "USER"), .init(title: "RECORDS", isNumber: true),
                    .init(title: "RECORD BYTES", isNumber: true), .init(title: "FILE BYTES", isNumber: true),
                ],
                rows: (answer.databases.map { row($0, answer) } + [row("all", "", answer.all)]),
                width: console.tableWidth))
        if !answer.isCounted {
            console.note("What was stored by earlier versions is still being counted; the numbers will grow.")
        }
    }

    private func row(_ database: DatabaseUsage, _ answer: Answer) -> [String] {
        guard let owner = database.owner else { return row("public", "", database.usage) }
        return row("private", answer.names[owner] ?? owner, database.usage)
    }

    private func row(_ database: String, _ user: String, _ usage: StorageUsage) -> [String] {
        [
            database, user, Format.grouped(Int(usage.records)), Format.grouped(Int(usage.recordBytes)),
            Format.grouped(Int(usage.assetBytes)),
        ]
    }

    private func json(_ answer: Answer) -> [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            Self.write(answer.all, to: &writer)
            writer.member("isCounting", !answer.isCounted)
            writer.key("databases")
            writer.beginArray()
            for database in answer.databases {
                writer.beginObject()
                writer.member("userRecordName", database.owner)
                writer.member("user", database.owner.flatMap { answer.names[$0] })
                Self.write(database.usage, to: &writer)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
        }
    }

    private static func write(_ usage: StorageUsage, to writer: inout JSONWriter) {
        writer.member("records", usage.records)
        writer.member("recordBytes", usage.recordBytes)
        writer.member("assetBytes", usage.assetBytes)
        writer.member("bytes", usage.bytes)
    }
}
