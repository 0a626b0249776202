import Crypto
import RecordModel
import RecordStorage
import RecordWire

/// Writes to a store in which encrypted fields lie sealed: bodies go in sealed.
final class SealedWriter: SealedReader, StoreWriter {
    let writer: any StoreWriter

    init(_ writer: any StoreWriter, _ keys: SealingKeys) {
        self.writer = writer
        super.init(writer, keys)
    }

    /// The seal of a database, whose key is made where it has none.
    private func makeSeal(of database: Int64) throws -> DatabaseSeal {
        if let seal = try seal(of: database) { return seal }
        guard let row = try writer.keyedDatabase(numbered: database) else {
            throw StorageError.engine("A record is in a database that is missing.")
        }
        let master = try keys.masterKey()
        // A key of another database tells a wrong master key before anything is wrapped by it.
        if let other = try writer.keyedDatabases(after: 0, limit: 1).first, let wrapped = other.key,
            !master.isWrappedHere(wrapped)
        {
            throw SealingError.wrongKey(theirs: MasterKey.name(in: wrapped), ours: master.name)
        }
        let key = SymmetricKey(data: keys.random(32))
        try writer.store(databaseKey: master.wrap(key, of: row.id, nonce: keys.random(12)), of: database)
        let seal = DatabaseSeal(database: row.id, key: key, random: keys.random)
        remember(seal, of: database)
        return seal
    }

    private func sealed(_ body: [UInt8], database: Int64, zone: String, name: String) throws -> [UInt8] {
        guard RecordBody.hasEncryptedFields(body), !RecordBody.isSealed(body) else { return body }
        return try makeSeal(of: database).sealed(body, zone: zone, name: name)
    }

    /// A row whose body, which the change log may keep, is sealed again.
    private func sealed(_ row: RecordRow, in zone: ZoneRow) throws -> RecordRow {
        var row = row
        row.body = try sealed(row.body, database: zone.database, zone: zone.name, name: row.name)
        return row
    }

    private func sealed(_ record: NewRecord) throws -> NewRecord {
        var record = record
        record.body = try sealed(
            record.body, database: record.zone.database, zone: record.zone.name, name: record.name)
        return record
    }

    // MARK: What has bodies

    func insert(_ record: NewRecord) throws { try writer.insert(sealed(record)) }

    func update(_ row: RecordRow, with record: NewRecord) throws {
        try writer.update(sealed(row, in: record.zone), with: sealed(record))
    }

    func retag(_ row: RecordRow, in zone: ZoneRow, sequence: Int64, body: [UInt8]) throws {
        try writer.retag(
            sealed(row, in: zone), in: zone, sequence: sequence,
            body: sealed(body, database: zone.database, zone: zone.name, name: row.name))
    }

    func delete(_ row: RecordRow, in zone: ZoneRow, sequence: Int64) throws {
        try writer.delete(sealed(row, in: zone), in: zone, sequence: sequence)
    }

    func keep(_ version: RecordVersion, atMost count: Int, room: Int64?) throws {
        var version = version
        if RecordBody.hasEncryptedFields(version.body) {
            guard let zone = try writer.zone(numbered: version.zone) else {
                throw StorageError.engine("A version is of a zone that is missing.")
            }
            let body = try sealed(
                version.body, database: zone.database, zone: zone.name, name: version.name)
            version.bytes += Int64(body.count - version.body.count)
            version.body = body
        }
        try writer.keep(version, atMost: count, room: room)
    }
}
