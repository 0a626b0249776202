public import RecordModel

/// What can be asked of a snapshot.
///
/// Everything is read from the one moment at which the read began. A reader is used by one thread at a time and only
/// inside the closure that got it. Times are milliseconds since 1970, sizes are bytes, and a limit is the most elements
/// that a list has.
///
/// Every method throws ``StorageError``: `STORAGE_TIMEOUT` when a read takes too long, `STORAGE_CORRUPT` for damage,
/// `STORAGE_ENGINE` for everything else that the engine refuses. Methods with a visitor also throw what the visitor throws,
/// and stop there. A store that seals fields throws `SealingError` for a field or a key that it cannot open.
///
/// Inside the closure an engine may throw errors of its own instead, to start the closure again or to make a ``StorageError``
/// of them afterwards. So a closure that catches what it does not know must throw it again.
public protocol StoreReader {
    /// The schema of a tenant; empty where the tenant has stored nothing yet.
    func schema(of tenant: Tenant) throws -> Schema

    /// Says what will be asked for next. The answers are the same without it; on a remote database it costs one round trip
    /// and saves many.
    func foresee(_ foresight: PrefetchHint) throws

    /// The number of a database; nil where nothing was ever stored in it.
    func database(_ id: DatabaseID) throws -> Int64?
    /// A zone by name; deleted ones are not found.
    func zone(named name: String, in database: Int64) throws -> ZoneRow?
    /// The zones that exist, by name.
    func zones(in database: Int64) throws -> [ZoneRow]
    /// The first of the zones that exist, by name, from a name on.
    func zones(in database: Int64, from name: String, limit: Int) throws -> [ZoneRow]
    /// The zones that changed or were deleted after a sequence number, in that order.
    func zones(in database: Int64, changedAfter sequence: Int64, limit: Int) throws -> [ZoneRow]

    /// A zone by number, deleted ones included.
    func zone(numbered number: Int64) throws -> ZoneRow?
    /// A database by number, with the key of its encrypted fields.
    func keyedDatabase(numbered number: Int64) throws -> KeyedDatabase?
    /// The databases that have a key for encrypted fields, by number, after a given one.
    func keyedDatabases(after number: Int64, limit: Int) throws -> [KeyedDatabase]

    /// A record by name, over all types of the zone.
    func record(named name: String, in zone: Int64) throws -> RecordRow?
    /// Shows the body of a record by name, whose bytes are valid only while they are visited.
    ///
    /// - Returns: whether there is such a record.
    func body(
        ofRecordNamed name: String, in zone: Int64, _ visit: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Bool
    /// The names of the records whose DELETE_SELF or VALIDATE references, or those of one kind, point at a record.
    func referrers(
        to name: String, in zone: Int64, action: Reference.Action?, limit: Int
    ) throws -> [ReferrerRow]
    /// A record's type and who made it, without its body; nil where there is no such record.
    func origin(ofRecordNamed name: String, in zone: Int64) throws -> RecordOrigin?
    /// How many references of one kind point at a record, not counting those of one holder.
    func referenceCount(
        to name: String, in zone: Int64, action: Reference.Action, besides holder: String
    ) throws -> Int
    /// Walks the rows that a scan asks for, in its order, until there are no more or enough.
    ///
    /// - Parameters:
    ///   - scan: what is asked for, and in which order.
    ///   - visit: tells whether the row is taken. The first that is not ends the walk, and the next page begins with
    ///     it.
    func scan(_ scan: RecordScan, _ visit: (borrowing ScanRow) throws -> Bool) throws -> ScanOutcome
    /// The number of rows that a scan would find without its limit.
    func count(_ scan: RecordScan) throws -> Int
    /// Walks a zone's records in the order of their last change.
    ///
    /// - Parameters:
    ///   - feed: the zone, and from where on.
    ///   - visit: tells whether to go on.
    func changes(_ feed: ChangeFeed, _ visit: (borrowing ChangeRow) throws -> Bool) throws

    /// The versions that are kept of the records that a name had, the newest first, before one of a number (nil for the
    /// newest); at most so many, fewer where their bodies are more than `Limits.answerBytes`, but two where there are two.
    func versions(ofRecordNamed name: String, in zone: Int64, before id: Int64?, limit: Int) throws
        -> [RecordVersion]
    /// The version of a name by its own sequence number.
    func version(_ sequence: Int64, ofRecordNamed name: String, in zone: Int64) throws -> RecordVersion?
    /// The last states of a zone's deleted records of a type, those first that were deleted last, before one of a number;
    /// as many as ``versions(ofRecordNamed:in:before:limit:)`` gives.
    func deletedVersions(ofType type: Int64, in zone: Int64, before id: Int64?, limit: Int) throws
        -> [RecordVersion]
    /// The groups of versions that there are, in the order of zones, types and ends, after one.
    func versionGroups(after group: VersionGroup?, limit: Int) throws -> [VersionGroup]
    /// How much the versions of a database take.
    func versionUsage(of database: Int64) throws -> VersionUsage

    /// A file by its content, with all of its uses, those of versions among them; nil where it is not known.
    func asset(_ digest: AssetDigest) throws -> AssetRow?
    /// The files that records of a tenant refer to, in the order of their digests, after a given one.
    func assets(of tenant: Tenant, after digest: AssetDigest?, limit: Int) throws -> [AssetRow]
    /// Which fields of a tenant's records refer to a file; public ones first.
    func assetUses(of digest: AssetDigest, in tenant: Tenant, limit: Int) throws -> [AssetUse]
    /// How much room the files take up that a tenant's records refer to.
    func assetUsage(of tenant: Tenant) throws -> AssetUsage
    /// Files that nothing has referred to since before a time, in milliseconds, the oldest first.
    func assets(unusedBefore time: Int64, limit: Int) throws -> [AssetDigest]
    /// When the oldest file that is known was first uploaded, in milliseconds; nil where none is known.
    func oldestAsset() throws -> Int64?

    /// How much a database holds, by its number: what is in the tables, also of zones and types that are being removed.
    ///
    /// Exact once ``isUsageCounted``; a writer sees its own changes at once.
    func usage(of database: Int64) throws -> StorageUsage
    /// How much all databases of a tenant hold.
    func usage(of tenant: Tenant) throws -> StorageUsage
    /// How much each database of a tenant holds, the largest first.
    func databaseUsages(of tenant: Tenant, limit: Int) throws -> [DatabaseUsage]
    /// The bytes of the files that a record refers to; a file counts for each field that refers to it.
    func assetBytes(ofRecordNamed name: String, in zone: Int64) throws -> Int64
    /// Whether everything that versions without counts stored has been counted.
    var isUsageCounted: Bool { get throws }

    /// The last sequence number that was given out.
    func lastSequence() throws -> Int64
    /// The tenants that have stored something.
    func tenants() throws -> [Tenant]

    /// Since when changes of a type in a database are logged; nil where they are not.
    func watch(of type: Int64, in database: Int64) throws -> ChangeWatch?
    /// Logged changes in the order of their commits, after a position.
    ///
    /// - Parameters:
    ///   - sequence: the position.
    ///   - database: whose changes; nil for those of all.
    ///   - limit: the most; fewer where their bodies are more than `Limits.answerBytes`, but at least one.
    func loggedChanges(after sequence: Int64, in database: Int64?, limit: Int) throws -> [LoggedChange]
    /// The logged changes of what has a name in a database, a record or a zone, the newest first.
    ///
    /// The log has no index of names: this looks at all that it has of the database.
    func loggedChanges(named name: String, in database: Int64, limit: Int) throws -> [LoggedChange]
    /// The sequence number up to which the log may have forgotten changes.
    func forgottenChanges() throws -> Int64

    /// What became of a request, by the digest of its key; nil where nothing is kept.
    func keptOutcome(of key: [UInt8]) throws -> IdempotencyRecord?

    /// What operators did, the newest first, before a position in the log (nil for its end).
    func audit(before id: Int64?, limit: Int) throws -> [AuditRow]
    /// What operators did to some subjects of a tenant, the newest first.
    ///
    /// The log has no index: this looks through all of it, which makes it a long read.
    /// - Parameters:
    ///   - tenant: whose log.
    ///   - subjects: their whole texts.
    ///   - prefix: subjects that begin with it count as well; nil for none.
    func audit(of tenant: Tenant, subjects: [String], prefix: String?) throws -> [AuditRow]
    /// The numbers of all databases of a tenant.
    func databases(of tenant: Tenant) throws -> [Int64]
    /// How many records of a type there are, in all zones of all databases.
    ///
    /// Looks at each of them.
    func recordCount(of type: RecordType) throws -> Int
    /// Whether there is any record of a type; some steps in an index.
    func hasRecords(of type: RecordType) throws -> Bool
    /// How many custom zones a database has; one look.
    func customZoneCount(in database: Int64) throws -> Int
    /// The sequence number up to which deletions of a database's zones may be forgotten.
    func forgottenZones(in database: Int64) throws -> Int64

    /// Rows of a described table, each with a value for each of its columns.
    func rows(of table: TableShape, _ query: TableQuery) throws -> [[TableValue]]
    /// The sum of a column over the rows that match, where a row without a value adds nothing; how many there are for nil.
    func total(of column: String?, in table: TableShape, where conditions: [TableCondition]) throws -> Int64

    /// Some rows of a part of the store that may be large and is not a described table, for ``rows(of:after:_:)``: databases and zones by
    /// number, records by zone and name, assets by digest, versions by number.
    ///
    /// Nothing may be left to do in the background, and no other process may write meanwhile.
    func pagedRows(of section: StoreSection, after last: StoreRow?, _ portion: CopyPortion) throws
        -> [StoreRow]
    /// The highest number that a field of a type has or had.
    func lastColumn(of type: RecordType) throws -> Int
    /// The last numbers that were given.
    func counters() throws -> StoreCounters
}

extension StoreReader {
    /// The names of the records whose DELETE_SELF or VALIDATE references point at a record.
    ///
    /// - Throws: ``StorageError`` where they cannot be read.
    public func referrers(to name: String, in zone: Int64, limit: Int) throws -> [ReferrerRow] {
        try referrers(to: name, in: zone, action: nil, limit: limit)
    }
}
