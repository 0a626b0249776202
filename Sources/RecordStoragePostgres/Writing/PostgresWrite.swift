internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

/// Something that a write stores and that waits to be sent.
enum PostgresWrite {
    /// A statement between what comes before it and what comes after it.
    case command(PostgresCommand)
    /// A statement on tables that none of the others touch: it keeps its place among its like.
    case apart(PostgresCommand)
    /// A new row of a type's table, and one that changes.
    case insert(RecordState)
    case update(RecordState)
    /// What the directory says of a record.
    case entry(DirectoryEntry)
    /// References of a record: all go, and new ones come.
    case endReferences(zone: Int64, owner: String)
    case reference(ReferenceEntry)
    /// A zone's feed has come to a number.
    case touch(zone: Int64, sequence: Int64)

    /// A row of a type's table: a value for each of ``columns(of:)``.
    struct RecordState {
        var type: RecordType
        var id: Int64
        var values: [(value: PostgresValue, type: PostgresType)]
    }

    /// A record that is there, under its name.
    struct DirectoryEntry {
        var zone: Int64
        var name: String
        var type: Int64
        var id: Int64
        var sequence: Int64
        var isTracked: Bool
    }

    /// One reference that a record holds.
    struct ReferenceEntry {
        /// What there is one of.
        struct Key: Hashable {
            var zone: Int64
            @ExactText var target: String
            @ExactText var owner: String
            var field: String
        }

        var key: Key
        var action: String
    }
}

extension PostgresWrite.RecordState {
    private static let ownColumns = [
        "id", "zone", "name", "created_by", "created_at", "sequence", "modified_by", "modified_at", "parent",
        "body",
    ]

    /// All columns of a type's table.
    static func columns(of type: RecordType) -> [String] {
        ownColumns + type.fields.flatMap { $0.columns.map(\.name) }
    }

    init(_ record: NewRecord, id: Int64) {
        let given = Dictionary(
            record.fields.map { ($0.field.column, $0.value) }, uniquingKeysWith: { first, _ in first })
        func text(_ text: String) -> (value: PostgresValue, type: PostgresType) {
            (.text(PostgresText.encoded(text)), .text)
        }
        type = record.type
        self.id = id
        values = [
            (.int(id), .int8), (.int(record.zone.id), .int8), text(record.name), text(record.createdBy),
            (.int(record.createdAt), .int8), (.int(record.sequence), .int8), text(record.modifiedBy),
            (.int(record.modifiedAt), .int8),
            (record.parent.map { .text(PostgresText.encoded($0)) } ?? .null, .text),
            (.bytes(record.body), .bytea),
        ]
        for field in record.type.fields { values += field.columnValues(given[field.column]) }
    }

    /// Whether rows can go together: PostgreSQL has no array of lists.
    var hasLists: Bool { values.contains { $0.type.element != nil } }

    /// The bytes that the row holds in memory, roughly.
    var bytes: Int {
        if case .bytes(let body) = values[9].value { body.count } else { 0 }
    }
}
