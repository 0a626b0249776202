internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

/// What a column of a type's table holds.
enum ColumnKind {
    case text, int, double, list(FieldType.Scalar)

    /// The type in SQL. Texts are compared by bytes, whatever the server's language is.
    var sql: String {
        switch self {
        case .text: #"text COLLATE "C""#
        case .int: "int8"
        case .double: "float8"
        case .list(let scalar):
            switch Self.element(scalar) {
            case .int: "int8[]"
            case .double: "float8[]"
            case .text, .list: #"text[] COLLATE "C""#
            }
        }
    }

    /// How the elements of a list are kept.
    static func element(_ scalar: FieldType.Scalar) -> ColumnKind {
        switch scalar {
        case .int64, .timestamp: .int
        case .double, .location: .double
        case .string, .reference, .bytes, .asset: .text
        }
    }

    init(_ type: FieldType) {
        self = type.isList ? .list(type.scalar) : Self.element(type.scalar)
    }
}

extension Column {
    /// The column's name in the table of its type.
    var name: String { sql }

    var kind: ColumnKind {
        switch self {
        case .field(let field): ColumnKind(field.type)
        case .latitude, .longitude: .double
        case .recordName, .createdBy, .modifiedBy, .parent: .text
        case .createdAt, .modifiedAt: .int
        }
    }
}

extension FieldSchema {
    /// Whether the field has columns: one that can be asked for and whose values SQL can compare.
    var hasColumn: Bool { !indexes.isEmpty && type.canBeQueried }

    /// The field's columns with their kinds.
    var columns: [(name: String, kind: ColumnKind)] {
        guard hasColumn else { return [] }
        if type == FieldType(.location) {
            return [(Column.latitude(self).name, .double), (Column.longitude(self).name, .double)]
        }
        return [(Column.field(self).name, ColumnKind(type))]
    }

    /// What the columns hold for a value; NULLs where there is none.
    func columnValues(_ value: FieldValue?) -> [(value: PostgresValue, type: PostgresType)] {
        guard hasColumn else { return [] }
        if type == FieldType(.location) {
            guard case .location(let place)? = value else { return [(.null, .float8), (.null, .float8)] }
            return [(.double(place.latitude), .float8), (.double(place.longitude), .float8)]
        }
        guard type.isList else { return [Self.scalar(value, ColumnKind(type))] }
        var elements: [FieldValue] = []
        if case .list(let list, _)? = value { elements = list }
        return [Self.list(elements.map(\.storageValue), ColumnKind.element(type.scalar))]
    }

    private static func scalar(_ value: FieldValue?, _ kind: ColumnKind) -> (PostgresValue, PostgresType) {
        switch (value?.storageValue ?? .null, kind) {
        case (.text(let text), _): (.text(PostgresText.encoded(text)), .text)
        case (.int(let number), _): (.int(number), .int8)
        case (.double(let number), _): (.double(number), .float8)
        case (.null, .int): (.null, .int8)
        case (.null, .double): (.null, .float8)
        case (.null, _): (.null, .text)
        }
    }

    private static func list(_ elements: [StorageValue], _ kind: ColumnKind) -> (PostgresValue, PostgresType)
    {
        switch kind {
        case .int:
            let numbers = elements.map { if case .int(let number) = $0 { number } else { nil as Int64? } }
            return (elements.isEmpty ? .null : .ints(numbers), .int8Array)
        case .double:
            let numbers = elements.map { if case .double(let number) = $0 { number } else { nil as Double? } }
            return (elements.isEmpty ? .null : .doubles(numbers), .float8Array)
        case .text, .list:
            let texts = elements.map {
                if case .text(let text) = $0 { PostgresText.encoded(text) } else { nil as String? }
            }
            return (elements.isEmpty ? .null : .texts(texts), .textArray)
        }
    }
}
