public import RecordModel

/// A request's body: made from JSON by the server, written as JSON by clients.
public protocol WireRequest: Sendable {
    /// Reads the body.
    ///
    /// - Throws: ``JSONError`` where a member is missing, of another kind, none of the protocol's words, or does not go with
    ///   another one.
    init(json: JSONObject) throws(JSONError)
    /// Writes the body.
    func write(to writer: inout JSONWriter)
}

extension WireRequest {
    /// The body as bytes.
    public func encoded() -> [UInt8] { JSONWriter.text(write) }
}

/// `records/query` and `records/count`.
public struct RecordsQueryRequest: WireRequest, Hashable {
    /// What to look for.
    public var query: QueryDictionary
    /// The zone; nil for the default zone, or all of them with ``zoneWide``.
    public var zoneID: ZoneID?
    /// Whether to look through all zones of the database.
    public var zoneWide = false
    /// The most records wanted; nil lets the server choose.
    public var resultsLimit: Int?
    /// Where the answer before left off.
    public var continuationMarker: String?
    /// Whether the page before the marker is wanted (the last page where there is none), rather than the one
    /// after it. Where it is given at all, answers also say where the page before theirs is; our extension.
    public var backward: Bool?
    /// The fields wanted; nil for all.
    public var desiredKeys: [String]?
    /// Whether numbers are wanted quoted.
    public var numbersAsStrings = false

    /// Makes a request for a query's first page.
    public init(query: QueryDictionary) { self.query = query }

    public init(json: JSONObject) throws(JSONError) {
        guard let object = try json.object("query") else { throw .missing("query") }
        query = try QueryDictionary(json: object)
        if let zone = try json.object("zoneID") { zoneID = try ZoneID(json: zone) }
        zoneWide = try json.bool("zoneWide") ?? false
        resultsLimit = try json.int("resultsLimit")
        continuationMarker = try json.string("continuationMarker")
        backward = try json.bool("backward")
        desiredKeys = try json.strings("desiredKeys")
        numbersAsStrings = try json.bool("numbersAsStrings") ?? false
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("query")
        query.write(to: &writer)
        writer.member("zoneID", zoneID)
        if zoneWide { writer.member("zoneWide", true) }
        writer.member("resultsLimit", resultsLimit)
        writer.member("continuationMarker", continuationMarker)
        writer.member("backward", backward)
        writer.member("desiredKeys", desiredKeys)
        if numbersAsStrings { writer.member("numbersAsStrings", true) }
        writer.endObject()
    }
}

extension JSONWriter {
    /// Writes a zone dictionary as a member, or nothing where there is none.
    mutating func member(_ name: StaticString, _ zoneID: ZoneID?) {
        guard let zoneID else { return }
        key(name)
        zoneID.write(to: &self)
    }
}

/// `records/lookup`.
public struct RecordsLookupRequest: WireRequest, Hashable {
    /// One record that is asked for.
    public struct Item: Hashable, Sendable {
        /// The record's name.
        public var recordName: String
        /// The fields wanted of this record; nil for those of the request.
        public var desiredKeys: [String]?

        /// Asks for a record.
        public init(recordName: String, desiredKeys: [String]? = nil) {
            self.recordName = recordName
            self.desiredKeys = desiredKeys
        }
    }

    /// The records asked for.
    public var records: [Item]
    /// The zone of all of them; nil for the default zone.
    public var zoneID: ZoneID?
    /// The fields wanted; nil for all.
    public var desiredKeys: [String]?
    /// Whether numbers are wanted quoted.
    public var numbersAsStrings = false

    /// Asks for records of one zone.
    public init(records: [Item], zoneID: ZoneID? = nil) {
        self.records = records
        self.zoneID = zoneID
    }

    public init(json: JSONObject) throws(JSONError) {
        guard json["records"] != nil else { throw .missing("records") }
        records = []
        for object in try json.objects("records") {
            records.append(
                Item(
                    recordName: try object.requiredString("recordName"),
                    desiredKeys: try object.strings("desiredKeys")))
        }
        if let zone = try json.object("zoneID") { zoneID = try ZoneID(json: zone) }
        desiredKeys = try json.strings("desiredKeys")
        numbersAsStrings = try json.bool("numbersAsStrings") ?? false
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("records")
        writer.beginArray()
        for item in records {
            writer.beginObject()
            writer.member("recordName", item.recordName)
            writer.member("desiredKeys", item.desiredKeys)
            writer.endObject()
        }
        writer.endArray()
        writer.member("zoneID", zoneID)
        writer.member("desiredKeys", desiredKeys)
        if numbersAsStrings { writer.member("numbersAsStrings", true) }
        writer.endObject()
    }
}
