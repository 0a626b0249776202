public import RecordModel

/// `changes/database` and `zones/changes`.
public struct DatabaseChangesRequest: WireRequest, Hashable {
    /// Where the answer before left off; nil from the beginning.
    public var syncToken: String?
    /// The most zones wanted.
    public var resultsLimit: Int?
    /// Where `zones/changes` left off: its token has a name of its own.
    public var metaSyncToken: String?

    /// Asks for the zones that changed since a token.
    public init(syncToken: String? = nil, resultsLimit: Int? = nil) {
        self.syncToken = syncToken
        self.resultsLimit = resultsLimit
    }

    public init(json: JSONObject) throws(JSONError) {
        syncToken = try json.string("syncToken")
        resultsLimit = try json.int("resultsLimit")
        metaSyncToken = try json.string("metaSyncToken")
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("syncToken", syncToken)
        writer.member("metaSyncToken", metaSyncToken)
        writer.member("resultsLimit", resultsLimit)
        writer.endObject()
    }
}

/// What is wanted of one zone's change feed.
public struct ZoneChangesRequest: Hashable, Sendable {
    /// The zone.
    public var zoneID: ZoneID
    /// Where the answer before left off; nil from the beginning.
    public var syncToken: String?
    /// The fields wanted; nil for all.
    public var desiredKeys: [String]?
    /// The record types wanted; nil for all.
    public var desiredRecordTypes: [String]?
    /// The most records wanted.
    public var resultsLimit: Int?
    /// Whether numbers are wanted quoted.
    public var numbersAsStrings = false

    /// Asks for the records of a zone that changed since a token.
    public init(
        zoneID: ZoneID, syncToken: String? = nil, desiredKeys: [String]? = nil, resultsLimit: Int? = nil
    ) {
        self.zoneID = zoneID
        self.syncToken = syncToken
        self.desiredKeys = desiredKeys
        self.resultsLimit = resultsLimit
    }

    /// The members that a request may give once for all of its zones.
    static let wishes = [
        "syncToken", "desiredKeys", "desiredRecordTypes", "resultsLimit", "numbersAsStrings",
        "numberAsStrings",
    ]

    /// Reads one zone's wishes; members that it lacks are taken from `defaults`.
    init(json: JSONObject, defaults: JSONObject) throws(JSONError) {
        guard let zone = try json.object("zoneID") else { throw .missing("zoneID") }
        zoneID = try ZoneID(json: zone)
        // Of members of one name the last one counts, so the zone's own win.
        let wishes = JSONObject(defaults.members + json.members)
        syncToken = try wishes.string("syncToken")
        desiredKeys = try wishes.strings("desiredKeys")
        desiredRecordTypes = try wishes.strings("desiredRecordTypes")
        resultsLimit = try wishes.int("resultsLimit")
        // The documentation spells this member in two ways.
        let spelling = wishes["numbersAsStrings"] == nil ? "numberAsStrings" : "numbersAsStrings"
        numbersAsStrings = try wishes.bool(spelling) ?? false
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("zoneID", zoneID)
        writer.member("syncToken", syncToken)
        writer.member("desiredKeys", desiredKeys)
        writer.member("desiredRecordTypes", desiredRecordTypes)
        writer.member("resultsLimit", resultsLimit)
        if numbersAsStrings { writer.member("numbersAsStrings", true) }
        writer.endObject()
    }
}

/// `changes/zone`.
public struct ZonesChangesRequest: WireRequest, Hashable {
    /// The zones, each with its token.
    public var zones: [ZoneChangesRequest]

    /// Makes a request.
    public init(zones: [ZoneChangesRequest]) { self.zones = zones }

    public init(json: JSONObject) throws(JSONError) {
        guard json["zones"] != nil else { throw .missing("zones") }
        zones = []
        // Only what is a default is handed on: a body of many members and zones is not multiplied.
        let defaults = JSONObject(
            ZoneChangesRequest.wishes.compactMap { name in json[name].map { (key: name, value: $0) } })
        for object in try json.objects("zones") {
            zones.append(try ZoneChangesRequest(json: object, defaults: defaults))
        }
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("zones")
        writer.beginArray()
        for zone in zones { zone.write(to: &writer) }
        writer.endArray()
        writer.endObject()
    }
}

/// `records/changes`, the older form for one zone.
public struct RecordsChangesRequest: WireRequest, Hashable {
    /// What is wanted of the zone.
    public var zone: ZoneChangesRequest

    /// Makes a request.
    public init(zone: ZoneChangesRequest) { self.zone = zone }

    public init(json: JSONObject) throws(JSONError) {
        zone = try ZoneChangesRequest(json: json, defaults: JSONObject())
    }

    public func write(to writer: inout JSONWriter) { zone.write(to: &writer) }
}
