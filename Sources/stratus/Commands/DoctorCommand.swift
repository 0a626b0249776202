import ArgumentParser
import Foundation
import RecordStorage
import RecordStorageOpening
import RecordStorageSQLite

/// `stratus doctor`
struct DoctorCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check a data directory, and repair what can be repaired.",
        discussion: """
            Looks at the directory, the database file, its write-ahead log and whether its parts agree, and says for each \
            thing it finds what to do. Looking changes nothing, makes no file, and may be done while a server runs. \
            --repair needs the server to be stopped; it never touches records, only what follows from them. --recover \
            writes what can be had of a damaged database and a damaged log into a new directory, with a report \
            (recovery.txt, recovery.json), and leaves the old one as it is. The exit code is 1 when there is a problem, \
            or when not everything was recovered. Without --thorough the bytes of files, the entries of indexes and most \
            records are not looked at, so damage there is passed over; the last line says so. With --store postgres://… the database is looked at in the same way; \
            repairing it is PostgreSQL's own business.

            EXAMPLES
              stratus doctor --data /var/lib/stratus
              stratus doctor --data /var/lib/stratus --thorough --json
              stratus doctor --data /var/lib/stratus --repair
              stratus doctor --data /var/lib/stratus --recover /var/lib/stratus-recovered
              stratus doctor --store postgres://stratus@db/stratus
              stratus assets verify         names the files that are damaged, and their records
            """)

    @OptionGroup var data: DataOptions

    @Flag(help: "Repair what can be repaired without loss. Stop the server first.")
    var repair = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Write what can be recovered into a new directory, with a report. Stop the server first.",
            valueName: "directory"))
    var recover: String?

    @Flag(help: "Also check every index entry, every record and every file's bytes, which takes longer.")
    var thorough = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if repair, recover != nil {
            throw ValidationError(
                "--repair and --recover exclude each other: a damaged store is recovered first.")
        }
    }

    func run() async throws {
        let settings = try data.settings()
        guard case .sqlite = settings.store else { return try await lookAtServer(settings) }
        let directory = settings.dataDirectory
        if let recover { return try recoverStore(directory, to: recover) }
        var report = DoctorReport(
            findings: DirectoryInspection(directory: directory, hasSecret: settings.secret != nil).findings()
                + PublicServerInspection(settings: settings).findings())
        let hasDatabase = !report.findings.contains {
            ["directory-exists", "database-file"].contains($0.check) && $0.severity == .problem
        }
        if hasDatabase { try look(directory, &report) }
        try show(report)
    }

    private func show(_ report: DoctorReport) throws {
        var report = report
        report.notLookedAt = thorough ? [] : DoctorReport.withoutThorough
        report.complete(hints)
        output.json ? console.line(json: report.json) : console.line(report.text)
        if report.worst == .problem { throw ExitCode(Failure.failureCode) }
    }

    /// A database server keeps its own files; what the records in it say is looked at here.
    private func lookAtServer(_ settings: ServerSettings) async throws {
        let store = settings.store
        guard !repair, recover == nil else {
            throw Failure(
                "--repair and --recover are for SQLite's files; a database server's come from its own backup.",
                remedy: "Run 'stratus doctor' without them to see what is wrong.")
        }
        let steps = StepProgress(console: console)
        let findings = try store.inspect(isThorough: thorough, progress: steps.update)
        steps.finish()
        let databases = try store.databaseKeys()
        let keys = MasterKeyInspection(settings: settings, databases: databases)
        var report = DoctorReport(
            findings: PublicServerInspection(settings: settings).findings() + findings + keys.findings())
        // Opening a store of an older version would change it.
        if case .postgres = store, settings.isPublic, findings.allSatisfy({ $0.severity != .problem }),
            findings.contains(where: { $0.check == "layout" && $0.severity == .good })
        {
            var facts = try await DataOptions.with(try store.open(.shared)) { store in
                try await store.read(.short) { try PublicAccessInspection.Facts($0) }
            }
            facts.hasEncryptedFields = !databases.isEmpty
            report.findings += PublicAccessInspection(settings: settings, facts: facts).findings()
        }
        try show(report)
    }

    private var console: Console { Console.standard }

    private func look(_ directory: String, _ report: inout DoctorReport) throws {
        if console.isErrorTerminal { console.note("Looking through \(directory)…") }
        if repair {
            do {
                report.repairs = try StoreRepair.run(directory: directory)
            } catch let error as StorageError where error.isCorrupt {
                // The inspection reports the damage, and what helps.
            }
        }
        let steps = StepProgress(console: console)
        report.findings += try StoreLocation.sqlite(directory: directory).inspect(
            isThorough: thorough, progress: steps.update)
        steps.finish()
        guard !report.findings.contains(where: { $0.check == "integrity" && $0.severity == .problem }) else {
            return
        }
        let progress = ProgressLine("Reading files", unit: "files", console: console)
        let databases = try StoreLocation.sqlite(directory: directory).databaseKeys()
        let settings = try data.settings()
        report.findings += MasterKeyInspection(settings: settings, databases: databases).findings()
        // A store of an older version lacks some of it; the server brings it up to date.
        if var facts = try? StoreInspection.read(
            directory: directory, { try PublicAccessInspection.Facts($0) })
        {
            facts.hasEncryptedFields = !databases.isEmpty
            report.findings += PublicAccessInspection(settings: settings, facts: facts).findings()
        }
        report.findings += try AssetInspection(
            directory: directory, readsFiles: thorough, onProgress: progress.update
        ).findings()
        progress.finish()
    }

    private func recoverStore(_ directory: String, to target: String) throws {
        let steps = StepProgress(console: console)
        let report = try StoreRecovery.run(directory: directory, to: target, progress: steps.update)
        steps.finish()
        let json = try InspectionJSON.bytes(report)
        try Data(report.text.utf8).write(to: URL(fileURLWithPath: target + "/recovery.txt"))
        try Data(json).write(to: URL(fileURLWithPath: target + "/recovery.json"))
        output.json ? console.line(json: json) : console.line(report.text)
        if !report.isComplete { throw ExitCode(Failure.failureCode) }
    }
}
