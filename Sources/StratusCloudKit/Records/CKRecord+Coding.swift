internal import Foundation
internal import RecordModel
internal import RecordWire

extension CKRecord {
    /// The keys of an archive.
    enum Archive {
        static let recordType = "RecordType"
        static let recordID = "RecordID"
        static let changeTag = "ETag"
        static let parent = "ParentReference"
        static let share = "ShareReference"
        static let fields = "ValueStore"
    }

    /// Writes what every record has besides its fields.
    func writeSystemFields(to coder: NSCoder) {
        let state = snapshot
        coder.encode(NSString(string: recordType), forKey: Archive.recordType)
        coder.encode(recordID, forKey: Archive.recordID)
        if let tag = state.changeTag { coder.encode(NSString(string: tag), forKey: Archive.changeTag) }
        if let parent = state.parent { coder.encode(parent, forKey: Archive.parent) }
        if let share = state.share { coder.encode(share, forKey: Archive.share) }
        state.created?.encode(with: coder, prefix: "Created")
        state.modified?.encode(with: coder, prefix: "Modified")
    }

    /// Writes the fields as JSON of the wire, with the keys that changed.
    ///
    /// Files that were not uploaded and values that no field can hold are left out.
    func encodeFields(with coder: NSCoder) {
        let state = snapshot
        let json = JSONWriter.text { writer in
            writer.beginObject()
            for (member, values) in [("values", state.values), ("base", state.base)] {
                writer.key(text: member)
                writer.beginObject()
                for (key, value) in values {
                    guard let field = value.wire else { continue }
                    writer.key(text: key)
                    field.writeField(to: &writer)
                }
                writer.endObject()
            }
            writer.member("changed", state.changedKeys)
            writer.endObject()
        }
        coder.encode(NSData(data: Data(json)), forKey: Archive.fields)
    }

    /// Reads what ``encodeSystemFields(with:)`` and ``encodeFields(with:)`` wrote; what cannot be read is
    /// left out.
    static func decodeState(_ coder: NSCoder, zoneID: CKRecordZoneID) -> State {
        var state = State()
        state.changeTag = coder.safeText(forKey: Archive.changeTag)
        state.parent = coder.safeObject(of: CKReference.self, forKey: Archive.parent)
        state.share = coder.safeObject(of: CKReference.self, forKey: Archive.share)
        state.created = Stamp(coder: coder, prefix: "Created")
        state.modified = Stamp(coder: coder, prefix: "Modified")
        guard let data = coder.safeData(forKey: Archive.fields),
            let json = try? JSONReader.read(data).object
        else { return state }
        state.values = decodeFields(json["values"]?.object)
        state.base = decodeFields(json["base"]?.object)
        state.changedKeys = (try? json.strings("changed")) ?? []
        return state
    }

    private static func decodeFields(_ json: JSONObject?) -> [FieldKey: RecordValue] {
        var values: [FieldKey: RecordValue] = [:]
        for (key, member) in json?.members ?? [] {
            guard let object = member.object, let field = try? WireField(json: object),
                let value = try? FieldValue.decode(field, expected: nil)
            else { continue }
            values[key] = RecordValue(wire: value)
        }
        return values
    }
}

extension CKRecord.Stamp {
    func encode(with coder: NSCoder, prefix: String) {
        coder.encode(milliseconds, forKey: prefix + "Time")
        coder.encode(NSString(string: userRecordName), forKey: prefix + "User")
    }

    init?(coder: NSCoder, prefix: String) {
        guard let user = coder.safeText(forKey: prefix + "User") else { return nil }
        milliseconds = coder.safeInt64(forKey: prefix + "Time")
        userRecordName = user
    }
}
