import ArgumentParser
import CoreDataInspection
import Foundation

/// `stratus store migrate`
struct StoreMigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Migrate a Core Data store to another version of its model.",
        discussion: """
            Lightweight migration, as an app does it when it opens an older store; the model that wrote the store is \
            taken from the store itself. The work is done on a copy that replaces the store, in one step, after it \
            was checked: whatever happens, either the older store or the newer one exists. The store must not be open \
            elsewhere. --dry-run changes nothing and prints what would change and what would be lost. The exit code is 1 \
            when no migration leads to the model; the reasons are then listed, by entity and attribute.

            EXAMPLES
              stratus store migrate Moods.sqlite --model App.xcdatamodeld --dry-run
              stratus store migrate Moods.sqlite --model App.xcdatamodeld --keep-old
              stratus store migrate Moods.sqlite --model App.xcdatamodeld --dry-run --json > plan.json
            """)

    @Argument(help: ArgumentHelp("The file of the store.", valueName: "file"))
    var file: String

    @Option(
        help: ArgumentHelp("The model to migrate to; of several versions the current one.", valueName: "path")
    )
    var model: String

    @Flag(help: "Print the plan, and change nothing.")
    var dryRun = false

    @Flag(help: "Print the statements too.")
    var sql = false

    @Flag(help: "Keep the older store as <file>.before-migration.")
    var keepOld = false

    @OptionGroup var output: OutputOptions

    func run() throws {
        let migrator = StoreMigrator(store: URL(fileURLWithPath: file), model: URL(fileURLWithPath: model))
        do {
            let plan = try migrator.plan()
            guard !dryRun, plan.isNeeded else { return try show(plan) }
            try show(migrate(migrator))
        } catch let error as CocoaError {
            throw Failure(
                error.localizedDescription,
                remedy: error.userInfo[NSLocalizedRecoverySuggestionErrorKey] as? String)
        }
    }

    private func migrate(_ migrator: StoreMigrator) throws -> StoreMigrator.Outcome {
        var progress = MigrationProgressLine(console: Console.standard)
        defer { progress.end() }
        return try withoutActuallyEscaping({ progress.show($0, $1) }) { show in
            try migrator.migrate(keepsOld: keepOld, progress: show)
        }
    }

    private func show(_ outcome: StoreMigrator.Outcome) throws {
        let console = Console.standard
        if output.json {
            console.line(json: try InspectionJSON.bytes(outcome))
        } else {
            console.line(outcome.text.trimmingCharacters(in: .newlines))
            if sql { for statement in outcome.statements { console.line(statement + ";") } }
            if let kept = outcome.keptAt { console.line("The old store is kept at \(kept).") }
            if outcome.isDone { console.line("Migrated.") }
        }
        if outcome.isImpossible { throw ExitCode(Failure.failureCode) }
    }
}

/// Says how far a migration is, to a person only, and only once it takes a while.
private struct MigrationProgressLine {
    let console: Console
    private let start = Date()
    private var last = Date.distantPast
    private var isShown = false

    init(console: Console) { self.console = console }

    mutating func show(_ fraction: Double, _ step: String) {
        let now = Date()
        guard console.isErrorTerminal, now.timeIntervalSince(start) > 1, now.timeIntervalSince(last) > 0.2
        else {
            return
        }
        last = now
        isShown = true
        let line = "\(Int(fraction * 100)) % \(step.replacing("\n", with: " "))"
        console.show(progress: line)
    }

    func end() { if isShown { console.clearProgress() } }
}
