internal import RecordModel
internal import RecordStorage

/// One record, as conditions see it.
struct ConditionRow: ConditionSource {
    let name: String
    let record: StoredRecord

    func value(of column: Column) -> StorageValue {
        switch column {
        case .field(let field): record.values[field.column]?.storageValue ?? .null
        case .latitude(let field): location(field).map { .double($0.latitude) } ?? .null
        case .longitude(let field): location(field).map { .double($0.longitude) } ?? .null
        case .recordName: .text(name)
        case .createdAt: .int(record.createdAt)
        case .modifiedAt: .int(record.modifiedAt)
        case .createdBy: .text(record.createdBy)
        case .modifiedBy: .text(record.modifiedBy)
        case .parent: record.parent.map { .text($0) } ?? .null
        }
    }

    func elements(of column: Column) -> [StorageValue] {
        guard case .field(let field) = column, case .list(let elements, _)? = record.values[field.column]
        else { return [] }
        return elements.map(\.storageValue)
    }

    func location(_ field: FieldSchema) -> Location? {
        if case .location(let place)? = record.values[field.column] { place } else { nil }
    }
}
