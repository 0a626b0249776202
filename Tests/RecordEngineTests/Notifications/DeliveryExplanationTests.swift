import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

/// What operators are told of deliveries that did not arrive.
@Suite struct DeliveryExplanationTests {
    private static let day: Int64 = 86_400_000

    private static func explain(
        _ record: String, _ cloud: TestCloud, hook: String? = nil, for sender: TestCloud.Sender = .alice,
        zone: String? = nil
    ) async throws -> DeliveryExplanation {
        let tenant = cloud.tenant
        return try await cloud.store.read(.long) { reader in
            let user = UserRow(
                tenant: tenant, recordName: sender.userName, label: sender.rawValue, createdAt: 1)
            return try DeliveryExplanation(
                of: record, zone: zone, for: hook.map { .webhook($0) } ?? .user(user), in: tenant, reader)
        }
    }

    @Test func `Each subscription says why it was silent, by the condition with the value`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Z")
            try await cloud.save("seed", ["n": ["value": 0], "t": ["value": "x"]])
            try await cloud.save("other", [:], type: "Other")
            try await cloud.subscribe(TestCloud.notes("large", atLeast: 10))
            try await cloud.subscribe(TestCloud.notes("deletes", on: ["delete"]))
            try await cloud.subscribe([
                "subscriptionID": "zone", "subscriptionType": "zone", "zoneID": ["zoneName": "Z"],
            ])
            try await cloud.subscribe([
                "subscriptionID": "either", "subscriptionType": "query", "firesOn": ["create"],
                "query": ["recordType": "Note", "predicate": "(n > 100 OR t BEGINSWITH 'b') AND n < 1000"],
            ])
            try await cloud.subscribe([
                "subscriptionID": "other", "subscriptionType": "query", "firesOn": ["create"],
                "query": ["recordType": "Other"],
            ])
            try await cloud.save("a", ["n": ["value": 5], "t": ["value": "apple"]])
            try await cloud.subscribe(TestCloud.notes("later"))
            let explanation = try await Self.explain("a", cloud)
            let change = try #require(explanation.changes.first)
            #expect(explanation.changes.count == 1)
            #expect(change.kind == "created" && change.isPrivate && change.zoneName == "_defaultZone")
            let verdicts = Dictionary(
                change.verdicts.map { ($0.subscription, $0.sentence) }, uniquingKeysWith: { $1 })
            #expect(!change.verdicts.contains(where: \.isMatched) && change.fates.isEmpty)
            #expect(verdicts["large"] == "The record does not fulfil n >= 10: it has 5.")
            #expect(verdicts["deletes"] == "It does not fire on create, only on delete.")
            #expect(verdicts["zone"] == "It is about another zone.")
            #expect(
                verdicts["either"]
                    == "The record does not fulfil n > 100: it has 5; t BEGINSWITH 'b': it has 'apple'.")
            #expect(verdicts["other"] == "It is about another record type.")
            #expect(verdicts["later"]?.hasPrefix("It was made after the change") == true)
            #expect(explanation.notes.contains { $0.contains("no receivers") })
            #expect(try await Self.explain("a", cloud, zone: "Z").changes.isEmpty)
            let nothing = try await Self.explain("nothing", cloud)
            #expect(nothing.changes.isEmpty && nothing.notes.contains { $0.contains("has no change of") })
        }
    }

    @Test func `A right that is missing and a field that is gone are named`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("seed", ["n": ["value": 0]], in: .public)
            let tenant = cloud.tenant
            try await cloud.store.write { store in
                let type = try #require(try store.schema(of: tenant).types["Note"])
                _ = try store.setAnnotations(
                    systemIndexes: [:],
                    grants: [
                        SecurityGrant([.create], to: SecurityGrant.signedInRole),
                        SecurityGrant([.read, .write], to: SecurityGrant.creatorRole),
                    ], of: type, tenant: tenant)
            }
            try await cloud.subscribe(TestCloud.notes("s"), as: .bob, in: .public)
            try await cloud.save("a", ["n": ["value": 5]], in: .public)
            let hidden = try await Self.explain("a", cloud, for: .bob)
            let sentence = try #require(hidden.changes.first?.verdicts.first?.sentence)
            #expect(sentence.contains("no right to read") && sentence.contains("grants READ to _creator"))
            #expect(sentence.contains(TestCloud.Sender.alice.userName))

            try await cloud.store.write { store in
                let type = try #require(try store.schema(of: tenant).types["Note"])
                _ = try store.removeField(named: "n", from: type, tenant: tenant)
            }
            let broken = try await Self.explain("a", cloud, for: .bob)
            let problem = try #require(broken.changes.first?.verdicts.first?.sentence)
            #expect(problem.hasPrefix("It fires on nothing any more: ") && problem.contains("'n'"))
            let listed = try await cloud.store.read(.long) {
                try Subscribers.subscriptions(of: nil, in: tenant, limit: 10, $0)
            }
            #expect(listed.map(\.row.name) == ["s"])
            #expect(listed.first?.problem?.contains("'n'") == true)
        }
    }

    @Test func `A hook whose field leaves the schema says that it is silent`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("seed", ["n": ["value": 0]])
            let hook = try await cloud.addHook(where: "n > 3")
            #expect(try await cloud.hook(hook.id).problems.isEmpty)
            let tenant = cloud.tenant
            try await cloud.store.write { store in
                let type = try #require(try store.schema(of: tenant).types["Note"])
                _ = try store.removeField(named: "n", from: type, tenant: tenant)
            }
            let listed = try await cloud.hook(hook.id)
            #expect(listed.standing == "broken")
            #expect(listed.problems.count == 1 && listed.problems.first?.contains("'n'") == true)
            let listedAll = try await cloud.store.read(.short) { try Webhooks.list(of: tenant, $0) }
            #expect(listedAll.first?.problems == listed.problems)
        }
    }

    @Test func `A receiver's change waits, was sent, came too early or was forgotten`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("seed", ["n": ["value": 0]])
            try await cloud.subscribe(TestCloud.notes("s"))
            try await cloud.save("early", ["n": ["value": 1]])
            let courier = try await Courier.make(cloud)
            try await cloud.save("a", ["n": ["value": 1]])
            func stage(_ record: String) async throws -> DeliveryExplanation.Fate.Stage? {
                try await Self.explain(record, cloud).changes.first?.fates.first?.stage
            }
            #expect(try await stage("early") == .madeLater)
            #expect(try await stage("a") == .waiting)
            let tenant = cloud.tenant
            func receiver() async throws -> Subscribers.Receiver {
                try #require(
                    try await cloud.store.read(.long) {
                        try Subscribers.receivers(of: nil, in: tenant, limit: 10, $0)
                    }.first)
            }
            #expect(try await receiver().waiting == 1)
            #expect(try await receiver().waitingSince != nil)
            #expect(try await receiver().state.lastTaken == nil)
            #expect(try await courier.all() == ["s:created:a"])
            #expect(try await eventually { try await receiver().waiting == 0 })
            #expect(try await stage("a") == .sent)
            let told = try await receiver().state
            #expect(told.lastTaken != nil && told.taken == 1)

            try await cloud.save("b", ["n": ["value": 1]])
            try await cloud.service.sweepChangeLog()
            cloud.wait(milliseconds: 8 * Self.day)
            try await cloud.save("c", ["n": ["value": 1]])
            try await cloud.service.sweepChangeLog()
            #expect(try await receiver().isPastHorizon)
            #expect(try await stage("c") == .forgotten)
            #expect(try await Self.explain("b", cloud).changes.isEmpty)
        }
    }

    @Test func `A hook's change waits, fails with the answer, is parked, paused and taken`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("seed", ["n": ["value": 0]])
            let hook = try await cloud.addHook(where: "n > 3", on: [.create])
            func fate(_ record: String) async throws -> DeliveryExplanation.Fate? {
                try await Self.explain(record, cloud, hook: hook.id).changes.first?.fates.first
            }
            try await cloud.save("small", ["n": ["value": 1]])
            try await cloud.save("a", ["n": ["value": 5]])
            let small = try await Self.explain("small", cloud, hook: hook.id)
            #expect(
                small.changes.first?.verdicts.map(\.sentence) == [
                    "The record does not fulfil n > 3: it has 1."
                ])
            #expect(try await fate("a")?.stage == .waiting)
            let receiver = HookReceiver()
            receiver.refuse { _ in .status(500) }
            try await cloud.delivering(to: receiver) { () async throws in
                #expect(try await eventually { try await fate("a")?.stage == .failing })
                #expect(try await fate("a")?.sentence.contains("answered 500") == true)
                #expect(cloud.service.webhookLagSeconds >= 0)
                for _ in 0..<26 where try await fate("a")?.stage != .parked {
                    cloud.wait(milliseconds: 3_600_000)
                    try await Task.sleep(for: .milliseconds(300))
                }
                #expect(try await eventually { try await fate("a")?.stage == .parked })
                #expect(cloud.service.webhookLagSeconds > 3_600)
                receiver.refuse { _ in nil }
                try await Webhooks.sendAgain(
                    hook.id, of: cloud.tenant, store: cloud.store, environment: cloud.hookEnvironment)
                #expect(try await eventually { try await fate("a")?.stage == .sent })
                #expect(try await fate("a")?.sentence.contains("answered 204") == true)
                #expect(try await eventually { cloud.service.webhookLagSeconds == 0 })
            }
            try await Webhooks.set(
                hook.id, of: cloud.tenant, store: cloud.store, environment: cloud.hookEnvironment
            ) { $0.isPaused = true }
            try await cloud.save("b", ["n": ["value": 5]])
            #expect(try await fate("b")?.stage == .paused)
        }
    }

    @Test func `Open connections are seen with their queries`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("seed", ["n": ["value": 0]])
            let client = try await LiveClient.open(
                cloud, ["query": ["recordType": "Note", "predicate": "n > 3"]], as: .alice, in: .private)
            let (count, open) = await cloud.service.connections(of: cloud.tenant, limit: 10)
            #expect(count == 1)
            #expect(open.first?.query == "Note where n > 3")
            #expect(open.first?.owner == TestCloud.Sender.alice.userName)
            let other = Tenant(container: cloud.container, environment: .production)
            #expect(await cloud.service.connections(of: other, limit: 10).count == 0)
            await client.close()
            #expect(await cloud.service.connections(of: cloud.tenant, limit: 10).count == 0)
        }
    }
}
