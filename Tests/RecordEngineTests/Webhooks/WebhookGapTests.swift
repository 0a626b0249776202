import RecordModel
import RecordStorage
import RecordWire
import TestSeeds
import TestSupport
import Testing

@testable import RecordEngine

/// Hooks that the log's horizon passes, in truth or as it seems.
@Suite struct WebhookGapTests {
    private static let day: Int64 = 86_400_000

    @Test func `As many zones as may be held back are told of a gap, and the hook goes on`() async throws {
        try await TestCloud.run { cloud in
            let zones = (0..<Limits.webhookHeldZones).map { "Z\($0)" }
            _ = try await cloud.send(
                .zonesModify,
                [
                    "operations": .array(
                        zones.map {
                            ["operationType": "create", "zone": ["zoneID": ["zoneName": .string($0)]]]
                        })
                ])
            try await cloud.save("seed", ["n": ["value": 0]])
            let hook = try await cloud.addHook()
            let receiver = HookReceiver()
            receiver.refuse { _ in .status(500) }
            try await cloud.delivering(to: receiver) { () async throws in
                for zone in zones { try await cloud.save("a", ["n": ["value": 1]], zone: zone) }
                #expect(try await eventually { Set(receiver.tried.map(\.zone)).count == zones.count })
                try await cloud.service.sweepChangeLog()
                cloud.wait(milliseconds: 8 * Self.day)
                try await cloud.service.sweepChangeLog()
                receiver.refuse { _ in nil }
                try await Webhooks.sendAgain(
                    hook.id, of: cloud.tenant, store: cloud.store, environment: cloud.hookEnvironment)
                try await cloud.save("late", ["n": ["value": 2]], zone: "Z0")
                #expect(try await eventually { receiver.texts.last == "create:late=2" })
                #expect(try await eventually { try await cloud.hook(hook.id).state.held.isEmpty })
            }
        }
    }

    @Test func `A hook that was quiet for longer than the log remembers has missed nothing`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("seed", ["n": ["value": 0]])
            try await cloud.save("other", ["n": ["value": 0]], type: "Other")
            _ = try await cloud.addHook()
            // Somebody else has these changes logged.
            try await cloud.subscribe([
                "subscriptionID": "o", "subscriptionType": "query", "firesOn": ["update"],
                "query": ["recordType": "Other"],
            ])
            /// Others' changes come and are forgotten.
            func stayQuiet() async throws {
                for _ in 0..<2 {
                    try await cloud.save("other", ["n": ["value": 1]], type: "Other")
                    try await cloud.service.sweepChangeLog()
                    cloud.wait(milliseconds: 8 * Self.day)
                }
                try await cloud.service.sweepChangeLog()
            }
            let receiver = HookReceiver()
            try await cloud.delivering(to: receiver) { () async throws in
                try await cloud.save("a", ["n": ["value": 1]])
                #expect(try await eventually { receiver.taken.count == 1 })
                try await stayQuiet()
                try await cloud.save("b", ["n": ["value": 2]])
                #expect(try await eventually { receiver.taken.count == 2 })
                try await stayQuiet()
                // It has read this far.
                try await Task.sleep(for: .milliseconds(600))
            }
            try await cloud.delivering(to: receiver) { () async throws in
                try await cloud.save("c", ["n": ["value": 3]])
                #expect(try await eventually { receiver.taken.count == 3 })
            }
            #expect(receiver.texts == ["create:a=1", "create:b=2", "create:c=3"])
        }
    }

    @Test func `A type that lacks what the predicate asks for keeps no other from being told`() async throws {
        try await TestCloud.run { cloud in
            for type in ["Note", "Post"] {
                try await cloud.save("seed\(type)", ["n": ["value": 9]], type: type)
            }
            let hook = try await cloud.addHook(["Note", "Post"], where: "n > 5")
            let receiver = HookReceiver()
            try await cloud.delivering(to: receiver) { () async throws in
                let tenant = cloud.tenant
                for name in ["Note", "Post"] {
                    let type = try #require(cloud.schema.types[name])
                    try await cloud.store.write { try $0.removeType(type, tenant: tenant) }
                }
                #expect(try await eventually { receiver.taken.count == 2 })
                try await cloud.save("a", ["other": ["value": 1]], type: "Note")
                try await cloud.save("b", ["n": ["value": 7]], type: "Post")
                #expect(try await eventually { receiver.texts.contains("startAgain:") })
                try await cloud.save("c", ["n": ["value": 8]], type: "Post")
                #expect(try await eventually { receiver.texts.last == "create:c=8" })
            }
            let problems = try await cloud.hook(hook.id).problems
            #expect(problems.count == 1 && problems[0].contains("'Note'"))
        }
    }
}
