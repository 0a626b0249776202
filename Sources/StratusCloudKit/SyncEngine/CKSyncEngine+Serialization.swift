extension CKSyncEngine.State {
    /// A state in a form to keep: encode it with any encoder, decode it at the next launch, and give it to the
    /// engine's configuration.
    ///
    /// Keep it together with the data that was fetched before it: it says that those changes need not be fetched
    /// again.
    public struct Serialization: Codable, Sendable {
        let values: CKSyncEngine.StateValues

        init(_ values: CKSyncEngine.StateValues) { self.values = values }

        /// Reads a state.
        ///
        /// - Throws: `DecodingError` where it is damaged, or was written by a newer version of this module. The
        ///   engine then begins with none and fetches everything.
        public init(from decoder: any Decoder) throws {
            let stored = try StoredState(from: decoder)
            guard stored.version <= StoredState.currentVersion else {
                throw DecodingError.dataCorrupted(
                    .init(
                        codingPath: decoder.codingPath,
                        debugDescription:
                            "The sync engine's state is of version \(stored.version); this module "
                            + "reads up to version \(StoredState.currentVersion). Start without a state."))
            }
            guard let values = stored.values else {
                throw DecodingError.dataCorrupted(
                    .init(
                        codingPath: decoder.codingPath,
                        debugDescription: "The sync engine's state is damaged. Start without a state."))
            }
            self.values = values
        }

        /// Writes the state.
        ///
        /// - Throws: what the encoder throws.
        public func encode(to encoder: any Encoder) throws { try StoredState(values).encode(to: encoder) }
    }
}

/// A state as it is stored. Zones are named once and meant by their position in ``zones``, since a state may hold
/// many thousand records.
private struct StoredState: Codable {
    static let currentVersion = 1

    struct Zone: Codable, Hashable {
        var name: String
        var owner: String
        var token: String?

        var zoneID: CKRecordZone.ID { CKRecordZone.ID(zoneName: name, ownerName: owner) }
    }

    struct Record: Codable {
        var zone: Int
        var name: String
        var isDeletion: Bool?
    }

    struct ZoneChange: Codable {
        var zone: Int
        var isDeletion: Bool?
    }

    var version: Int
    var user: String?
    var databaseToken: String?
    var hasUntrackedChanges: Bool
    var zones: [Zone]
    /// The positions of zones that are to be fetched, in order.
    var unfetched: [Int]
    var zoneChanges: [ZoneChange]
    var records: [Record]

    init(_ values: CKSyncEngine.StateValues) {
        var places: [CKRecordZone.ID: Int] = [:]
        var zones: [Zone] = []
        func place(_ zoneID: CKRecordZone.ID) -> Int {
            if let place = places[zoneID] { return place }
            places[zoneID] = zones.count
            zones.append(
                Zone(name: zoneID.zoneName, owner: zoneID.ownerName, token: values.zoneTokens[zoneID]?.text))
            return zones.count - 1
        }
        version = Self.currentVersion
        user = values.userRecordName
        databaseToken = values.databaseToken?.text
        hasUntrackedChanges = values.hasUntrackedChanges
        for zoneID in values.zoneTokens.keys { _ = place(zoneID) }
        unfetched = values.unfetchedZoneIDs.map(place)
        zoneChanges = values.zones.changes.map { change in
            var stored = ZoneChange(zone: place(change.zoneID))
            if case .deleteZone = change { stored.isDeletion = true }
            return stored
        }
        records = values.records.changes.map { change in
            var stored = Record(zone: place(change.recordID.zoneID), name: change.recordID.recordName)
            if case .deleteRecord = change { stored.isDeletion = true }
            return stored
        }
        self.zones = zones
    }

    /// What was stored; nil where it is damaged.
    var values: CKSyncEngine.StateValues? {
        let zoneIDs = zones.map(\.zoneID)
        let used = unfetched + zoneChanges.map(\.zone) + records.map(\.zone)
        guard used.allSatisfy(zoneIDs.indices.contains) else { return nil }
        var values = CKSyncEngine.StateValues()
        values.userRecordName = user
        values.databaseToken = databaseToken.map(CKServerChangeToken.init)
        values.hasUntrackedChanges = hasUntrackedChanges
        for zone in zones { values.zoneTokens[zone.zoneID] = zone.token.map(CKServerChangeToken.init) }
        values.unfetchedZoneIDs = unfetched.map { zoneIDs[$0] }
        for stored in zoneChanges {
            let zoneID = zoneIDs[stored.zone]
            values.zones.add(
                stored.isDeletion == true ? .deleteZone(zoneID) : .saveZone(CKRecordZone(zoneID: zoneID)),
                for: zoneID)
        }
        for stored in records {
            let recordID = CKRecord.ID(recordName: stored.name, zoneID: zoneIDs[stored.zone])
            values.records.add(
                stored.isDeletion == true ? .deleteRecord(recordID) : .saveRecord(recordID), for: recordID)
        }
        return values
    }
}
