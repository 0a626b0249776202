import ObjectStorage

/// Where backups are: a folder, or an S3-compatible store.
public protocol BackupPlace: Sendable {
    /// Its address, for people; holds no secret.
    var location: String { get }

    /// The backups in it that are whole, the newest first.
    ///
    /// - Throws: ``BackupError`` where a folder cannot be listed; `ObjectStorageError`; `CancellationError`.
    func list() async throws -> [Backup]

    /// Makes a backup. When this returns, it exists; when it throws, or the process dies, nothing of it does, and those before
    /// are as they were.
    ///
    /// - Throws: ``BackupError``; `ObjectStorageError`; `StorageError`; `CancellationError`.
    func make(
        of source: BackupSource, by program: ProgramVersion, plan: BackupPlan,
        progress: @escaping BackupProgress
    ) async throws -> BackupMaker.Outcome

    /// Reads all of a backup as a restore would, and compares it; nothing is changed.
    ///
    /// - Throws: ``BackupError`` that names what is wrong; `ObjectStorageError`; `StorageError` where the database in it cannot
    ///   be read; `CancellationError`.
    func check(_ backup: Backup, by program: ProgramVersion, progress: @escaping BackupProgress) async throws

    /// Makes a data directory of a backup. When it throws, the directory holds nothing of it.
    ///
    /// - Throws: ``BackupError``; `ObjectStorageError`; `StorageError`; `CancellationError`.
    func restore(
        _ backup: Backup, to directory: String, by program: ProgramVersion,
        progress: @escaping BackupProgress
    ) async throws
}

/// How a backup is made.
public struct BackupPlan: Sendable {
    /// How many of the server stay, with the new one; nil for all.
    public var keeps: Int?
    /// Whether it is opened and read before it counts.
    public var verifies = true
    /// Milliseconds since 1970.
    public var now: Int64

    /// Plans a backup that is verified.
    public init(keeps: Int? = nil, verifies: Bool = true, now: Int64) {
        self.keeps = keeps
        self.verifies = verifies
        self.now = now
    }
}

/// Finds places and backups by their addresses.
public enum BackupPlaces {
    /// The place that an address names: `s3://BUCKET/PREFIX`, or a folder.
    ///
    /// - Throws: `ObjectStorageError` where the address is not valid, or there is no key for it.
    public static func open(_ location: String, environment: [String: String]) throws -> any BackupPlace {
        guard ObjectStores.isRemote(location) else { return BackupFolder(path: location) }
        return ObjectBackups(try ObjectStores.open(location, environment: environment))
    }

    /// The backup that an address names, with its place: one itself, or the newest in a place.
    ///
    /// - Throws: ``BackupError`` where there is none, or it cannot be read; `ObjectStorageError`; `CancellationError`.
    public static func find(
        _ location: String, environment: [String: String]
    ) async throws -> (place: any BackupPlace, backup: Backup) {
        guard ObjectStores.isRemote(location) else {
            return (BackupFolder(path: location), try BackupFolder.backup(at: location))
        }
        if let one = ObjectBackups.split(location) {
            let place = ObjectBackups(try ObjectStores.open(one.place, environment: environment))
            return (place, try await place.backup(one.name, of: one.store))
        }
        let place = ObjectBackups(try ObjectStores.open(location, environment: environment))
        guard let newest = try await place.list().first else { throw BackupError.none(place.location) }
        return (place, newest)
    }
}

extension BackupFolder: BackupPlace {
    public var location: String { path }

    public func make(
        of source: BackupSource, by program: ProgramVersion, plan: BackupPlan,
        progress: @escaping BackupProgress
    ) async throws -> BackupMaker.Outcome {
        try await BackupMaker(
            of: source, to: self, program: program, keeps: plan.keeps, verifies: plan.verifies, now: plan.now,
            progress: progress
        ).run()
    }

    public func check(
        _ backup: Backup, by program: ProgramVersion, progress: @escaping BackupProgress
    ) async throws {
        try await BackupCheck.run(backup, program: program, progress: progress)
    }

    public func restore(
        _ backup: Backup, to directory: String, by program: ProgramVersion,
        progress: @escaping BackupProgress
    ) async throws {
        try await BackupRestoration(of: backup, to: directory, program: program, progress: progress).run()
    }
}
