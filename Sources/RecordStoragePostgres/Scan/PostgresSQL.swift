internal import PostgresAccess
internal import RecordStorage

/// SQL that grows, with its values beside it: values are always parameters, never written.
struct PostgresSQL {
    private(set) var sql = ""
    private(set) var values: [PostgresValue] = []
    private(set) var types: [PostgresType] = []

    init(_ sql: String = "") { self.sql = sql }

    mutating func append(_ text: String) { sql += text }

    mutating func append(_ value: PostgresValue, _ type: PostgresType) {
        values.append(value)
        types.append(type)
        sql += "$\(values.count)"
    }

    mutating func append(_ number: Int64) { append(.int(number), .int8) }

    mutating func append(_ number: Double) { append(.double(number), .float8) }

    mutating func append(text: String) { append(.text(PostgresText.encoded(text)), .text) }

    /// A value that is not null.
    mutating func append(_ value: StorageValue) {
        switch value {
        case .null: append("NULL")
        case .int(let number): append(number)
        case .double(let number): append(number)
        case .text(let text): append(text: text)
        }
    }

    var command: PostgresCommand {
        PostgresCommand(PostgresStatement(sql: sql, types: types), values: values)
    }
}
