public import RecordModel

/// `records/versions`: the states that a record had, or a type's deleted records; our extension.
public struct RecordsVersionsRequest: WireRequest, Hashable {
    /// Whose states are wanted; nil where ``recordType`` says of which type deleted records are.
    public var recordName: String?
    /// The type of the deleted records that are wanted.
    public var recordType: String?
    /// The zone; nil for the default zone.
    public var zoneID: ZoneID?
    /// Where the answer before left off.
    public var continuationMarker: String?
    /// The most versions wanted; nil lets the server choose.
    public var resultsLimit: Int?
    /// Whether numbers are wanted quoted.
    public var numbersAsStrings = false

    /// Asks for the states of a record.
    public init(recordName: String, zoneID: ZoneID? = nil) {
        self.recordName = recordName
        self.zoneID = zoneID
    }

    /// Asks for the deleted records of a type.
    public init(deletedOfType recordType: String, zoneID: ZoneID? = nil) {
        self.recordType = recordType
        self.zoneID = zoneID
    }

    public init(json: JSONObject) throws(JSONError) {
        recordName = try json.string("recordName")
        recordType = try json.string("recordType")
        guard (recordName == nil) != (recordType == nil) else {
            throw .shape("'recordName' is needed, or 'recordType', and not both.")
        }
        if let zone = try json.object("zoneID") { zoneID = try ZoneID(json: zone) }
        continuationMarker = try json.string("continuationMarker")
        resultsLimit = try json.int("resultsLimit")
        numbersAsStrings = try json.bool("numbersAsStrings") ?? false
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("recordName", recordName)
        writer.member("recordType", recordType)
        writer.member("zoneID", zoneID)
        writer.member("continuationMarker", continuationMarker)
        writer.member("resultsLimit", resultsLimit)
        if numbersAsStrings { writer.member("numbersAsStrings", true) }
        writer.endObject()
    }
}
