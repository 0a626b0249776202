import RecordModel
import RecordServer

/// The backups that the server makes by itself.
enum BackupPages {
    static let routes: [Route] = [
        .get("/backups", list),
        .post("/backups", backUpNow),
        .post("/backups/:name/try", tryRestore),
    ]

    @Sendable private static func list(_ context: ConsoleContext) async throws -> SiteAnswer {
        let overview = try await context.console.settings.backups?.overview()
        let rows = overview?.entries.map(row) ?? []
        return context.page(
            BackupsPage(
                archive: context.console.settings.archive.map { archive($0()) }, plan: overview.map(plan),
                command: context.command("backup /mnt/backups"), rows: rows,
                isEmpty: rows.isEmpty),
            title: "Backups", section: .backups)
    }

    private static func plan(_ overview: BackupOverview) -> BackupsPage.Plan {
        BackupsPage.Plan(
            folder: overview.folder, interval: interval(overview.interval), kept: overview.kept,
            next: TimeModel(overview.nextAt), activity: overview.activity,
            failure: overview.failure.map { .init(at: TimeModel($0.at), reason: $0.reason) })
    }

    private static func archive(_ overview: ArchiveOverview) -> BackupsPage.Archive {
        BackupsPage.Archive(
            location: overview.location, keeps: interval(overview.keeps),
            moments: overview.earliest.map { earliest in
                .init(
                    earliest: TimeModel(earliest),
                    latest: TimeModel(max(earliest, overview.latest ?? earliest)),
                    command: "stratus restore '\(overview.location)' --at TIME --data DIRECTORY")
            },
            waiting: overview.waitingBytes > 1 << 20 ? NumberText.bytes(Int64(overview.waitingBytes)) : nil,
            activity: overview.activity,
            failure: overview.failure.map { .init(at: TimeModel($0.at), reason: $0.reason) })
    }

    private static func row(_ entry: BackupOverview.Entry) -> BackupsPage.Row {
        BackupsPage.Row(
            name: entry.name, made: TimeModel(entry.createdAt), size: NumberText.bytes(entry.bytes),
            records: NumberText.grouped(Int(entry.records)), files: NumberText.grouped(entry.files),
            isVerified: entry.isVerified,
            trial: entry.trial.map { .init(at: TimeModel($0.at), problem: $0.problem) },
            action: "/console/backups/\(FormValues.encoded(entry.name))/try")
    }

    /// `6 hours`, in the largest unit that divides it.
    private static func interval(_ milliseconds: Int64) -> String {
        let seconds = milliseconds / 1_000
        for (unit, length) in [("day", 86_400), ("hour", 3_600), ("minute", 60)] as [(String, Int64)]
        where seconds % length == 0 {
            let count = seconds / length
            return count == 1 ? unit : "\(count) \(unit)s"
        }
        return "\(seconds) seconds"
    }

    private static func desk(_ context: ConsoleContext) throws(ServiceError) -> any BackupControl {
        guard let desk = context.console.settings.backups else {
            throw ServiceError(
                .badRequest, "This server makes no regular backups.",
                remedy: "Start it with --backup-to and a folder, or run 'stratus backup'.")
        }
        return desk
    }

    @Sendable private static func backUpNow(_ context: ConsoleContext) async throws -> SiteAnswer {
        let desk = try desk(context)
        try await context.audit("backup.make", "")
        desk.backUpNow()
        return context.redirect(to: "/backups", saying: "A backup is being made.")
    }

    @Sendable private static func tryRestore(_ context: ConsoleContext) async throws -> SiteAnswer {
        let desk = try desk(context)
        let name = context.parameters["name"] ?? ""
        // Before it begins: nothing is done that is not noted.
        try await context.audit("backup.check", name)
        guard try await desk.tryRestore(name) else {
            throw ServiceError(.notFound, "There is no backup of this name any more.")
        }
        return context.redirect(to: "/backups", saying: "\(name) is being read as a restore would.")
    }
}
