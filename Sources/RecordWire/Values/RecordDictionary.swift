public import RecordModel

/// Who wrote a record, and when.
public struct RecordStamp: Hashable, Sendable {
    /// Milliseconds since 1970.
    public var timestamp: Int64
    /// The user; `_world` stands for nobody in particular.
    public var userRecordName: String
    /// The device that the client named.
    public var deviceID: String?

    /// The device of records that were saved over the web protocol, which names none: Apple's answers have
    /// this text there, and some clients refuse a stamp without one.
    public static let webDeviceID = "2"

    /// Makes a stamp.
    public init(timestamp: Int64, userRecordName: String, deviceID: String? = nil) {
        self.timestamp = timestamp
        self.userRecordName = userRecordName
        self.deviceID = deviceID
    }

    /// Reads a stamp; what it lacks is empty.
    ///
    /// - Throws: ``JSONError`` where a member is of another kind.
    public init(json: JSONObject) throws(JSONError) {
        timestamp = Int64(try json.int("timestamp") ?? 0)
        userRecordName = try json.string("userRecordName") ?? ""
        deviceID = try json.string("deviceID")
    }

    /// Writes a stamp.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("timestamp", timestamp)
        writer.member("userRecordName", userRecordName)
        writer.member("deviceID", deviceID)
        writer.endObject()
    }
}

/// A record, or the tombstone of one, as answers carry it (Documentation/Protocol.md, 'Records').
public struct RecordDictionary: Hashable, Sendable {
    /// The name, unique in the zone.
    public var recordName: String
    /// The type; tombstones may lack it.
    public var recordType: String?
    /// The version, which an update has to repeat.
    public var recordChangeTag: String?
    /// The fields by name.
    public var fields: [String: FieldValue]
    /// The fields that are marked as encrypted.
    public var encrypted: Set<String> = []
    /// Who made the record, and when.
    public var created: RecordStamp?
    /// Who changed it last, and when.
    public var modified: RecordStamp?
    /// Whether this is a tombstone.
    public var deleted: Bool
    /// The zone, in answers of private databases and of change feeds.
    public var zoneID: ZoneID?
    /// The record above in a share's hierarchy.
    public var parent: Reference?
    /// The share whose root the record is.
    public var share: Reference?
    /// What is said of the share that the record is; nil for other records.
    public var shareDictionary: ShareDictionary?

    /// Reads a record that an answer carries.
    ///
    /// - Throws: ``JSONError`` where a member is missing, of another kind or not of its type.
    public init(json: JSONObject) throws(JSONError) {
        recordName = try json.requiredString("recordName")
        // A tombstone has its type under a key of its own.
        let type = try json.string("recordType")
        recordType = if let type { type } else { try json.string("deletedRecordType") }
        recordChangeTag = try json.string("recordChangeTag")
        deleted = try json.bool("deleted") ?? false
        fields = [:]
        for (name, value) in try json.object("fields")?.members ?? [] {
            guard let object = value.object else { throw .shape("Field '\(name)' is not an object.") }
            let field = try WireField(json: object)
            if field.isMarkedEncrypted { encrypted.insert(name) }
            fields[name] = try FieldValue.decode(
                field, expected: nil, allowsEncrypted: true, numbersAsStrings: true)
        }
        if let stamp = try json.object("created") { created = try RecordStamp(json: stamp) }
        if let stamp = try json.object("modified") { modified = try RecordStamp(json: stamp) }
        if let zone = try json.object("zoneID") { zoneID = try ZoneID(json: zone) }
        if let reference = try json.object("parent") { parent = try Reference(json: reference) }
        if let reference = try json.object("share") { share = try Reference(json: reference) }
        if recordType == RecordInput.shareType, !deleted { shareDictionary = try ShareDictionary(json: json) }
    }
}

/// One element of an answer: what was asked for, or why it failed.
public typealias ItemResult<Item> = Result<Item, ErrorDictionary>

extension JSONObject {
    /// Reads the elements of an answer's list, each an item or an error.
    func items<Item>(
        _ name: String, _ read: (JSONObject) throws(JSONError) -> Item
    ) throws(JSONError) -> [ItemResult<Item>] {
        var items: [ItemResult<Item>] = []
        for object in try objects(name) {
            if let error = ErrorDictionary(json: object) {
                items.append(.failure(error))
            } else {
                items.append(.success(try read(object)))
            }
        }
        return items
    }
}
