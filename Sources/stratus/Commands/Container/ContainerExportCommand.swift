import ArgumentParser
import AssetStorageFiles
// Owns `stat` in the eyes of the compiler where FoundationEssentials was loaded before, as jwt-kit does.
import CoreFoundation
import Foundation
import RecordBackup
import RecordModel
import RecordStorage
import RecordStorageOpening
import RecordStorageSQLite
import RecordTransfer
import RecordWire

/// `stratus container export`
struct ContainerExportCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a container into a folder of JSON Lines and files.",
        discussion: """
            Both environments with schema, users and their roles, tokens (as digests), zones, records and files. The \
            files are described in Documentation/Moving.md; equal containers make equal files, byte for byte. A \
            server may run meanwhile: what is written is as of one moment, of a copy of the database that the server \
            makes beside its work. With PostgreSQL there is no such copy, so stop writing first if that matters.

            The folder gets its name at the end. What an interrupted export left is removed by the next one.

            EXAMPLES
              stratus container export ./example --container iCloud.com.example.app --data ./data
              stratus container export ./example --container iCloud.com.example.app --data ./data --json
            """)

    @Argument(help: ArgumentHelp("The folder to create.", valueName: "folder"))
    var folder: String

    @OptionGroup var container: ContainerOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let console = Console.standard
        let container = try container.containerID(data)
        var status = stat()
        guard lstat(folder, &status) != 0 else {
            throw Failure.usage(
                "\(folder) already exists.", remedy: "Name a folder that does not exist, or remove it first.")
        }
        let settings = try data.settings()
        let partial = folder + ".partial"
        try removeInterrupted(partial)
        let made = partial + "/container"
        try FileManager.default.createDirectory(atPath: made, withIntermediateDirectories: true)
        // Where it stays, the next export of this name removes it.
        defer { try? Files.remove(partial) }
        let progress = ProgressLine("Exporting", console: console)
        let counter = RecordCounter(progress)
        let assets = try FileAssetStore(
            directory: settings.dataDirectory + "/" + AssetPaths.folderName)
        let outcome = try await data.withMoment(in: partial + "/database", console) { store in
            try await ContainerExport(container, store: store, assets: assets) { counter.add($0) }.run(
                to: made)
        }
        progress.finish()
        try FileManager.default.moveItem(atPath: made, toPath: folder)
        try report(outcome, console)
    }

    /// Removes what an interrupted export left, which has two folders at most; anything else of that name is somebody's.
    private func removeInterrupted(_ partial: String) throws {
        // One that cannot be listed is not removed either, which says why.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: partial)) ?? []
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: partial, isDirectory: &isFolder)
        guard !exists || isFolder.boolValue, Set(names).isSubset(of: ["container", "database"]) else {
            throw Failure.usage(
                "\(partial) is in the way, and is not what an interrupted export left.",
                remedy: "Move it away, or name another folder.")
        }
        // What is no file or folder of ours is named, and stays.
        try Files.remove(partial)
    }

    private func report(_ outcome: ContainerExport.Outcome, _ console: Console) throws {
        let records = outcome.manifest.lines(of: "records.jsonl")
        if output.json {
            console.line(
                json: JSONWriter.text { writer in
                    writer.beginObject()
                    writer.member("folder", folder)
                    writer.member("records", records)
                    writer.member("users", outcome.manifest.lines(of: "users.jsonl"))
                    writer.member("files", outcome.manifest.assetFiles)
                    writer.member("fileBytes", outcome.manifest.assetBytes)
                    writer.member("missing", outcome.missing.map(\.hex))
                    writer.endObject()
                })
        } else {
            let files = counted(outcome.manifest.assetFiles, "file")
            console.line(
                "\(counted(records, "record")) and \(files) of \(Format.bytes(outcome.manifest.assetBytes)) are in \(folder)."
            )
        }
        guard outcome.missing.isEmpty else {
            throw Failure(
                "\(counted(outcome.missing.count, "file")) of records are missing here, so the export lacks them.",
                remedy: "'stratus assets verify' names the records that have them.")
        }
    }
}

extension DataOptions {
    /// Opens the store as of one moment: a copy of SQLite's database, which a server that runs makes beside its work.
    ///
    /// - Parameter folder: where the copy goes; it is the caller's to remove.
    func withMoment<Value: Sendable>(
        in folder: String, _ console: Console, _ work: (any RecordStore) async throws -> Value
    ) async throws -> Value {
        guard case .sqlite(let directory) = try settings().store else { return try await withStore(work) }
        _ = try databaseDirectory()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let copying = ProgressLine("Copying the database", unit: "pages", console: console)
        try await SnapshotClient(directory: directory) { console.note($0) }
            .copyDatabase(to: folder + "/" + SQLiteStore.fileName) { done, total in
                copying.update(.init(done: Int64(done), total: Int64(total), records: Int(done)))
            }
        copying.finish()
        return try await Self.with(settings().sealed(StoreLocation.sqlite(directory: folder).open()), work)
    }
}
