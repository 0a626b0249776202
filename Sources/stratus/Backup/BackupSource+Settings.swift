import RecordBackup
import RecordStorageOpening

extension BackupSource {
    /// What the settings say is to be backed up.
    ///
    /// - Throws: a ``Failure`` where the records are not in SQLite's files.
    init(_ settings: ServerSettings, copyDatabase: @escaping CopyDatabase) throws {
        guard case .sqlite(let directory) = settings.store, directory == settings.dataDirectory else {
            throw Failure.notSQLite(settings)
        }
        self.init(
            directory: directory, secretName: ServerSecret.fileName, key: try ServerSecret.key(for: settings),
            copyDatabase: copyDatabase)
    }
}

extension Failure {
    /// What to do instead where the records are elsewhere.
    fileprivate static func notSQLite(_ settings: ServerSettings) -> Failure {
        guard case .postgres = settings.store else {
            return .usage(
                "This command backs up a data directory with its SQLite database, and the records are in \(settings.store).",
                remedy: "Copy them into a data directory first: stratus copy-store \(settings.store) ./copy")
        }
        return .usage(
            "The records are in PostgreSQL (\(settings.store)), whose own tools back them up.",
            remedy:
                "Run 'pg_dump --format=custom --file=stratus.dump' on that database (or pg_basebackup on its server), and then copy \(settings.dataDirectory)/assets and \(settings.dataDirectory)/\(ServerSecret.fileName): in this order, so that every file of a record is in the copy."
        )
    }
}

extension ProgramVersion {
    /// This program.
    static let this = ProgramVersion(number: StratusVersion.number, commit: StratusVersion.commit)
}
