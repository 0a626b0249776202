import RecordModel
import RecordStorage
import RecordWire
import SchemaLanguage

/// Keeps the values of types and fields that are about to be deleted.
///
/// What is there is kept in small writes beforehand; the write that deletes looks at all records of the type again, and
/// keeps what was changed since. So nothing is missed, and where there are few records there is just that one write.
/// Only development loses types and fields.
struct RemovalWork {
    let store: any RecordStore
    let tenant: Tenant
    let keeping: RemovalKeeping
    /// Whether custom zones go, too: then the default zone of their database keeps what they had.
    var isReset = false
    /// When the deletion was asked for: a part of the hidden types' names.
    let time: Int64

    /// What was kept beforehand: the change tag's number of each record that was looked at, by the record's number.
    typealias Prepared = [RemovalTarget: [Int64: Int64]]

    /// Fewer records than this are kept by the write that deletes.
    private static let fewRecords = 500
    static let recordsPerWrite = 100

    init(
        _ store: any RecordStore, _ tenant: Tenant, _ keeping: RemovalKeeping, isReset: Bool = false
    ) {
        self.store = store
        self.tenant = tenant
        self.keeping = keeping
        self.isReset = isReset
        time = keeping.now()
    }

    /// Keeps most of what the changes will take away.
    ///
    /// - Throws: `StorageError`; `CancellationError` between two writes.
    func prepare(_ changes: [SchemaDiff.Change]) async throws -> Prepared {
        // What an operator does is noted with the write that deletes.
        try await AuditedAction.$current.withValue(nil) { try await keep(changes) }
    }

    private func keep(_ changes: [SchemaDiff.Change]) async throws -> Prepared {
        let targets = keeping.days > 0 ? changes.compactMap(RemovalTarget.init) : []
        if isReset { try await moveEarlierParts() }
        // What the write that deletes keeps of all of them is no more than what it keeps of one.
        let records = try await store.read(.long) { [tenant] reader in
            let types = try reader.schema(of: tenant).types
            return try targets.reduce(0) {
                try $0 + (types[$1.type].map { try reader.recordCount(of: $0) } ?? 0)
            }
        }
        guard records > Self.fewRecords else { return [:] }
        var prepared: Prepared = [:]
        for target in targets { prepared[target] = try await prepare(target) }
        return prepared
    }

    private func prepare(_ target: RemovalTarget) async throws -> [Int64: Int64] {
        var kept: [Int64: Int64] = [:]
        let places = try await store.read(.long) { [tenant] reader in
            try reader.databases(of: tenant).flatMap { try reader.zones(in: $0) }
        }
        for zone in places {
            var position: ScanCursor?
            repeat {
                try Task.checkCancellation()
                let (names, next) = try await store.read(.long) {
                    [tenant, position] reader -> ([String], ScanCursor?) in
                    guard let type = try reader.schema(of: tenant).types[target.type] else {
                        return ([], nil)
                    }
                    return try Self.names(type, zone, after: position, in: reader)
                }
                position = next
                guard !names.isEmpty else { continue }
                let seen = try await store.write { [tenant, time, keeping, isReset] store in
                    let writer = try RemovalWriter(target, tenant, time, keeping, store, isReset: isReset)
                    return try names.compactMap { try writer?.keep(recordNamed: $0, in: zone) }
                }
                for one in seen { kept[one.record] = one.sequence }
            } while position != nil
        }
        return kept
    }

    /// Keeps the rest, in the write that deletes and before it does.
    func finish(
        _ changes: [SchemaDiff.Change], _ prepared: Prepared, in store: any StoreWriter
    ) throws {
        for target in changes.compactMap(RemovalTarget.init) where keeping.days > 0 {
            guard let type = try store.schema(of: tenant).types[target.type],
                try store.hasRecords(of: type),
                let writer = try RemovalWriter(target, tenant, time, keeping, store, isReset: isReset)
            else { continue }
            var hasAny = false
            let known = prepared[target] ?? [:]
            for database in try store.databases(of: tenant) {
                for zone in try store.zones(in: database) {
                    hasAny = try writer.keepRest(of: zone, but: known) || hasAny
                }
            }
            if !hasAny { try store.removeType(writer.hidden, tenant: tenant) }
        }
    }

    /// The names of some records.
    static func names(
        _ type: RecordType, _ zone: ZoneRow, after position: ScanCursor?, in reader: any StoreReader
    ) throws -> ([String], ScanCursor?) {
        var names: [String] = []
        let scan = RecordScan(
            type: type, zones: [zone.id], condition: .constant(true), sort: [], after: position,
            limit: recordsPerWrite, mayMakeIndex: false)
        let outcome = try reader.scan(scan) { row in
            names.append(try RecordBody.name(of: row.body))
            return true
        }
        return (names, outcome.next)
    }
}

/// Keeps the values of one type or field in a write.
struct RemovalWriter {
    let target: RemovalTarget
    let type: RecordType
    private(set) var hidden: RecordType
    let time: Int64
    let store: any StoreWriter
    private let isReset: Bool

    /// Makes what keeps the values, unless that is there; nil where what is deleted is not there any more.
    ///
    /// - Throws: `QUOTA_EXCEEDED` where too much of that kind is kept already.
    init?(
        _ target: RemovalTarget, _ tenant: Tenant, _ time: Int64, _ keeping: RemovalKeeping,
        _ store: any StoreWriter, isReset: Bool
    ) throws {
        self.target = target
        self.isReset = isReset
        self.time = time
        self.store = store
        let schema = try store.schema(of: tenant)
        guard let type = schema.types[target.type] else { return nil }
        self.type = type
        let name = RemovedPart.hiddenName(target, at: time)
        if let there = schema.types[name] {
            hidden = there
            return
        }
        let fields = target.field.map { type[$0].map { [$0] } ?? [] } ?? type.fields
        guard !fields.isEmpty || target.field == nil else { return nil }
        guard schema.types.values.count(where: \.isHidden) < Limits.typesPerTenant else {
            throw ServiceError(
                exceeding: "typesPerTenant",
                "\(Limits.typesPerTenant) types and fields that were deleted are kept with their values, the most allowed.",
                remedy: "Remove one for good first: stratus schema removed, then stratus schema purge NAME")
        }
        var made = try store.makeType(named: name, tenant: tenant)
        for field in fields {
            made = try store.addField(
                FieldSchema(
                    name: field.name, type: field.type, indexes: field.indexes, column: 0,
                    declaration: field.declaration),
                to: made, tenant: tenant)
        }
        if target.field == nil {
            made = try store.setAnnotations(
                systemIndexes: type.systemIndexes, grants: type.grants, of: made, tenant: tenant)
        }
        let days = min(keeping.days, Limits.versionDays)
        hidden = try store.setKeeping(VersionKeeping(count: 1, days: days), of: made, tenant: tenant)
    }

    /// Keeps what a record has.
    ///
    /// - Returns: which record was looked at, and its state; nil where it is not there any more.
    func keep(recordNamed name: String, in zone: ZoneRow) throws -> (record: Int64, sequence: Int64)? {
        guard let row = try store.record(named: name, in: zone.id), row.type == type.id else { return nil }
        var fields = try RecordBody.fields(of: row.body)
        var body = row.body
        if let field = target.field {
            fields = fields.filter { $0.name == field }
            guard !fields.isEmpty else { return (row.id, row.sequence) }
            body = try Self.body(row.body, withOnly: field)
        }
        var version = RecordVersion(
            id: try store.nextSequence(), sequence: row.sequence, database: zone.database,
            zone: try home(of: zone).id, type: hidden.id, record: row.id,
            name: RemovedPart.versionName(hidden, record: name, zone: moves(zone) ? zone.name : nil),
            end: .deleted,
            endedBy: Caller.administratorRecordName, endedAt: time, createdBy: row.createdBy,
            createdAt: row.createdAt, bytes: 0, body: body)
        version.countFiles(of: fields)
        try store.keep(version, atMost: 1, room: nil)
        return (row.id, row.sequence)
    }

    /// Keeps what was made or changed since it was kept beforehand.
    ///
    /// - Returns: whether the zone has anything that is kept.
    func keepRest(of zone: ZoneRow, but known: [Int64: Int64]) throws -> Bool {
        var position: ScanCursor?
        repeat {
            var stale: [String] = []
            let scan = RecordScan(
                type: type, zones: [zone.id], condition: .constant(true), sort: [], after: position,
                limit: RemovalWork.recordsPerWrite, mayMakeIndex: false)
            let outcome = try store.scan(scan) { row in
                if let sequence = known[row.id],
                    try JSONReader.read(Array(row.body) + [UInt8(ascii: "}")]).object?["recordChangeTag"]?
                        .string.flatMap(ChangeTag.sequence) == sequence
                {
                    return true
                }
                stale.append(try RecordBody.name(of: row.body))
                return true
            }
            for name in stale { _ = try keep(recordNamed: name, in: zone) }
            position = outcome.next
        } while position != nil
        return try store.keepsDeleted(ofType: hidden.id, in: home(of: zone).id)
    }

    /// Where what a zone has is kept.
    private func home(of zone: ZoneRow) throws -> ZoneRow {
        guard moves(zone) else { return zone }
        return try store.defaultZone(of: zone.database)
    }

    private func moves(_ zone: ZoneRow) -> Bool { isReset && zone.isTracked }

    private static func body(_ body: [UInt8], withOnly field: String) throws -> [UInt8] {
        guard let object = try JSONReader.read(body + [UInt8(ascii: "}")]).object else {
            throw StorageError.engine("A record's body is not an object.")
        }
        var record = try IncomingRecord(json: object)
        record.fields = record.fields.filter { $0.name == field }
        record.encrypted.formIntersection([field])
        return record.json(isSorted: false).dropLast()
    }
}
