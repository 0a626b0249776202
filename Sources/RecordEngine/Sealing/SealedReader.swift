import RecordModel
import RecordStorage
import RecordWire

/// Reads a store in which encrypted fields lie sealed: bodies come out opened.
///
/// Used by one thread, as the reader beneath. What it has learnt of zones and keys holds for the one moment that is read.
class SealedReader: StoreReader {
    let base: any StoreReader
    let keys: SealingKeys
    private var zones: [Int64: ZoneRow] = [:]
    private var seals: [Int64: DatabaseSeal] = [:]

    init(_ base: any StoreReader, _ keys: SealingKeys) {
        self.base = base
        self.keys = keys
    }

    // MARK: Keys

    /// The seal of a database; nil where it has no key.
    final func seal(of database: Int64) throws -> DatabaseSeal? {
        if let known = seals[database] { return known }
        guard let row = try base.keyedDatabase(numbered: database), let wrapped = row.key else { return nil }
        let seal = DatabaseSeal(
            database: row.id, key: try keys.masterKey().unwrap(wrapped, of: row.id), random: keys.random)
        seals[database] = seal
        return seal
    }

    final func remember(_ seal: DatabaseSeal, of database: Int64) { seals[database] = seal }

    private func zoneRow(_ number: Int64) throws -> ZoneRow {
        if let known = zones[number] { return known }
        guard let zone = try base.zone(numbered: number) else {
            throw StorageError.engine("A record is in a zone that is missing.")
        }
        zones[number] = zone
        return zone
    }

    // MARK: Opening

    private func opened(_ body: [UInt8], zone: Int64, name: String) throws -> [UInt8] {
        guard RecordBody.isSealed(body) else { return body }
        let row = try zoneRow(zone)
        return try opened(body, database: row.database, zone: row.name, name: name)
    }

    private func opened(_ body: [UInt8], database: Int64, zone: String, name: String) throws -> [UInt8] {
        guard let seal = try seal(of: database) else {
            // Without its last sealed field there is nothing to open, and a copied body has no key here.
            return try RecordBody.opening(body) { field, _ in
                throw SealingError.damaged("The field '\(field.prefix(64))' of a record")
            }
        }
        return try seal.opened(body, zone: zone, name: name)
    }

    private func opened(_ version: RecordVersion) throws -> RecordVersion {
        var version = version
        version.body = try opened(version.body, zone: version.zone, name: version.name)
        return version
    }

    /// A logged change without those encrypted fields that do not open: the log is of everybody, so one database's trouble
    /// must not keep others from hearing of theirs. A body that is damaged stays as it lies, for those alone who want it.
    private func opened(_ change: LoggedChange) throws -> LoggedChange {
        func part(_ body: [UInt8]?) throws -> [UInt8]? {
            guard let body, RecordBody.isSealed(body) else { return body }
            do {
                do {
                    return try opened(
                        body, database: change.database, zone: change.zoneName, name: change.name)
                } catch is SealingError { return try RecordBody.opening(body) { _, _ in nil } }
            } catch is JSONError { return body }
        }
        var change = change
        change.before = try part(change.before)
        change.after = try part(change.after)
        return change
    }

    // MARK: What has bodies

    func record(named name: String, in zone: Int64) throws -> RecordRow? {
        guard var row = try base.record(named: name, in: zone) else { return nil }
        if RecordBody.isSealed(row.body) { row.body = try opened(row.body, zone: zone, name: name) }
        return row
    }

    func body(
        ofRecordNamed name: String, in zone: Int64, _ visit: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Bool {
        try base.body(ofRecordNamed: name, in: zone) { body in
            guard RecordBody.isSealed(body) else { return try visit(body) }
            try opened(Array(body), zone: zone, name: name).withUnsafeBytes(visit)
        }
    }

    func scan(_ scan: RecordScan, _ visit: (borrowing ScanRow) throws -> Bool) throws -> ScanOutcome {
        guard scan.type.hasEncryptedFields else { return try base.scan(scan, visit) }
        var scan = scan
        scan.readsNames = true
        return try base.scan(scan) { row in
            guard RecordBody.isSealed(row.body) else { return try visit(row) }
            let (zone, id, name) = (row.zone, row.id, row.name)
            return try opened(Array(row.body), zone: zone, name: name ?? "").withUnsafeBytes {
                try visit(ScanRow(body: $0, zone: zone, id: id, name: name))
            }
        }
    }

    func changes(_ feed: ChangeFeed, _ visit: (borrowing ChangeRow) throws -> Bool) throws {
        try base.changes(feed) { change in
            guard let body = change.body, RecordBody.isSealed(body) else { return try visit(change) }
            let (sequence, name, type) = (change.sequence, change.name, change.type)
            return try opened(Array(body), zone: feed.zone, name: name).withUnsafeBytes {
                try visit(ChangeRow(sequence: sequence, name: name, type: type, body: $0))
            }
        }
    }

    func versions(
        ofRecordNamed name: String, in zone: Int64, before id: Int64?, limit: Int
    ) throws -> [RecordVersion] {
        try base.versions(ofRecordNamed: name, in: zone, before: id, limit: limit).map(opened)
    }

    func version(_ sequence: Int64, ofRecordNamed name: String, in zone: Int64) throws -> RecordVersion? {
        try base.version(sequence, ofRecordNamed: name, in: zone).map(opened)
    }

    func deletedVersions(
        ofType type: Int64, in zone: Int64, before id: Int64?, limit: Int
    ) throws -> [RecordVersion] {
        try base.deletedVersions(ofType: type, in: zone, before: id, limit: limit).map(opened)
    }

    func loggedChanges(after sequence: Int64, in database: Int64?, limit: Int) throws -> [LoggedChange] {
        try base.loggedChanges(after: sequence, in: database, limit: limit).map(opened)
    }

    func loggedChanges(named name: String, in database: Int64, limit: Int) throws -> [LoggedChange] {
        try base.loggedChanges(named: name, in: database, limit: limit).map(opened)
    }
}
