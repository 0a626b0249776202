import RecordWire
import TestSupport
import Testing

@Suite struct FilterLawTests {
    /// A filter that is right for its field.
    struct Filter {
        var comparator: Comparator
        var field: String
        var value: JSONValue
        var tag: String
        var distance: Double?

        var json: JSONValue {
            let filter: JSONValue = [
                "comparator": .string(comparator.rawValue), "fieldName": .string(field),
                "fieldValue": ["value": value, "type": .string(tag)],
            ]
            return distance.map { filter.with("distance", .double($0)) } ?? filter
        }
    }

    static func filter(_ random: inout Random) -> Filter {
        if random.oneIn(2) {
            let (field, tag) = random.pick(ModelRecord.scalars, else: ("int", "INT64"))
            var comparators: [Comparator] = [.equals, .notEquals]
            if tag != "LOCATION" { comparators += [.in, .notIn] }
            if tag != "LOCATION" && tag != "REFERENCE" {
                comparators += [.lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals]
            }
            if tag == "STRING" {
                comparators += [.beginsWith, .notBeginsWith, .containsAllTokens, .containsAnyTokens]
            }
            if tag == "LOCATION" { comparators += [.near] }
            let comparator = random.pick(comparators, else: .equals)
            if comparator == .in || comparator == .notIn {
                let values = (0..<random.int(0...4)).map { _ in random.value(tag) }
                return Filter(comparator: comparator, field: field, value: .array(values), tag: tag + "_LIST")
            }
            let isNull = random.oneIn(8) && (comparator == .equals || comparator == .notEquals)
            return Filter(
                comparator: comparator, field: field, value: isNull ? .null : random.value(tag), tag: tag,
                distance: comparator == .near && !random.oneIn(3)
                    ? random.pick([0, 500, 1e6, 2e7], else: 0) : nil)
        }
        let (field, tag) = random.pick(ModelRecord.lists, else: ("ints", "INT64"))
        var comparators: [Comparator] = [
            .listContains, .notListContains, .listContainsAny, .notListContainsAny, .listContainsAll,
            .notListContainsAll,
        ]
        if tag == "STRING" { comparators += [.listMemberBeginsWith, .notListMemberBeginsWith] }
        let comparator = random.pick(comparators, else: .listContains)
        guard comparator.rawValue.hasSuffix("ANY") || comparator.rawValue.hasSuffix("ALL") else {
            return Filter(comparator: comparator, field: field, value: random.value(tag), tag: tag)
        }
        let values = (0..<random.int(0...3)).map { _ in random.value(tag) }
        return Filter(comparator: comparator, field: field, value: .array(values), tag: tag + "_LIST")
    }

    @Test(arguments: Seed.some(3))
    func `Filters find what their definition says`(_ seed: Seed) async throws {
        var random = seed.random
        let records = random.records(150)
        let filters = (0..<250).map { _ in (0..<(random.oneIn(3) ? 2 : 1)).map { _ in Self.filter(&random) } }
        try await TestCloud.run { cloud in
            try await cloud.save(records)
            for filters in filters {
                let query: JSONValue = ["recordType": "Model", "filterBy": .array(filters.map(\.json))]
                let answer = try await cloud.query(query)
                let expected = records.filter { record in
                    filters.allSatisfy {
                        FilterModel.holds(
                            $0.comparator, record.fields[$0.field], $0.value, distance: $0.distance)
                    }
                }
                #expect(answer.code == nil, "\(query.text): \(answer.json.text)")
                #expect(Set(answer.names) == Set(expected.map(\.name)), "\(query.text)")
                #expect(answer.names.count == expected.count)
                let count = try await cloud.send(.recordsCount, ["query": query])
                #expect(count.json["count"].int == Int64(expected.count))
            }
        }
    }
}
