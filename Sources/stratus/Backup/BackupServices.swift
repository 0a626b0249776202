import Foundation
import Logging
import ObjectStorage
import RecordBackup
import RecordEngine
import RecordServer
import RecordStorage
import RecordStorageSQLite
import ServiceLifecycle

/// What a server does for backups beside its requests.
struct BackupServices {
    /// Copies the database for commands that ask for it; nil where the records are not in SQLite's files.
    let snapshots: SnapshotService?
    /// Makes backups by itself; nil where the settings ask for none.
    let schedule: ScheduledBackups?

    /// Archives the log; nil where the settings ask for no archive.
    let archive: ArchiveService?

    /// What `/readyz` and `/metrics` tell.
    var reports: ServerReports {
        let parts = [schedule?.reports, archive?.reports].compactMap(\.self)
        return ServerReports(
            warnings: { parts.flatMap { $0.warnings() } }, gauges: { parts.flatMap { $0.gauges() } })
    }

    /// All that there are.
    var all: [any Service] {
        var all: [any Service] = []
        if let snapshots { all.append(snapshots) }
        if let schedule { all.append(schedule) }
        if let archive { all.append(archive) }
        return all
    }

    /// - Throws: a ``Failure`` where the settings ask for backups of records that are elsewhere.
    init(_ settings: ServerSettings, store: any RecordStore, logger: Logger) throws {
        let store = (SealedStore.base(of: store) as? SQLiteStore).flatMap {
            $0.directory == settings.dataDirectory ? $0 : nil
        }
        snapshots = store.map { store in
            SnapshotService(
                responder: SnapshotResponder(
                    directory: settings.dataDirectory, copyDatabase: store.copyDatabase
                ) {
                    logger.error("backup", metadata: ["event": "\($0)"])
                })
        }
        archive = try settings.archiveLocation.map { location in
            let source = try BackupSource(settings) { path, progress in
                guard let store else { throw StorageError.closed }
                try await store.copyDatabase(to: path, progress: progress)
            }
            guard let store else { throw StorageError.closed }
            return ArchiveService(
                archiver: LogArchiver(
                    of: source, in: store,
                    to: try ObjectStores.open(location, environment: ProcessInfo.processInfo.environment),
                    plan: .init(keeps: settings.archiveLifetime.milliseconds), program: .this,
                    clock: { Clock.milliseconds }
                ) { logger.notice("archive", metadata: ["event": "\($0)"]) })
        }
        guard let folder = settings.backupDirectory else {
            schedule = nil
            return
        }
        let source = try BackupSource(settings) { path, progress in
            guard let store else { throw StorageError.closed }
            try await store.copyDatabase(to: path, progress: progress)
        }
        schedule = ScheduledBackups(
            source: source,
            place: try BackupPlaces.open(folder, environment: ProcessInfo.processInfo.environment),
            interval: settings.backupInterval.milliseconds, kept: settings.backupsKept, logger: logger)
    }
}

/// Copies the database for commands that ask for it.
struct SnapshotService: Service {
    let responder: SnapshotResponder

    func run() async throws {
        await cancelWhenGracefulShutdown { await responder.run() }
    }
}
