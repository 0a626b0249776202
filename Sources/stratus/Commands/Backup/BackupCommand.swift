import ArgumentParser
import Foundation
import RecordBackup
import RecordWire

/// `stratus backup`
struct BackupCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Back up a data directory, also while its server works.",
        discussion: """
            Makes a folder in TO that is named by its time, for example stratus-20261122T145524Z. In it are the database, \
            the files of records, the secret, the schemas as text, and manifest.json, which says what there is with its \
            digests. It holds everything that was acknowledged before the command began. The server goes on reading and \
            writing; without one, the command does it alone.

            Files that an earlier backup in TO has are not copied again: both name the same bytes, where the file system \
            knows hard links. Keep a copy of TO on another machine: a disk is not a backup of itself.

            The backup is read and checked before it gets its name: SQLite's integrity check, the agreement of all tables, \
            the digest of every file. When something goes wrong, the disk is full or the command is killed, there is no \
            backup of that time, and the earlier ones are as they were; the next one removes what was left.

            TO may be s3://BUCKET/PREFIX as well, in AWS or in a store that speaks its protocol: then with ?endpoint=URL and, where \
            it has one, &region=NAME after it. The key is in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or in the file \
            AWS_SHARED_CREDENTIALS_FILE (~/.aws/credentials), never in an argument. The database is copied beside the data \
            first, which needs its room; files that the store has are not sent again; what was sent is read back and compared.

            Run it as the server's user. It holds the secret and all records: only that user may read it. A plain copy of \
            stratus.sqlite beside a running server is no backup: the newest writes are in another file.

            EXAMPLES
              stratus backup /mnt/backups
              stratus backup /mnt/backups --data /var/lib/stratus --keep 14
              stratus backup /mnt/backups --json
              stratus backup 's3://backups/stratus?endpoint=https://s3.example.org' --keep 14
              stratus restore /mnt/backups --check        reads the newest one, and changes nothing
              stratus restore /mnt/backups --data ./again  makes a data directory of the newest one
            """)

    @Argument(
        help: ArgumentHelp(
            "The folder that holds the backups, created if it is missing, or s3://BUCKET/PREFIX.",
            valueName: "to"))
    var to: String

    @Option(
        help: ArgumentHelp(
            "Afterwards keep this many backups of this server, and remove the oldest.", valueName: "count")
    )
    var keep: Int?

    @Flag(inversion: .prefixedNo, help: "Read the backup before it counts. Without, it is there sooner.")
    var verify = true

    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (keep ?? 1) > 0 else {
            throw ValidationError("--keep must be 1 or more: the new backup is one of them.")
        }
    }

    func run() async throws {
        let settings = try data.settings()
        let console = Console.standard
        let client = SnapshotClient(directory: settings.dataDirectory, note: console.note)
        let source = try BackupSource(settings, copyDatabase: client.copyDatabase)
        _ = try data.databaseDirectory()
        let lines = BackupProgressLines(console: console)
        defer { lines.finish() }
        let place = try BackupPlaces.open(to, environment: ProcessInfo.processInfo.environment)
        let outcome = try await place.make(
            of: source, by: .this,
            plan: BackupPlan(keeps: keep, verifies: verify, now: Clock.milliseconds), progress: lines.update)
        lines.finish()
        output.json ? console.line(json: json(outcome)) : show(outcome, console)
        let missing = outcome.backup.manifest.missing
        guard !missing.isEmpty else { return }
        console.note(
            "\(counted(missing.count, "file")) of records are missing or damaged in \(settings.dataDirectory), so the backup lacks them too.\nhelp: 'stratus assets verify' names the records that have them."
        )
    }

    private func show(_ outcome: BackupMaker.Outcome, _ console: Console) {
        let manifest = outcome.backup.manifest
        let shared =
            outcome.sharedBytes > 0
            ? ", \(Format.bytes(outcome.sharedBytes)) of it shared with earlier ones" : ""
        console.line("Backed up to \(outcome.backup.path)")
        console.line("  \(BackupOutput.contents(of: manifest))\(shared)")
        console.line(manifest.isVerified ? "  verified" : "  not verified (--no-verify)")
        for name in outcome.removed { console.line("  removed \(name)") }
    }

    private func json(_ outcome: BackupMaker.Outcome) -> [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            BackupOutput.members(of: outcome.backup, &writer)
            writer.member("sharedBytes", outcome.sharedBytes)
            writer.member("removed", outcome.removed)
            writer.key("seconds")
            writer.double(outcome.duration / .seconds(1))
            writer.endObject()
        }
    }
}
