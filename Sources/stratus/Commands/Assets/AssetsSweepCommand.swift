import ArgumentParser
import AssetStorageFiles
import RecordEngine
import RecordModel
import RecordStorage
import RecordStorageSQLite

/// `stratus assets sweep`
struct AssetsSweepCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sweep",
        abstract: "Remove the files that no record refers to, and what a crash left.",
        discussion: """
            A file is removed when nothing has referred to it for the grace period. The server must be stopped: while it runs, \
            it sweeps on its own, within an hour. --dry-run only looks, and may run beside a server. A crash during a \
            sweep costs nothing; sweep again.

            With a shorter grace period, uploads are removed that no record was saved with yet; their clients must send the \
            file again. Files older than everything the database knows are kept unless --foreign is given: most \
            likely they belong to another database than the one in this directory.

            EXAMPLES
              stratus assets sweep --dry-run
              stratus assets sweep --data /var/lib/stratus --grace 0
            """)

    @Option(
        help: ArgumentHelp(
            "How long nothing must have referred to a file: 0, 90s, 15m, 12h, 30d.",
            valueName: "time"))
    var grace = GracePeriod.standard

    @Flag(help: "Also remove files that are older than everything the database knows.")
    var foreign = false

    @Flag(help: "Show what would be removed, and change nothing.")
    var dryRun = false

    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let directory = try data.databaseDirectory()
        let console = Console.standard
        var outcome: AssetSweepOutcome
        if dryRun {
            outcome = AssetSweepOutcome(isDryRun: true, includesForeign: foreign, plan: try plan(directory))
            if StoreInspection.isServed(directory: directory) {
                // What is on its way in is the server's, and no leftover.
                outcome.plan.unfinished = .init()
            }
        } else {
            outcome = try await sweep(directory, console)
        }
        output.json ? console.line(json: outcome.json) : console.line(outcome.text)
        if outcome.plan.foreign.files > 0, !foreign {
            console.note(
                "help: If the database here is the right one, --foreign removes the older files as well. If not, put the "
                    + "right one back.")
        }
        if outcome.failed > 0 { throw ExitCode(Failure.failureCode) }
    }

    private func plan(_ directory: String) throws -> AssetSweepPlan {
        try AssetSweepPlan(
            directory: directory, now: Clock.milliseconds, graceMilliseconds: grace.milliseconds)
    }

    private func sweep(_ directory: String, _ console: Console) async throws -> AssetSweepOutcome {
        let store: SQLiteStore
        do {
            // Held until the end, so that no server starts meanwhile.
            store = try SQLiteStore(directory: directory)
        } catch let error as StorageError where error.code == StorageError.locked(path: directory).code {
            throw Failure(
                "A server is running on \(directory); it sweeps on its own, within an hour.",
                remedy: "Stop it to sweep now, or look only: add --dry-run.")
        } catch {
            throw DataOptions.accessFailure(directory) ?? error
        }
        let result: Result<AssetSweepOutcome, any Error>
        do {
            result = .success(try await sweep(directory, store, console))
        } catch {
            result = .failure(error)
        }
        await store.close()
        return try result.get()
    }

    private func sweep(
        _ directory: String, _ store: SQLiteStore, _ console: Console
    ) async throws -> AssetSweepOutcome {
        let plan = try plan(directory)
        let total = plan.unused.files + plan.unknown.files + (foreign ? plan.foreign.files : 0)
        let progress = ProgressLine("Removing files", unit: "files", console: console)
        // Opening the folder removes what was on its way in.
        let files = try FileAssetStore(directory: directory + "/" + AssetPaths.folderName)
        let report = try await AssetSweep(
            store: store, files: files, now: Clock.milliseconds, graceMilliseconds: grace.milliseconds,
            sparesForeign: !foreign,
            onRemoved: { count in
                progress.update(.init(done: Int64(count), total: Int64(total), records: count))
            }
        ).run()
        progress.finish()
        return AssetSweepOutcome(
            isDryRun: false, includesForeign: foreign, plan: plan, failed: report.failed)
    }
}
