import RecordModel
import RecordWire
import TestSupport
import Testing

/// Every endpoint's answer has the keys and types of ``AnswerShapes``: none is missing, and none is more.
@Suite struct AnswerShapeTests {
    private struct Ask {
        var endpoint: Endpoint
        var body: JSONValue
        var shape: Shape
        var scope = DatabaseScope.private
        var sender = TestCloud.Sender.alice
        /// Whether an extension is asked for, so that its keys are no surprise.
        var note = ""
    }

    private static let fields: JSONValue = [
        "s": ["value": "text"], "i": ["value": 1], "d": ["value": 1.5],
        "t": ["value": 1, "type": "TIMESTAMP"], "b": ["value": "AA==", "type": "BYTES"],
        "e": ["value": "AA==", "type": "ENCRYPTED_BYTES"],
        "es": ["value": "x", "type": "STRING", "isEncrypted": true],
        "r": ["value": ["recordName": "other", "action": "NONE"]],
        "l": ["value": ["latitude": 1, "longitude": 2.5]], "ls": ["value": ["a"]], "li": ["value": [1]],
        "lr": ["value": [["recordName": "other", "action": "NONE"]]],
    ]

    private static func asks(token: String) -> [Ask] {
        let zone: JSONValue = ["zoneName": "Zone"]
        let query: JSONValue = ["recordType": "Note"]
        let records: JSONValue = [["recordName": "a"], ["recordName": "none"]]
        let item = Shape.either([AnswerShapes.record, AnswerShapes.recordError])
        return [
            Ask(
                endpoint: .recordsQuery, body: ["query": query, "zoneID": zone, "resultsLimit": 1],
                shape: AnswerShapes.page),
            Ask(
                endpoint: .recordsQuery, body: ["query": query],
                shape: .object(["records": .list(AnswerShapes.publicRecord)]),
                scope: .public),
            Ask(endpoint: .recordsQuery, body: ["query": ["recordType": "None"]], shape: AnswerShapes.error),
            Ask(
                endpoint: .recordsLookup, body: ["records": records, "zoneID": zone],
                shape: AnswerShapes.records(item)),
            Ask(
                endpoint: .recordsModify,
                body: [
                    "operations": [
                        TestCloud.operation("create", "new", fields: fields),
                        TestCloud.operation("create", "a"), TestCloud.operation("forceDelete", "b"),
                        TestCloud.operation("update", "gone", tag: "1"),
                    ], "zoneID": zone, "atomic": false,
                ], shape: AnswerShapes.records(.either([item, AnswerShapes.tombstone]))),
            Ask(
                endpoint: .recordsModify,
                body: ["operations": [TestCloud.operation("create", "a")], "zoneID": zone],
                shape: AnswerShapes.records(AnswerShapes.recordError)),
            Ask(endpoint: .recordsChanges, body: ["zoneID": zone], shape: AnswerShapes.zoneFeed),
            Ask(
                endpoint: .changesZone, body: ["zones": [["zoneID": zone, "syncToken": .string(token)]]],
                shape: AnswerShapes.zones(AnswerShapes.zoneFeed)),
            Ask(
                endpoint: .changesZone,
                body: ["zones": [["zoneID": ["zoneName": "None"]], ["zoneID": zone, "syncToken": "x"]]],
                shape: AnswerShapes.zones(AnswerShapes.zoneError)),
            Ask(endpoint: .changesDatabase, body: [:], shape: AnswerShapes.databaseFeed),
            Ask(endpoint: .zonesChanges, body: [:], shape: AnswerShapes.metaFeed),
            Ask(
                endpoint: .zonesList, body: [:],
                shape: AnswerShapes.zones(.either([AnswerShapes.zone, AnswerShapes.defaultZone]))),
            Ask(
                endpoint: .zonesLookup, body: ["zones": [zone, ["zoneName": "None"]]],
                shape: AnswerShapes.zones(.either([AnswerShapes.zone, AnswerShapes.zoneError]))),
            Ask(
                endpoint: .zonesModify,
                body: [
                    "operations": [
                        ["operationType": "create", "zone": ["zoneID": ["zoneName": "Fresh"]]],
                        ["operationType": "create", "zone": ["zoneID": zone]],
                    ]
                ], shape: AnswerShapes.zones(.either([AnswerShapes.zone, AnswerShapes.zoneError]))),
            Ask(
                endpoint: .assetsUpload,
                body: [
                    "tokens": [["recordName": "a", "recordType": "Note", "fieldName": "f"]], "zoneID": zone,
                ],
                shape: AnswerShapes.uploadTokens),
            Ask(endpoint: .usersCaller, body: [:], shape: AnswerShapes.user, scope: .public),
            Ask(
                endpoint: .usersCaller, body: [:], shape: AnswerShapes.error, scope: .public, sender: .nobody),
        ]
    }

    @Test func `Answers have the recorded keys and types, and no others`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            try await cloud.save("a", Self.fields, zone: "Zone")
            try await cloud.modify([TestCloud.operation("create", "child", parent: "a")], zone: "Zone")
            try await cloud.save("b", [:], zone: "Zone")
            try await cloud.save("p", Self.fields, in: .public)
            let token = try await cloud.changes(zone: "Zone").token
            try await cloud.modify([TestCloud.operation("forceDelete", "b")], zone: "Zone")
            try await cloud.save("b", [:], zone: "Zone")
            for ask in Self.asks(token: token) {
                let answer = try await cloud.send(ask.endpoint, ask.body, as: ask.sender, in: ask.scope)
                let faults = ask.shape.faults(answer.json, at: ask.endpoint.rawValue)
                #expect(faults == [], "\(ask.body.text)\n\(answer.json.text.prefix(600))")
            }
        }
    }

    /// The table can fail: each way in which an answer may differ is seen.
    @Test func `A shape sees what is missing, too much, or of another type`() {
        let shape = Shape.object(["a": .integer], optional: ["b": .base64], extensions: ["ours"])
        #expect(shape.faults(["a": 1]) == [])
        #expect(shape.faults(["a": 1, "b": "AA==", "ours": "x"]) == [])
        #expect(shape.faults([:]) == [".a is missing"])
        #expect(shape.faults(["a": "1"]) == [".a is a string"])
        #expect(shape.faults(["a": 1, "b": "AA"]).count == 1)
        #expect(shape.faults(["a": 1, "c": 1]) == [".c is one key too many"])
        #expect(shape.faults([1]) == [" is a list"])
        #expect(Shape.list(shape).faults([["a": 1], [:]]) == ["[1].a is missing"])
    }
}
