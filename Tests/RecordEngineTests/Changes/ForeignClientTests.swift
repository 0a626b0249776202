import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// What clients that others wrote take from answers.
@Suite struct ForeignClientTests {
    @Test func `A tombstone is no record, and an error of a zone no page without changes`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            try await cloud.save("a", ["n": ["value": 1]], zone: "Zone")
            let token = try await cloud.changes(zone: "Zone").token
            try await cloud.modify([TestCloud.operation("forceDelete", "a")], zone: "Zone")
            let tombstone = try #require(try await cloud.changes(zone: "Zone", since: token).records.first)
            #expect(tombstone["recordType"] == .null && tombstone["deletedRecordType"] == "Note")
            let object = try #require(tombstone.object)
            #expect(try RecordDictionary(json: object).recordType == "Note")
            for zone in ["Zone", "_defaultZone", "None"] {
                let wish: JSONValue = ["zoneID": ["zoneName": .string(zone)], "syncToken": "bad"]
                let answer = try await cloud.send(.changesZone, ["zones": [wish]])
                #expect(answer.zones[0]["serverErrorCode"] != .null)
                #expect(answer.zones[0]["syncToken"] == .null)
            }
        }
    }

    @Test(arguments: [true, false])
    func `Whoever sorts by distance sees what has no place last`(_ ascending: Bool) async throws {
        try await TestCloud.run { cloud in
            func place(_ longitude: Int64) -> JSONValue {
                ["loc": ["value": ["latitude": 0, "longitude": .int(longitude)], "type": "LOCATION"]]
            }
            try await cloud.save("nowhere", ["n": ["value": 1]])
            try await cloud.save("far", place(90))
            try await cloud.save("near", place(1))
            try await cloud.save("lost", ["n": ["value": 2]])
            let query: JSONValue = [
                "recordType": "Note",
                "sortBy": [
                    [
                        "fieldName": "loc", "ascending": .bool(ascending),
                        "relativeLocation": ["latitude": 0, "longitude": 0],
                    ]
                ],
            ]
            var names: [String] = []
            var marker: String?
            repeat {
                let page = try await cloud.query(query, limit: 1, marker: marker)
                names += page.names
                marker = page.json["continuationMarker"].string
            } while marker != nil && names.count < 9
            #expect(names.prefix(2) == (ascending ? ["near", "far"] : ["far", "near"]))
            #expect(Set(names.dropFirst(2)) == ["nowhere", "lost"] && names.count == 4)
        }
    }
}
