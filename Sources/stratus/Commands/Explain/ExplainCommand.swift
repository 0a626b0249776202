import ArgumentParser
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire

/// `stratus explain`
struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain in one sentence what the service decides.",
        subcommands: [ExplainAccessCommand.self])
}

/// `stratus explain access`
struct ExplainAccessCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "access",
        abstract: "Explain why somebody may or may not see a record.",
        discussion: """
            One sentence with what decides: the grants of the record's type in the public database, the share that the \
            record belongs to in a private one. The command reads the data directory, also while a server runs on it.

            Without --owner the record is one of the public database.

            EXAMPLES
              stratus explain access --user ada --record note-1 --container iCloud.com.example.app
              stratus explain access --user ada --record milk --zone Lists --owner ben --container iCloud.com.example.app
            """)

    @Option(help: ArgumentHelp("Who wants to see it, by name or record name.", valueName: "name"))
    var user: String

    @Option(help: ArgumentHelp("The name of the record.", valueName: "name"))
    var record: String

    @Option(
        help: ArgumentHelp(
            "Whose private database it is in, by name or record name. Default: the public database.",
            valueName: "name"))
    var owner: String?

    @Option(help: ArgumentHelp("The zone of the record. Default: the default zone.", valueName: "name"))
    var zone = ZoneID.defaultName

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard owner == nil, zone != ZoneID.defaultName else { return }
        throw ValidationError("Custom zones are in private databases: say whose by --owner.")
    }

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let (user, record, owner, zone) = (user, record, owner, zone)
        let now = ServiceEnvironment.system.now()
        let (row, place, explanation) = try await data.withStore { store in
            let row = try await Users.find(user, in: tenant, store: store)
            let name =
                if let owner { try await Users.find(owner, in: tenant, store: store).recordName } else {
                    String?.none
                }
            let place = AccessExplanation.Place(owner: name, zone: zone)
            let explanation = try await store.read(.long) { reader in
                try AccessExplanation(of: record, in: place, for: row, of: tenant, reader, now: now)
            }
            return (row, place, explanation)
        }
        guard output.json else { return Console.standard.line(explanation.sentence) }
        Console.standard.line(
            json: JSONWriter.text { writer in
                writer.beginObject()
                writer.member("userRecordName", row.recordName)
                writer.member("recordName", record)
                writer.member("database", place.owner == nil ? "public" : "private")
                writer.member("ownerRecordName", place.owner)
                writer.member("zoneName", place.zone)
                writer.member("mayRead", explanation.mayRead)
                writer.member("mayWrite", explanation.mayWrite)
                writer.member("reason", explanation.reason.rawValue)
                writer.member("why", explanation.sentence)
                writer.member("share", explanation.share)
                writer.endObject()
            })
    }
}
