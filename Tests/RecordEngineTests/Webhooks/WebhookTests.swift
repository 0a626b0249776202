import Crypto
import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSeeds
import TestSupport
import Testing

/// What webhooks deliver, and what they do when nobody takes it.
@Suite struct WebhookTests {
    private static let day: Int64 = 86_400_000

    @Test func `Each change that fulfils the predicate is delivered once, in order, with the record`()
        async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.save("a", ["n": ["value": 5]])
            let hook = try await cloud.addHook(where: "n > 3")
            let receiver = HookReceiver()
            try await cloud.delivering(to: receiver) { () async throws in
                try await cloud.save("b", ["n": ["value": 4]])
                try await cloud.save("b", ["n": ["value": 3]])
                try await cloud.save("quiet", ["n": ["value": 1]])
                try await cloud.save("other", ["n": ["value": 9]], type: "Other")
                try await cloud.save("b", ["n": ["value": 7]])
                try await cloud.delete("b")
                try await cloud.delete("a")
                #expect(try await eventually { receiver.taken.count >= 4 })
            }
            #expect(receiver.texts == ["create:b=4", "update:b=7", "delete:b=7", "delete:a=5"])
            let first = try #require(receiver.taken.first?.json)
            #expect(first["webhook"].string == hook.id)
            #expect(first["id"].string == "\(hook.id)-\(first["change"].int ?? 0)")
            #expect(first["database"].string == "private")
            #expect(first["record"]["zoneID"]["zoneName"].string == "_defaultZone")
            #expect(first["record"]["recordType"].string == "Note")
            #expect(receiver.taken.allSatisfy { $0.headers["webhook-id"] == $0.json["id"].string })
        }
    }

    @Test func `A hook without types hears of all types and of zones, and of what it fires on only`()
        async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.save("a", ["n": ["value": 5]])
            _ = try await cloud.addHook([])
            let receiver = HookReceiver()
            _ = try await cloud.addHook([], on: [.delete])
            try await cloud.delivering(to: receiver) { () async throws in
                try await cloud.makeZones("Z")
                try await cloud.save("x", ["n": ["value": 1]], type: "Other", zone: "Z")
                let removal: JSONValue = [
                    "operations": [["operationType": "delete", "zone": ["zoneID": ["zoneName": "Z"]]]]
                ]
                _ = try await cloud.send(.zonesModify, removal)
                try await cloud.delete("a")
                #expect(try await eventually { receiver.taken.count >= 6 })
            }
            #expect(receiver.texts.filter { $0 == "zoneCreate:Z" }.count == 1)
            #expect(receiver.texts.filter { $0 == "create:x=1" }.count == 1)
            #expect(receiver.texts.filter { $0 == "zoneDelete:Z" }.count == 2)
            #expect(receiver.texts.filter { $0 == "delete:a=5" }.count == 2)
        }
    }

    @Test func `A zone whose delivery is not taken waits, and no other does`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("A", "B")
            try await cloud.save("seed", ["n": ["value": 0]])
            let hook = try await cloud.addHook()
            let receiver = HookReceiver()
            receiver.refuse { $0.zone == "A" ? .status(500) : nil }
            try await cloud.delivering(to: receiver) { () async throws in
                for number in 1...50 {
                    try await cloud.save("a", ["n": ["value": .int(Int64(number))]], zone: "A")
                    try await cloud.save("b", ["n": ["value": .int(Int64(number))]], zone: "B")
                }
                #expect(try await eventually { receiver.taken.count == 50 })
                #expect(receiver.taken.allSatisfy { $0.zone == "B" })
                let held = try await eventually {
                    try await cloud.hook(hook.id).state.held.values.map(\.zoneName) == ["A"]
                }
                #expect(held)
                #expect(Set(receiver.tried.filter { $0.zone == "A" }.map(\.text)) == ["create:a=1"])
                receiver.refuse { _ in nil }
                cloud.wait(milliseconds: 10_000)
                #expect(try await eventually { receiver.taken.count == 100 })
                // One that is stopped before it noted a delivery has it to do again.
                #expect(try await eventually { try await cloud.hook(hook.id).state.held.isEmpty })
            }
            let numbers = receiver.taken.filter { $0.zone == "A" }
                .compactMap { $0.json["record"]["fields"]["n"]["value"].int }
            #expect(numbers == Array(1...50))
        }
    }

    @Test func `A delivery that is not taken for a day is parked until an operator asks for it`() async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.save("seed", ["n": ["value": 0]])
            let hook = try await cloud.addHook()
            let receiver = HookReceiver()
            receiver.refuse { _ in .none("Nobody is there.") }
            try await cloud.delivering(to: receiver) { () async throws in
                try await cloud.save("a", ["n": ["value": 1]])
                #expect(try await eventually { receiver.tried.count == 1 })
                var tries = 1
                // Longer and longer: within a day some forty times at most.
                for _ in 0..<26 {
                    cloud.wait(milliseconds: 3_600_000)
                    try await Task.sleep(for: .milliseconds(300))
                    if try await cloud.hook(hook.id).state.parkedCount == 1 { break }
                    tries = receiver.tried.count
                }
                #expect(try await eventually { try await cloud.hook(hook.id).state.parkedCount == 1 })
                #expect((10...40).contains(tries))
                let count = receiver.tried.count
                cloud.wait(milliseconds: Self.day)
                try await Task.sleep(for: .milliseconds(600))
                #expect(receiver.tried.count == count)
                #expect(try await cloud.hook(hook.id).standing == "parked in 1 zone")
                #expect(try await cloud.hook(hook.id).state.held.values.first?.answer == "Nobody is there.")
                receiver.refuse { _ in nil }
                try await Webhooks.sendAgain(
                    hook.id, of: cloud.tenant, store: cloud.store, environment: cloud.hookEnvironment)
                #expect(try await eventually { receiver.texts == ["create:a=1"] })
                #expect(try await eventually { try await cloud.hook(hook.id).standing == "good" })
            }
            // It is the same delivery each time.
            #expect(Set(receiver.tried.map { $0.headers["webhook-id"] }).count == 1)
            #expect(Set(receiver.tried.map(\.body)).count == 1)
        }
    }

    @Test func `What changes while nothing is delivered is delivered later, after a restart too`()
        async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.save("seed", ["n": ["value": 0]])
            let hook = try await cloud.addHook()
            let receiver = HookReceiver()
            for round in 0..<3 {
                for number in 0..<40 {
                    try await cloud.save("r\(round)-\(number)", ["n": ["value": 1]])
                }
                try await cloud.reopen()
                try await cloud.delivering(to: receiver) { () async throws in
                    #expect(try await eventually { receiver.taken.count == (round + 1) * 40 })
                    // What is stopped before it could note a delivery sends it again.
                    #expect(
                        try await eventually {
                            try await cloud.hook(hook.id).state.taken == (round + 1) * 40
                        })
                }
            }
            #expect(receiver.taken.map(\.name) == (0..<3).flatMap { r in (0..<40).map { "r\(r)-\($0)" } })
        }
    }

    @Test func `A hook that was away for longer than the log remembers is told to start again`() async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.save("seed", ["n": ["value": 0]])
            _ = try await cloud.addHook()
            try await cloud.save("lost", ["n": ["value": 1]])
            try await cloud.service.sweepChangeLog()
            cloud.wait(milliseconds: 8 * Self.day)
            try await cloud.service.sweepChangeLog()
            try await cloud.save("kept", ["n": ["value": 2]])
            let receiver = HookReceiver()
            receiver.refuse { _ in .status(503) }
            try await cloud.delivering(to: receiver) { () async throws in
                #expect(try await eventually { receiver.tried.count == 1 })
                // Nothing comes before the receiver knows.
                #expect(receiver.tried.map(\.reason) == ["startAgain"])
                receiver.refuse { _ in nil }
                cloud.wait(milliseconds: 10_000)
                #expect(try await eventually { receiver.taken.count == 2 })
            }
            #expect(receiver.texts == ["startAgain:", "create:kept=2"])
        }
    }

    @Test func `A zone that was parked for longer than the log remembers is told of the gap`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("A", "B")
            try await cloud.save("seed", ["n": ["value": 0]])
            let hook = try await cloud.addHook()
            let receiver = HookReceiver()
            receiver.refuse { $0.zone == "A" ? .status(500) : nil }
            try await cloud.delivering(to: receiver) { () async throws in
                try await cloud.save("a", ["n": ["value": 1]], zone: "A")
                #expect(try await eventually { receiver.tried.count == 1 })
                try await cloud.service.sweepChangeLog()
                cloud.wait(milliseconds: 8 * Self.day)
                try await cloud.save("b", ["n": ["value": 1]], zone: "B")
                #expect(try await eventually { receiver.taken.count == 1 })
                try await cloud.service.sweepChangeLog()
                receiver.refuse { _ in nil }
                try await Webhooks.sendAgain(
                    hook.id, of: cloud.tenant, store: cloud.store, environment: cloud.hookEnvironment)
                #expect(try await eventually { receiver.taken.count == 2 })
                try await cloud.save("a", ["n": ["value": 2]], zone: "A")
                #expect(try await eventually { receiver.taken.count == 3 })
            }
            #expect(receiver.texts == ["create:b=1", "startAgain:A", "update:a=2"])
        }
    }

    @Test func `A signature is good with the secret, and for a day with the former one`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("seed", ["n": ["value": 0]])
            let hook = try await cloud.addHook()
            let receiver = HookReceiver()
            var secrets = [hook.secret]
            try await cloud.delivering(to: receiver) { () async throws in
                try await cloud.save("a", ["n": ["value": 1]])
                #expect(try await eventually { receiver.taken.count == 1 })
                secrets.append(
                    try await Webhooks.rotate(
                        hook.id, of: cloud.tenant, store: cloud.store, environment: cloud.hookEnvironment))
                try await Task.sleep(for: .milliseconds(1_500))
                try await cloud.save("b", ["n": ["value": 1]])
                #expect(try await eventually { receiver.taken.count == 2 })
                cloud.wait(milliseconds: Self.day)
                try await cloud.save("c", ["n": ["value": 1]])
                #expect(try await eventually { receiver.taken.count == 3 })
            }
            let good = receiver.taken.map { delivery in secrets.map { Self.isSigned(delivery, with: $0) } }
            #expect(good == [[true, false], [true, true], [false, true]])
        }
    }

    /// What a receiver does, by the specification of Standard Webhooks.
    private static func isSigned(_ delivery: HookReceiver.Delivery, with secret: String) -> Bool {
        guard let key = Data(base64Encoded: String(secret.dropFirst("whsec_".count))) else { return false }
        let id = delivery.headers["webhook-id"] ?? "", time = delivery.headers["webhook-timestamp"] ?? ""
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("\(id).\(time).".utf8) + delivery.body, using: SymmetricKey(data: key))
        let signatures = (delivery.headers["webhook-signature"] ?? "").split(separator: " ")
        return signatures.contains { $0 == "v1,\(Data(code).base64EncodedString())" }
    }

    @Test func `A type that goes is told, and one that comes back as well`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("a", ["n": ["value": 1]])
            _ = try await cloud.addHook()
            let receiver = HookReceiver()
            try await cloud.delivering(to: receiver) { () async throws in
                let tenant = cloud.tenant
                let type = try #require(cloud.schema.types["Note"])
                try await cloud.store.write { try $0.removeType(type, tenant: tenant) }
                #expect(try await eventually { receiver.texts == ["typeDelete:"] })
                try await cloud.save("b", ["n": ["value": 2]])
                #expect(try await eventually { receiver.taken.count == 2 })
                try await cloud.save("c", ["n": ["value": 3]])
                #expect(try await eventually { receiver.taken.count == 3 })
            }
            #expect(receiver.texts == ["typeDelete:", "startAgain:", "create:c=3"])
            #expect(receiver.taken[0].json["recordType"].string == "Note")
        }
    }

    @Test func `A large record comes without its fields, and says so`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("seed", ["t": ["value": ""]])
            _ = try await cloud.addHook()
            let receiver = HookReceiver()
            try await cloud.delivering(to: receiver) { () async throws in
                let text = String(repeating: "x", count: Limits.webhookBytes)
                try await cloud.save("a", ["t": ["value": .string(text)]])
                #expect(try await eventually { receiver.taken.count == 1 })
            }
            let delivery = try #require(receiver.taken.first)
            #expect(delivery.body.count < 2_000)
            #expect(delivery.json["fieldsLeftOut"].bool == true)
            #expect(delivery.json["record"]["recordName"].string == "a")
            #expect(delivery.json["record"]["fields"] == [:])
        }
    }

    @Test(arguments: [
        "ftp://example.org/", "example.org", "https://", "https://user:secret@example.org/",
        "https://ex ample.org/",
        "file:///etc/passwd", "https://example.org/#part",
    ])
    func `What is no address of HTTP is refused`(_ url: String) async throws {
        try await TestCloud.run { cloud in
            await #expect(throws: ServiceError.self) {
                _ = try await Webhooks.add(
                    WebhookDictionary(url: url), to: cloud.tenant, store: cloud.store,
                    environment: cloud.hookEnvironment)
            }
        }
    }

    @Test func `There are so many and no more, and a removed one leaves nothing`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("seed", ["n": ["value": 0]], in: .public)
            var ids: [String] = []
            for _ in 0..<Limits.webhooksPerTenant { ids.append(try await cloud.addHook(in: .public).id) }
            await #expect(throws: ServiceError.self) { _ = try await cloud.addHook(in: .public) }
            for id in ids { try await Webhooks.remove(id, of: cloud.tenant, store: cloud.store) }
            let (tenant, gone) = (cloud.tenant, ids)
            try await cloud.store.read(.short) { reader throws in
                #expect(try reader.webhooks().isEmpty)
                let database = try #require(try reader.database(DatabaseID(tenant: tenant, owner: nil)))
                for id in gone {
                    #expect(try reader.subscriptions(of: "webhook:\(id)", in: database).isEmpty)
                }
            }
            _ = try await cloud.addHook(in: .public)
        }
    }

    /// Zones that fail by chance, nodes that stop by chance: each zone's changes arrive completely, and each for the first
    /// time in the order of the commits.
    @Test(arguments: Seed.some(3))
    func `Nothing is lost and nothing comes out of order`(_ seed: Seed) async throws {
        try await TestCloud.run { cloud in
            var random = seed.random
            let zones = ["A", "B", "C", "D"]
            try await cloud.makeZones("A", "B", "C", "D")
            try await cloud.save("seed", ["n": ["value": 0]])
            let hook = try await cloud.addHook()
            let receiver = HookReceiver()
            var wanted: [String: [Int64]] = [:]
            var number: Int64 = 0
            for _ in 0..<6 {
                let bad = Set(zones.filter { _ in random.oneIn(3) })
                receiver.refuse { bad.contains($0.zone) ? .status(500) : nil }
                try await cloud.delivering(to: receiver) { () async throws in
                    for _ in 0..<random.int(1...60) {
                        number += 1
                        let zone = zones[random.int(0...3)]
                        try await cloud.save(
                            "r\(random.int(0...5))", ["n": ["value": .int(number)]], zone: zone)
                        wanted[zone, default: []].append(number)
                        if random.oneIn(20) { cloud.wait(milliseconds: 5_000) }
                    }
                    if random.oneIn(2) {
                        cloud.wait(milliseconds: 60_000)
                        try await Task.sleep(for: .milliseconds(random.int(0...400)))
                    }
                }
                if random.oneIn(2) { try await cloud.reopen() }
            }
            receiver.refuse { _ in nil }
            let total = wanted.values.reduce(0) { $0 + $1.count }
            try await cloud.delivering(to: receiver) { () async throws in
                try await Webhooks.sendAgain(
                    hook.id, of: cloud.tenant, store: cloud.store, environment: cloud.hookEnvironment)
                let isWhole = try await eventually {
                    Set(receiver.taken.map { $0.json["id"].string }).count >= total
                }
                #expect(isWhole)
            }
            for zone in zones {
                var seen: Set<String> = []
                let first = receiver.taken.filter {
                    $0.zone == zone && seen.insert($0.json["id"].string ?? "").inserted
                }
                #expect(
                    first.compactMap { $0.json["record"]["fields"]["n"]["value"].int }
                        == wanted[zone, default: []])
            }
        }
    }
}
