import RecordModel
import RecordStorage
import RecordStorageConformance
import RecordWire
import TestSupport

/// What a store says of its records, without the numbers of changes: those of tombstones depend on when they are made.
struct BackgroundAnswers {
    let tenant: Tenant

    private static let names = (0..<14).map { "r\($0)" }

    func lines(_ store: any RecordStore, fillingBy other: any RecordStore) async throws -> [String] {
        let filling = Set(
            other.schema(of: tenant).types.values.flatMap { type in
                type.fields.filter(\.isBeingFilled).map { "\(type.name).\($0.name)" }
            })
        return try await store.read(.long) { store in
            var lines: [String] = []
            let types = try store.schema(of: tenant).types.values.sorted { $0.name < $1.name }
            for owner in [nil, "_alice"] as [String?] {
                guard let database = try store.database(DatabaseID(tenant: tenant, owner: owner)) else {
                    continue
                }
                let zones = try store.zones(in: database)
                lines.append("zones \(zones.map(\.name)), custom \(try store.customZoneCount(in: database))")
                for zone in zones { try append(zone, types, store, &lines) }
                for type in types { try append(type, zones, filling, store, &lines) }
            }
            for type in types {
                let count = try store.recordCount(of: type)
                lines.append("records of \(type.name): \(count), any: \(try store.hasRecords(of: type))")
            }
            for byte in 0..<5 as Range<UInt8> {
                let uses = try store.assetUses(of: StoreWalk.digest(byte), in: tenant, limit: 99)
                    .filter { use in try isThere(use, store) }
                lines.append(
                    "uses of \(byte): \(uses.map { "\($0.zoneName)/\($0.recordName).\($0.field)" }.sorted())")
            }
            return lines
        }
    }

    /// Whether the record that uses a file is there for readers: uses of removed types may be listed a while longer.
    private func isThere(_ use: AssetUse, _ store: any StoreReader) throws -> Bool {
        guard let database = try store.database(DatabaseID(tenant: tenant, owner: use.owner)),
            let zone = try store.zone(named: use.zoneName, in: database),
            let row = try store.record(named: use.recordName, in: zone.id)
        else { return false }
        let type = try store.schema(of: tenant).types.values.first { $0.id == row.type }
        return type?[use.field] != nil
    }

    private func append(
        _ zone: ZoneRow, _ types: [RecordType], _ store: any StoreReader, _ lines: inout [String]
    ) throws {
        for name in Self.names {
            let row = try store.record(named: name, in: zone.id)
            let type = row.flatMap { row in types.first { $0.id == row.type }?.name } ?? "-"
            lines.append("\(zone.name)/\(name) \(type) \(try fields(row?.body))")
            var seen = false
            let found = try store.body(ofRecordNamed: name, in: zone.id) { body in
                seen = true
                if let row, Array(body) != row.body { throw TestFailure("\(name) has two bodies.") }
            }
            lines.append("\(found) \(seen)")
            let referrers = try store.referrers(to: name, in: zone.id, limit: 99)
            lines.append("referrers \(referrers.map { "\($0.name).\($0.field) \($0.action)" }.sorted())")
            let count = try store.referenceCount(to: name, in: zone.id, action: .validate, besides: "r1")
            lines.append("count \(count)")
        }
        guard zone.isTracked else { return }
        var feed: [String] = []
        try store.changes(ChangeFeed(zone: zone.id, after: 0, limit: 999)) { row in
            feed.append("\(row.name) \(try fields(row.body.map { Array($0) }))")
            return true
        }
        lines.append("feed of \(zone.name): \(feed.sorted())")
    }

    private func append(
        _ type: RecordType, _ zones: [ZoneRow], _ filling: Set<String>, _ store: any StoreReader,
        _ lines: inout [String]
    ) throws {
        for field in type.fields
        where !field.indexes.isEmpty && !field.type.isList && field.type.scalar != .location
            && field.type.canBeQueried && !filling.contains("\(type.name).\(field.name)")
        {
            for ascending in [true, false] {
                for zone in zones {
                    var rows: [String] = []
                    let scan = RecordScan(
                        type: type, zones: [zone.id], condition: .constant(true),
                        sort: [SortKey(.column(.field(field)), ascending: ascending)], limit: 999)
                    _ = try store.scan(scan) { row in
                        rows.append(try fields(Array(row.body)))
                        return true
                    }
                    lines.append("\(type.name) by \(field.name) in \(zone.name): \(rows)")
                    lines.append("\(try store.count(scan))")
                }
            }
        }
    }

    private func fields(_ body: [UInt8]?) throws -> String {
        guard let body else { return "-" }
        return try RecordBody.fields(of: body).map { "\($0.name)=\($0.value)" }.sorted().joined(
            separator: " ")
    }
}
