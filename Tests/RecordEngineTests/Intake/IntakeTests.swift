import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSeeds
import TestSupport
import Testing

@Suite struct IntakeTests {
    /// A record as another service has it.
    private static func record(
        _ name: String, type: String = "Note", _ fields: [(String, JSONValue)] = [], at time: Int64 = 1_000,
        by user: String = "_someone", parent: String? = nil
    ) throws -> IncomingRecord {
        var members: [(key: String, value: JSONValue)] = [
            ("recordName", .string(name)), ("recordType", .string(type)),
            ("recordChangeTag", "zz"),
            ("fields", .object(JSONObject(fields.map { (key: $0.0, value: ["value": $0.1]) }))),
            ("created", ["timestamp": 1_000, "userRecordName": .string(user), "deviceID": "9"]),
            ("modified", ["timestamp": .int(time), "userRecordName": .string(user), "deviceID": "9"]),
        ]
        if let parent { members.append(("parent", ["recordName": .string(parent)])) }
        return try IncomingRecord(json: JSONObject(members))
    }

    private static func reference(_ name: String, _ action: String) -> JSONValue {
        ["recordName": .string(name), "action": .string(action)]
    }

    private static func database(_ owner: String?) throws -> DatabaseID {
        DatabaseID(
            tenant: Tenant(container: try ContainerID("iCloud.test"), environment: .production), owner: owner)
    }

    private static func intake(
        _ store: any RecordStore, owner: String? = "_owner"
    ) throws -> RecordIntake {
        RecordIntake(store: store, database: try database(owner), now: { 5_000 })
    }

    private static func outlet(
        _ store: any RecordStore, owner: String? = "_owner"
    ) throws -> RecordOutlet {
        RecordOutlet(store: store, database: try database(owner))
    }

    @Test(arguments: Seed.some(20))
    func `Records taken in any order, in any pieces and again are what they were`(_ seed: Seed) async throws {
        var random = seed.random
        var records: [IncomingRecord] = []
        for number in 0..<random.int(1...60) {
            var fields: [(String, JSONValue)] = [("n", .int(Int64(random.int(0...9))))]
            if random.oneIn(2) { fields.append(("text", .string(random.text(["a", "ö", "\""], 0...9)))) }
            if random.oneIn(2) {
                let action = random.pick(["NONE", "VALIDATE", "DELETE_SELF"], else: "NONE")
                fields.append(("other", Self.reference("r\(random.int(0...60))", action)))
            }
            records.append(
                try Self.record(
                    "r\(number)", type: random.pick(["A", "B"], else: "A"), fields,
                    at: Int64(random.int(1_000...9_000)),
                    by: random.pick(["_one", "_two"], else: "_one"),
                    parent: random.oneIn(3) ? "r\(random.int(0...60))" : nil))
        }
        let all = records
        var order = (records + records.filter { _ in random.oneIn(3) }).shuffled(using: &random)
        var pieces: [[IncomingRecord]] = []
        while !order.isEmpty {
            let count = min(order.count, random.int(1...20))
            pieces.append(Array(order.prefix(count)))
            order.removeFirst(count)
        }
        let taken = pieces
        try await StoreEngine.chosen.run { store in
            var outcome = IntakeOutcome()
            for piece in taken { outcome += try await Self.intake(store).take(piece, into: "Zone") }
            #expect(outcome.saved == all.count)
            #expect(outcome.refusals.isEmpty && outcome.newerHere == 0)
            let sequence = try await store.read(.short) { try $0.lastSequence() }
            let again = try await Self.intake(store).take(all, into: "Zone")
            #expect(again.unchanged == all.count)
            #expect(try await store.read(.short) { try $0.lastSequence() } == sequence)
            let here = try await Self.outlet(store).records(named: all.map(\.recordName), in: "Zone")
            for record in all {
                #expect(
                    here[ExactText(record.recordName)]?.json(isSorted: false) == record.json(isSorted: false))
            }
            var paged: Set<String> = []
            for type in ["A", "B"] {
                var position: ScanCursor?
                repeat {
                    let page = try await Self.outlet(store).page(
                        ofType: type, in: "Zone", after: position, limit: 7)
                    paged.formUnion(page.records.map(\.recordName))
                    position = page.next
                } while position != nil
            }
            #expect(paged == Set(all.map(\.recordName)))
        }
    }

    @Test func `What was changed here later stays, and what was changed there later replaces it`()
        async throws
    {
        try await StoreEngine.chosen.run { store in
            let intake = try Self.intake(store)
            _ = try await intake.take([try Self.record("a", [("n", 1)], at: 2_000)], into: "Zone")
            let older = try await intake.take([try Self.record("a", [("n", 2)], at: 1_999)], into: "Zone")
            #expect(older.newerHere == 1 && older.saved == 0)
            let newer = try await intake.take([try Self.record("a", [("n", 3)], at: 2_001)], into: "Zone")
            #expect(newer.saved == 1)
            let here = try await Self.outlet(store).records(named: ["a"], in: "Zone")["a"]
            #expect(here?.fields.first?.value == .int64(3))
        }
    }

    @Test(arguments: [1, 2, 3, 40])
    func `A circle of parents is taken as it came, and told with its records`(count: Int) async throws {
        try await StoreEngine.chosen.run { store in
            let intake = try Self.intake(store)
            // é twice, which Swift takes for one name.
            let names: [String] = (0..<count).map { (number: Int) -> String in
                let letter: String = number.isMultiple(of: 2) ? "\u{E9}" : "e\u{301}"
                return "\(letter)\(number / 2)"
            }
            var records = [try Self.record("below", parent: names[0]), try Self.record("alone")]
            for index in names.indices {
                records.append(try Self.record(names[index], parent: names[(index + 1) % count]))
            }
            let outcome = try await intake.take(records, into: "Zone")
            #expect(outcome.saved == records.count && outcome.refusals.isEmpty)
            let circle = try #require(outcome.circles.first)
            #expect(outcome.circles.count == 1 && circle.zone == "Zone")
            #expect(Set(circle.names.map { Array($0.utf8) }) == Set(names.map { Array($0.utf8) }))
            #expect(circle.sentence.contains("'\(circle.names[0])'"))
            #expect(try await RecordIntake.standing(outcome.circles, in: store) == outcome.circles)
            // Another version without a parent opens it.
            let opening = try Self.record(names[count / 2], at: 2_000)
            #expect(try await intake.take([opening], into: "Zone").circles.isEmpty)
            #expect(try await RecordIntake.standing(outcome.circles, in: store).isEmpty)
        }
    }

    @Test func `Parents that changed places are no circle in the end, in whatever order they come`()
        async throws
    {
        try await StoreEngine.chosen.run { store in
            let intake = try Self.intake(store)
            let before = [try Self.record("a"), try Self.record("b", parent: "a")]
            _ = try await intake.take(before, into: "Zone")
            let after = [try Self.record("a", at: 2_000, parent: "b"), try Self.record("b", at: 2_000)]
            var outcome = try await intake.take([after[0]], into: "Zone")
            #expect(outcome.saved == 1 && outcome.circles.count == 1)
            outcome += try await intake.take([after[1]], into: "Zone")
            #expect(outcome.saved == 2)
            #expect(try await RecordIntake.standing(outcome.circles, in: store).isEmpty)
            let here = try await Self.outlet(store).records(named: ["a", "b"], in: "Zone")
            #expect(here["a"]?.parent == "b" && here["b"]?.parent == nil)
        }
    }

    @Test func `A record that was made again as something else becomes that`() async throws {
        try await StoreEngine.chosen.run { store in
            let intake = try Self.intake(store)
            _ = try await intake.take([try Self.record("a", type: "A", [("n", 1)])], into: "Zone")
            _ = try await intake.take([try Self.record("a", type: "B", [("m", 1)], at: 2_000)], into: "Zone")
            #expect(try await Self.outlet(store).records(named: ["a"], in: "Zone")["a"]?.recordType == "B")
            #expect(try await Self.outlet(store).count(ofType: "A", in: "Zone") == 0)
        }
    }

    @Test func `What cannot be kept is refused by itself, in words`() async throws {
        try await StoreEngine.chosen.run { store in
            var other = try Self.record("zone", [("r", Self.reference("x", "NONE"))])
            other.fields[0].value = .reference(
                Reference(recordName: "x", zoneID: ZoneID(zoneName: "Other"), action: .none))
            let long = String(repeating: "x", count: Limits.recordBytes + 1)
            let outcome = try await Self.intake(store).take(
                [
                    try Self.record("good", [("n", 1)]), try Self.record("_bad"), other,
                    try Self.record("type", type: "no type"), try Self.record("n", [("n", "text")]),
                    try Self.record("_user", type: "Users"),
                    try Self.record("long", [("text", .string(long))]),
                    try Self.record("file", [("f", ["fileChecksum": "AQ==", "size": 1])]),
                    try Self.record("last", [("n", 2)]),
                ], into: "Zone")
            #expect(outcome.saved == 2)
            let names = ["_bad", "zone", "type", "n", "_user", "long", "file"]
            #expect(outcome.refusals.map(\.recordName) == names)
            #expect(outcome.refusals.allSatisfy { $0.reason.count > 20 })
            await #expect(throws: ServiceError.self) {
                _ = try await Self.intake(store, owner: nil).take([try Self.record("a")], into: "Zone")
            }
        }
    }

    @Test func `Users have their records, and zones go and come`() async throws {
        try await StoreEngine.chosen.run { store in
            let intake = try Self.intake(store, owner: nil)
            let user = try Self.record("_someone", type: "Users", [("n", 1)])
            #expect(try await intake.take([user], into: ZoneID.defaultName).saved == 1)
            let own = try Self.intake(store)
            try await own.makeZone(named: "Empty")
            try await own.makeZone(named: "Empty")
            #expect(try await Self.outlet(store).zones().contains("Empty"))
            #expect(try await own.deleteZone(named: "Empty"))
            #expect(try await own.deleteZone(named: "Empty") == false)
            #expect(try await own.deleteZone(named: ZoneID.defaultName) == false)
            _ = try await own.take([try Self.record("a"), try Self.record("b")], into: "Zone")
            #expect(try await own.delete(["b", "c"], from: "Zone") == 1)
            #expect(try await Self.outlet(store).records(named: ["a", "b"], in: "Zone").count == 1)
        }
    }
}
