public import RecordModel

/// What can be done in one write.
///
/// What is written is seen at once by the same writer, and by readers after the commit. A method checks nothing that the
/// rules of the service say.
///
/// Every method throws ``StorageError`` as readers do, and besides `STORAGE_FULL` when the disk has no room,
/// `STORAGE_TOO_WIDE` for more values than the engine's tables hold, and `STORAGE_USED_UP` when there is no number left for a
/// change or a zone. After an error the closure must throw too, so that its write is undone.
public protocol StoreWriter: StoreReader {
    /// The next sequence number: a change's position in the log, given once and never again.
    func nextSequence() throws -> Int64

    /// Says which records of a zone will be asked for next, and who refers to them. The answers are the same without it; a remote
    /// database is asked for up to 1,000 of them in two round trips.
    func foresee(recordsNamed names: [String], in zone: Int64) throws

    /// The number of a database, made with its default zone where it is missing.
    func makeDatabase(_ id: DatabaseID) throws -> Int64
    /// Makes a zone that does not exist.
    func makeZone(named name: String, in database: Int64) throws -> ZoneRow
    /// Deletes a zone with all its records, leaving a tombstone for the change feed.
    ///
    /// A small write whatever the zone holds: see ``BackgroundWork``. A zone made later under its name is another one.
    func deleteZone(_ zone: ZoneRow) throws
    /// Stores the wrapped key of a database's encrypted fields, in the place of the one before.
    func store(databaseKey key: [UInt8], of database: Int64) throws
    /// Deletes all custom zones of a tenant.
    func deleteCustomZones(of tenant: Tenant) throws

    /// Makes a record type, or gives the one of that name.
    func makeType(named name: String, tenant: Tenant) throws -> RecordType
    /// Adds a field to a type; its column number is a new one.
    func addField(_ field: FieldSchema, to recordType: RecordType, tenant: Tenant) throws -> RecordType
    /// Changes what may be asked of a field; values that already exist are entered, those of many records in the
    /// background: until then the field says that it is being filled.
    func setIndexes(_ indexes: FieldIndexes, ofField name: String, in recordType: RecordType, tenant: Tenant)
        throws
    /// Changes how the schema's text declares a field; its values stay as they are.
    func setDeclaration(
        _ declaration: FieldDeclaration, ofField name: String, in recordType: RecordType, tenant: Tenant
    ) throws
    /// Removes a field, and its values from all records, which are no new versions of them.
    ///
    /// A small write whatever the type holds: see ``BackgroundWork``.
    func removeField(named name: String, from recordType: RecordType, tenant: Tenant) throws -> RecordType
    /// Removes a type with all its records; in tracked zones tombstones stay, which may follow in the background.
    ///
    /// A small write whatever the type holds: see ``BackgroundWork``.
    func removeType(_ recordType: RecordType, tenant: Tenant) throws
    /// Keeps what a schema's text says of the system's fields and of permissions.
    func setAnnotations(
        systemIndexes: [SystemFieldName: FieldIndexes], grants: [SecurityGrant]?, of recordType: RecordType,
        tenant: Tenant
    ) throws -> RecordType
    /// Keeps the names of the security roles.
    func setRoles(_ roles: [String], tenant: Tenant) throws

    /// Stores a new record; its name must be free.
    func insert(_ record: NewRecord) throws
    /// Replaces a record by a newer state.
    func update(_ row: RecordRow, with record: NewRecord) throws
    /// Gives a record a new version without a change of its values; the body has the version in it.
    func retag(_ row: RecordRow, in zone: ZoneRow, sequence: Int64, body: [UInt8]) throws
    /// Deletes a record; in a tracked zone a tombstone stays.
    func delete(_ row: RecordRow, in zone: ZoneRow, sequence: Int64) throws

    /// Keeps versions of a type's records from now on, or stops; those already kept stay.
    func setKeeping(_ keeping: VersionKeeping?, of recordType: RecordType, tenant: Tenant) throws
        -> RecordType
    /// Keeps a version, whose files stay as long as it does.
    ///
    /// - Parameters:
    ///   - version: what to keep.
    ///   - count: the most that are kept of its name; the oldest go.
    ///   - room: how many bytes all versions of its database may take; where they take more, the oldest of its zone and
    ///     type go, replaced ones before deleted ones. Nil for any number.
    func keep(_ version: RecordVersion, atMost count: Int, room: Int64?) throws
    /// Notes that a record of a name was made: those of its versions that were deleted are ``RecordVersion/End/returned``.
    func noteReturn(ofRecordNamed name: String, in zone: Int64) throws
    /// Forgets the versions of a group that ended before a time in milliseconds, from the oldest on: as many as one write
    /// may do without keeping others waiting.
    ///
    /// - Returns: whether there are no more of them.
    func forgetVersions(of group: VersionGroup, endedBefore time: Int64) throws -> Bool
    /// Forgets all versions of a name in a zone, which are as many as a setting allows.
    func forgetVersions(ofRecordNamed name: String, in zone: Int64) throws

    /// Notes that a file exists, or that its upload was repeated: it is unused from now on, until a record is
    /// stored that refers to it.
    func noteAsset(_ content: AssetContent, at now: Int64) throws
    /// Notes since when the files that records let go of are unused, unless other records still hold them; at most so
    /// many, whose number is returned.
    func dateReleasedAssets(at now: Int64, limit: Int) throws -> Int
    /// Forgets a file, if nothing has referred to it since before a time.
    ///
    /// - Returns: whether it was forgotten.
    func removeAsset(_ digest: AssetDigest, unusedBefore time: Int64) throws -> Bool

    /// Adds an entry to the change log, whoever watches; its sequence number is the newest.
    func append(_ change: LoggedChange) throws
    /// Has the changes of a type in a database logged from the next commit on, and notes that this was asked for.
    func watch(_ type: Int64, in database: Int64, at now: Int64) throws -> ChangeWatch
    /// Ends the watches that have not been asked for since before a time in milliseconds and that no subscription needs.
    func deleteWatches(unusedSince time: Int64) throws
    /// Forgets the oldest logged changes from before a time, as many as one write may do without keeping others waiting;
    /// notes the time once all of them are gone. Both times are in milliseconds.
    ///
    /// - Returns: whether all of them are gone.
    func forgetChanges(before time: Int64, at now: Int64) throws -> Bool

    /// Keeps what became of a request, in the place of an earlier one with the same key.
    ///
    /// - Parameters:
    ///   - outcome: what to keep.
    ///   - room: how many bytes all that is kept may take, each counted with `Limits/keptOutcomeOverheadBytes`; the oldest
    ///     go first.
    func keep(_ outcome: IdempotencyRecord, room: Int64) throws
    /// Forgets what was kept before a time in milliseconds, from the oldest on; at most so many, whose number is
    /// returned.
    func forgetKeptOutcomes(before time: Int64, limit: Int) throws -> Int

    /// Notes what an operator did; of very many the oldest go (`Limits/auditEntries`).
    func insert(_ row: AuditRow) throws

    /// Stores a row of a described table: in the place of the one with its key, or where there must be none.
    func store(_ row: [TableValue], in table: TableShape, replacing: Bool) throws
    /// Gives columns of the rows of a described table that match other values.
    func update(
        _ table: TableShape, set values: [(column: String, value: TableValue)],
        where conditions: [TableCondition]) throws
    /// Forgets the rows of a described table that match.
    func remove(from table: TableShape, where conditions: [TableCondition]) throws
    /// Has others told of something once the write is committed.
    func announce(_ announcement: StoreAnnouncement) throws

    /// Stores rows of another store with the numbers that they have there, in the order of ``StoreSection``; the store
    /// must have been empty before the first.
    func restore(_ rows: [StoreRow]) throws
    /// Marks the store as one that a copy is being made into, or takes the mark away: as long as it is there, nobody
    /// can open the store.
    func markUnfinishedCopy(_ isUnfinished: Bool) throws
}

extension StoreWriter {
    /// Does nothing: where nothing is far away, nothing need be fetched in advance.
    ///
    /// - Throws: never; what an engine has in its place may.
    public func foresee(recordsNamed names: [String], in zone: Int64) throws {}

    /// Adds a field of a plain type to a type.
    ///
    /// - Throws: ``StorageError`` where it cannot be stored.
    public func addField(
        named name: String, type: FieldType, indexes: FieldIndexes, to recordType: RecordType, tenant: Tenant
    ) throws -> RecordType {
        try addField(
            FieldSchema(name: name, type: type, indexes: indexes, column: 0), to: recordType, tenant: tenant)
    }
}
