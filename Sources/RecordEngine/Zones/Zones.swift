import RecordModel
import RecordStorage
import RecordWire

/// Finding zones, which most requests name.
enum Zones {
    /// The zone of a request in the caller's database.
    ///
    /// - Parameters:
    ///   - records: the names of records that will be asked for next.
    ///   - isWhole: whether nothing else will be asked but these, or one scan where there are none.
    /// - Returns: nil for a default zone in which nothing was ever stored.
    /// - Throws: `ZONE_NOT_FOUND` for a custom zone that is not there, or that is somebody else's.
    static func find(
        _ zoneID: ZoneID, _ context: CallContext, _ reader: any StoreReader, records: [String] = [],
        isWhole: Bool = false
    ) throws -> ZoneRow? {
        try checkOwner(zoneID, context)
        try reader.foresee(
            PrefetchHint(
                database: context.database, zone: zoneID.zoneName, records: records, isWhole: isWhole))
        guard let database = try reader.database(context.database) else {
            if zoneID.isDefault { return nil }
            throw ServiceError.zoneNotFound(zoneID)
        }
        if let zone = try reader.zone(named: zoneID.zoneName, in: database) { return zone }
        throw ServiceError.zoneNotFound(zoneID)
    }

    /// The zone of a write; a default zone is made when it is first written to.
    static func findForWriting(
        _ zoneID: ZoneID, _ context: CallContext, _ writer: any StoreWriter
    ) throws -> ZoneRow {
        try checkOwner(zoneID, context)
        guard let zone = try writer.zone(named: zoneID.zoneName, in: writer.makeDatabase(context.database))
        else {
            throw ServiceError.zoneNotFound(zoneID)
        }
        return zone
    }

    /// A zone of another owner is as good as not there.
    static func checkOwner(_ zoneID: ZoneID, _ context: CallContext) throws(ServiceError) {
        guard isOwn(zoneID, context) else { throw .zoneNotFound(zoneID) }
    }

    /// Whether a zone dictionary names the database's own owner, or nobody.
    static func isOwn(_ zoneID: ZoneID, _ context: CallContext) -> Bool {
        guard let owner = zoneID.ownerName, let own = context.database.owner else { return true }
        return owner == own || owner == "_defaultOwner" || owner == "__defaultOwner__"
    }
}

extension JSONWriter {
    /// Writes a zone as answers carry it.
    ///
    /// - Parameter isShared: whether the whole zone is shared.
    mutating func zone(
        _ zone: ZoneRow, _ context: CallContext, secret: ServiceSecret, isShared: Bool = false
    ) {
        beginObject()
        zoneMembers(zone, context)
        // What has changed in somebody else's zone is not all for a participant to know.
        if zone.isTracked, context.access == nil {
            member("syncToken", SyncToken.make(zone.sequence, for: .zone(zone.id), secret: secret))
        }
        if isShared {
            key("share")
            beginObject()
            member("recordName", RecordInput.zoneShareName)
            zoneMembers(zone, context)
            endObject()
        }
        member("atomic", zone.isTracked)
        member("deleted", zone.isDeleted)
        endObject()
    }

    /// Writes the member of an answer that lists zones.
    ///
    /// - Parameter shared: whether each of them is shared as a whole; empty for none.
    mutating func zones(
        _ zones: [ZoneRow], _ context: CallContext, secret: ServiceSecret, _ shared: [Bool] = []
    ) {
        key("zones")
        beginArray()
        for (position, zone) in zones.enumerated() {
            let isShared = position < shared.count && shared[position]
            self.zone(zone, context, secret: secret, isShared: isShared)
        }
        endArray()
    }

    /// Writes the state of a zone's change feed where the request asks for it and the zone has one.
    mutating func currentSyncToken(of zone: ZoneRow?, _ context: CallContext, secret: ServiceSecret) {
        guard context.wantsSyncToken, let zone, zone.isTracked, context.access == nil else { return }
        member("syncToken", SyncToken.make(zone.sequence, for: .zone(zone.id), secret: secret))
    }

    /// Writes the name of a zone with its kind.
    mutating func zoneMembers(_ zone: ZoneRow, _ context: CallContext) {
        key("zoneID")
        zoneDictionary(zone.name, context)
    }

    /// Writes the zone with its owner and its kind, as answers name it.
    mutating func zoneDictionary(_ name: String, _ context: CallContext) {
        zoneDictionary(name, of: context.database)
    }

    /// Writes what names a zone of a database.
    mutating func zoneDictionary(_ name: String, of database: DatabaseID) {
        beginObject()
        member("zoneName", name)
        member("ownerRecordName", database.owner)
        member("zoneType", name == ZoneID.defaultName ? "DEFAULT_ZONE" : "REGULAR_CUSTOM_ZONE")
        endObject()
    }
}
