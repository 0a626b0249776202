import ArgumentParser
import RecordStorage
import RecordStorageSQLite

/// `stratus doctor`
struct DoctorCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check a data directory, and repair what can be repaired.",
        discussion: """
            Looks at the directory, the database file and whether its parts agree, and says for each thing it finds what \
            to do. Looking changes nothing and may be done while a server runs. --repair needs the server to be stopped; \
            it never touches records, only what follows from them. The exit code is 1 when there is a problem.

            EXAMPLES
              stratus doctor --data /var/lib/stratus
              stratus doctor --data /var/lib/stratus --thorough --json
              stratus doctor --data /var/lib/stratus --repair
              stratus assets verify         names the files that are damaged, and their records
            """)

    @OptionGroup var data: DataOptions

    @Flag(help: "Repair what can be repaired without loss. Stop the server first.")
    var repair = false

    @Flag(help: "Also check every index entry, every record and every file's bytes, which takes longer.")
    var thorough = false

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let settings = try data.settings()
        let directory = settings.dataDirectory
        var report = DoctorReport(
            findings: DirectoryInspection(directory: directory, hasSecret: settings.secret != nil).findings())
        let console = Console.standard
        if report.worst != .problem {
            let depth = StoreInspection.Depth(
                checksIndexes: thorough, sampledRecords: thorough ? 1_000_000_000 : 1_000)
            if console.isErrorTerminal { console.note("Looking through \(directory)…") }
            if repair {
                do {
                    report.repairs = try StoreRepair.run(directory: directory)
                } catch let error as StorageError where error.code == StorageError.corrupt(error).code {
                    // The inspection reports the damage, and what helps.
                }
            }
            report.findings += try StoreInspection.run(directory: directory, depth: depth)
            if report.worst != .problem {
                let progress = ProgressLine("Reading files", unit: "files", console: console)
                report.findings += try AssetInspection(
                    directory: directory, readsFiles: thorough, onProgress: progress.update
                ).findings()
                progress.finish()
            }
        }
        report.complete(hints)
        output.json ? console.line(json: report.json) : console.line(report.text)
        if report.worst == .problem { throw ExitCode(Failure.failureCode) }
    }
}
