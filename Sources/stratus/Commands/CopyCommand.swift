import ArgumentParser
import AssetStorageFiles
import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordTransfer
import RecordWire
import SchemaLanguage

/// `stratus copy`
struct CopyCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy a container from iCloud, or from another service of the protocol, into this one.",
        discussion: """
            Reads the public database with a server-to-server key, and a user's private database as well with that \
            user's API token and web auth token, one user after the other. Key and tokens may be given together, as \
            options or in the environment: then one copy reads both databases. Records keep their names, values, files, creators and \
            times; change tags are new. A server may run on the data directory meanwhile.

            Custom zones come by their feeds of changes. Default zones have none, so their records are asked for by \
            type: the types of --schema (what 'cktool export-schema' wrote), of --type, and those that are here. \
            iCloud lists a type only where recordName has a QUERYABLE index.

            Whatever interrupts it, the same command goes on: how far it got is in the state file. Run it again \
            before you switch, for what changed since; --follow goes on by itself until Ctrl-C. A record that was \
            changed here later than there stays. --verify compares every record and file with the service.

            The exit code is 0 when all is here, 1 when the copy stopped, records could not be copied or --verify \
            found differences, 64 when the arguments are wrong.

            EXAMPLES
              stratus copy --from https://api.apple-cloudkit.com --container iCloud.com.example.app \\
                --environment production --key 1a2b… --key-file eckey.pem --schema schema.ckdb --data ./data --verify
              STRATUS_API_TOKEN=… STRATUS_WEB_AUTH_TOKEN=… stratus copy --from https://api.apple-cloudkit.com \\
                --container iCloud.com.example.app --environment production --user ada --data ./data
              stratus copy --from http://other:8080 --container iCloud.com.example.app --follow --delete --data ./data
            """)

    @OptionGroup var source: CopySource

    @Option(
        help: ArgumentHelp(
            "The databases. Default: those that the key or token opens.", valueName: "database"))
    var database: [RemoteOptions.Database] = []

    @Option(help: ArgumentHelp("A record type to copy from default zones.", valueName: "name"))
    var type: [String] = []

    @Option(help: ArgumentHelp("A schema as text, which replaces the one here.", valueName: "file"))
    var schema: String?

    @Option(
        help: ArgumentHelp(
            "The user here whose private database is filled, by name. Default: the one with the record name of the source's user.",
            valueName: "name"))
    var user: String?

    @Option(help: ArgumentHelp("The container here. Default: the same.", valueName: "container"))
    var toContainer: String?

    @Option(help: ArgumentHelp("The environment here. Default: the same.", valueName: "environment"))
    var toEnvironment: String?

    @Flag(help: "Delete records in default zones here that no longer exist at the source.")
    var delete = false

    @Flag(help: "Keep copying what changes at the source until Ctrl-C.")
    var follow = false

    @Option(help: ArgumentHelp("How long --follow waits between two checks.", valueName: "time"))
    var every = Lifetime(milliseconds: 30_000)

    @Flag(help: "Compare every record and file with the service afterwards.")
    var verify = false

    @Flag(help: "Check every record again instead of continuing from the state file.")
    var restart = false

    @Option(
        help: ArgumentHelp(
            "Where the state is kept. Default: CONTAINER-ENVIRONMENT.stratus-copy here, with the user's name in it.",
            valueName: "file"))
    var state: String?

    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !(follow && verify) else {
            throw ValidationError(
                "--verify comes after a copy: leave out --follow, or run the command twice.")
        }
    }

    func run() async throws {
        let console = Console.standard
        let there = try SettingsLayers.standard(flags: source.tenant.flags.merging(data.flags) { $1 })
            .tenant()
        let flags: [SettingKey: String?] = [
            Settings.container.key: toContainer ?? there.container.rawValue,
            Settings.environment.key: toEnvironment ?? there.environment.rawValue,
        ]
        let here = try SettingsLayers.standard(flags: flags).tenant()
        let credentials = try source.credentials()
        let opened = [DatabaseScope.public, .private].filter { credentials[$0] != nil }
        let scopes = database.isEmpty ? opened : opened.filter { database.map(\.scope).contains($0) }
        guard scopes.count >= database.count else {
            throw Failure.usage(
                "These credentials do not open the private database.",
                remedy:
                    "A server-to-server key opens the public one alone: add a user's --web-auth-token instead."
            )
        }
        let waits = RepeatedNotes(console)
        let client = SourceClient(
            url: try source.url(), tenant: there, credentials: credentials, onWait: { waits.note($0) })
        let document = try schema.map { try SchemaFile(path: $0).validDocument() }
        let settings = try data.settings()
        let work = CopyWork(
            client: client, scopes: scopes, tenant: here, source: "\(there) at \(source.from)", types: type,
            document: document, user: user, deletes: delete, restart: restart, statePath: state,
            files: settings.dataDirectory + "/" + AssetPaths.folderName,
            every: follow ? every : nil, verifies: verify, console: console)
        let report = try await data.withStore { store in try await work.run(store) }
        output.json ? console.line(json: report.json) : report.show(console)
        guard !report.isStopped || follow else {
            throw Failure("Stopped.", remedy: "The same command continues from here.")
        }
        try report.check()
    }
}

extension Lifetime {
    init(milliseconds: Int64) { self.milliseconds = milliseconds }

    var defaultValueDescription: String { "\(milliseconds / 1_000)s" }
}
