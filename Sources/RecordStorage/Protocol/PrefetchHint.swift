public import RecordModel

/// What a request will ask a store for, said before it asks: an engine behind a network fetches all of it in one trip, where
/// asking would take one for each record.
public struct PrefetchHint: Sendable {
    /// The database.
    public var database: DatabaseID
    /// The name of the zone.
    public var zone: String
    /// The names of the records.
    public var records: [String]
    /// The names of types that they probably have; of a tenant with very many types those of others are not fetched.
    public var types: Set<String>
    /// Whether it will be asked as well who refers to the records.
    public var referrers: Bool
    /// The digest of the request's idempotency key; nil where it has none.
    public var key: [UInt8]?
    /// Whether it is all that will be asked but for one scan, where no records are named: an engine may then read without a
    /// transaction of several steps. Whoever asks for more all the same gets it: the closure is run again from its beginning.
    public var isWhole: Bool
    /// How many bytes the request sent: an engine that commits writes together may put a large one off to the next commit.
    public var bytes: Int

    /// Describes what will be asked for.
    public init(
        database: DatabaseID, zone: String, records: [String] = [], types: Set<String> = [],
        referrers: Bool = false, key: [UInt8]? = nil, isWhole: Bool = false, bytes: Int = 0
    ) {
        self.isWhole = isWhole
        self.database = database
        self.zone = zone
        self.records = records
        self.types = types
        self.referrers = referrers
        self.key = key
        self.bytes = bytes
    }

    /// Whether nothing but the zone is named.
    public var namesOnlyZone: Bool { records.isEmpty && key == nil }
}

extension StoreReader {
    /// Does nothing: where nothing is far away, nothing need be fetched in advance.
    ///
    /// - Throws: never; what an engine has in its place may.
    public func foresee(_ foresight: PrefetchHint) throws {}
}
