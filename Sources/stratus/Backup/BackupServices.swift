import Logging
import RecordBackup
import RecordStorage
import RecordStorageSQLite
import ServiceLifecycle

/// What a server does for backups beside its requests.
enum BackupServices {
    /// The services; none where the records are not in SQLite's files.
    static func all(_ settings: ServerSettings, store: any RecordStore, logger: Logger) -> [any Service] {
        guard let store = store as? SQLiteStore, store.directory == settings.dataDirectory else { return [] }
        return [
            SnapshotService(
                responder: SnapshotResponder(
                    directory: settings.dataDirectory, copyDatabase: store.copyDatabase
                ) {
                    logger.error("backup", metadata: ["event": "\($0)"])
                })
        ]
    }
}

/// Copies the database for commands that ask for it.
struct SnapshotService: Service {
    let responder: SnapshotResponder

    func run() async throws {
        await cancelWhenGracefulShutdown { await responder.run() }
    }
}
