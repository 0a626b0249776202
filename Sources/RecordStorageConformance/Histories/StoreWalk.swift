package import RecordModel
import RecordStorage
import RecordWire
import TestSeeds

/// Random changes inside one write.
package struct StoreWalk {
    let store: any StoreWriter
    let tenant: Tenant
    var random: Random
    /// Whether fields that hold files may go.
    var removesFileFields = false

    private static let fieldNames = ["n", "t", "w", "ns", "p", "f"]

    package static func digest(_ byte: UInt8) -> AssetDigest {
        guard let digest = AssetDigest(bytes: [UInt8](repeating: byte, count: 32)) else {
            preconditionFailure("a digest of 32 bytes")
        }
        return digest
    }

    static func value(_ scalar: FieldType.Scalar, _ random: inout Random) -> FieldValue {
        random.scalar(scalar)
    }

    static func stored(_ value: FieldValue) -> StorageValue { ConditionModel.stored(value) }

    /// One change, and a word for it.
    mutating func step() throws -> String {
        try lookAhead()
        switch random.int(0...21) {
        case 0: return try makeZone()
        case 1: return random.oneIn(3) ? try deleteZone() : "none"
        case 2: return try addField()
        case 3: return random.oneIn(3) ? try changeIndexes() : "none"
        case 4: return random.oneIn(6) ? try removeField() : "none"
        case 5: return random.oneIn(8) ? try removeType() : "none"
        case 6, 7: return try delete()
        case 8: return try retag()
        case 9: return try assets()
        case 20: return try forgetVersions()
        case 21: return try setKeeping()
        default: return try save()
        }
    }

    /// Says now and then what may be asked for next, which changes no answer. The history goes on with the same random
    /// numbers, so that seeds keep their meaning.
    private func lookAhead() throws {
        var random = random
        guard random.oneIn(6),
            let database = try store.database(
                DatabaseID(tenant: tenant, owner: random.oneIn(3) ? nil : "_alice")),
            let zone = try store.zones(in: database).randomElement(using: &random)
        else { return }
        try store.foresee(recordsNamed: (0..<6).map { _ in "r\(random.int(0...13))" }, in: zone.id)
    }

    private mutating func database() throws -> Int64 {
        try store.makeDatabase(DatabaseID(tenant: tenant, owner: random.oneIn(3) ? nil : "_alice"))
    }

    private mutating func zone() throws -> ZoneRow? {
        let zones = try store.zones(in: database())
        return zones.randomElement(using: &random)
    }

    private mutating func type() throws -> RecordType {
        try store.makeType(named: random.pick(["Note", "Word"], else: "Note"), tenant: tenant)
    }

    private mutating func makeZone() throws -> String {
        let name = random.pick(["A", "B", "C"], else: "A")
        let database = try database()
        guard try store.zone(named: name, in: database) == nil else { return "zone is there" }
        return "zone \(try store.makeZone(named: name, in: database).name)"
    }

    private mutating func deleteZone() throws -> String {
        guard let zone = try zone(), zone.isTracked else { return "none" }
        try store.deleteZone(zone)
        return "zone \(zone.name) goes"
    }

    private mutating func addField() throws -> String {
        let type = try type()
        let name = random.pick(Self.fieldNames, else: "n")
        guard type[name] == nil else { return "field is there" }
        let kinds: [String: FieldType] = [
            "n": FieldType(.int64), "t": FieldType(.string), "w": FieldType(.timestamp), "ns": .list(.int64),
            "p": FieldType(.location), "f": FieldType(.asset),
        ]
        let kind = kinds[name] ?? FieldType(.string)
        _ = try store.addField(
            named: name, type: kind, indexes: random.oneIn(4) ? [] : .all(for: kind), to: type, tenant: tenant
        )
        return "field \(name)"
    }

    private mutating func changeIndexes() throws -> String {
        let type = try type()
        guard let field = type.fields.randomElement(using: &random) else { return "none" }
        try store.setIndexes(
            field.indexes.isEmpty ? .all(for: field.type) : [], ofField: field.name, in: type, tenant: tenant)
        return "indexes of \(field.name)"
    }

    private mutating func removeField() throws -> String {
        let type = try type()
        guard let field = type.fields.randomElement(using: &random),
            removesFileFields || field.type.scalar != .asset
        else { return "none" }
        return "fields \(try store.removeField(named: field.name, from: type, tenant: tenant).fields.count)"
    }

    private mutating func removeType() throws -> String {
        let type = try type()
        try store.removeType(type, tenant: tenant)
        return "type \(type.name) goes"
    }

    private mutating func name() -> String { "r\(random.int(0...13))" }

    private mutating func save() throws -> String {
        guard let zone = try zone() else { return "none" }
        let name = name()
        let row = try store.record(named: name, in: zone.id)
        let types = try store.schema(of: tenant).types.values.sorted { $0.name < $1.name }
        let known = row.flatMap { row in types.first { $0.id == row.type } }
        let type = try known ?? type()
        var fields: [(name: String, value: FieldValue)] = []
        var assets: [(field: String, digest: AssetDigest)] = []
        for field in type.fields where !random.oneIn(4) {
            if field.type.scalar == .asset {
                let digest = Self.digest(UInt8(random.int(0...4)))
                try store.noteAsset(AssetContent(digest: digest, size: 7), at: Int64(random.int(1...100)))
                assets.append((field.name, digest))
            } else if field.type.isList {
                let elements = (0..<random.int(0...2)).map { _ in random.scalar(field.type.scalar) }
                fields.append((field.name, .list(elements, of: field.type.scalar)))
            } else {
                fields.append((field.name, random.scalar(field.type.scalar)))
            }
        }
        let references = (0..<(random.oneIn(3) ? 1 : 0)).map { _ in
            (
                field: "link",
                reference: Reference(
                    recordName: self.name(), action: random.oneIn(2) ? .deleteSelf : .validate)
            )
        }
        let sequence = try store.nextSequence()
        let stamp = RecordStamp(timestamp: 1, userRecordName: "_alice", deviceID: RecordStamp.webDeviceID)
        let record = NewRecord(
            zone: zone, type: type, name: name, sequence: sequence, createdBy: "_alice", createdAt: 1,
            modifiedBy: "_bob", modifiedAt: sequence, parent: nil,
            fields: fields.compactMap { field in
                type[field.name].flatMap { $0.indexes.isEmpty ? nil : (field: $0, value: field.value) }
            },
            references: references, assets: assets,
            body: RecordBody.make(
                RecordBody.Parts(
                    recordName: name, recordType: type.name, changeTag: "\(sequence)", fields: fields,
                    created: stamp, modified: stamp, parent: nil, encrypted: [])))
        if let row {
            try keep(row, in: zone, sequence: sequence, end: .replaced)
            try store.update(row, with: record)
        } else {
            try store.noteReturn(ofRecordNamed: name, in: zone.id)
            try store.insert(record)
        }
        return "\(zone.name)/\(name)"
    }

    private mutating func delete() throws -> String {
        guard let zone = try zone(), let row = try store.record(named: name(), in: zone.id) else {
            return "none"
        }
        let sequence = try store.nextSequence()
        try keep(row, in: zone, sequence: sequence, end: .deleted)
        try store.delete(row, in: zone, sequence: sequence)
        return "\(zone.name)/\(row.name) goes"
    }

    /// Keeps what a record was, in some cases; with a file that is known, whether the record had it or not.
    private mutating func keep(
        _ row: RecordRow, in zone: ZoneRow, sequence: Int64, end: RecordVersion.End
    ) throws {
        guard random.oneIn(2) else { return }
        let digest = Self.digest(UInt8(random.int(0...4)))
        let hasFile = random.oneIn(2)
        let room: Int64? = random.oneIn(4) ? Int64(random.int(300...2_000)) : nil
        // Where fields go little by little, bodies differ in length for a while, and files go at other times.
        let isExact = !removesFileFields
        let isKnown = try store.asset(digest) != nil
        let version = RecordVersion(
            of: row, in: zone, endedBy: ("_bob", Int64(random.int(1...100))), sequence: sequence, end: end,
            assets: isExact && isKnown && hasFile ? [digest] : [], releasedBytes: Int64(random.int(0...20)))
        try store.keep(version, atMost: random.int(1...3), room: isExact ? room : nil)
    }

    /// Forgets versions of one group or of one name.
    private mutating func forgetVersions() throws -> String {
        guard let zone = try zone() else { return "none" }
        let name = name()
        guard random.oneIn(2) else {
            try store.forgetVersions(ofRecordNamed: name, in: zone.id)
            return "versions of \(zone.name)/\(name) go"
        }
        let groups = try store.versionGroups(after: nil, limit: 99).filter { $0.zone == zone.id }
        guard let group = groups.randomElement(using: &random) else { return "none" }
        let time = Int64(random.int(1...100))
        return "old versions go: \(try store.forgetVersions(of: group, endedBefore: time))"
    }

    /// Says of a type what is kept of its records.
    private mutating func setKeeping() throws -> String {
        let keeping = VersionKeeping(count: random.int(0...3), days: 3)
        let type = try store.setKeeping(keeping, of: type(), tenant: tenant)
        return "\(type.name) keeps \(type.keeping?.count ?? 0)"
    }

    private mutating func retag() throws -> String {
        guard let zone = try zone(), let row = try store.record(named: name(), in: zone.id) else {
            return "none"
        }
        let sequence = try store.nextSequence()
        try store.retag(
            row, in: zone, sequence: sequence, body: try RecordBody.retagged(row.body, "\(sequence)"))
        return "\(zone.name)/\(row.name) has a new tag"
    }

    private mutating func assets() throws -> String {
        let digest = Self.digest(UInt8(random.int(0...4)))
        switch random.int(0...2) {
        case 0: return "dated \(try store.dateReleasedAssets(at: Int64(random.int(1...100)), limit: 99))"
        case 1: return "removed \(try store.removeAsset(digest, unusedBefore: Int64(random.int(1...100))))"
        default:
            try store.noteAsset(AssetContent(digest: digest, size: 7), at: Int64(random.int(1...100)))
            return "noted"
        }
    }
}
