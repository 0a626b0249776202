/// Who makes a server's backups: what the console asks, and nothing of how they are made.
public protocol BackupControl: Sendable {
    /// What there is at this moment.
    ///
    /// - Throws: `BackupError` or `ObjectStorageError` where the backups cannot be listed; `CancellationError`.
    func overview() async throws -> BackupOverview

    /// Has a backup made soon; where one is being made already, that one is enough.
    func backUpNow()

    /// Has a backup read and compared as a restore would, soon.
    ///
    /// - Returns: false where there is none of this name.
    /// - Throws: `BackupError` or `ObjectStorageError` where the backups cannot be listed; `CancellationError`.
    func tryRestore(_ name: String) async throws -> Bool
}

/// The backups of a server.
public struct BackupOverview: Sendable {
    /// One of them. Times are milliseconds since 1970.
    public struct Entry: Sendable {
        /// Its name.
        public var name: String
        /// When it was begun.
        public var createdAt: Int64
        /// The bytes of all of it.
        public var bytes: Int64
        /// How many records are in it.
        public var records: Int64
        /// How many files are in it.
        public var files: Int
        /// Whether it was read when it was made.
        public var isVerified: Bool
        /// When it was last read as a restore would, and what was wrong.
        public var trial: (at: Int64, problem: String?)?

        /// Collects them.
        public init(
            name: String, createdAt: Int64, bytes: Int64, records: Int64, files: Int, isVerified: Bool,
            trial: (at: Int64, problem: String?)?
        ) {
            self.name = name
            self.createdAt = createdAt
            self.bytes = bytes
            self.records = records
            self.files = files
            self.isVerified = isVerified
            self.trial = trial
        }
    }

    /// Where they are.
    public var folder: String
    /// How often one is made, in milliseconds.
    public var interval: Int64
    /// How many are kept.
    public var kept: Int
    /// When the next one is due.
    public var nextAt: Int64
    /// What is being done; nil where nothing is.
    public var activity: String?
    /// The last one that failed, where none was made since.
    public var failure: (at: Int64, reason: String)?
    /// Those that are whole, the newest first.
    public var entries: [Entry]

    /// Collects them.
    public init(
        folder: String, interval: Int64, kept: Int, nextAt: Int64, activity: String?,
        failure: (at: Int64, reason: String)?, entries: [Entry]
    ) {
        self.folder = folder
        self.interval = interval
        self.kept = kept
        self.nextAt = nextAt
        self.activity = activity
        self.failure = failure
        self.entries = entries
    }
}
