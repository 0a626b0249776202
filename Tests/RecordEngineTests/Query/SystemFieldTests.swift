import RecordWire
import TestSupport
import Testing

/// Filters and sorts by the fields that every record has, by any of their spellings.
@Suite struct SystemFieldTests {
    private static func names(_ cloud: TestCloud, _ query: JSONValue) async throws -> [String] {
        let answer = try await cloud.query(query.with("recordType", "Note"))
        #expect(answer.code == nil, "\(query.text): \(answer.json.text)")
        return answer.names
    }

    @Test(arguments: [
        ("recordName", "___recordID"), ("createdTimestamp", "___createTime"),
        ("modifiedTimestamp", "___modTime"),
    ])
    func `System names are taken under fieldName too`(_ plain: String, _ native: String) async throws {
        try await TestCloud.run { cloud in
            for name in ["b", "a", "c"] { try await cloud.save(name, ["n": ["value": 1]]) }
            for (key, name) in [("fieldName", plain), ("fieldName", native), ("systemFieldName", plain)] {
                let sort: JSONValue = ["sortBy": [[key: .string(name), "ascending": false]]]
                let expected = plain == "recordName" ? ["c", "b", "a"] : ["c", "a", "b"]
                #expect(try await Self.names(cloud, sort) == expected)
                let value: JSONValue = plain == "recordName" ? "a" : 0
                let filter: JSONValue = [
                    "comparator": .string(plain == "recordName" ? "EQUALS" : "LESS_THAN"),
                    key: .string(name), "fieldValue": ["value": value],
                ]
                #expect(
                    try await Self.names(cloud, ["filterBy": [filter]])
                        == (plain == "recordName" ? ["a"] : []))
            }
        }
    }

    @Test func `A field of the type wins over the system's name`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("a", ["recordName": ["value": "z"]])
            try await cloud.save("b", ["recordName": ["value": "y"]])
            #expect(try await Self.names(cloud, ["sortBy": [["fieldName": "recordName"]]]) == ["b", "a"])
            #expect(
                try await Self.names(cloud, ["sortBy": [["systemFieldName": "recordName"]]]) == ["a", "b"])
        }
    }

    @Test func `No record has a share, whatever its parent`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            try await cloud.save("top", ["n": ["value": 1]], zone: "Zone")
            try await cloud.modify([TestCloud.operation("create", "child", parent: "top")], zone: "Zone")
            func names(_ query: JSONValue) async throws -> [String] {
                let answer = try await cloud.query(query.with("recordType", "Note"), zone: "Zone")
                #expect(answer.code == nil, "\(query.text): \(answer.json.text)")
                return answer.names
            }
            func filter(_ comparator: String, _ key: String, _ value: JSONValue) -> JSONValue {
                [
                    "filterBy": [
                        [
                            "comparator": .string(comparator), key: "share", "fieldValue": ["value": value],
                        ]
                    ]
                ]
            }
            let top: JSONValue = ["recordName": "top"]
            for key in ["systemFieldName", "fieldName"] {
                #expect(try await names(filter("EQUALS", key, top)) == [])
                #expect(try await names(filter("NOT_EQUALS", key, top)) == ["top", "child"])
                #expect(try await names(filter("EQUALS", key, .null)) == ["top", "child"])
                #expect(try await names(filter("IN", key, [top])) == [])
            }
            #expect(try await names(["predicate": "share == 'top'"]) == [])
            #expect(try await names(["predicate": "share == nil AND parent == 'top'"]) == ["child"])
            #expect(try await names(["predicate": "parent == 'top'"]) == ["child"])
            let sorted = try await cloud.query(
                ["recordType": "Note", "sortBy": [["systemFieldName": "share"]]], zone: "Zone")
            #expect(sorted.json["reason"] == "Field '___share' is not marked sortable")
        }
    }

    @Test func `An error repeats the comparator that was sent`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("a", ["n": ["value": 1], "l": ["value": [1, 2]]])
            let any: JSONValue = [
                "comparator": "CONTAINS_ANY", "fieldName": "l", "fieldValue": ["value": [2, 9]],
            ]
            #expect(try await Self.names(cloud, ["filterBy": [any]]) == ["a"])
            let answer = try await cloud.query([
                "recordType": "Note", "filterBy": [any.with("fieldName", "n")],
            ])
            #expect(answer.json["reason"].string?.hasPrefix("CONTAINS_ANY cannot be used") == true)
        }
    }
}
