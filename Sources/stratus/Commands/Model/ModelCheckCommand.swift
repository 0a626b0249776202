import ArgumentParser
import CoreDataInspection
import Foundation

/// `stratus model check`
struct ModelCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Load Core Data models, and show those that cannot be loaded.",
        discussion: """
            Takes models (.xcdatamodeld, .xcdatamodel, .mom, .momd) and folders, in which all models are found, every \
            version of a bundle too. Each is one line: the numbers of entities, attributes and relationships, or what is \
            wrong, with file, line, element and attribute. The exit code is 1 when one of them cannot be loaded.

            EXAMPLES
              stratus model check Sources
              stratus model check App.xcdatamodeld --json
            """)

    @Argument(help: ArgumentHelp("Models, or folders that hold them.", valueName: "path"))
    var paths: [String]

    @Flag(help: "Show each warning, not only their number.")
    var warnings = false

    @OptionGroup var output: OutputOptions

    func run() throws {
        let console = Console.standard
        let models = paths.flatMap { FileSearch.models(at: URL(fileURLWithPath: $0)) }
        guard !models.isEmpty else {
            throw Failure(
                "There is no model here.", remedy: "Give an .xcdatamodeld, or a folder that holds one.")
        }
        var checks: [ModelCheck] = []
        var progress = InspectionProgress(total: models.count, of: "models", console: console)
        for url in models {
            progress.step(url.lastPathComponent)
            let check = ModelCheck.check(url)
            checks.append(check)
            if !output.json { show(check, console) }
        }
        progress.end()
        let failed = checks.filter { $0.error != nil }.count
        if output.json {
            console.line(json: try InspectionJSON.bytes(checks))
        } else {
            console.line("\(Format.grouped(checks.count - failed)) loaded of \(Format.grouped(checks.count))")
        }
        if failed > 0 { throw ExitCode(Failure.failureCode) }
    }

    private func show(_ check: ModelCheck, _ console: Console) {
        console.line(check.text)
        guard warnings else { return }
        for warning in check.warnings { console.line("        \(warning)") }
    }
}
