import ArgumentParser
import RecordEngine
import RecordStorage
import RecordStorageOpening
import RecordWire

/// `stratus key rotate`
struct KeyRotateCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Wrap the keys of encrypted fields with another master key.",
        discussion: """
            Encrypted fields lie in the database under a key for each database, and these keys under the master key, which is \
            made of the server's secret or of a text of yours (masterKeyFile, STRATUS_MASTER_KEY). This wraps the \
            keys of all databases again and touches no field. Stop the server first, on every machine; interrupted, the \
            command is simply run again. Start the server with the new key, and keep the former one for as long as you \
            keep backups of before.

            EXAMPLES
              openssl rand -hex 32 > /etc/stratus/master.key; chmod 600 /etc/stratus/master.key
              stratus key rotate --to-file /etc/stratus/master.key
              stratus key rotate --from-file old.key --to-file new.key --store postgres://stratus@db/stratus
              stratus key rotate --from-file old.key --to-secret
            """)

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The file of the master key so far, where it is not the one of the settings.", valueName: "file"))
    var fromFile: String?

    @Option(name: .long, help: ArgumentHelp("The file of the new master key.", valueName: "file"))
    var toFile: String?

    @Flag(help: "Go to the key that is made of the server's secret.")
    var toSecret = false

    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if (toFile != nil) == toSecret { throw ValidationError("Use either --to-file or --to-secret.") }
    }

    func run() async throws {
        let settings = try data.settings()
        if case .sqlite = settings.store { _ = try data.databaseDirectory() }
        let old = try fromFile.map(MasterKeySource.key(inFile:)) ?? MasterKeySource(settings).key()
        let new =
            try toFile.map(MasterKeySource.key(inFile:))
            ?? MasterKey(of: ServiceSecret(bytes: try ServerSecret.key(for: settings)))
        let report = try await DataOptions.with(try open(settings)) { store in
            do {
                return try await KeyRotation.run(
                    in: store, from: old, to: new, random: ServiceEnvironment.system.random)
            } catch let error as SealingError {
                throw Failure(
                    error.sentence + " Nothing was changed.",
                    remedy: "Name the file of the key that the server had with --from-file.")
            }
        }
        tell(report, new)
    }

    private func open(_ settings: ServerSettings) throws -> any RecordStore {
        do {
            return try settings.store.open(.sole)
        } catch let error as StorageError where error.code == "STORAGE_LOCKED" {
            throw Failure(
                "A stratus server or command is using \(settings.store).",
                remedy: "Stop all servers that use it, on every machine, and run the command again.")
        }
    }

    private func tell(_ report: KeyRotation.Report, _ new: MasterKey) {
        let console = Console.standard
        guard !output.json else {
            return console.line(
                json: JSONWriter.text { writer in
                    writer.beginObject()
                    writer.member("masterKey", new.name)
                    writer.member("wrapped", report.wrapped)
                    writer.member("unchanged", report.unchanged)
                    writer.endObject()
                })
        }
        console.line(
            "\(Format.grouped(report.wrapped)) keys of databases are wrapped by the master key \(new.name) now; \(Format.grouped(report.unchanged)) were before."
        )
        console.note(
            toSecret
                ? "Start the server without masterKeyFile and masterKey."
                : "Start the server with --master-key-file \(ShellWord.quoted(toFile ?? "")).")
    }
}
