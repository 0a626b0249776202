import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

/// The order of what is about a zone's name, and of what is about all zones, while deliveries are refused.
@Suite struct WebhookOrderTests {
    @Test func `A zone that is replaced while its hook fails is told in order`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Z", "Y")
            try await cloud.save("seed", ["n": ["value": 0]])
            let hook = try await cloud.addHook([])
            let receiver = HookReceiver()
            receiver.refuse { $0.zone == "Z" ? .status(500) : nil }
            try await cloud.delivering(to: receiver) { () async throws in
                try await cloud.save("old", ["n": ["value": 1]], zone: "Z")
                #expect(try await eventually { !receiver.tried.isEmpty })
                let removal: JSONValue = [
                    "operations": [["operationType": "delete", "zone": ["zoneID": ["zoneName": "Z"]]]]
                ]
                _ = try await cloud.send(.zonesModify, removal)
                try await cloud.makeZones("Z")
                try await cloud.save("new", ["n": ["value": 2]], zone: "Z")
                try await cloud.save("other", ["n": ["value": 3]], zone: "Y")
                // What comes last was handed out, so all before it was.
                #expect(try await eventually { receiver.texts == ["create:other=3"] })
                #expect(Set(receiver.tried.filter { $0.zone == "Z" }.map(\.text)) == ["create:old=1"])
                receiver.refuse { _ in nil }
                cloud.wait(milliseconds: 10_000)
                #expect(try await eventually { receiver.taken.count == 5 })
            }
            #expect(
                receiver.texts.dropFirst() == [
                    "create:old=1", "zoneDelete:Z", "zoneCreate:Z", "create:new=2",
                ]
            )
            #expect(try await cloud.hook(hook.id).state.held.isEmpty)
        }
    }

    @Test func `A type that goes is told after all before it, and before all after it`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("A", "B")
            try await cloud.save("seed", ["n": ["value": 0]])
            try await cloud.save("seed", ["n": ["value": 0]], type: "Other", zone: "B")
            let hook = try await cloud.addHook(["Note", "Other"])
            let receiver = HookReceiver()
            receiver.refuse { $0.zone == "A" ? .status(500) : nil }
            try await cloud.delivering(to: receiver) { () async throws in
                try await cloud.save("a", ["n": ["value": 1]], zone: "A")
                let tenant = cloud.tenant
                let type = try #require(cloud.schema.types["Other"])
                try await cloud.store.write { try $0.removeType(type, tenant: tenant) }
                try await cloud.save("b", ["n": ["value": 2]], zone: "B")
                #expect(
                    try await eventually {
                        try await cloud.hook(hook.id).state.held.values.map(\.zoneName) == ["A"]
                    })
                receiver.refuse { $0.reason == "typeDelete" ? .status(500) : nil }
                cloud.wait(milliseconds: 10_000)
                #expect(try await eventually { receiver.tried.contains { $0.reason == "typeDelete" } })
                receiver.refuse { _ in nil }
                cloud.wait(milliseconds: 10_000)
                #expect(try await eventually { receiver.taken.count == 3 })
            }
            #expect(receiver.texts == ["create:a=1", "typeDelete:", "create:b=2"])
            #expect(try await cloud.hook(hook.id).state.held.isEmpty)
        }
    }

    @Test func `Zones that states knew by numbers are read by their names`() throws {
        let state = try WebhookState(
            json: Array(
                #"""
                {"held": [{"zone": 9, "zoneName": "Z", "cursor": 40}, {"zone": 5, "zoneName": "Z", "cursor": 20},
                          {"zone": 0, "zoneName": "", "cursor": 7}, {"zone": -1, "zoneName": "", "cursor": 3}]}
                """#.utf8))
        #expect(state.held.count == 3)
        #expect(state.held[.zone("Z")]?.cursor == 20)
        #expect(state.held[.allZones]?.cursor == 7 && state.held[.everything]?.cursor == 3)
        #expect(try WebhookState(json: state.json).held.keys.sorted() == state.held.keys.sorted())
    }
}
