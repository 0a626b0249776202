import Foundation
import RecordWire
import TestSupport

/// Random records of one type, small enough that values meet often, kept beside the service as a plain model.
struct ModelRecord: Sendable {
    var name: String
    var fields: [String: JSONValue]

    /// The names and kinds of the type's fields.
    static let scalars: [(name: String, tag: String)] = [
        ("text", "STRING"), ("int", "INT64"), ("double", "DOUBLE"), ("time", "TIMESTAMP"),
        ("link", "REFERENCE"),
        ("place", "LOCATION"),
    ]
    static let lists: [(name: String, tag: String)] = [
        ("texts", "STRING"), ("ints", "INT64"), ("doubles", "DOUBLE"), ("times", "TIMESTAMP"),
        ("links", "REFERENCE"),
    ]

    var json: JSONValue {
        .object(
            JSONObject(
                fields.sorted { $0.key < $1.key }.map { name, value in
                    let tag =
                        Self.scalars.first { $0.name == name }?.tag
                        ?? (Self.lists.first { $0.name == name }?.tag ?? "") + "_LIST"
                    return (key: name, value: ["value": value, "type": .string(tag)])
                }))
    }
}

extension Random {
    static let words: [String] = [
        "", "a", "A", "ab", "Ab", "b", "ä", "Äb", "é", "e\u{301}", "ß", "😀", "a\u{10FFFF}b",
        "'; DROP TABLE meta; --",
        "%", "_", "a%b", "a*b", "a?b", "\\", "\"", "a\nb", "zebra apple", "Apple the pie", "İ", "k",
        "\u{212A}",
    ]

    /// A value of the kind of a tag.
    mutating func value(_ tag: String) -> JSONValue {
        switch tag {
        case "STRING": return .string(pick(Self.words, else: ""))
        case "INT64":
            return .int(pick([0, 1, -1, 2, 3, .max, .min, 1 << 53, (1 << 53) + 1], else: 0))
        case "DOUBLE":
            return .double(
                pick(
                    [
                        0, -0.0, 0.1, 0.5, 1, 2, -3.25, 1e300, .leastNonzeroMagnitude, 123456.789012345,
                        -0x1p63,
                    ], else: 0))
        case "TIMESTAMP": return .int(pick([0, 1, -1, 1_700_000_000_000, 1_700_000_000_001], else: 0))
        case "REFERENCE":
            return ["recordName": .string(pick(["r1", "r2", "none"], else: "r1")), "action": "NONE"]
        default: return place()
        }
    }

    mutating func place() -> JSONValue {
        [
            "latitude": .double(pick([-90, -45.5, 0, 10, 10.001, 90], else: 0)),
            "longitude": .double(pick([-180, -1.5, 0, 20, 20.001, 179.5], else: 0)),
        ]
    }

    /// A record some of whose fields are missing.
    mutating func record(_ name: String) -> ModelRecord {
        var fields: [String: JSONValue] = [:]
        for (name, tag) in ModelRecord.scalars where !oneIn(4) { fields[name] = value(tag) }
        for (name, tag) in ModelRecord.lists where !oneIn(4) {
            fields[name] = .array((0..<int(0...3)).map { _ in value(tag) })
        }
        return ModelRecord(name: name, fields: fields)
    }

    /// Records of which one has all fields, so that the schema knows all of them.
    mutating func records(_ count: Int) -> [ModelRecord] {
        var whole = ModelRecord(name: "r0", fields: [:])
        for (name, tag) in ModelRecord.scalars { whole.fields[name] = value(tag) }
        for (name, tag) in ModelRecord.lists { whole.fields[name] = [value(tag)] }
        return [whole] + (1..<count).map { record("r\($0)") }
    }
}

extension TestCloud {
    /// Saves a model's records in the default zone.
    func save(_ records: [ModelRecord], zone: String? = nil) async throws {
        for start in stride(from: 0, to: records.count, by: 200) {
            let operations = records[start..<min(start + 200, records.count)].map {
                Self.operation("forceReplace", $0.name, type: "Model", fields: $0.json)
            }
            let answer = try await modify(operations, zone: zone)
            guard answer.codes.allSatisfy({ $0 == nil }) else {
                throw TestFailure("The model could not be saved: \(answer.json.text.prefix(2_000))")
            }
        }
    }
}
