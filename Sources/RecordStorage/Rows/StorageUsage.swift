/// How much is stored of something.
public struct StorageUsage: Hashable, Sendable {
    /// How many records there are.
    public var records: Int64
    /// The bytes of their bodies, as they are kept.
    public var recordBytes: Int64
    /// The bytes of the files that they refer to; a file counts for each field that refers to it.
    public var assetBytes: Int64

    /// Creates a usage, of nothing by default.
    public init(records: Int64 = 0, recordBytes: Int64 = 0, assetBytes: Int64 = 0) {
        self.records = records
        self.recordBytes = recordBytes
        self.assetBytes = assetBytes
    }

    /// What counts for a quota.
    public var bytes: Int64 { recordBytes + assetBytes }

    /// Adds.
    public static func + (left: StorageUsage, right: StorageUsage) -> StorageUsage {
        StorageUsage(
            records: left.records + right.records, recordBytes: left.recordBytes + right.recordBytes,
            assetBytes: left.assetBytes + right.assetBytes)
    }

    /// Adds.
    public static func += (left: inout StorageUsage, right: StorageUsage) { left = left + right }

    /// What is to be taken away.
    public static prefix func - (usage: StorageUsage) -> StorageUsage {
        StorageUsage(
            records: -usage.records, recordBytes: -usage.recordBytes, assetBytes: -usage.assetBytes)
    }
}

/// How much a database holds.
public struct DatabaseUsage: Hashable, Sendable {
    /// The user whose private database it is; nil for the public one.
    public var owner: String?
    /// What it holds.
    public var usage: StorageUsage

    /// Pairs a database with its usage.
    public init(owner: String?, usage: StorageUsage) {
        self.owner = owner
        self.usage = usage
    }
}

/// What a transaction adds to the usage of databases, before it is stored with the commit: a part of it, the write of
/// one caller, may be undone.
public struct UsageChanges: Sendable {
    private var settled: [Int64: StorageUsage] = [:]
    private var pending: [Int64: StorageUsage] = [:]

    /// Nothing has changed.
    public init() {}

    /// Adds to what a database holds.
    public mutating func add(_ usage: StorageUsage, to database: Int64) {
        pending[database, default: StorageUsage()] += usage
    }

    /// Keeps what was added since the last time.
    public mutating func settle() {
        for (database, usage) in pending { settled[database, default: StorageUsage()] += usage }
        pending.removeAll(keepingCapacity: true)
    }

    /// Forgets what was added since it was last settled.
    public mutating func undo() { pending.removeAll(keepingCapacity: true) }

    /// What was added to a database.
    public func of(_ database: Int64) -> StorageUsage {
        (settled[database] ?? StorageUsage()) + (pending[database] ?? StorageUsage())
    }

    /// The databases to which something was added.
    public var databases: Set<Int64> { Set(settled.keys).union(pending.keys) }

    /// The databases whose usage changed, in the order of their numbers, each with what was added; nothing is kept of
    /// them afterwards.
    public mutating func take() -> [(database: Int64, usage: StorageUsage)] {
        settle()
        defer { settled.removeAll(keepingCapacity: true) }
        return settled.sorted { $0.key < $1.key }.map { (database: $0.key, usage: $0.value) }
            .filter { $0.usage != StorageUsage() }
    }
}
