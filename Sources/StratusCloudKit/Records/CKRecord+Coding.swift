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
        static let isParentChanged = "ParentIsChanged"
        static let share = "ShareReference"
        static let isShareUnsaved = "ShareIsUnsaved"
        static let fields = "ValueStore"
        /// Followed by the key of a field with files.
        static let assets = "Assets."
    }

    /// Writes what every record has besides its fields.
    func writeSystemFields(to coder: NSCoder) {
        let state = snapshot
        coder.encode(NSString(string: recordType), forKey: Archive.recordType)
        coder.encode(recordID, forKey: Archive.recordID)
        if let tag = state.changeTag { coder.encode(NSString(string: tag), forKey: Archive.changeTag) }
        if let parent = state.parent { coder.encode(parent, forKey: Archive.parent) }
        if state.isParentChanged { coder.encode(NSString(string: "yes"), forKey: Archive.isParentChanged) }
        if let share = state.share { coder.encode(share, forKey: Archive.share) }
        if state.isShareUnsaved { coder.encode(NSString(string: "yes"), forKey: Archive.isShareUnsaved) }
        state.created?.encode(with: coder, prefix: "Created")
        state.modified?.encode(with: coder, prefix: "Modified")
    }

    /// Writes the fields as JSON of the wire, with the keys that changed, and files as objects beside them.
    ///
    /// Values that no field can hold are left out.
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
            state.writeDates(to: &writer)
            writer.member("changed", state.changedKeys)
            writer.member("encrypted", state.encryptedKeys.sorted())
            writer.member("assets", state.assetKeys(areLists: false))
            writer.member("assetLists", state.assetKeys(areLists: true))
            writer.endObject()
        }
        for (key, value) in state.values where !value.assets.isEmpty {
            coder.encode(NSArray(array: value.assets), forKey: Archive.assets + key)
        }
        coder.encode(NSData(data: Data(json)), forKey: Archive.fields)
    }

    /// Reads what ``encodeSystemFields(with:)`` and ``encodeFields(with:)`` wrote; what cannot be read is
    /// left out.
    static func decodeState(_ coder: NSCoder, zoneID: CKRecordZoneID) -> State {
        var state = State()
        state.changeTag = coder.safeText(forKey: Archive.changeTag)
        state.parent = coder.safeObject(of: CKReference.self, forKey: Archive.parent)
        state.isParentChanged = coder.safeText(forKey: Archive.isParentChanged) != nil
        state.share = coder.safeObject(of: CKReference.self, forKey: Archive.share)
        state.isShareUnsaved = coder.safeText(forKey: Archive.isShareUnsaved) != nil
        state.created = Stamp(coder: coder, prefix: "Created")
        state.modified = Stamp(coder: coder, prefix: "Modified")
        guard let data = coder.safeData(forKey: Archive.fields),
            let json = try? JSONReader.read(data).object
        else { return state }
        state.values = decodeFields(json["values"]?.object)
        state.readDates(json["dates"]?.object)
        state.base = decodeFields(json["base"]?.object)
        state.changedKeys = (try? json.strings("changed")) ?? []
        state.encryptedKeys = Set((try? json.strings("encrypted")) ?? [])
        for (member, isList) in [("assets", false), ("assetLists", true)] {
            for key in (try? json.strings(member)) ?? [] {
                guard let assets = decodeAssets(coder, key: key) else { continue }
                state.values[key] = .assets(assets, isList: isList)
            }
        }
        return state
    }

    private static func decodeAssets(_ coder: NSCoder, key: FieldKey) -> [CKAsset]? {
        guard coder.containsValue(forKey: Archive.assets + key) else { return nil }
        let array =
            coder.decodeObject(of: [NSArray.self, CKAsset.self], forKey: Archive.assets + key) as? NSArray
        let assets = array?.compactMap { $0 as? CKAsset }
        return assets?.isEmpty == false ? assets : nil
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

extension CKRecord.State {
    /// Writes the dates that are finer than the wire has them, as seconds since 2001.
    fileprivate func writeDates(to writer: inout JSONWriter) {
        writer.key("dates")
        writer.beginObject()
        for (key, value) in values {
            guard case .fine(_, let dates) = value,
                dates.allSatisfy(\.timeIntervalSinceReferenceDate.isFinite)
            else { continue }
            writer.key(text: key)
            writer.beginArray()
            for date in dates { writer.double(date.timeIntervalSinceReferenceDate) }
            writer.endArray()
        }
        writer.endObject()
    }

    /// Reads what ``writeDates(to:)`` wrote.
    fileprivate mutating func readDates(_ json: JSONObject?) {
        for (key, member) in json?.members ?? [] {
            guard case .field(let value)? = values[key] else { continue }
            let dates = (member.array ?? []).compactMap(\.double).map(
                Date.init(timeIntervalSinceReferenceDate:))
            values[key] = .fine(value, dates: dates)
        }
    }

    /// The keys of fields with one file, or of those with lists of files.
    fileprivate func assetKeys(areLists: Bool) -> [CKRecord.FieldKey] {
        values.keys.sorted().filter { key in
            if case .assets(let assets, areLists)? = values[key] { !assets.isEmpty } else { false }
        }
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
