import RecordModel
import RecordStorage
import RecordWire

/// What one write does with records of others that name a user who is gone: public ones, and those of zones that others shared with
/// the user.
///
/// In a zone of somebody else's nothing goes, whatever the container's rule for public records: what the user wrote there is part
/// of the owner's data and counts for the owner, and other records may be below it. It names nobody any more.
struct TraceErasure {
    let store: any StoreWriter
    /// The public database, or that of whoever shared.
    let database: DatabaseID
    let zone: ZoneRow
    let row: ErasureRow
    /// What keeps in step what the zone shares; nil where nothing can be shared.
    var shares: ShareKeeper?

    /// Removes a record, or takes the user's name out of it; the record may be another one meanwhile.
    ///
    /// A record that goes takes along what refers to it with DELETE_SELF, as if the user had deleted it. One that others
    /// protect with VALIDATE stays, without the user's name.
    ///
    /// - Throws: `StorageError` where the store cannot be read or written.
    func treat(_ name: String, _ report: inout Erasures.Report) throws {
        // What goes need not be opened.
        let base = SealedStore.base(of: store)
        guard let stored = try base.record(named: name, in: zone.id) else { return }
        // What the record was names the user, too.
        try store.forgetVersions(ofRecordNamed: name, in: zone.id)
        if name == row.user, database.owner == nil {
            // The user's own record of type Users.
            try base.delete(stored, in: zone, sequence: try store.nextSequence())
            report.removed += 1
            return
        }
        let mayGo = database.owner == nil && row.publicRecords == .remove
        if stored.createdBy == row.user, mayGo, try remove(stored, base) {
            report.removed += 1
            return
        }
        try takeOutName(ofRecordNamed: name, &report)
    }

    /// - Returns: false where something holds the record back.
    private func remove(_ stored: RecordRow, _ store: any StoreWriter) throws -> Bool {
        let rights = AccessRights(of: .anonymous, roles: [], in: database)
        var deletions = Deletions(
            zone: zone, store: store, rights: rights, schema: try store.schema(of: row.tenant))
        do {
            try deletions.add(stored, for: 0)
            try deletions.run()
            return deletions.refusals.isEmpty
        } catch is ServiceError {
            // A deletion that is refused has changed nothing.
            return false
        }
    }

    private func takeOutName(ofRecordNamed name: String, _ report: inout Erasures.Report) throws {
        guard var record = try readable(name) else {
            report.refused += 1
            return
        }
        let isNamed = [record.created, record.modified].contains { $0.userRecordName == row.user }
        guard isNamed else { return }
        record.created = unnamed(record.created)
        record.modified = unnamed(record.modified)
        var save = IntakeSave(store: store, database: database, zone: zone, shares: shares)
        var outcome = IntakeOutcome()
        try save.run(record, &outcome)
        report.unnamed += outcome.saved
        report.refused += outcome.refusals.count
    }

    /// A record as it is stored; nil where its body is damaged, or sealed by a key that is lost.
    private func readable(_ name: String) throws -> IncomingRecord? {
        do {
            let body = try store.record(named: name, in: zone.id)?.body ?? []
            return try JSONReader.read(body + [UInt8(ascii: "}")]).object.map { try IncomingRecord(json: $0) }
        } catch is JSONError {
            return nil
        } catch is SealingError {
            return nil
        }
    }

    /// A stamp of the user as nobody's: neither who nor from which device.
    private func unnamed(_ stamp: RecordStamp) -> RecordStamp {
        guard stamp.userRecordName == row.user else { return stamp }
        return RecordStamp(
            timestamp: stamp.timestamp, userRecordName: Erasures.nobody, deviceID: RecordStamp.webDeviceID)
    }
}
