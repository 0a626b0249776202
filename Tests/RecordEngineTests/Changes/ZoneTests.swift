import RecordModel
import RecordWire
import TestSupport
import Testing

@Suite struct ZoneTests {
    static func operation(_ type: String, _ zone: JSONValue) -> JSONValue {
        ["operationType": .string(type), "zone": ["zoneID": zone]]
    }

    @Test func `Zones are made and deleted, each by itself`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("There", "Gone")
            let cases: [(JSONValue, String?)] = [
                (Self.operation("create", ["zoneName": "New"]), nil),
                (Self.operation("create", ["zoneName": "There"]), "EXISTS"),
                (Self.operation("delete", ["zoneName": "None"]), "ZONE_NOT_FOUND"),
                (Self.operation("create", ["zoneName": "_defaultZone"]), "BAD_REQUEST"),
                (Self.operation("create", ["zoneName": "_other"]), "BAD_REQUEST"),
                (Self.operation("create", ["zoneName": ""]), "BAD_REQUEST"),
                (Self.operation("create", ["zoneName": .string(String(repeating: "z", count: 255))]), nil),
                (
                    Self.operation("create", ["zoneName": .string(String(repeating: "z", count: 256))]),
                    "BAD_REQUEST"
                ),
                (
                    Self.operation(
                        "create",
                        ["zoneName": "Foreign", "ownerRecordName": .string(TestCloud.Sender.bob.userName)]),
                    "ZONE_NOT_FOUND"
                ),
                (
                    Self.operation(
                        "delete",
                        ["zoneName": "Gone", "ownerRecordName": .string(TestCloud.Sender.alice.userName)]),
                    nil
                ),
            ]
            let answer = try await cloud.send(.zonesModify, ["operations": .array(cases.map(\.0))])
            #expect(answer.status == 200)
            #expect(answer.zones.map { $0["serverErrorCode"].string } == cases.map(\.1))
            #expect(answer.json["zones"][0]["zoneID"]["zoneType"] == "REGULAR_CUSTOM_ZONE")
            #expect(answer.json["zones"][0]["atomic"] == true)
            #expect(answer.json["zones"][0]["syncToken"].string != nil)
            #expect(answer.zones.last?["deleted"] == true)
            let list = try await cloud.send(.zonesList, [:])
            #expect(
                Set(list.zones.compactMap { $0["zoneID"]["zoneName"].string }) == [
                    "_defaultZone", "New", "There", String(repeating: "z", count: 255),
                ])
        }
    }

    @Test func `A request has one operation for each zone`() async throws {
        try await TestCloud.run { cloud in
            let operations = ["create", "delete"].map { Self.operation($0, ["zoneName": "Twice"]) }
            let answer = try await cloud.send(.zonesModify, ["operations": .array(operations)])
            #expect(answer.code == "BAD_REQUEST")
            #expect(try await cloud.send(.zonesList, [:]).zones.count == 1)
        }
    }

    @Test func `An empty token is the beginning, and errors carry no token`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            try await cloud.save("a", ["n": ["value": 1]], zone: "Zone")
            #expect(try await cloud.changes(zone: "Zone", since: "").records.count == 1)
            #expect(try await cloud.send(.changesDatabase, ["syncToken": ""]).zones.count == 1)
            #expect(try await cloud.send(.zonesChanges, ["metaSyncToken": ""]).zones.count == 1)
            let wishes: JSONValue = [
                ["zoneID": ["zoneName": "Zone"], "syncToken": "x"], ["zoneID": ["zoneName": "None"]],
            ]
            let answer = try await cloud.send(.changesZone, ["zones": wishes])
            #expect(answer.zones.allSatisfy { $0["syncToken"] == .null })
            #expect(answer.zones.map { $0["serverErrorCode"] } == ["BAD_REQUEST", "ZONE_NOT_FOUND"])
        }
    }

    @Test func `Custom zones live in private databases`() async throws {
        try await TestCloud.run { cloud in
            let answer = try await cloud.send(
                .zonesModify, ["operations": [Self.operation("create", ["zoneName": "Z"])]], in: .public)
            #expect(answer.code == "BAD_REQUEST")
            let list = try await cloud.send(.zonesList, [:], in: .public)
            #expect(list.zones.map { $0["zoneID"]["zoneName"] } == ["_defaultZone"])
            #expect(try await cloud.send(.changesDatabase, [:], in: .public).code == "BAD_REQUEST")
            #expect(try await cloud.send(.zonesChanges, [:], in: .public).code == "BAD_REQUEST")
            let zone: JSONValue = ["zones": [["zoneID": ["zoneName": "Z"]]]]
            #expect(try await cloud.send(.changesZone, zone, in: .public).code == "BAD_REQUEST")
        }
    }

    @Test func `Zones are looked up by name, bare or wrapped`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("A")
            let answer = try await cloud.send(
                .zonesLookup,
                [
                    "zones": [
                        ["zoneName": "A"], ["zoneID": ["zoneName": "A"]], ["zoneName": "None"], [:],
                        ["zoneName": "A", "ownerName": "_x"],
                    ]
                ])
            #expect(
                answer.zones.map { $0["serverErrorCode"].string } == [
                    nil, nil, "ZONE_NOT_FOUND", nil, "ZONE_NOT_FOUND",
                ])
            #expect(
                answer.zones.map { $0["zoneID"]["zoneName"].string } == [
                    "A", "A", "None", "_defaultZone", "A",
                ])
            // The token of the zone is where its feed goes on.
            let token = try #require(answer.json["zones"][0]["syncToken"].string)
            #expect(try await cloud.changes(zone: "A", since: token).records.isEmpty)
        }
    }
}
