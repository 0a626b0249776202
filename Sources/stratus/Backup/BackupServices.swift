import Foundation
import Logging
import RecordBackup
import RecordStorage
import RecordStorageSQLite
import ServiceLifecycle

/// What a server does for backups beside its requests.
struct BackupServices {
    /// Copies the database for commands that ask for it; nil where the records are not in SQLite's files.
    let snapshots: SnapshotService?
    /// Makes backups by itself; nil where the settings ask for none.
    let schedule: ScheduledBackups?

    /// All that there are.
    var all: [any Service] {
        var all: [any Service] = []
        if let snapshots { all.append(snapshots) }
        if let schedule { all.append(schedule) }
        return all
    }

    /// - Throws: a ``Failure`` where the settings ask for backups of records that are elsewhere.
    init(_ settings: ServerSettings, store: any RecordStore, logger: Logger) throws {
        let store = (store as? SQLiteStore).flatMap { $0.directory == settings.dataDirectory ? $0 : nil }
        snapshots = store.map { store in
            SnapshotService(
                responder: SnapshotResponder(
                    directory: settings.dataDirectory, copyDatabase: store.copyDatabase
                ) {
                    logger.error("backup", metadata: ["event": "\($0)"])
                })
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
