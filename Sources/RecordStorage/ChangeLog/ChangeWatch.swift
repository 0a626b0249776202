/// A promise that changes are logged: those of one type in one database, or all of a database.
///
/// Changes that nobody watches are not logged and cost nothing. A cursor can be resumed from where it is not older than
/// `since` and not older than what the log has forgotten.
public struct ChangeWatch: Hashable, Sendable {
    /// Stands for all types of a database, and for its zones.
    public static let allTypes: Int64 = 0
    /// Stands for what a database shares, which is logged in any case.
    public static let shares: Int64 = -1

    /// The number of the database.
    public var database: Int64
    /// The number of the type, or ``allTypes``.
    public var type: Int64
    /// The sequence number after which every change is in the log.
    public var since: Int64
    /// When it was last asked for, in milliseconds.
    public var usedAt: Int64

    /// Creates a row from its columns.
    public init(database: Int64, type: Int64, since: Int64, usedAt: Int64) {
        self.database = database
        self.type = type
        self.since = since
        self.usedAt = usedAt
    }
}

/// What is watched, as a writer holds it in memory: one look in a dictionary for each change.
public struct WatchedTypes: Sendable {
    /// The version of the stored watches that this has.
    public private(set) var version: Int64 = 0
    private var types: [Int64: Set<Int64>] = [:]

    /// Nothing is watched.
    public init() {}

    /// Takes watches that were added up to a version; all of them where some were removed.
    public mutating func take(_ watches: some Sequence<ChangeWatch>, version: Int64, isAll: Bool) {
        if isAll { types = [:] }
        for watch in watches { types[watch.database, default: []].insert(watch.type) }
        self.version = version
    }

    /// Whether changes of a type in a database are logged.
    public func includes(type: Int64, in database: Int64) -> Bool {
        guard let types = types[database] else { return false }
        return types.contains(type) || types.contains(ChangeWatch.allTypes)
    }

    /// Whether anything in a database is watched.
    public func includes(database: Int64) -> Bool { types[database] != nil }

    /// The databases in which a type itself is watched, by number.
    public func databases(watching type: Int64) -> [Int64] {
        types.filter { $0.value.contains(type) }.keys.sorted()
    }
}
