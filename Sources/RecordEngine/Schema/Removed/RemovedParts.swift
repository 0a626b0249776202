public import RecordModel
public import RecordStorage
import RecordWire

/// The types and fields of development that were deleted and can be brought back with their values.
public enum RemovedParts {
    /// What came of bringing something back.
    public struct Outcome: Hashable, Sendable {
        /// How many records have their values again.
        public var records = 0
        /// How many do not, since there is a record of that name or a value already, or the record is gone.
        public var passedOver = 0
        /// Why values could not be put back; they are still kept.
        public var refusals: [String] = []
    }

    /// What is kept in a tenant, what was deleted last first.
    ///
    /// - Throws: `StorageError` where the schema cannot be read.
    public static func all(of tenant: Tenant, reader: any StoreReader) throws -> [RemovedPart] {
        try reader.schema(of: tenant).types.values.compactMap(RemovedPart.init)
            .sorted { ($1.removedAt, $1.id) < ($0.removedAt, $0.id) }
    }

    /// The one that was deleted last of a title, or the one of an id.
    ///
    /// - Throws: `NOT_FOUND`; `StorageError`.
    public static func find(_ name: String, in tenant: Tenant, reader: any StoreReader) throws -> RemovedPart
    {
        guard
            let part = try all(of: tenant, reader: reader).first(where: {
                $0.title == name || "\($0.id)" == name
            })
        else {
            throw ServiceError(
                .notFound, "Nothing is kept of a type or field '\(name.prefix(64))'.",
                remedy: "'stratus schema removed' lists what was deleted and can be brought back.")
        }
        return part
    }

    /// Brings a type or a field back, and its values in small writes. What is there by now stays as it is. Zones that went with
    /// a reset are made again for the records that were in them.
    ///
    /// When it is interrupted, the same call goes on.
    /// - Parameters:
    ///   - name: the title, or the id.
    ///   - tenant: whose it was.
    ///   - store: where it is kept.
    /// - Throws: `NOT_FOUND`; `CONFLICT` where another definition is in its place; `StorageError`; `CancellationError`.
    public static func bringBack(
        _ name: String, in tenant: Tenant, store: any RecordStore
    ) async throws -> Outcome {
        let part = try await store.write { store in
            let part = try find(name, in: tenant, reader: store)
            try define(part, tenant, store)
            return part
        }
        // What an operator does is noted with the first write.
        return try await AuditedAction.$current.withValue(nil) { try await bringBack(part, tenant, store) }
    }

    private static func bringBack(
        _ part: RemovedPart, _ tenant: Tenant, _ store: any RecordStore
    ) async throws -> Outcome {
        var outcome = Outcome()
        let owners = try await store.read(.long) { try $0.databaseUsages(of: tenant, limit: .max) }.map(
            \.owner)
        for owner in Set(owners).union([nil]) {
            let database = DatabaseID(tenant: tenant, owner: owner)
            let zones = try await store.read(.long) { reader in
                try reader.database(database).map { try reader.zones(in: $0) } ?? []
            }
            for zone in zones { try await bringBack(part, database, zone, store, &outcome) }
        }
        if outcome.refusals.isEmpty {
            try await store.write { store in
                guard let hidden = try store.schema(of: tenant).types[part.hidden.name] else { return }
                try store.removeType(hidden, tenant: tenant)
            }
        }
        return outcome
    }

    /// Forgets a type or a field with its values; the room that they take is given back within the hour.
    ///
    /// - Throws: `NOT_FOUND`; `StorageError`.
    public static func purge(_ name: String, in tenant: Tenant, store: any RecordStore) async throws {
        try await store.write { store in
            let part = try find(name, in: tenant, reader: store)
            try store.removeType(part.hidden, tenant: tenant)
        }
    }

    /// Takes away what was kept for as long as it was to be, once its values are gone.
    static func sweep(_ tenants: [Tenant], now: Int64, store: any RecordStore) async throws {
        for tenant in tenants {
            let parts = try await store.read(.short) { try all(of: tenant, reader: $0) }
            for part in parts where part.endsAt <= now {
                try await store.write { try $0.removeType(part.hidden, tenant: tenant) }
            }
        }
    }

    private static func define(_ part: RemovedPart, _ tenant: Tenant, _ store: any StoreWriter) throws {
        let there = try store.schema(of: tenant).types[part.type]
        guard there != nil || part.field == nil else {
            throw ServiceError(
                .conflict, "There is no record type \(part.type) for the field \(part.title).",
                remedy: "Bring the type back first, or make it.")
        }
        var type = try there ?? store.makeType(named: part.type, tenant: tenant)
        for field in part.hidden.fields {
            if let other = type[field.name] {
                guard other.type == field.type, other.declaration == field.declaration else {
                    throw ServiceError(
                        .conflict,
                        "There is a field \(part.type).\(field.name) of another type by now, so its old values cannot come back.",
                        remedy: "Delete that field first; its values are kept as well.")
                }
                continue
            }
            type = try store.addField(
                FieldSchema(
                    name: field.name, type: field.type, indexes: field.indexes, column: 0,
                    declaration: field.declaration),
                to: type, tenant: tenant)
        }
        guard there == nil else { return }
        _ = try store.setAnnotations(
            systemIndexes: part.hidden.systemIndexes, grants: part.hidden.grants, of: type, tenant: tenant)
    }

    private static func bringBack(
        _ part: RemovedPart, _ database: DatabaseID, _ zone: ZoneRow, _ store: any RecordStore,
        _ outcome: inout Outcome
    ) async throws {
        // Most zones have nothing, and a write of each would take as long as a commit.
        let isKept = try await store.read(.short) { reader in
            try reader.keepsDeleted(ofType: part.hidden.id, in: zone.id)
        }
        guard isKept else { return }
        var place: Int64?
        repeat {
            try Task.checkCancellation()
            let (some, next) = try await store.write { [place] store in
                let versions = try store.deletedVersions(
                    ofType: part.hidden.id, in: zone.id, before: place, limit: RemovalWork.recordsPerWrite)
                var some = Outcome()
                for version in versions {
                    let refusal = try ReturnOfValues(part: part, database: database, zone: zone, store: store)
                        .run(version, &some)
                    guard refusal == nil else { continue }
                    try store.forgetVersions(ofRecordNamed: version.name, in: zone.id)
                }
                return (some, versions.last?.id)
            }
            place = next
            outcome.records += some.records
            outcome.passedOver += some.passedOver
            outcome.refusals += some.refusals
        } while place != nil
    }
}

/// Puts the values of one record back.
private struct ReturnOfValues {
    let part: RemovedPart
    let database: DatabaseID
    let zone: ZoneRow
    let store: any StoreWriter

    /// - Returns: why they could not be put back.
    func run(_ version: RecordVersion, _ outcome: inout RemovedParts.Outcome) throws -> String? {
        let kept = try Self.record(version.body)
        let own = RemovedPart.place(ofVersionNamed: version.name, part.hidden)?.zone
        let there = try own.map { try store.zone(named: $0, in: zone.database) } ?? zone
        guard let record = try merged(kept, in: there) else {
            outcome.passedOver += 1
            return nil
        }
        var result = IntakeOutcome()
        guard let zone = try there ?? own.flatMap({ try makeZone(named: $0) }) else {
            let sentence =
                "\(kept.recordName): the database has \(Limits.zonesPerDatabase) zones, so its zone cannot be made again."
            outcome.refusals.append(sentence)
            return sentence
        }
        let shares = try ShareKeeper(of: zone, in: database, store, now: record.modified.timestamp)
        var save = IntakeSave(store: store, database: database, zone: zone, shares: shares)
        try save.run(record, &result)
        try shares.finish()
        if let refusal = result.refusals.first {
            let sentence = "\(refusal.recordName): \(refusal.reason)"
            outcome.refusals.append(sentence)
            return sentence
        }
        outcome.records += 1
        return nil
    }

    /// The zone that went with a reset; nil where there are too many.
    private func makeZone(named name: String) throws -> ZoneRow? {
        guard try store.customZoneCount(in: zone.database) < Limits.zonesPerDatabase else { return nil }
        return try store.makeZone(named: name, in: zone.database)
    }

    /// The record as it is to be; nil where nothing is to be done.
    private func merged(_ kept: IncomingRecord, in zone: ZoneRow?) throws -> IncomingRecord? {
        let there = try zone.flatMap { try store.record(named: kept.recordName, in: $0.id) }
        guard let field = part.field else { return there == nil ? kept : nil }
        guard let there, let type = try store.schema(of: database.tenant).types[part.type],
            there.type == type.id
        else { return nil }
        var record = try Self.record(there.body)
        guard !record.fields.contains(where: { $0.name == field }) else { return nil }
        record.fields += kept.fields
        record.encrypted.formUnion(kept.encrypted)
        return record
    }

    private static func record(_ body: [UInt8]) throws -> IncomingRecord {
        guard let object = try JSONReader.read(body + [UInt8(ascii: "}")]).object else {
            throw StorageError.engine("A kept record's body is not an object.")
        }
        return try IncomingRecord(json: object)
    }
}
