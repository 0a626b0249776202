import ArgumentParser
import AssetStorageFiles
import Foundation
import RecordStorage
import RecordStorageOpening

/// `stratus copy-store`
struct CopyStoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy-store",
        abstract: "Copy all that a server has into another store: SQLite to PostgreSQL, or back.",
        discussion: """
            FROM and TO are data directories or stores as in --store: sqlite:DIRECTORY, \
            postgres://USER@HOST/DATABASE. Stop all servers of both first. TO must be empty; until the copy was \
            compared with FROM, row by row, no server can open it, and an interrupted copy has to be removed and made \
            again. FROM is left as it is. The exit code is 1 when the two do not match.

            Rows go over with the numbers that clients know them by: containers, schemas, users, tokens, accounts, \
            sessions, mailed links, sign-in pages and providers, subscriptions, receivers, webhooks, keys of push \
            services, the log of changes that they read, answers to requests with idempotency keys, operators and \
            their log, zones, records with their change tags, creators and times, earlier versions, deletions. So sync \
            tokens, change tags, web tokens and sessions stay valid, and clients notice nothing, where the new server \
            has the same secret: it is in the data directory, or in STRATUS_SECRET. Do not serve both: each would \
            deliver the same webhooks and notifications.

            Files (assets) and the secret are in the data directory, which a server on PostgreSQL has as well. Where \
            both ends have the same one they stay; otherwise they are copied too, and each file is compared with its \
            digest.

            Not carried over:
            \(CopyReport.notCarried.joined(separator: "\n"))
            The console's history of requests, and addresses for uploads, end with the old server.

            EXAMPLES
              stratus copy-store /var/lib/stratus postgres://stratus@db/stratus
              stratus copy-store postgres://stratus@db/stratus ./copy --from-data /var/lib/stratus
              stratus copy-store ./data postgres://stratus@db/stratus --json > copied.json
            """)

    @Argument(help: ArgumentHelp("The store to read, or its data directory.", valueName: "from"))
    var from: String

    @Argument(help: ArgumentHelp("The empty store to fill, or its data directory.", valueName: "to"))
    var to: String

    @Option(
        help: ArgumentHelp(
            "The data directory of FROM's server. Default: FROM where it is a directory, else TO's.",
            valueName: "directory"))
    var fromData: String?

    @Option(
        help: ArgumentHelp(
            "The data directory of TO's server. Default: TO where it is a directory, else FROM's.",
            valueName: "directory"))
    var toData: String?

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (source, target) = try CopySide.both(from: from, to: to, fromData: fromData, toData: toData)
        let report = try await Self.copy(source, target, console: Console.standard)
        try show(report, console: Console.standard)
    }

    private func show(_ report: CopyReport, console: Console) throws {
        output.json ? console.line(json: report.json) : console.line(report.text(width: console.tableWidth))
        guard report.matches else {
            throw Failure(
                "The copy is not what \(report.source.location) holds, so no server can open it.",
                remedy: "Remove \(report.target.location), see that nothing writes to either, and copy again."
            )
        }
        let lost = (report.files?.missing.count ?? 0) + (report.files?.damaged.count ?? 0)
        if lost > 0 {
            console.note(
                "\(lost) files are missing or damaged in \(report.source.dataDirectory ?? "the source").\nhelp: 'stratus assets verify' names the records that have them."
            )
        }
        guard !output.json else { return }
        var command = "stratus serve"
        if let directory = report.target.dataDirectory { command += " --data \(directory)" }
        if report.target.location != .sqlite(directory: report.target.dataDirectory ?? "") {
            // Not the password, and not what is beside it: the output may be kept.
            command += " --store " + (to.hasPrefix("postgres") ? "(the address that you gave)" : to)
        }
        console.line("Copied. Serve it with: \(command)")
    }

    /// Opens both stores for nobody else, copies and compares.
    static func copy(_ source: CopySide, _ target: CopySide, console: Console) async throws -> CopyReport {
        try await DataOptions.with(open(source)) { first in
            guard try await !first.read(.long, { try $0.isEmpty() }) else {
                throw Failure.usage(
                    "\(source.location) holds nothing.",
                    remedy: "Name the store to read first, and the one to fill second.")
            }
            return try await DataOptions.with(open(target)) { second in
                try await copy(source, first, target, second, console)
            }
        }
    }

    private static func open(_ side: CopySide) throws -> any RecordStore {
        do {
            return try side.location.open(.sole)
        } catch let error as StorageError where error.code == "STORAGE_LOCKED" {
            throw Failure(
                "A stratus server or command is using \(side.location).",
                remedy: "Stop all servers that use it, on every machine, and copy again.")
        } catch let error as StorageError where error.code == "STORAGE_UNFINISHED_COPY" {
            throw Failure(
                "\(side.location) holds part of a copy that was not finished.",
                remedy:
                    "Remove the directory, or drop the database and create it again; then repeat the copy.")
        }
    }

    private static func copy(
        _ source: CopySide, _ first: any RecordStore, _ target: CopySide, _ second: any RecordStore,
        _ console: Console
    ) async throws -> CopyReport {
        let secret = try SecretCopy(from: source, to: target)
        let work = StoreCopy(from: first, to: second)
        let copying = ProgressLine("Copying", unit: "rows", console: console)
        try await work.copy { _, done, total in copying.update(done: done, total: total) }
        copying.finish()
        let files = try await copyFiles(source, target, first, console)
        try secret.run()
        let comparing = ProgressLine("Comparing", unit: "rows", console: console)
        let (from, to) = try await work.compare { _, done, total in
            comparing.update(done: done, total: total)
        }
        comparing.finish()
        let report = CopyReport(source: source, target: target, from: from, to: to, files: files)
        if report.matches { try await work.finish() }
        return report
    }

    private static func copyFiles(
        _ source: CopySide, _ target: CopySide, _ store: any RecordStore, _ console: Console
    ) async throws -> AssetFilesCopy.Outcome? {
        guard !source.sharesFiles(with: target), let from = source.dataDirectory,
            let to = target.dataDirectory
        else { return nil }
        let folder = "/" + AssetPaths.folderName
        let progress = ProgressLine("Copying files", unit: "files", console: console)
        defer { progress.finish() }
        return try await AssetFilesCopy(
            from: FileAssetStore(directory: from + folder), to: FileAssetStore(directory: to + folder)
        ).run(filesOf: store) { progress.update(done: $0, total: 0) }
    }
}

extension ProgressLine {
    fileprivate func update(done: Int, total: Int) {
        update(Amount(done: Int64(min(done, max(total, 0))), total: Int64(total), records: done))
    }
}
