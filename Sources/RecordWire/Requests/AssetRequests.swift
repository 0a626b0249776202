public import RecordModel

/// `assets/upload`.
public struct AssetsUploadRequest: WireRequest, Hashable {
    /// A field that a file is to be uploaded for.
    public struct Token: Hashable, Sendable {
        /// The record's name; nil lets the server choose one.
        public var recordName: String?
        /// The record's type.
        public var recordType: String
        /// The field.
        public var fieldName: String

        /// Names a field.
        public init(recordName: String? = nil, recordType: String, fieldName: String) {
            self.recordName = recordName
            self.recordType = recordType
            self.fieldName = fieldName
        }
    }

    /// The fields; one for each file, also of a list.
    public var tokens: [Token]
    /// The zone of the records; nil for the default zone.
    public var zoneID: ZoneID?

    /// Asks for addresses to upload to.
    public init(tokens: [Token], zoneID: ZoneID? = nil) {
        self.tokens = tokens
        self.zoneID = zoneID
    }

    public init(json: JSONObject) throws(JSONError) {
        guard json["tokens"] != nil else { throw .missing("tokens") }
        tokens = []
        for object in try json.objects("tokens") {
            tokens.append(
                Token(
                    recordName: try object.string("recordName"),
                    recordType: try object.requiredString("recordType"),
                    fieldName: try object.requiredString("fieldName")))
        }
        if let zone = try json.object("zoneID") { zoneID = try ZoneID(json: zone) }
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("tokens")
        writer.beginArray()
        for token in tokens {
            writer.beginObject()
            writer.member("recordName", token.recordName)
            writer.member("recordType", token.recordType)
            writer.member("fieldName", token.fieldName)
            writer.endObject()
        }
        writer.endArray()
        writer.member("zoneID", zoneID)
        writer.endObject()
    }
}

/// `assets/rereference`.
public struct AssetsRereferenceRequest: WireRequest, Hashable {
    /// A field that holds a file.
    public struct Item: Hashable, Sendable {
        /// The record's name.
        public var recordName: String
        /// The field.
        public var fieldName: String

        /// Names a field.
        public init(recordName: String, fieldName: String) {
            self.recordName = recordName
            self.fieldName = fieldName
        }
    }

    /// The fields.
    public var assets: [Item]
    /// The zone of the records; nil for the default zone.
    public var zoneID: ZoneID?

    /// Asks for receipts of files that are there.
    public init(assets: [Item], zoneID: ZoneID? = nil) {
        self.assets = assets
        self.zoneID = zoneID
    }

    public init(json: JSONObject) throws(JSONError) {
        guard json["assets"] != nil else { throw .missing("assets") }
        assets = []
        for object in try json.objects("assets") {
            assets.append(
                Item(
                    recordName: try object.requiredString("recordName"),
                    fieldName: try object.requiredString("fieldName")))
        }
        if let zone = try json.object("zoneID") { zoneID = try ZoneID(json: zone) }
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("assets")
        writer.beginArray()
        for item in assets {
            writer.beginObject()
            writer.member("recordName", item.recordName)
            writer.member("fieldName", item.fieldName)
            writer.endObject()
        }
        writer.endArray()
        writer.member("zoneID", zoneID)
        writer.endObject()
    }
}
