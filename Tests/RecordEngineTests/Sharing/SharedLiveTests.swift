import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

/// Live queries and counts across what is shared.
@Suite struct SharedLiveTests {
    private static func body(zone: String? = "Z", atLeast number: Int64 = 0) -> JSONValue {
        let body: JSONValue = ["query": ["recordType": "Note", "predicate": "n >= \(number)"]]
        guard let zone else { return body.with("zoneWide", true) }
        return body.with("zoneID", TestCloud.zone(zone))
    }

    @Test func `A participant's live query follows the owner, and what comes in and goes out`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.shareList(with: .bob)
            try await cloud.save("aside", ["n": ["value": 1]], zone: "Z")
            let client = LiveClient(in: .shared)
            try await client.start(cloud, Self.body(), as: .bob)
            #expect(
                try await eventually { Set(client.names) == ["list", "item"] }, "\(client.failure ?? "")")
            try await cloud.modify(
                [TestCloud.operation("create", "new", fields: ["n": ["value": 2]], parent: "item")],
                zone: "Z")
            #expect(try await eventually { Set(client.names) == ["list", "item", "new"] })
            try await cloud.modify(
                [TestCloud.operation("forceUpdate", "aside", fields: [:], parent: "list")], zone: "Z")
            #expect(try await eventually { Set(client.names) == ["list", "item", "new", "aside"] })
            try await cloud.modify(
                [
                    [
                        "operationType": "forceUpdate",
                        "record": [
                            "recordType": "Note", "recordName": "item", "parent": .null, "fields": [:],
                        ],
                    ]
                ], zone: "Z")
            #expect(try await eventually { Set(client.names) == ["list", "aside"] })
            await client.stop()
            #expect(try await eventually { await cloud.service.receiverCount == 0 })
        }
    }

    @Test func `Nothing is sent to a participant for what is not shared with them`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.shareList(with: .bob)
            try await cloud.save("other", ["n": ["value": 1]], zone: "Z")
            try await cloud.share("other", named: "others", with: [.carol])
            let client = LiveClient(in: .shared)
            try await client.start(cloud, Self.body(), as: .bob)
            #expect(try await eventually { client.events == ["page"] })
            try await cloud.save("other", ["n": ["value": 2]], zone: "Z")
            try await cloud.save("secret", ["n": ["value": 2]], zone: "Z")
            try await cloud.modify(
                [TestCloud.operation("create", "new", fields: ["n": ["value": 2]], parent: "list")],
                zone: "Z")
            #expect(try await eventually { client.names.contains("new") })
            #expect(client.events == ["page", "page"])
            await client.stop()
        }
    }

    @Test func `Who loses access is told so, and the stream ends`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.shareList(with: .bob)
            for endpoint in [Endpoint.recordsLive, .recordsLiveCount] {
                let client = LiveClient(endpoint, in: .shared)
                try await client.start(cloud, Self.body(), as: .bob)
                #expect(try await eventually { !client.events.isEmpty })
                try await cloud.dismiss()
                #expect(try await eventually { client.events.last == "error" })
                #expect(try await eventually { await cloud.service.receiverCount == 0 })
                await client.stop()
                let link = try await cloud.share("list", with: [.bob])
                try await cloud.accept(link, as: .bob)
            }
            await #expect(throws: ServiceError.self) {
                _ = try await LiveClient.open(cloud, Self.body(), as: .carol, in: .shared)
            }
        }
    }

    @Test func `A live count in the shared database counts what is shared`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.shareList(with: .bob)
            try await cloud.save("secret", ["n": ["value": 9]], zone: "Z")
            let client = LiveClient(.recordsLiveCount, in: .shared)
            try await client.start(cloud, Self.body(), as: .bob)
            #expect(try await eventually { client.count == 2 })
            try await cloud.modify(
                [TestCloud.operation("create", "new", fields: ["n": ["value": 2]], parent: "list")],
                zone: "Z")
            #expect(try await eventually { client.count == 3 })
            try await cloud.modify([TestCloud.operation("forceDelete", "item", type: nil)], zone: "Z")
            #expect(try await eventually { client.count == 2 })
            await client.stop()
        }
    }

    @Test func `A query of all that is shared takes in a zone that is accepted while it is open`()
        async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.shareList(with: .bob)
            let client = LiveClient(in: .shared)
            try await client.start(cloud, Self.body(zone: nil), as: .bob)
            #expect(try await eventually { client.names.count == 2 })
            try await cloud.makeZones("Y")
            try await cloud.save("whole", ["n": ["value": 3]], zone: "Y")
            let link = try await cloud.share(nil, zone: "Y", with: [.bob])
            try await cloud.accept(link, as: .bob)
            #expect(try await eventually { client.names.contains("whole") })
            try await cloud.save("more", ["n": ["value": 3]], zone: "Y")
            #expect(try await eventually { client.names.contains("more") })
            try await cloud.modify([TestCloud.operation("forceDelete", "share", type: nil)], zone: "Z")
            #expect(try await eventually { Set(client.names) == ["whole", "more"] })
            await client.stop()
        }
    }

    @Test func `The owner's live query sees what participants write`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.shareList(with: .bob)
            let client = LiveClient()
            try await client.start(cloud, Self.body())
            #expect(try await eventually { client.names.count == 2 })
            try await cloud.modifyShared([
                TestCloud.operation("create", "new", fields: ["n": ["value": 7]], parent: "list")
            ])
            #expect(try await eventually { client.names.contains("new") })
            try await cloud.modifyShared([TestCloud.operation("forceDelete", "new", type: nil)])
            #expect(try await eventually { client.events.last == "leave new" })
            await client.stop()
        }
    }
}
