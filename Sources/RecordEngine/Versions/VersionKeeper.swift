import RecordModel
import RecordStorage
import RecordWire

/// Keeps the states of records that a write ends, in that write.
struct VersionKeeper {
    let store: any StoreWriter
    /// Who ends them, and when in milliseconds since 1970.
    let user: String
    let now: Int64
    /// What all versions of the database may take in bytes; nil for any number.
    let room: Int64?

    /// Keeps for an operator's command.
    init(store: any StoreWriter, now: Int64) {
        self.store = store
        self.now = now
        user = Caller.administratorRecordName
        room = nil
    }

    /// Keeps for a request.
    ///
    /// Versions may take as much room as the quota of the database gives its records, besides these: nobody sees them in
    /// what is counted for a quota, and nobody fills the disk with them.
    init(store: any StoreWriter, context: CallContext, quotas: StorageQuotas?) {
        self.store = store
        now = context.now
        user = context.caller.userRecordName
        let isPublic = context.database.owner == nil
        room = [isPublic ? nil : quotas?.perUser, quotas?.perContainer].compactMap(\.self).min()
    }

    /// Keeps the state that a record is about to lose, where its type keeps any.
    func keep(replaced row: RecordRow, by record: NewRecord) throws {
        try keep(
            row, of: record.type, in: record.zone, sequence: record.sequence, end: .replaced,
            heldOn: Set(record.assets.map(\.digest)))
    }

    /// Keeps the last state of a record that is about to go, where its type keeps any.
    func keep(deleted row: RecordRow, of type: RecordType, in zone: ZoneRow, sequence: Int64) throws {
        guard type.keeping != nil else { return }
        var row = row
        if row.body.isEmpty, let whole = try store.record(named: row.name, in: row.zone) { row = whole }
        try keep(row, of: type, in: zone, sequence: sequence, end: .deleted, heldOn: [])
    }

    private func keep(
        _ row: RecordRow, of type: RecordType, in zone: ZoneRow, sequence: Int64, end: RecordVersion.End,
        heldOn: Set<AssetDigest>
    ) throws {
        guard let keeping = type.keeping else { return }
        let files = type.hasAssets ? AssetFields.contents(of: try RecordBody.fields(of: row.body)) : [:]
        let released = files.filter { !heldOn.contains($0.key) }.values.reduce(0, +)
        let version = RecordVersion(
            of: row, in: zone, endedBy: (user, now), sequence: sequence,
            end: end, assets: Set(files.keys), releasedBytes: released)
        try store.keep(version, atMost: keeping.count, room: room)
    }
}

/// Who may see what a record was.
struct VersionRights {
    let rights: AccessRights
    let schema: Schema

    /// Whether the caller may see a version. A version of an existing record needs the right to read that record now. What was deleted
    /// was taken from its readers, so it is there for those alone who may change it.
    func mayRead(_ version: RecordVersion, now record: RecordRow?) throws -> Bool {
        if rights.isUnlimited { return true }
        // What a record was before it was shared is its owner's.
        guard !rights.areShared, let type = schema.type(numbered: version.type),
            rights.may(.read, recordOf: type, madeBy: version.createdBy)
        else { return false }
        return version.record == record?.id
            || rights.may(.write, recordOf: type, madeBy: version.createdBy)
    }
}

extension ServiceError {
    /// No version of a tag, or one that is not the caller's to see.
    static let versionNotFound = ServiceError(
        .notFound, "The service keeps no such version of the record.",
        remedy: "'records/versions' lists those that are kept.")
}
