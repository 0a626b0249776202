import RecordModel
import RecordWire
import TestSupport
import Testing

@Suite struct SortLawTests {
    struct Key {
        var field: String
        var ascending: Bool
        var from: JSONValue?

        var json: JSONValue {
            let key: JSONValue = ["fieldName": .string(field), "ascending": .bool(ascending)]
            return from.map { key.with("relativeLocation", ["value": $0, "type": "LOCATION"]) } ?? key
        }

        /// A number that is smaller for what comes first; nil, the smallest of all, for a missing value.
        func precedes(_ left: ModelRecord, _ right: ModelRecord) -> Bool? {
            let values = [left, right].map { record -> JSONValue? in
                if field == "___recordID" { return .string(record.name) }
                guard let value = record.fields[field] else { return nil }
                guard let from, let here = FilterModel.place(value), let there = FilterModel.place(from)
                else { return value }
                return .double(here.distanceMetres(to: there))
            }
            switch (values[0], values[1]) {
            case (nil, nil): return nil
            // What has no place comes last, however far the others are.
            case (nil, _): return from == nil && ascending
            case (_, nil): return from != nil || !ascending
            case (let left?, let right?):
                if FilterModel.isEqual(left, right) { return nil }
                return FilterModel.precedes(left, right) == ascending
            }
        }
    }

    static func keys(_ random: inout Random) -> [Key] {
        (0..<random.int(1...4)).map { _ in
            if random.oneIn(5) {
                return Key(field: "place", ascending: random.oneIn(2), from: random.place())
            }
            let fields = ["text", "int", "double", "time", "___recordID"]
            return Key(field: random.pick(fields, else: "int"), ascending: random.oneIn(2))
        }
    }

    @Test(arguments: Seed.some(3))
    func `Records come in the order asked for, missing values as the smallest`(_ seed: Seed) async throws {
        var random = seed.random
        let records = random.records(120)
        let byName = Dictionary(uniqueKeysWithValues: records.map { ($0.name, $0) })
        let sorts = (0..<60).map { _ in Self.keys(&random) }
        try await TestCloud.run { cloud in
            try await cloud.save(records)
            for keys in sorts {
                let query: JSONValue = ["recordType": "Model", "sortBy": .array(keys.map(\.json))]
                let answer = try await cloud.query(query)
                #expect(answer.names.count == records.count, "\(answer.json.text.prefix(300))")
                let sorted = answer.names.compactMap { byName[$0] }
                for (left, right) in zip(sorted, sorted.dropFirst()) {
                    let decided = keys.lazy.compactMap { $0.precedes(left, right) }.first
                    #expect(decided != false, "\(left.name) before \(right.name) in \(query.text)")
                }
            }
        }
    }

    // No record has a share yet, and a reference has no order: see SystemFieldTests.
    @Test(arguments: SystemField.allCases.filter { $0 != .share })
    func `System fields can be sorted and filtered by`(_ field: SystemField) async throws {
        try await TestCloud.run { cloud in
            for name in ["c", "a", "b"] { try await cloud.save(name, ["n": ["value": 1]]) }
            let first = try #require(try await cloud.record("c"))
            let values: [SystemField: JSONValue] = [
                .recordName: "c", .createdTimestamp: first["created"]["timestamp"],
                .modifiedTimestamp: first["modified"]["timestamp"],
                .createdUserRecordName: ["recordName": first["created"]["userRecordName"]],
                .modifiedUserRecordName: first["modified"]["userRecordName"], .share: nil, .parent: nil,
            ]
            let matches: [SystemField: [String]] = [
                .recordName: ["c"], .createdTimestamp: ["c"], .modifiedTimestamp: ["c"],
            ]
            let filter: JSONValue = [
                "comparator": "EQUALS", "systemFieldName": .string(field.rawValue),
                "fieldValue": ["value": values[field] ?? nil],
            ]
            let query: JSONValue = [
                "recordType": "Note", "filterBy": [filter],
                "sortBy": [["systemFieldName": .string(field.rawValue)], ["systemFieldName": "recordName"]],
            ]
            let answer = try await cloud.query(query)
            #expect(answer.names == matches[field] ?? ["a", "b", "c"], "\(answer.json.text.prefix(200))")
            let descending = try await cloud.query(
                [
                    "recordType": "Note",
                    "sortBy": [["systemFieldName": .string(field.rawValue), "ascending": false]],
                ])
            #expect(descending.code == nil)
            if field == .createdTimestamp { #expect(descending.names == ["b", "a", "c"]) }
            if field == .recordName { #expect(descending.names == ["c", "b", "a"]) }
        }
    }
}
