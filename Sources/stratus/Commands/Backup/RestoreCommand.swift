import ArgumentParser
import Foundation
import RecordBackup
import RecordEngine
import RecordStorageOpening
import RecordWire

/// `stratus restore`
struct RestoreCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Make a data directory of a backup, or check that it could be done.",
        discussion: """
            FROM is a backup, or what 'stratus backup' was given, a folder or s3://BUCKET/PREFIX: then it is the newest one in \
            there. All of it \
            is read and compared with its manifest before anything is written. The data directory must not exist, or be \
            empty; move the old one away first, and keep it until the new one serves.

            Clients notice nothing but what was lost: tokens, sync tokens and change tags that they have stay valid, and \
            none is given a second time: new ones begin far above those of the backup. A client may still show what it \
            saved after the backup was made; it is not on the server any more.

            With --at it is any moment, to the second, of what the server archived (--archive-to): all that was acknowledged up to it, and \
            nothing later.

            --check only reads: run it now and then, for the day when it counts. A backup of a newer version of Stratus is \
            refused; one of an older version is brought up to date by the server that starts on it.

            EXAMPLES
              stratus restore /mnt/backups --check
              stratus restore /mnt/backups --data /var/lib/stratus
              stratus restore 's3://backups/stratus?endpoint=https://s3.example.org' --data /var/lib/stratus
              stratus restore /mnt/archive --at 2026-11-23T06:00:00Z --data ./as-it-was
              stratus restore /mnt/backups/stratus-20261122T145524Z --data ./as-it-was
            """)

    @Argument(
        help: ArgumentHelp(
            "A backup, or the folder or s3://BUCKET/PREFIX that holds them.", valueName: "from"))
    var from: String

    @Option(
        help: ArgumentHelp(
            "Restore this moment from the server's --archive-to, as in 2026-11-23T06:00:00Z; 'latest' for all that is there.",
            valueName: "time"))
    var at: String?

    @Flag(help: "Read and compare all of the backup, and restore nothing.")
    var check = false

    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let console = Console.standard
        if let at { return try await restore(at, console) }
        let (place, backup) = try await BackupPlaces.find(
            from, environment: ProcessInfo.processInfo.environment)
        if console.isErrorTerminal { console.note("Reading \(backup.path)…") }
        let lines = BackupProgressLines(console: console)
        defer { lines.finish() }
        if check {
            try await place.check(backup, by: .this, progress: lines.update)
            lines.finish()
            return show(backup, directory: nil, console)
        }
        let settings = try data.settings()
        guard settings.store == .sqlite(directory: settings.dataDirectory) else {
            throw Failure.usage(
                "A backup is restored into a data directory, and --store names \(settings.store).",
                remedy:
                    "Restore it with --data, and copy it from there: stratus copy-store DIRECTORY \(settings.store)"
            )
        }
        try await place.restore(backup, to: settings.dataDirectory, by: .this, progress: lines.update)
        lines.finish()
        show(backup, directory: settings.dataDirectory, console)
    }

    /// The moment that a text names; nil for the newest.
    private func second(_ text: String) throws -> Int64? {
        guard text != Self.latest else { return nil }
        guard let time = try? Date(text, strategy: .iso8601) else {
            throw Failure.usage(
                "'\(text)' is not a time.",
                remedy: "Write it to the second, in UTC: --at 2026-11-23T06:00:00Z; or --at \(Self.latest).")
        }
        guard time <= Date() else {
            throw Failure.usage(
                "\(text) is in the future.",
                remedy:
                    "Name a moment of the past, in UTC; --at \(Self.latest) has all that is in the archive, also what a server wrote whose clock was ahead."
            )
        }
        return Int64(time.timeIntervalSince1970)
    }
    private static let latest = "latest"

    /// Restores a moment of an archive.
    private func restore(_ text: String, _ console: Console) async throws {
        let second = try second(text)
        let settings = try data.settings()
        guard !check, settings.store == .sqlite(directory: settings.dataDirectory) else {
            throw Failure.usage(
                "A moment is restored into a data directory.",
                remedy: "Name a new one with --data, without --check.")
        }
        let lines = BackupProgressLines(console: console)
        defer { lines.finish() }
        let reader = try await ArchiveReader(
            from, environment: ProcessInfo.processInfo.environment, program: .this, progress: lines.update)
        let outcome = try await reader.restore(
            second: second, to: settings.dataDirectory)
        lines.finish()
        if output.json {
            console.line(
                json: JSONWriter.text { writer in
                    writer.beginObject()
                    writer.member("restored", settings.dataDirectory)
                    writer.member("at", text)
                    writer.member("lastChange", Format.time(outcome.lastChange))
                    writer.member("files", outcome.files)
                    writer.member("missing", outcome.missing)
                    writer.endObject()
                })
        } else {
            console.line(
                "Restored \(text): the last change in it is of \(Format.time(outcome.lastChange)); \(counted(outcome.files, "file"))."
            )
            console.line("Serve it with: stratus serve --data \(ShellWord.quoted(settings.dataDirectory))")
        }
        guard !outcome.missing.isEmpty else { return }
        console.note(
            "\(counted(outcome.missing.count, "file")) of records are not in the archive.\nhelp: 'stratus assets verify' names the records that have them."
        )
    }

    private func show(_ backup: Backup, directory: String?, _ console: Console) {
        if output.json {
            return console.line(
                json: JSONWriter.text { writer in
                    writer.beginObject()
                    BackupOutput.members(of: backup, &writer)
                    writer.member("restored", directory)
                    writer.endObject()
                })
        }
        let made =
            "of \(Format.time(backup.manifest.createdAt)): \(BackupOutput.contents(of: backup.manifest))"
        guard let directory else {
            return console.line("\(backup.path) is whole, \(made). It can be restored.")
        }
        console.line("Restored \(backup.path) \(made).")
        console.line("Serve it with: stratus serve --data \(ShellWord.quoted(directory))")
        let hasSecret = backup.manifest.parts.contains { $0.path == ServerSecret.fileName }
        guard !hasSecret else { return }
        console.line("The backup holds no secret: the server had it in STRATUS_SECRET, and needs it again.")
    }
}
