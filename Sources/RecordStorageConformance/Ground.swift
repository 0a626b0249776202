package import RecordModel
package import RecordStorage
import RecordWire
import TestSeeds

/// A zone and a record type to work in.
package struct Ground: Sendable {
    package var tenant: Tenant
    package var zone: ZoneRow
    package var type: RecordType

    package init(tenant: Tenant, zone: ZoneRow, type: RecordType) {
        self.tenant = tenant
        self.zone = zone
        self.type = type
    }

    package static func tenant(_ name: String = "iCloud.test", _ environment: CloudEnvironment = .development)
        throws
        -> Tenant
    {
        Tenant(container: try ContainerID(name), environment: environment)
    }

    /// Makes a zone, and a type with fields of the given kinds.
    package static func make(
        _ store: any RecordStore, zone: String = "Zone", type: String = "Note", owner: String? = "_alice",
        fields: [(String, FieldType)] = [("n", FieldType(.int64)), ("t", FieldType(.string))]
    ) async throws -> Ground {
        let tenant = try tenant()
        return try await store.write { store in
            let database = try store.makeDatabase(DatabaseID(tenant: tenant, owner: owner))
            let row = try store.zone(named: zone, in: database) ?? store.makeZone(named: zone, in: database)
            var recordType = try store.makeType(named: type, tenant: tenant)
            for (name, fieldType) in fields where recordType[name] == nil {
                recordType = try store.addField(
                    named: name, type: fieldType, indexes: .all(for: fieldType), to: recordType,
                    tenant: tenant)
            }
            return Ground(tenant: tenant, zone: row, type: recordType)
        }
    }

    /// A record's state; the body is JSON without its closing brace.
    package func record(
        _ name: String, _ fields: [String: FieldValue] = [:], sequence: Int64, parent: String? = nil,
        references: [(field: String, reference: Reference)] = []
    ) -> NewRecord {
        NewRecord(
            zone: zone, type: type, name: name, sequence: sequence, createdBy: "_alice", createdAt: 1,
            modifiedBy: "_bob", modifiedAt: sequence, parent: parent,
            fields: fields.compactMap { name, value in type[name].map { (field: $0, value: value) } },
            references: references, body: Array("{\"recordName\":\"\(name)\",\"sequence\":\(sequence)".utf8))
    }

    /// Stores a new record, or a newer state of it.
    package func save(_ name: String, _ fields: [String: FieldValue] = [:], in store: any StoreWriter) throws
    {
        let state = record(name, fields, sequence: try store.nextSequence())
        if let row = try store.record(named: name, in: zone.id) {
            try store.update(row, with: state)
        } else {
            try store.insert(state)
        }
    }

    /// Deletes a record that is there.
    package func delete(_ name: String, in store: any StoreWriter) throws {
        guard let row = try store.record(named: name, in: zone.id) else {
            throw TestFailure("\(name) is not there.")
        }
        try store.delete(row, in: zone, sequence: try store.nextSequence())
    }

    /// The names of the records that a scan finds, in its order.
    package func names(_ scan: RecordScan, in store: any StoreReader, room: Int = .max) throws -> (
        names: [String], outcome: ScanOutcome
    ) {
        var names: [String] = []
        let outcome = try store.scan(scan) { row in
            if names.count == room { return false }
            names.append(try JSONReader.read(Array(row.body) + [0x7D]).object?["recordName"]?.string ?? "?")
            return true
        }
        return (names, outcome)
    }

    /// A scan of the whole zone.
    package func scan(_ condition: Condition = .constant(true), sort: [SortKey] = [], limit: Int = 1_000)
        -> RecordScan
    {
        RecordScan(type: type, zones: [zone.id], condition: condition, sort: sort, limit: limit)
    }

    /// A field's column.
    package func column(_ name: String) throws -> Column {
        guard let field = type[name] else { throw TestFailure("\(name) is no field.") }
        return .field(field)
    }
}
