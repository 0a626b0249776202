import RecordModel
import RecordStorage
import RecordWire

extension RemovalWork {
    /// Moves what custom zones keep of types and fields that were deleted before into the default zones, since a reset takes
    /// those zones away. What is moved can be brought back as before, so a reset that ends here has changed nothing.
    func moveEarlierParts() async throws {
        let (parts, zones) = try await store.read(.long) { [tenant] reader in
            (
                try RemovedParts.all(of: tenant, reader: reader),
                try reader.databases(of: tenant).flatMap { try reader.zones(in: $0) }.filter(\.isTracked)
            )
        }
        for part in parts {
            for zone in zones {
                let isKept = try await store.read(.short) { reader in
                    try reader.keepsDeleted(ofType: part.hidden.id, in: zone.id)
                }
                guard isKept else { continue }
                while try await store.write({ try Self.moveSome(of: part, from: zone, in: $0) }) {
                    try Task.checkCancellation()
                }
            }
        }
    }

    /// - Returns: whether there may be more.
    private static func moveSome(
        of part: RemovedPart, from zone: ZoneRow, in store: any StoreWriter
    ) throws -> Bool {
        let versions = try store.deletedVersions(
            ofType: part.hidden.id, in: zone.id, before: nil, limit: recordsPerWrite)
        guard !versions.isEmpty else { return false }
        let home = try store.defaultZone(of: zone.database)
        for version in versions {
            guard let (_, record) = RemovedPart.place(ofVersionNamed: version.name, part.hidden) else {
                continue
            }
            var moved = version
            moved.id = try store.nextSequence()
            moved.zone = home.id
            moved.name = RemovedPart.versionName(part.hidden, record: record, zone: zone.name)
            moved.countFiles(of: try RecordBody.fields(of: version.body))
            try store.keep(moved, atMost: 1, room: nil)
        }
        for version in versions { try store.forgetVersions(ofRecordNamed: version.name, in: zone.id) }
        return true
    }
}

extension StoreReader {
    /// The zone that every database has.
    func defaultZone(of database: Int64) throws -> ZoneRow {
        guard let zone = try zone(named: ZoneID.defaultName, in: database) else {
            throw StorageError.engine("The database \(database) has no default zone.")
        }
        return zone
    }

    /// Whether a zone keeps any deleted record of a type.
    func keepsDeleted(ofType type: Int64, in zone: Int64) throws -> Bool {
        try !deletedVersions(ofType: type, in: zone, before: nil, limit: 1).isEmpty
    }
}

extension RecordVersion {
    /// Makes the files that fields hold the version's own, and counts their bytes with those of its body.
    mutating func countFiles(of fields: [(name: String, value: FieldValue)]) {
        let files = AssetFields.contents(of: fields)
        assets = files.keys.sorted { $0.hex < $1.hex }
        bytes = Int64(body.count) + files.values.reduce(0, +)
    }
}
