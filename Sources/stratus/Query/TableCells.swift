import RecordModel
import RecordWire

/// The values of records as cells of a table.
struct TableCells: Sendable {
    /// The columns: the record name, then fields.
    let columns: [Table.Column]
    private let names: [String]

    /// Takes the fields asked for, else those of the records in the order in which they occur.
    init(fields: [String]?, records: [JSONObject]) {
        var names = fields ?? []
        if fields == nil {
            var seen: Set<String> = []
            for record in records {
                for (name, _) in record["fields"]?.object?.members ?? [] where seen.insert(name).inserted {
                    names.append(name)
                }
            }
        }
        names.removeAll { $0 == SystemField.recordName.rawValue }
        self.names = names
        let numbers = Set(
            names.filter { name in
                records.contains { Self.isNumber($0["fields"]?.object?[name]?.object?["type"]?.string) }
            })
        columns =
            [Table.Column(title: SystemField.recordName.rawValue)]
            + names.map { Table.Column(title: $0, isNumber: numbers.contains($0)) }
    }

    /// The cells of a record.
    func row(_ record: JSONObject) -> [String] {
        let fields = record["fields"]?.object
        let first = record["recordName"]?.string ?? ""
        return [first]
            + names.map { name in fields?[name]?.object.map(Self.text) ?? Self.system(name, record) }
    }

    private static func isNumber(_ tag: String?) -> Bool { tag == "INT64" || tag == "DOUBLE" }

    private static func system(_ name: String, _ record: JSONObject) -> String {
        switch SystemField(spelling: name) {
        case .createdTimestamp?: time(record["created"]?.object?["timestamp"])
        case .modifiedTimestamp?: time(record["modified"]?.object?["timestamp"])
        case .createdUserRecordName?: record["created"]?.object?["userRecordName"]?.string ?? ""
        case .modifiedUserRecordName?: record["modified"]?.object?["userRecordName"]?.string ?? ""
        case .parent?: record["parent"]?.object?["recordName"]?.string ?? ""
        default: ""
        }
    }

    private static func time(_ value: JSONValue?) -> String { value?.int.map(Format.time) ?? "" }

    /// A field `{value, type}` as text.
    static func text(_ field: JSONObject) -> String {
        guard let value = field["value"], let tag = field["type"]?.string else { return "" }
        if tag.hasSuffix("_LIST") {
            let scalar = String(tag.dropLast(5))
            return value.array?.map { text($0, scalar) }.joined(separator: "; ") ?? ""
        }
        return text(value, tag)
    }

    private static func text(_ value: JSONValue, _ tag: String) -> String {
        switch (tag, value) {
        case ("TIMESTAMP", .int(let milliseconds)): Format.time(milliseconds)
        case ("BYTES", .string(let text)): "\(Base64.decode(text)?.count ?? 0) bytes"
        case (_, .string(let text)): text
        case (_, .int(let number)): String(number)
        case (_, .double(let number)): String(number)
        case ("REFERENCE", .object(let object)): "→ \(object["recordName"]?.string ?? "")"
        case ("LOCATION", .object(let object)):
            "\(object["latitude"]?.double ?? 0), \(object["longitude"]?.double ?? 0)"
        case ("ASSETID", .object(let object)): "file, \(Format.bytes(object["size"]?.int ?? 0))"
        default: String(decoding: JSONWriter.text { $0.value(value) }, as: UTF8.self)
        }
    }
}
