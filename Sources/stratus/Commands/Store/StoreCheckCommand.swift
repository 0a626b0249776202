import ArgumentParser
import CoreDataInspection
import Foundation

/// `stratus store check`
struct StoreCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Read Core Data stores completely, and compare the result with plain SQL.",
        discussion: """
            Takes stores and folders, in which all SQLite databases are found. Every object of every entity is read \
            through Core Data, and counts, values and relationships are compared with what plain SQL finds by the rules of \
            Apple's layout. A store is 'ok', 'odd' (read well, but not as the rules say: keys that lead nowhere), 'FAILED' \
            or 'skipped' (no store of Core Data). Nothing is changed. The exit code is 1 when one failed.

            EXAMPLES
              stratus store check Moods.sqlite
              stratus store check ~/Backups --json > report.json
            """)

    @Argument(help: ArgumentHelp("Stores, or folders that hold them.", valueName: "path"))
    var paths: [String]

    @Option(help: ArgumentHelp("Read the stores with this model, instead of their own.", valueName: "path"))
    var model: String?

    @OptionGroup var output: OutputOptions

    func run() throws {
        let console = Console.standard
        let stores = paths.flatMap { FileSearch.stores(at: URL(fileURLWithPath: $0)) }
        guard !stores.isEmpty else {
            throw Failure(
                "There is no SQLite database here.", remedy: "Give the file of a store, or a folder.")
        }
        let modelURL = model.map { URL(fileURLWithPath: $0) }
        var reports: [CheckReport] = []
        var progress = InspectionProgress(total: stores.count, of: "stores", console: console)
        for url in stores {
            progress.step(url.lastPathComponent)
            let report = StoreChecker.check(url, model: modelURL)
            reports.append(report)
            if !output.json { show(report, console) }
        }
        progress.end()
        if output.json {
            console.line(json: try InspectionJSON.bytes(reports))
        } else {
            console.line(summary(of: reports))
        }
        if reports.contains(where: { $0.verdict == .failed }) { throw ExitCode(Failure.failureCode) }
    }

    private func show(_ report: CheckReport, _ console: Console) {
        console.line(report.line)
        for difference in report.differences { console.line("        differs: \(difference)") }
        for oddity in report.oddities { console.line("        odd: \(oddity)") }
        for note in report.notes { console.line("        note: \(note)") }
    }

    private func summary(of reports: [CheckReport]) -> String {
        func count(_ verdict: CheckReport.Verdict) -> String {
            Format.grouped(reports.filter { $0.verdict == verdict }.count)
        }
        let objects = reports.map(\.objects).reduce(0, +)
        let values = reports.map(\.values).reduce(0, +)
        let relationships = reports.map(\.relationships).reduce(0, +)
        return
            "\(Format.grouped(reports.count)) databases: \(count(.clean)) ok, \(count(.odd)) odd, "
            + "\(count(.failed)) failed, \(count(.notAStore)) skipped; \(Format.grouped(objects)) objects, "
            + "\(Format.grouped(values)) values and \(Format.grouped(relationships)) relationships compared"
    }
}
