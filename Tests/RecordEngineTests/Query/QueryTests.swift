import RecordModel
import RecordWire
import TestSupport
import Testing

@Suite struct QueryTests {
    static func filter(_ comparator: String, _ field: String, _ value: JSONValue) -> JSONValue {
        ["comparator": .string(comparator), "fieldName": .string(field), "fieldValue": ["value": value]]
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var query: JSONValue
        var code = "BAD_REQUEST"
        var part: String
        var testDescription: String { query.text }
    }

    static let refusals: [Refusal] = [
        Refusal(query: ["recordType": "None"], code: "NOT_FOUND", part: "did not find required record type"),
        Refusal(
            query: ["recordType": "Model", "filterBy": [filter("EQUALS", "none", 1)]],
            part: "Unknown field 'none'"),
        Refusal(
            query: ["recordType": "Model", "filterBy": [filter("EQUALS", "bytes", "AA==")]],
            part: "Field 'bytes' is not marked queryable"),
        Refusal(
            query: ["recordType": "Model", "filterBy": [filter("LIST_CONTAINS_ANY", "places", [])]],
            part: "is not marked queryable"),
        Refusal(
            query: ["recordType": "Model", "predicate": "places == nil"], part: "is not marked queryable"),
        Refusal(
            query: ["recordType": "Model", "predicate": "places.@count > 1"], part: "is not marked queryable"),
        Refusal(
            query: ["recordType": "Model", "sortBy": [["fieldName": "places"]]], part: "not marked sortable"),
        Refusal(
            query: ["recordType": "Model", "sortBy": [["fieldName": "link"]]],
            part: "Field 'link' is not marked sortable"),
        Refusal(
            query: ["recordType": "Model", "sortBy": [["fieldName": "texts"]]],
            part: "Field 'texts' is not marked sortable"),
        Refusal(query: ["recordType": "Model", "sortBy": [["fieldName": "none"]]], part: "Unknown field"),
        Refusal(
            query: [
                "recordType": "Model",
                "sortBy": [["fieldName": "int", "relativeLocation": ["latitude": 0, "longitude": 0]]],
            ], part: "not a location"),
        Refusal(
            query: ["recordType": "Model", "filterBy": [filter("CONTAINS_ALL_TOKENS", "int", "a")]],
            part: "not marked searchable"),
        Refusal(
            query: [
                "recordType": "Model",
                "filterBy": [filter("LESS_THAN", "place", ["latitude": 0, "longitude": 0])],
            ], part: "LESS_THAN cannot be used"),
        Refusal(
            query: ["recordType": "Model", "filterBy": [filter("LESS_THAN", "texts", "a")]],
            part: "LESS_THAN cannot be used"),
        Refusal(
            query: ["recordType": "Model", "filterBy": [filter("LIST_CONTAINS", "text", "a")]],
            part: "LIST_CONTAINS cannot be used"),
        Refusal(
            query: ["recordType": "Model", "filterBy": [filter("BEGINS_WITH", "int", "1")]],
            part: "BEGINS_WITH cannot be used"),
        Refusal(query: ["recordType": "Model", "filterBy": [filter("IN", "int", 1)]], part: "needs a list"),
        Refusal(
            query: ["recordType": "Model", "filterBy": [filter("IN", "int", ["x"])]],
            part: "expected type INT64"),
        Refusal(query: ["recordType": "Model", "filterBy": [filter("IN", "int", [nil])]], part: "missing"),
        Refusal(
            query: ["recordType": "Model", "filterBy": [filter("EQUALS", "int", "x")]],
            part: "expected type INT64"),
        Refusal(
            query: ["recordType": "Model", "filterBy": [filter("EQUALS", "time", 1.5)]],
            part: "expected type TIMESTAMP"),
        Refusal(
            query: ["recordType": "Model", "filterBy": [filter("EQUALS", "text", 1)]],
            part: "expected type STRING"),
        Refusal(
            query: [
                "recordType": "Model",
                "filterBy": [filter("NEAR", "place", ["latitude": 91, "longitude": 0])],
            ], part: "out of range"),
        Refusal(
            query: [
                "recordType": "Model",
                "filterBy": [filter("NEAR", "place", ["latitude": 1, "longitude": 0]).with("distance", -1)],
            ], part: "negative"),
        Refusal(
            query: [
                "recordType": "Model", "filterBy": [filter("NEAR", "int", ["latitude": 1, "longitude": 0])],
            ], part: "cannot be used"),
    ]

    @Test func `What cannot be asked is refused by name`() async throws {
        try await TestCloud.run { cloud in
            var random = Random(seed: 1)
            try await cloud.save(random.records(3))
            try await cloud.modify([
                TestCloud.operation(
                    "create", "extra", type: "Model",
                    fields: [
                        "bytes": ["value": "AA==", "type": "BYTES"], "places": ["value": [random.place()]],
                    ])
            ])
            for refusal in Self.refusals {
                let answer = try await cloud.query(refusal.query)
                #expect(
                    answer.code == refusal.code, "\(refusal.testDescription): \(answer.json.text.prefix(300))"
                )
                let reason = answer.json["reason"].string ?? ""
                #expect(reason.contains(refusal.part), "\(refusal.testDescription): \(reason)")
            }
        }
    }

    @Test(
        arguments: [(1, 1), (2, 2), (199, 199), (200, 200), (201, 200), (5_000, 200), (nil, 200)]
            as [(Int?, Int)])
    func `A page has so many records`(_ limit: Int?, _ count: Int) async throws {
        try await TestCloud.run { cloud in
            var random = Random(seed: 2)
            try await cloud.save(random.records(201))
            let answer = try await cloud.query(["recordType": "Model"], limit: limit)
            #expect(answer.names.count == count)
            #expect(answer.json["continuationMarker"].string != nil)
            let exact = try await cloud.query(
                ["recordType": "Model", "filterBy": [Self.filter("IN", "int", [])]], limit: limit)
            #expect(exact.names.isEmpty)
            #expect(exact.json["continuationMarker"] == .null)
        }
    }

    @Test(arguments: [0, -1, Int.min])
    func `A page has one record at least`(_ limit: Int) async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("a", ["n": ["value": 1]])
            #expect(try await cloud.query(["recordType": "Note"], limit: limit).code == "BAD_REQUEST")
        }
    }

    @Test func `The last page has no marker, also when it is full`() async throws {
        try await TestCloud.run { cloud in
            for name in ["a", "b", "c", "d"] { try await cloud.save(name, ["n": ["value": 1]]) }
            let first = try await cloud.query(["recordType": "Note"], limit: 2)
            let marker = try #require(first.json["continuationMarker"].string)
            let second = try await cloud.query(["recordType": "Note"], limit: 2, marker: marker)
            #expect(second.json["continuationMarker"] == .null)
            #expect(Set(first.names + second.names) == ["a", "b", "c", "d"])
            #expect(
                try await cloud.query(["recordType": "Note"], limit: 4).json["continuationMarker"] == .null)
        }
    }

    @Test func `A query looks in one zone, or in all of them`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("A", "B")
            for zone in [nil, "A", "B"] {
                for number in 0..<3 {
                    try await cloud.save(
                        "\(zone ?? "default")\(number)", ["n": ["value": .int(Int64(number))]], zone: zone)
                }
            }
            let query: JSONValue = ["recordType": "Note", "sortBy": [["fieldName": "n"]]]
            #expect(try await cloud.query(query).names == ["default0", "default1", "default2"])
            #expect(try await cloud.query(query, zone: "B").names == ["B0", "B1", "B2"])
            #expect(try await cloud.query(query, zone: "C").code == "ZONE_NOT_FOUND")
            var found: [String] = []
            var marker: String?
            repeat {
                var body: JSONValue = ["query": query, "zoneWide": true, "resultsLimit": 2]
                if let marker { body = body.with("continuationMarker", .string(marker)) }
                let answer = try await cloud.send(.recordsQuery, body)
                for record in answer.records {
                    let zone = record["zoneID"]["zoneName"].string ?? ""
                    let name = record["recordName"].string ?? ""
                    #expect(name.hasPrefix(zone == "_defaultZone" ? "default" : zone))
                    found.append(name)
                }
                marker = answer.json["continuationMarker"].string
            } while marker != nil
            #expect(found.count == 9)
            #expect(Set(found).count == 9)
            #expect(found.map { $0.last } == ["0", "0", "0", "1", "1", "1", "2", "2", "2"])
            // A zone that is named wins over zoneWide.
            let both = try await cloud.send(
                .recordsQuery, ["query": query, "zoneWide": true, "zoneID": ["zoneName": "A"]])
            #expect(both.names == ["A0", "A1", "A2"])
        }
    }

    @Test func `Words are found without case, accents and fillers, in one field or in all`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save(
                "a",
                [
                    "t": ["value": "The Zürich Lake"], "u": ["value": "boat"],
                    "l": ["value": ["red\nBlue", "green"]],
                ])
            try await cloud.save("b", ["t": ["value": "zurich"], "u": ["value": "lake boat"]])
            func find(_ comparator: String, _ field: String?, _ words: String) async throws -> [String] {
                var filter: JSONValue = [
                    "comparator": .string(comparator), "fieldValue": ["value": .string(words)],
                ]
                if let field { filter = filter.with("fieldName", .string(field)) }
                let answer = try await cloud.query([
                    "recordType": "Note", "filterBy": [filter], "sortBy": [["systemFieldName": "recordName"]],
                ])
                #expect(answer.code == nil, "\(answer.json.text.prefix(300))")
                return answer.names
            }
            #expect(try await find("CONTAINS_ALL_TOKENS", "t", "ZURICH lake") == ["a"])
            #expect(try await find("CONTAINS_ALL_TOKENS", nil, "zürich the LAKE") == ["a", "b"])
            #expect(try await find("CONTAINS_ANY_TOKENS", "u", "lake sea") == ["b"])
            #expect(try await find("CONTAINS_ALL_TOKENS", nil, "lake sea").isEmpty)
            #expect(try await find("CONTAINS_ALL_TOKENS", nil, "blue green") == ["a"])
            #expect(try await find("CONTAINS_ANY_TOKENS", nil, "nblue").isEmpty)
            #expect(try await find("CONTAINS_ANY_TOKENS", nil, "zur").isEmpty)
            #expect(try await find("CONTAINS_ANY_TOKENS", nil, "the").isEmpty)
        }
    }

    @Test func `All text of a wide type can be searched`() async throws {
        try await TestCloud.run { cloud in
            let fields = JSONValue.object(
                JSONObject((0..<300).map { (key: "t\($0)", value: ["value": "word\($0)"]) }))
            try await cloud.save("a", fields)
            let filter: JSONValue = [
                "comparator": "CONTAINS_ALL_TOKENS", "fieldValue": ["value": "word0 word150 word299"],
            ]
            #expect(try await cloud.query(["recordType": "Note", "filterBy": [filter]]).names == ["a"])
            #expect(
                try await cloud.query(["recordType": "Note", "predicate": "self CONTAINS 'word299'"]).names
                    == ["a"])
        }
    }

    @Test func `Answers carry the wanted fields, with numbers as wished`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("a", ["n": ["value": 5], "d": ["value": 0.5], "t": ["value": "x"]])
            let body: JSONValue = [
                "query": ["recordType": "Note"], "desiredKeys": ["n", "t", "none"], "numbersAsStrings": true,
            ]
            let record = try await cloud.send(.recordsQuery, body).json["records"][0]
            #expect(record["fields"]["n"] == ["value": "5", "type": "INT64"])
            #expect(record["fields"]["t"] == ["value": "x", "type": "STRING"])
            #expect(record["fields"]["d"] == .null)
            let quoted = try await cloud.query([
                "recordType": "Note", "filterBy": [Self.filter("EQUALS", "n", "5")],
            ])
            #expect(quoted.names == ["a"])
        }
    }
}
