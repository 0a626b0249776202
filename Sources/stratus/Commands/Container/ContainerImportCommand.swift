import ArgumentParser
import AssetStorageFiles
import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordTransfer
import RecordWire

/// `stratus container import`
struct ContainerImportCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Make a container of an export's folder.",
        discussion: """
            The container must be new here. Names, values, creators and times stay, change tags are new, and tokens \
            let in again whoever has them. A server may run meanwhile. The files of lines are compared with the \
            manifest first, each file of a record on its way.

            An interrupted import continues when the same command is run again: how far it got is noted in \
            FOLDER.stratus-import. To import a table, see 'stratus import'.

            EXAMPLES
              stratus container import ./example --data ./data --dry-run
              stratus container import ./example --data ./data
              stratus container import ./example --container iCloud.com.example.copy --data ./data
            """)

    @Argument(help: ArgumentHelp("The folder of an export.", valueName: "folder"))
    var folder: String

    @Option(help: ArgumentHelp("The container's name here. Default: the one it had.", valueName: "container"))
    var container: String?

    @Flag(help: "Compare everything with the manifest, and import nothing.")
    var dryRun = false

    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    private var path: String { folder.hasSuffix("/") ? String(folder.dropLast()) : folder }

    func run() async throws {
        let console = Console.standard
        let work = try ContainerImport(path)
        try work.check()
        let flags: [SettingKey: String?] = [
            Settings.container.key: container ?? work.manifest.container
        ]
        let name = try SettingsLayers.standard(flags: flags).value(of: Settings.container)
        let settings = try data.settings()
        let files = settings.dataDirectory + "/" + AssetPaths.folderName
        if dryRun { return try report(work, IntakeOutcome(), rejected: 0, leftOut: 0, console) }
        let (outcome, rejected, leftOut) = try await data.withStore { store in
            let target = CopyTarget(
                store: store, files: try FileAssetStore(directory: files), now: { Clock.milliseconds })
            return try await take(work, as: name, to: target, console)
        }
        try report(work, outcome, rejected: rejected, leftOut: leftOut, console)
    }

    private func take(
        _ work: ContainerImport, as name: ContainerID, to target: CopyTarget, _ console: Console
    ) async throws -> (IntakeOutcome, rejected: Int, leftOut: Int) {
        let file = StateFile(path: ImportState.path(for: path))
        var state = ImportState(
            fingerprint: work.fingerprint, target: "\(name) in \(try data.directory())",
            place: .init(offset: 0, line: 1, imported: 0, rejected: 0))
        let isBegun = try await goesOn(file, &state, as: name, target.store)
        let remedy = "Make its folder writable, or copy the export to a folder that is."
        try file.write(state.json, remedy: remedy)
        let leftOut = try await work.begin(as: name, to: target, withSchema: !isBegun)
        state.place.line = 2
        try file.write(state.json, remedy: remedy)
        let total = work.manifest.lines(of: "records.jsonl")
        let progress = ProgressLine("Importing", console: console)
        defer { progress.finish() }
        var outcome = IntakeOutcome()
        try await work.takeRecords(as: name, to: target, from: state.place.offset) { position, part in
            outcome += part
            state.place.offset = position
            state.place.imported += part.saved + part.unchanged
            state.place.rejected += part.refusals.count
            let done = state.place.imported + state.place.rejected
            progress.update(.init(done: Int64(done), total: Int64(total), records: done))
            try file.write(state.json, remedy: remedy)
        }
        file.remove()
        return (outcome, state.place.rejected, leftOut)
    }

    /// Whether the schema was imported by a run that was interrupted, from whose state this one goes on.
    private func goesOn(
        _ file: StateFile, _ state: inout ImportState, as name: ContainerID, _ store: any RecordStore
    ) async throws -> Bool {
        guard let bytes = file.contents else {
            guard try await ContainerImport.isFree(name, in: store) else {
                throw Failure.usage(
                    "The container \(name) already exists here.",
                    remedy:
                        "Give the import another name with --container, or another directory with --data. An import that was interrupted goes on with the file \(file.path), which is not there."
                )
            }
            return false
        }
        guard let before = ImportState(json: bytes), before.target == state.target,
            before.fingerprint == state.fingerprint
        else {
            throw Failure.usage(
                "The state file \(file.path) is of another import.",
                remedy: "Run that one to its end, or remove the file where it is not wanted any more.")
        }
        state = before
        Console.standard.note("Continuing after \(Format.grouped(before.place.imported)) records.")
        return before.place.line > 1
    }

    /// - Parameter rejected: how many records were refused, also by runs before this one that were interrupted.
    private func report(
        _ work: ContainerImport, _ outcome: IntakeOutcome, rejected: Int, leftOut: Int, _ console: Console
    ) throws {
        let records = work.manifest.lines(of: "records.jsonl")
        if output.json {
            console.line(
                json: JSONWriter.text { writer in
                    writer.beginObject()
                    writer.member("dryRun", dryRun)
                    writer.member("records", records)
                    writer.member("refused", rejected)
                    writer.member("tokensLeftOut", leftOut)
                    writer.member("circles", outcome.circles.map(\.sentence))
                    writer.endObject()
                })
        } else if dryRun {
            console.line("\(folder) is whole: \(counted(records, "record")) of \(work.manifest.container).")
        } else {
            console.line("\(counted(records - rejected, "record")) imported.")
            if leftOut > 0 {
                console.note("\(counted(leftOut, "token")) left out: they are another container's here.")
            }
        }
        for refusal in outcome.refusals.prefix(20) {
            console.note("\(refusal.recordName): \(refusal.reason)")
        }
        for circle in outcome.circles.prefix(20) { console.note(circle.sentence) }
        guard rejected == 0 else {
            throw Failure("\(counted(rejected, "record")) could not be imported.")
        }
    }
}
