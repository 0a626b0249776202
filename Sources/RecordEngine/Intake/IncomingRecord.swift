internal import Crypto
public import RecordModel
public import RecordWire

/// A record as another service or a file has it, which is to be kept here as it is: with its name, its values, who made
/// it and when.
public struct IncomingRecord: Sendable {
    /// The name, unique in the zone.
    public var recordName: String
    /// The type.
    public var recordType: String
    /// The values in their order; nobody's null.
    public var fields: [(name: String, value: FieldValue)]
    /// The fields that are marked as encrypted.
    public var encrypted: Set<String>
    /// Who made the record, and when.
    public var created: RecordStamp
    /// Who changed it last, and when.
    public var modified: RecordStamp
    /// The record above in a share's hierarchy.
    public var parent: String?

    /// Reads a record dictionary, as answers of the protocol carry it.
    ///
    /// - Throws: `JSONError` where a member is missing, of another kind or not of its type.
    public init(json: JSONObject) throws(JSONError) {
        recordName = try json.requiredString("recordName")
        recordType = try json.requiredString("recordType")
        fields = []
        encrypted = []
        for (name, value) in try json.object("fields")?.members ?? [] {
            guard let object = value.object else { throw .shape("Field '\(name)' is not an object.") }
            let field = try WireField(json: object)
            let decoded = try FieldValue.decode(
                field, expected: nil, allowsEncrypted: true, numbersAsStrings: true)
            guard let decoded else { continue }
            if field.isMarkedEncrypted { encrypted.insert(name) }
            fields.append((name, decoded))
        }
        let made = try json.object("created").map { stamp throws(JSONError) in try RecordStamp(json: stamp) }
        let changed = try json.object("modified").map { stamp throws(JSONError) in
            try RecordStamp(json: stamp)
        }
        let unknown = RecordStamp(timestamp: 0, userRecordName: "_world")
        created = (made ?? changed ?? unknown).complete
        modified = (changed ?? made ?? unknown).complete
        parent = try json.object("parent")?.string("recordName")
    }

    /// The record as the protocol writes it, without a change tag: equal records have equal texts.
    ///
    /// - Parameter isSorted: whether the fields come in the order of their names, so that the order in which somebody
    ///   saved them makes no difference.
    public func json(isSorted: Bool) -> [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("recordName", recordName)
            writer.member("recordType", recordType)
            writer.key("fields")
            writer.beginObject()
            let all =
                isSorted ? fields.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) } : fields
            for (name, value) in all {
                writer.key(text: name)
                value.writeField(to: &writer, isEncrypted: encrypted.contains(name))
            }
            writer.endObject()
            writer.key("created")
            created.write(to: &writer)
            writer.key("modified")
            modified.write(to: &writer)
            if let parent {
                writer.key("parent")
                writer.beginObject()
                writer.member("recordName", parent)
                writer.endObject()
            }
            writer.endObject()
        }
    }

    /// SHA-256 of all that the record is, its change tag and the order of its fields aside.
    public var digest: [UInt8] { Array(SHA256.hash(data: json(isSorted: true))) }
}

extension RecordStamp {
    /// The stamp with a device, which some clients ask for.
    fileprivate var complete: RecordStamp {
        RecordStamp(
            timestamp: timestamp, userRecordName: userRecordName.isEmpty ? "_world" : userRecordName,
            deviceID: deviceID ?? Self.webDeviceID)
    }
}
