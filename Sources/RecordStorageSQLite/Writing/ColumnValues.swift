import RecordModel
import RecordStorage
import RecordWire

/// How a field's value is stored in the columns of its type's table.
enum ColumnValues {
    /// Whether a field has columns: one that can be asked for and whose values SQL can compare.
    static func hasColumn(_ field: FieldSchema) -> Bool {
        !field.indexes.isEmpty && field.type.canBeQueried
    }

    /// The names of a field's columns.
    static func names(of field: FieldSchema) -> [String] {
        field.type == FieldType(.location)
            ? [Column.latitude(field).sql, Column.longitude(field).sql] : [Column.field(field).sql]
    }

    /// The names of the columns that a value fills; none where it has no place in a column.
    static func names(of field: FieldSchema, _ value: FieldValue) -> [String] {
        hasColumn(field) ? names(of: field) : []
    }

    /// The values that a value puts into its field's columns, as many as those.
    static func values(of field: FieldSchema, _ value: FieldValue) -> [StorageValue] {
        hasColumn(field) ? values(of: value) : []
    }

    /// The values of a field's columns; nulls where there is no value.
    static func padded(_ value: FieldValue?, _ field: FieldSchema) -> [StorageValue] {
        guard let value else { return names(of: field).map { _ in .null } }
        return values(of: value)
    }

    /// A value in the form of columns.
    static func values(of value: FieldValue) -> [StorageValue] {
        switch value {
        case .string(let text): [.text(text)]
        case .int64(let value), .timestamp(let value): [.int(value)]
        case .double(let value): [.double(value)]
        case .reference(let reference): [.text(reference.recordName)]
        case .location(let location): [.double(location.latitude), .double(location.longitude)]
        case .bytes, .asset: []
        case .list(let elements, _): elements.isEmpty ? [.null] : [.text(json(elements))]
        }
    }

    /// The elements of a list as a JSON array, which SQLite can walk.
    private static func json(_ elements: [FieldValue]) -> String {
        let bytes = JSONWriter.text { writer in
            writer.beginArray()
            for element in elements {
                switch values(of: element).first {
                case .text(let text)?: writer.string(text)
                case .int(let value)?: writer.int(value)
                case .double(let value)?: writer.double(value)
                default: break
                }
            }
            writer.endArray()
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
