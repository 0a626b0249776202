import RecordModel
import RecordStorage
import RecordWire

/// A record of the change log as conditions see it: read from its body, which is all that the log has.
struct LoggedRecord: ConditionSource {
    let name: String
    /// The fields by name, without encrypted ones: neither conditions nor payloads have these.
    let fields: [String: FieldValue]
    let created: RecordStamp
    let modified: RecordStamp
    let parent: String?
    /// The record as it is sent, without the closing brace.
    let body: [UInt8]

    /// - Throws: `JSONError` where the body is damaged.
    init(body: [UInt8]) throws(JSONError) {
        self.body = body
        let object = try JSONReader.read(body + [UInt8(ascii: "}")]).object ?? JSONObject()
        let record = try RecordDictionary(json: object)
        let nobody = RecordStamp(timestamp: 0, userRecordName: "")
        name = record.recordName
        fields = record.fields.filter { !record.encrypted.contains($0.key) }
        created = record.created ?? nobody
        modified = record.modified ?? nobody
        parent = record.parent?.recordName
    }

    func value(of column: Column) -> StorageValue {
        switch column {
        case .field(let field): fields[field.name]?.storageValue ?? .null
        case .latitude(let field): location(field).map { .double($0.latitude) } ?? .null
        case .longitude(let field): location(field).map { .double($0.longitude) } ?? .null
        case .recordName: .text(name)
        case .createdAt: .int(created.timestamp)
        case .modifiedAt: .int(modified.timestamp)
        case .createdBy: .text(created.userRecordName)
        case .modifiedBy: .text(modified.userRecordName)
        case .parent: parent.map { .text($0) } ?? .null
        }
    }

    func elements(of column: Column) -> [StorageValue] {
        guard case .field(let field) = column, case .list(let elements, _)? = fields[field.name] else {
            return []
        }
        return elements.map(\.storageValue)
    }

    func location(_ field: FieldSchema) -> Location? {
        if case .location(let place)? = fields[field.name] { place } else { nil }
    }
}
