public import RecordModel

/// What to do with one record (Documentation/Protocol.md, 'Operations').
public enum OperationType: String, Hashable, Sendable, CaseIterable {
    /// Make a record that must not exist.
    case create
    /// Change the fields given, if the change tag is the record's.
    case update
    /// Change the fields given, whatever the tag; make the record where it is missing.
    case forceUpdate
    /// Set all fields, if the change tag is the record's.
    case replace
    /// Set all fields, whatever the tag; make the record where it is missing.
    case forceReplace
    /// Give the record the values of one of its versions, if the change tag is the record's or none is given; make it
    /// again where it was deleted. Our extension.
    case restore
    /// Delete, if the change tag is the record's.
    case delete
    /// Delete, whatever the tag.
    case forceDelete

    /// Whether the record goes.
    public var isDelete: Bool { self == .delete || self == .forceDelete }
    /// Whether the change tag is looked at.
    public var checksTag: Bool { self == .update || self == .replace || self == .delete }
    /// Whether fields that are not given become null.
    public var replacesAll: Bool {
        self == .replace || self == .forceReplace || self == .create || self == .restore
    }
}

/// A record as a request gives it.
public struct RecordInput: Hashable, Sendable {
    /// The name; nil lets the server choose one.
    public var recordName: String?
    /// The type, needed to create.
    public var recordType: String?
    /// The version that the client knows.
    public var recordChangeTag: String?
    /// The fields in their order.
    public var fields: [(name: String, field: WireField)] = []
    /// The zone, where the record names one itself.
    public var zoneID: ZoneID?
    /// The record above in a share's hierarchy.
    public var parent: String?
    /// Whether the record is to have nobody above it any more: a `parent` that is null. One that is not there leaves it.
    public var removesParent = false
    /// Whether the record is to get the short name that the address of its share has.
    public var createsShortGUID = false
    /// The share that the record names as its own; nil where it names none.
    public var share: String?
    /// What the request says about a share, where the record is one; nil where it says nothing.
    public var shareTerms: ShareTerms?

    /// The record type of shares.
    public static let shareType = ShareRecordType.name
    /// The name of the record that shares a whole zone.
    public static let zoneShareName = "cloudkit.zoneshare"

    /// Makes a record of its name and type.
    public init(recordName: String?, recordType: String?, recordChangeTag: String? = nil) {
        self.recordName = recordName
        self.recordType = recordType
        self.recordChangeTag = recordChangeTag
    }

    init(json: JSONObject) throws(JSONError) {
        recordName = try json.string("recordName")
        recordType = try json.string("recordType")
        recordChangeTag = try json.string("recordChangeTag")
        for (name, value) in try json.object("fields")?.members ?? [] {
            if case .null = value {
                fields.append((name, WireField(value: .null)))
                continue
            }
            do throws(JSONError) {
                guard let object = value.object else {
                    throw .shape("It must be an object with 'value'.")
                }
                fields.append((name, try WireField(json: object)))
            } catch {
                throw error.inside("Record '\(recordName?.prefix(64) ?? "")', field '\(name.prefix(64))'")
            }
        }
        if let zone = try json.object("zoneID") { zoneID = try ZoneID(json: zone) }
        parent = try json.object("parent")?.requiredString("recordName")
        createsShortGUID = try json.bool("createShortGUID") ?? false
        removesParent = json.members.contains { $0.key == "parent" && $0.value == .null }
        share = try json.object("share")?.requiredString("recordName")
        shareTerms = try ShareTerms(json: json)
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("recordName", recordName)
        writer.member("recordType", recordType)
        writer.member("recordChangeTag", recordChangeTag)
        if !fields.isEmpty {
            writer.key("fields")
            writer.beginObject()
            for (name, field) in fields {
                writer.key(text: name)
                field.write(to: &writer)
            }
            writer.endObject()
        }
        writer.member("zoneID", zoneID)
        if createsShortGUID { writer.member("createShortGUID", true) }
        if let parent {
            writer.key("parent")
            writer.beginObject()
            writer.member("recordName", parent)
            writer.endObject()
        } else if removesParent {
            writer.key("parent")
            writer.null()
        }
        if let share {
            writer.key("share")
            writer.beginObject()
            writer.member("recordName", share)
            writer.endObject()
        }
        shareTerms?.writeMembers(to: &writer)
        writer.endObject()
    }

    public static func == (left: RecordInput, right: RecordInput) -> Bool { left.encoded == right.encoded }

    public func hash(into hasher: inout Hasher) { hasher.combine(encoded) }

    private var encoded: [UInt8] { JSONWriter.text(write) }
}

/// One operation of `records/modify`.
public struct RecordOperation: Hashable, Sendable {
    /// What to do.
    public var type: OperationType
    /// With which record.
    public var record: RecordInput
    /// The fields wanted in the answer; nil for those of the request.
    public var desiredKeys: [String]?
    /// Whether numbers are wanted quoted; nil for what the request says.
    public var numbersAsStrings: Bool?
    /// The change tag of the version whose values the record gets, of ``OperationType/restore`` alone.
    public var versionTag: String?

    /// Makes an operation.
    public init(_ type: OperationType, _ record: RecordInput) {
        self.type = type
        self.record = record
    }

    init(json: JSONObject) throws(JSONError) {
        let word = try json.requiredString("operationType")
        guard let type = OperationType(rawValue: word) else {
            throw .shape("'\(word.prefix(40))' is not an operation type.")
        }
        guard let object = try json.object("record") else { throw .missing("record") }
        self.type = type
        record = try RecordInput(json: object)
        desiredKeys = try json.strings("desiredKeys")
        numbersAsStrings = try json.bool("numbersAsStrings")
        versionTag = try json.string("versionTag")
        guard type != .restore || versionTag != nil else { throw .missing("versionTag") }
        guard type == .restore || versionTag == nil else {
            throw .shape("'versionTag' belongs to the operation 'restore'.")
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("operationType", type.rawValue)
        writer.key("record")
        record.write(to: &writer)
        writer.member("desiredKeys", desiredKeys)
        writer.member("numbersAsStrings", numbersAsStrings)
        writer.member("versionTag", versionTag)
        writer.endObject()
    }
}

/// `records/modify`.
public struct RecordsModifyRequest: WireRequest, Hashable {
    /// What to do, in order; at most one operation for each record.
    public var operations: [RecordOperation]
    /// The zone of all records; nil for the default zone.
    public var zoneID: ZoneID?
    /// Whether all or nothing is done; has effect in custom zones only.
    public var atomic = true
    /// The fields wanted in the answer; nil for all.
    public var desiredKeys: [String]?
    /// Whether numbers come and are wanted quoted.
    public var numbersAsStrings = false
    /// What names this request and all its repetitions, so that it takes effect once; our extension.
    public var idempotencyKey: String?

    /// Makes a request.
    public init(operations: [RecordOperation], zoneID: ZoneID? = nil, atomic: Bool = true) {
        self.operations = operations
        self.zoneID = zoneID
        self.atomic = atomic
    }

    public init(json: JSONObject) throws(JSONError) {
        guard json["operations"] != nil else { throw .missing("operations") }
        operations = []
        for object in try json.objects("operations") { operations.append(try RecordOperation(json: object)) }
        if let zone = try json.object("zoneID") { zoneID = try ZoneID(json: zone) }
        atomic = try json.bool("atomic") ?? true
        desiredKeys = try json.strings("desiredKeys")
        numbersAsStrings = try json.bool("numbersAsStrings") ?? false
        idempotencyKey = try json.string("idempotencyKey")
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("idempotencyKey", idempotencyKey)
        writer.key("operations")
        writer.beginArray()
        for operation in operations { operation.write(to: &writer) }
        writer.endArray()
        writer.member("zoneID", zoneID)
        writer.member("atomic", atomic)
        writer.member("desiredKeys", desiredKeys)
        if numbersAsStrings { writer.member("numbersAsStrings", true) }
        writer.endObject()
    }
}
