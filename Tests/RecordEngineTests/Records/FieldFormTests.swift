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

    /// What stands in a request, with its type or without, and what is stored; nil where it is refused.
    private static let numbers: [(field: String, stored: String?)] = [
        (#"{"value":9223372036854775807}"#, #"{"value":9223372036854775807,"type":"INT64"}"#),
        (#"{"value":9007199254740993}"#, #"{"value":9007199254740993,"type":"INT64"}"#),
        (#"{"value":9223372036854775808}"#, nil), (#"{"value":18446744073709551616}"#, nil),
        (#"{"value":-9223372036854775809}"#, nil), (#"{"value":[18446744073709551616]}"#, nil),
        (#"{"value":[0.5,9007199254740993]}"#, nil), (#"{"value":[0.5,1e300,18446744073709551616]}"#, nil),
        (#"{"value":-9223372036854775809,"type":"INT64"}"#, nil),
        (#"{"value":[1,-9223372036854775809],"type":"INT64_LIST"}"#, nil),
        (#"{"value":9007199254740993.0,"type":"INT64"}"#, nil),
        (#"{"value":9007199254740993.0,"type":"TIMESTAMP"}"#, nil),
        (#"{"value":NaN}"#, nil), (#"{"value":"NaN","type":"DOUBLE"}"#, nil),
        (#"{"value":1e400}"#, nil), (#"{"value":-1e400,"type":"DOUBLE"}"#, nil),
        // Floating point is asked for, or written: the nearest number.
        (
            #"{"value":18446744073709551616,"type":"DOUBLE"}"#,
            #"{"value":1.8446744073709552e+19,"type":"DOUBLE"}"#
        ),
        (#"{"value":1e19}"#, #"{"value":1e+19,"type":"DOUBLE"}"#),
        (#"{"value":9007199254740993,"type":"DOUBLE"}"#, #"{"value":9007199254740992.0,"type":"DOUBLE"}"#),
        (#"{"value":-0.0}"#, #"{"value":-0.0,"type":"DOUBLE"}"#),
        (#"{"value":-0}"#, #"{"value":-0.0,"type":"DOUBLE"}"#),
        (#"{"value":-0,"type":"INT64"}"#, #"{"value":0,"type":"INT64"}"#),
        (#"{"value":5e-324}"#, #"{"value":5e-324,"type":"DOUBLE"}"#),
    ]

    @Test(arguments: numbers)
    func `A number is stored as it was written, or refused by its field`(field: String, stored: String?)
        async throws
    {
        try await TestCloud.run { cloud in
            let body =
                #"{"operations":[{"operationType":"create","record":{"recordName":"rec","recordType":"Note","fields":{"f":\#(field)}}}]}"#
            let answer = try await cloud.send(.recordsModify, bytes: Array(body.utf8))
            let record = try await cloud.record("rec")
            guard let stored else {
                #expect([answer.code, answer.codes.first ?? nil].contains("BAD_REQUEST") && record == nil)
                // Nobody knows what field a text is about that is not JSON.
                let isJSON = !field.contains("e400") && !field.contains(":NaN")
                let remedy = answer.records.first?["remedy"].string ?? ""
                #expect(!isJSON || remedy.hasPrefix("Field 'f' is meant."), "\(answer.json.text)")
                return
            }
            #expect(answer.code == nil, "\(answer.json.text)")
            #expect(record?["fields"]["f"].text == stored)
        }
    }

    @Test func `A number beyond 64 bits compares with whole ones as what it is`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("least", ["n": ["value": .int(.min)]])
            try await cloud.save("most", ["n": ["value": .int(.max)]])
            for (comparator, number, count) in [
                ("GREATER_THAN", "-9223372036854775809", 2), ("EQUALS", "-9223372036854775809", 0),
                ("LESS_THAN", "9223372036854775808", 2), ("EQUALS", "9223372036854775808", 0),
                ("NOT_EQUALS", "9223372036854775808", 2), ("LESS_THAN", "-18446744073709551616", 0),
            ] {
                let filter =
                    #"{"fieldName":"n","comparator":"\#(comparator)","fieldValue":{"value":\#(number)}}"#
                let body = #"{"query":{"recordType":"Note","filterBy":[\#(filter)]}}"#
                let answer = try await cloud.send(.recordsQuery, bytes: Array(body.utf8))
                #expect(answer.records.count == count, "\(comparator) \(number): \(answer.json.text)")
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
