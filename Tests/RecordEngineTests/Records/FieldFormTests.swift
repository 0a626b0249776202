import RecordWire
import TestSupport
import Testing

/// Forms of fields that clients send and read.
@Suite struct FieldFormTests {
    @Test func `A field without a value is null`() async throws {
        try await TestCloud.run { cloud in
            for (name, field) in [("a", ["type": "TIMESTAMP"]), ("b", [:])] as [(String, JSONValue)] {
                let answer = try await cloud.modify([
                    TestCloud.operation("create", name, fields: ["n": ["value": 1], "nothing": field])
                ])
                #expect(answer.codes == [nil], "\(answer.json.text)")
                #expect(answer.records[0]["fields"] == ["n": ["value": 1, "type": "INT64"]])
            }
            let answer = try await cloud.modify([
                TestCloud.operation("forceUpdate", "a", fields: ["n": ["type": "INT64"]])
            ])
            #expect(answer.records[0]["fields"] == [:])
            // A filter's value is no wish to remove something: what is missing there is a mistake.
            let filter: JSONValue = [
                "comparator": "EQUALS", "fieldName": "n", "fieldValue": ["type": "INT64"],
            ]
            let query = try await cloud.query(["recordType": "Note", "filterBy": [filter]])
            #expect(query.code == "BAD_REQUEST")
        }
    }

    @Test func `A field of another form is named with its record`() async throws {
        try await TestCloud.run { cloud in
            for field in [5, ["value": 1, "type": 5]] as [JSONValue] {
                let answer = try await cloud.modify([
                    TestCloud.operation("create", "rec", fields: ["f": field])
                ])
                #expect(answer.code == "BAD_REQUEST")
                let reason = answer.json["reason"].string ?? ""
                #expect(reason.hasPrefix("Record 'rec', field 'f': "), "\(reason)")
            }
        }
    }

    @Test func `Encrypted bytes come out as they went in`() async throws {
        try await TestCloud.run { cloud in
            let field: JSONValue = ["value": "AQI=", "type": "ENCRYPTED_BYTES"]
            try await cloud.save("a", ["secret": field])
            let record = try #require(try await cloud.record("a"))
            #expect(record["fields"]["secret"] == field)
            // What a client read it may save again.
            let again = try await cloud.modify([
                TestCloud.operation("forceReplace", "a", fields: record["fields"])
            ])
            #expect(again.codes == [nil] && again.records[0]["fields"]["secret"] == field)
        }
    }

    @Test func `Stamps name a device`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("a", ["n": ["value": 1]])
            let record = try #require(try await cloud.record("a"))
            #expect(record["created"]["deviceID"] == "2" && record["modified"]["deviceID"] == "2")
        }
    }

    @Test func `A type that cannot be is not found, with the rule in the remedy`() async throws {
        try await TestCloud.run { cloud in
            let answer = try await cloud.modify([TestCloud.operation("create", "a", type: "no type!")])
            #expect(answer.codes == ["NOT_FOUND"])
            #expect(answer.records[0]["reason"] == "did not find required record type")
            #expect(answer.records[0]["remedy"].string?.contains("letters, digits") == true)
        }
    }
}
