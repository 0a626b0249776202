package import RecordModel
package import RecordStorage
import RecordWire
package import TestSeeds

/// One step of a random history, and the questions after it. What is chosen depends on the seed and on what the store
/// answers, so two stores that answer alike live through the same.
package struct StoreHistory: Sendable {
    package let tenant: Tenant
    package let random: Random
    /// Whether fields that hold files may go.
    package var removesFileFields = false

    package init(tenant: Tenant, random: Random, removesFileFields: Bool = false) {
        self.tenant = tenant
        self.random = random
        self.removesFileFields = removesFileFields
    }

    private static let zones = ["_defaultZone", "A", "B", "C"]
    private static let names = (0..<14).map { "r\($0)" }
    private static let digests = (0..<5).map { UInt8($0) }

    private struct Refusal: Error {}

    /// Does something, or begins it and gives up.
    ///
    /// - Returns: what it was, and how it ended.
    package func step(_ store: any RecordStore) async throws -> String {
        do {
            return try await store.write { store in
                var walk = StoreWalk(
                    store: store, tenant: tenant, random: random, removesFileFields: removesFileFields)
                var told: [String] = []
                for _ in 0..<walk.random.int(1...6) { told.append(try walk.step()) }
                if walk.random.oneIn(8) { throw Refusal() }
                return told.joined(separator: ", ")
            }
        } catch is Refusal {
            return "given up"
        }
    }

    /// All that can be asked, as lines.
    package func answers(_ store: any RecordStore) async throws -> [String] {
        try await store.read(.long) { store in
            var lines: [String] = ["\(try store.tenants())", "last \(try store.lastSequence())"]
            let schema = try store.schema(of: tenant)
            for name in schema.types.keys.sorted() {
                lines.append("type \(schema.types[name]?.description ?? "")")
            }
            for owner in [nil, "_alice"] as [String?] {
                guard let database = try store.database(DatabaseID(tenant: tenant, owner: owner)) else {
                    lines.append("no database \(owner ?? "public")")
                    continue
                }
                try append(database: database, schema, store, &lines)
            }
            for digest in Self.digests {
                let digest = StoreWalk.digest(digest)
                lines.append("asset \(String(describing: try store.asset(digest)))")
                lines.append(
                    "uses \(try store.assetUses(of: digest, in: tenant, limit: 99).map(\.line).sorted())")
            }
            lines.append("usage \(try store.assetUsage(of: tenant))")
            lines.append("files \(try store.assets(of: tenant, after: nil, limit: 3).map(\.uses))")
            lines.append("unused \(try store.assets(unusedBefore: 60, limit: 99).map(\.hex).sorted())")
            return lines
        }
    }

    /// What is counted, which engines that count in the background have right once that is done.
    package func usage(_ store: any RecordStore) async throws -> [String] {
        try await store.read(.long) { store in
            let databases = try store.databaseUsages(of: tenant, limit: 99)
                .sorted { ($0.owner ?? "") < ($1.owner ?? "") }
            let parts = try databases.compactMap {
                try store.database(DatabaseID(tenant: tenant, owner: $0.owner))
            }
            .map { try store.usage(of: $0) }
            let versions = try databases.compactMap {
                try store.database(DatabaseID(tenant: tenant, owner: $0.owner))
            }
            .map { try store.versionUsage(of: $0) }
            return versions.map { "\($0)" } + databases.map { "\($0)" } + parts.map { "\($0)" } + [
                "\(try store.usage(of: tenant))"
            ]
        }
    }

    private func append(
        database: Int64, _ schema: Schema, _ store: any StoreReader, _ lines: inout [String]
    ) throws {
        let zones = try store.zones(in: database)
        lines.append("zones \(zones.map { "\($0.name) \($0.sequence) \($0.isDeleted)" })")
        let after = max(0, try store.lastSequence() - 40)
        let changed = try store.zones(in: database, changedAfter: after, limit: 50)
        lines.append("changed \(changed.map { "\($0.name) \($0.sequence) \($0.isDeleted)" })")
        for zone in zones {
            for name in Self.names {
                let row = try store.record(named: name, in: zone.id)
                lines.append(
                    "\(zone.name)/\(name) \(row?.sequence ?? 0) \(row?.createdBy ?? "") \(text(row?.body))")
                lines.append(
                    "referrers \(try store.referrers(to: name, in: zone.id, limit: 99).map(\.line).sorted())")
                lines.append(
                    "count \(try store.referenceCount(to: name, in: zone.id, action: .validate, besides: "r1"))"
                )
            }
            for name in Self.names {
                let kept = try store.versions(ofRecordNamed: name, in: zone.id, before: nil, limit: 9)
                lines.append("versions \(kept.map(\.line))")
                if let last = kept.last {
                    let found = try store.version(last.sequence, ofRecordNamed: name, in: zone.id)
                    lines.append("the oldest \(found?.line ?? "-")")
                }
            }
            for type in schema.types.values.sorted(by: { $0.name < $1.name }) {
                let bin = try store.deletedVersions(ofType: type.id, in: zone.id, before: nil, limit: 3)
                let rest = try store.deletedVersions(
                    ofType: type.id, in: zone.id, before: bin.last?.id, limit: 3)
                lines.append("bin of \(type.name) \(bin.map(\.line)) \(rest.map(\.line))")
            }
            for start in [0, after] {
                for tombstonesAfter in [0, after + 20] {
                    try append(
                        ChangeFeed(zone: zone.id, after: start, tombstonesAfter: tombstonesAfter, limit: 12),
                        store, &lines)
                }
            }
            try append(
                ChangeFeed(zone: zone.id, after: 0, limit: 9, backwardsFrom: after + 30), store, &lines)
        }
        var random = random
        for type in schema.types.values.sorted(by: { $0.name < $1.name }) {
            lines.append("records of \(type.name): \(try store.recordCount(of: type))")
            for _ in 0..<3 { try append(scanOf: type, zones, &random, store, &lines) }
        }
    }

    private func append(_ feed: ChangeFeed, _ store: any StoreReader, _ lines: inout [String]) throws {
        var line = "feed"
        try store.changes(feed) { row in
            line +=
                " \(row.sequence) \(row.name) \(row.body.map { String(decoding: $0, as: UTF8.self) } ?? "-")"
            return true
        }
        lines.append(line)
    }

    /// A query of all zones, page by page.
    private func append(
        scanOf type: RecordType, _ zones: [ZoneRow], _ random: inout Random, _ store: any StoreReader,
        _ lines: inout [String]
    ) throws {
        let columns = type.fields.filter {
            !$0.indexes.isEmpty && !$0.type.isList && $0.type.scalar != .location
        }
        var sort: [SortKey] = []
        if let field = columns.randomElement(using: &random) {
            sort = [SortKey(.column(.field(field)), ascending: random.oneIn(2))]
        }
        var condition = Condition.constant(true)
        if let field = columns.randomElement(using: &random) {
            let value = StoreWalk.stored(StoreWalk.value(field.type.scalar, &random))
            condition = .compare(
                .field(field), random.pick([.less, .equal, .notEqual, .greater], else: .equal), value)
        }
        var scan = RecordScan(
            type: type, zones: zones.map(\.id), condition: condition, sort: sort, limit: random.int(1...5))
        lines.append("\(type.name) has \(try store.count(scan)) for \(condition)")
        var line = ""
        repeat {
            // Pages end by what their reader has room for as well.
            var room = random.int(1...4)
            let outcome = try store.scan(scan) { row in
                room -= 1
                if room < 0 { return false }
                line += " | " + String(decoding: row.body, as: UTF8.self)
                return true
            }
            scan.after = outcome.next
        } while scan.after != nil
        lines.append(line)
    }

    private func text(_ body: [UInt8]?) -> String { body.map { String(decoding: $0, as: UTF8.self) } ?? "-" }
}

extension RecordType {
    fileprivate var description: String {
        let fields = fields.map { "\($0.name) \($0.type.tag) \($0.indexes.rawValue) \($0.column)" }
        return "\(name) \(fields) \(hasAssets) \(keeping?.count ?? 0)"
    }
}

extension RecordVersion {
    fileprivate var line: String {
        let body = String(decoding: body, as: UTF8.self)
        return
            "\(id) \(sequence) \(database) \(record) \(isFirst) \(end) \(endedBy) \(endedAt) \(createdBy) \(createdAt) \(bytes) \(body)"
    }
}

extension ReferrerRow {
    fileprivate var line: String { "\(name).\(field) \(action)" }
}

extension AssetUse {
    fileprivate var line: String { "\(owner ?? "")/\(zoneName)/\(recordName).\(field)" }
}
