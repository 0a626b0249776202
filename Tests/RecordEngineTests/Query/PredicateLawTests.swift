import Foundation
import Predicates
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Law: what SQL finds is what evaluating the predicate in memory finds.
@Suite struct PredicateLawTests {
    /// A record as evaluation reads it.
    static func object(_ record: ModelRecord) -> [String: Any] {
        func plain(_ value: JSONValue, _ tag: String) -> Any {
            switch (tag, value) {
            case ("TIMESTAMP", .int(let value)): return Date(timeIntervalSince1970: Double(value) / 1000)
            case (_, .int(let value)): return Int(value)
            case (_, .double(let value)): return value
            case (_, .string(let value)): return value
            default: return value["recordName"].string ?? ""
            }
        }
        var object: [String: Any] = ["recordID": record.name]
        for (name, tag) in ModelRecord.scalars where tag != "LOCATION" {
            object[name] = record.fields[name].map { plain($0, tag) }
        }
        for (name, tag) in ModelRecord.lists {
            // A list without elements is stored as none.
            guard let list = record.fields[name]?.array, !list.isEmpty else { continue }
            object[name] = list.map { plain($0, tag) }
        }
        return object
    }

    @Test(arguments: Seed.some(4))
    func `SQL answers as the evaluation in memory does`(_ seed: Seed) async throws {
        var random = seed.random
        let records = random.records(120)
        let objects = records.map { (name: $0.name, object: Self.object($0)) }
        let texts = (0..<250).map { _ in PredicateTexts.predicate(&random) }
        try await TestCloud.run { cloud in
            try await cloud.save(records)
            for text in texts {
                let tree = try PredicateTree(parsing: text)
                let expected = try objects.filter { try tree.evaluate(on: $0.object) }.map(\.name)
                let answer = try await cloud.query(["recordType": "Model", "predicate": .string(text)])
                #expect(answer.code == nil, "\(text)\n\(answer.json.text.prefix(400))")
                #expect(Set(answer.names) == Set(expected), "\(text)")
                #expect(answer.names.count == expected.count, "\(text)")
            }
        }
    }

    /// What cannot be said in SQL, or would take for ever, is refused with a reason.
    @Test(arguments: [
        "text MATCHES '(a+)+$'", "text ==[l] 'a'", "text <[l] 'a'", "int == text", "time < int", "link < 'a'",
        "a.b == 1", "1 == 1", "text IN 'abc'", "int CONTAINS 1", "texts == 'a'", "ALL texts CONTAINS 'a'",
        "int == 'x'", "text == 5", "text BETWEEN[c] {'a', 'b'}", "none == 1", "text == $x",
        "SUBQUERY(texts, $x, $x == 'a').@count > 0",
        "place == 5", "FUNCTION(text, 'uppercaseString') == 'A'", "text ==", "", "text == 'a",
        "int BETWEEN {1}", "ANY int == 1",
        "distanceToLocation:fromLocation:(place, {91, 0}) < 5", "TERNARY(int == 1, 1, 2) == 1",
        "int + 1 == 2",
        "text LIKE '" + String(repeating: "x", count: 1_025) + "'",
        "text == '" + String(repeating: "x", count: 20_000) + "'",
    ])
    func `What the server cannot answer is refused`(_ text: String) async throws {
        try await TestCloud.run { cloud in
            var random = Random(seed: 3)
            try await cloud.save(random.records(5))
            let answer = try await cloud.query(["recordType": "Model", "predicate": .string(text)])
            #expect(answer.code == "BAD_REQUEST", "\(answer.json.text.prefix(300))")
            #expect(answer.json["reason"].string?.isEmpty == false)
        }
    }

    static let injections: [String] = [
        "'; DROP TABLE meta; --", "\" OR 1=1 --", "') OR ('1'='1", "%", "_", "%_%", "\\", "\\'",
        "😀👨‍👩‍👧",
        "\u{202E}abc", String(repeating: "x", count: 1_000), String(repeating: "😀", count: 200), "?", "?1",
        ":a", "@a",
        "$a", "/*", "*/", "NULL", "0x41", "\n", "\u{FFFD}", "\u{10FFFF}",
    ]

    @Test func `Text that looks like SQL is text`() async throws {
        try await TestCloud.run { cloud in
            for (number, text) in Self.injections.enumerated() {
                try await cloud.save(
                    "r\(number)", ["t": ["value": .string(text)], "l": ["value": [.string(text), "x"]]])
            }
            for (number, text) in Self.injections.enumerated() {
                func find(_ comparator: String, _ field: String, _ value: JSONValue) async throws -> [String]
                {
                    let filter: JSONValue = [
                        "comparator": .string(comparator), "fieldName": .string(field),
                        "fieldValue": ["value": value],
                    ]
                    let answer = try await cloud.query(["recordType": "Note", "filterBy": [filter]])
                    #expect(answer.code == nil, "\(comparator) \(answer.json.text.prefix(300))")
                    return answer.names
                }
                #expect(try await find("EQUALS", "t", .string(text)) == ["r\(number)"], "\(text)")
                #expect(try await find("IN", "t", [.string(text)]) == ["r\(number)"], "\(text)")
                #expect(try await find("LIST_CONTAINS", "l", .string(text)) == ["r\(number)"], "\(text)")
                #expect(try await find("BEGINS_WITH", "t", .string(text)).contains("r\(number)"), "\(text)")
                #expect(
                    try await find("LIST_MEMBER_BEGINS_WITH", "l", .string(text)).contains("r\(number)"),
                    "\(text)")
                let quoted = PredicateTexts.quoted(text)
                for predicate in [
                    "t == \(quoted)", "t CONTAINS \(quoted)", "t ENDSWITH[c] \(quoted)", "ANY l == \(quoted)",
                    "\(quoted) IN l",
                ] {
                    let answer = try await cloud.query([
                        "recordType": "Note", "predicate": .string(predicate),
                    ])
                    #expect(
                        answer.names.contains("r\(number)"), "\(predicate): \(answer.json.text.prefix(200))")
                    if predicate.contains("==") || predicate.contains(" IN ") {
                        #expect(answer.names == ["r\(number)"], "\(predicate)")
                    }
                }
            }
        }
    }

    @Test func `The character U+0000 is refused wherever text is`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("r", ["t": ["value": "a"], "l": ["value": ["a"]]])
            for text in ["\0", "a\0b"] {
                for field in [["t": ["value": .string(text)]], ["l": ["value": [.string(text)]]]]
                    as [JSONValue]
                {
                    let answer = try await cloud.modify([
                        TestCloud.operation("forceUpdate", "r", fields: field)
                    ])
                    #expect(answer.codes == ["BAD_REQUEST"])
                }
                for (comparator, field) in [
                    ("EQUALS", "t"), ("BEGINS_WITH", "t"), ("LIST_CONTAINS", "l"),
                    ("LIST_MEMBER_BEGINS_WITH", "l"),
                ] {
                    let filter: JSONValue = [
                        "comparator": .string(comparator), "fieldName": .string(field),
                        "fieldValue": ["value": .string(text)],
                    ]
                    #expect(
                        try await cloud.query(["recordType": "Note", "filterBy": [filter]]).code
                            == "BAD_REQUEST")
                }
                for literal in ["'\(text)'", "'\\u0000'", "{'a', '\(text)'}"] {
                    let verb = literal.hasPrefix("{") ? "IN[c]" : "CONTAINS"
                    let query: JSONValue = ["recordType": "Note", "predicate": "t \(verb) \(literal)"]
                    #expect(try await cloud.query(query).code == "BAD_REQUEST")
                }
            }
        }
    }

    @Test func `The deepest and the longest predicates are answered, and no deeper or longer ones`()
        async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.save(
                "a",
                [
                    "n": ["value": 1], "l": ["value": ["x"]], "t": ["value": "x"],
                    "p": ["value": ["latitude": 1, "longitude": 1]],
                ])
            let leaves = [
                "n == 1", "ANY l ==[c] 'x'", "t CONTAINS[cd] 'x'", "NOT (ANY l IN {'a', 'b'})", "t != 'b'",
                "distanceToLocation:fromLocation:(p, {1, 1}) < 5", "t BETWEEN {'a', 'z'}", "t BEGINSWITH 'x'",
            ]
            for leaf in leaves {
                func nested(_ depth: Int) -> String {
                    (0..<depth).reduce(leaf) { text, level in
                        level % 3 == 0
                            ? "NOT (\(text))"
                            : level % 3 == 1 ? "(n == 2 OR \(text))" : "(n == 1 AND \(text))"
                    }
                }
                func code(_ text: String) async throws -> String? {
                    let answer = try await cloud.query(
                        ["recordType": "Note", "predicate": .string(text), "sortBy": [["fieldName": "n"]]])
                    #expect(answer.status < 500, "\(text)")
                    return answer.code
                }
                let own = leaf.hasPrefix("NOT") ? 1 : 0
                #expect(try await code(nested(Limits.predicateDepth - own)) == nil)
                #expect(try await code(nested(Limits.predicateDepth + 1 - own)) == "BAD_REQUEST")
                let long = [String](repeating: leaf, count: Limits.predicateComparisons)
                guard long.joined(separator: " OR ").utf8.count <= Limits.predicateBytes else { continue }
                #expect(try await code(long.joined(separator: " OR ")) == nil)
                #expect(try await code(long.joined(separator: " AND ")) == nil)
                #expect(try await code((long + [leaf]).joined(separator: " OR ")) == "BAD_REQUEST")
            }
        }
    }
}
