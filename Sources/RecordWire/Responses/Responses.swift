public import RecordModel

/// An answer's body as a client reads it.
public protocol WireResponse: Sendable {
    /// Reads the body.
    ///
    /// - Throws: ``JSONError`` where a member is missing or of another kind.
    init(json: JSONObject) throws(JSONError)
}

/// The answer of `records/query`.
public struct RecordsQueryResponse: WireResponse {
    /// The records of the page.
    public var records: [ItemResult<RecordDictionary>]
    /// Where the next page begins; nil on the last one.
    public var continuationMarker: String?

    public init(json: JSONObject) throws(JSONError) {
        records = try json.items("records", RecordDictionary.init(json:))
        continuationMarker = try json.string("continuationMarker")
    }
}

/// The answer of `records/modify` and `records/lookup`.
public struct RecordsResponse: WireResponse {
    /// One result for each operation or name, in their order.
    public var records: [ItemResult<RecordDictionary>]

    public init(json: JSONObject) throws(JSONError) {
        records = try json.items("records", RecordDictionary.init(json:))
    }
}

/// The answer of `records/count`.
public struct CountResponse: WireResponse {
    /// How many records match.
    public var count: Int

    public init(json: JSONObject) throws(JSONError) {
        guard let count = try json.int("count") else { throw .missing("count") }
        self.count = count
    }
}

/// A zone as answers carry it.
public struct ZoneDictionary: Hashable, Sendable {
    /// The zone.
    public var zoneID: ZoneID
    /// The state of the zone's change feed; custom zones only.
    public var syncToken: String?
    /// Whether the zone takes atomic batches.
    public var atomic: Bool
    /// Whether the zone was deleted.
    public var deleted: Bool
    /// The share of the whole zone; nil where it is not shared as a whole.
    public var share: Reference?

    init(json: JSONObject) throws(JSONError) {
        guard let zone = try json.object("zoneID") else { throw .missing("zoneID") }
        zoneID = try ZoneID(json: zone)
        syncToken = try json.string("syncToken")
        atomic = try json.bool("atomic") ?? false
        deleted = try json.bool("deleted") ?? false
        if let reference = try json.object("share") { share = try Reference(json: reference) }
    }
}

/// The answer of `zones/list`, `zones/lookup` and `zones/modify`.
public struct ZonesResponse: WireResponse {
    /// The zones.
    public var zones: [ItemResult<ZoneDictionary>]

    public init(json: JSONObject) throws(JSONError) {
        zones = try json.items("zones", ZoneDictionary.init(json:))
    }
}

/// The answer of `changes/database`.
public struct DatabaseChangesResponse: WireResponse {
    /// The zones that changed.
    public var zones: [ItemResult<ZoneDictionary>]
    /// Where to go on.
    public var syncToken: String
    /// Whether there is more to be had at once.
    public var moreComing: Bool

    public init(json: JSONObject) throws(JSONError) {
        zones = try json.items("zones", ZoneDictionary.init(json:))
        syncToken = try json.requiredString("syncToken")
        moreComing = try json.bool("moreComing") ?? false
    }
}

/// The changes of one zone.
public struct ZoneChanges: Sendable {
    /// The zone.
    public var zoneID: ZoneID
    /// Changed records and tombstones, in commit order.
    public var records: [ItemResult<RecordDictionary>]
    /// Where to go on.
    public var syncToken: String
    /// Whether there is more to be had at once.
    public var moreComing: Bool

    init(json: JSONObject) throws(JSONError) {
        guard let zone = try json.object("zoneID") else { throw .missing("zoneID") }
        zoneID = try ZoneID(json: zone)
        records = try json.items("records", RecordDictionary.init(json:))
        syncToken = try json.requiredString("syncToken")
        moreComing = try json.bool("moreComing") ?? false
    }
}

/// The answer of `changes/zone`.
public struct ZonesChangesResponse: WireResponse {
    /// One result for each zone, in their order.
    public var zones: [ItemResult<ZoneChanges>]

    public init(json: JSONObject) throws(JSONError) {
        zones = try json.items("zones", ZoneChanges.init(json:))
    }
}
