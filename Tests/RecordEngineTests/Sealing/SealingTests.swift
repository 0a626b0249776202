import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

/// Encrypted fields lie sealed in the store and come out as they went in.
@Suite struct SealingTests {
    /// What no store may hold: it is in each encrypted text.
    private static let secret = "quince-marmalade"

    /// A value that a client marks as encrypted.
    private static func marked(_ value: JSONValue, _ type: String) -> JSONValue {
        ["value": value, "type": .string(type), "isEncrypted": true]
    }

    private static func text(_ text: String) -> JSONValue { marked(.string("\(secret) \(text)"), "STRING") }

    private static func value(_ record: JSONValue?, _ field: String) -> JSONValue? {
        record?["fields"][field]["value"]
    }

    /// All that a store has of records and versions, as one text.
    private static func stored(_ store: any RecordStore) async throws -> String {
        try await store.read(.long) { reader in
            var text = ""
            for section in [StoreSection.records, .versions] {
                for row in try reader.rows(of: section, after: nil, CopyPortion(rows: 10_000, bytes: .max)) {
                    switch row {
                    case .record(let row): text += String(decoding: row.state?.body ?? [], as: UTF8.self)
                    case .version(let row): text += String(decoding: row.body, as: UTF8.self)
                    default: break
                    }
                }
            }
            for change in try reader.loggedChanges(after: 0, in: nil, limit: 10_000) {
                text += String(decoding: (change.before ?? []) + (change.after ?? []), as: UTF8.self)
            }
            return text
        }
    }

    // MARK: The law

    private struct Drawn {
        var random: Random
        private static let types = [
            "STRING", "INT64", "DOUBLE", "TIMESTAMP", "BYTES", "LOCATION", "STRING_LIST", "INT64_LIST",
        ]

        /// Values of so many of the fields, each of the type that its name has; half of them are encrypted.
        mutating func fields(_ count: Int) -> JSONValue {
            var members: [(key: String, value: JSONValue)] = []
            for _ in 0..<count {
                let type = random.pick(Self.types, else: "STRING")
                let isEncrypted = random.oneIn(2)
                let name = (isEncrypted ? "sealed" : "plain") + type.filter { $0 != "_" }
                guard !members.contains(where: { $0.key == name }) else { continue }
                var field: JSONValue = ["value": value(type, isEncrypted), "type": .string(type)]
                if isEncrypted { field = field.with("isEncrypted", true) }
                members.append((key: name, value: field))
            }
            return .object(JSONObject(members))
        }

        private mutating func value(_ type: String, _ isEncrypted: Bool) -> JSONValue {
            let mark = isEncrypted ? SealingTests.secret : "open"
            let text = mark + random.text(["a", "\"", "\\", "é", "🍐", "\n", "{", "}"], 0...40)
            return switch type {
            case "STRING": .string(text)
            case "INT64": .int(Int64(random.int(-9_000_000_000...9_000_000_000)))
            case "TIMESTAMP": .int(Int64(random.int(0...2_000_000_000_000)))
            case "DOUBLE": .double(Double(random.int(-1_000_000...1_000_000)) / 7 + 0.1)
            case "BYTES": .string(Base64.encode(Array(text.utf8)))
            case "LOCATION":
                ["latitude": .double(47.3769), "longitude": .double(Double(random.int(-9...9)) + 0.5)]
            case "STRING_LIST": .array((0..<random.int(1...3)).map { .string("\(text)\($0)") })
            default: .array((0..<random.int(1...3)).map { .int(Int64($0)) })
            }
        }
    }

    @Test(arguments: StoreEngine.allCases, Seed.some(3))
    func `What is read is what was saved, and no store holds it`(_ engine: StoreEngine, _ seed: Seed)
        async throws
    {
        let cloud = try await TestCloud(engine: engine)
        var drawn = Drawn(random: seed.random)
        try await cloud.makeZones("z")
        try await cloud.save("first", ["plainSTRING": ["value": "open"]], zone: "z")
        let tenant = Tenant(container: cloud.container, environment: .development)
        try await VersionSettings.set(
            VersionKeeping(count: 3, days: 3), ofTypeNamed: "Note", in: tenant, store: cloud.store)
        var model: [String: [String: JSONValue]] = [:]
        for step in 0..<60 {
            let name = "r\(drawn.random.int(0...7))"
            if drawn.random.oneIn(6) {
                try await cloud.modify([TestCloud.operation("forceDelete", name)], zone: "z")
                model[name] = nil
                continue
            }
            // Some fields over those that are there: the others are merged from what is sealed.
            let fields = drawn.fields(4)
            try await cloud.save(name, fields, zone: "z")
            for (key, field) in fields.object?.members ?? [] {
                model[name, default: [:]][key] = field["value"]
            }
            guard step % 6 == 5 else { continue }
            let feed = try await cloud.send(
                .recordsChanges, ["zoneID": ["zoneName": "z"]], as: .alice, in: .private)
            let page = try await cloud.query(["recordType": "Note"], zone: "z", limit: 100)
            for (name, expected) in model {
                let read = try await cloud.record(name, zone: "z")
                let queried = page.records.first { $0["recordName"].string == name }
                let fed = feed.records.first { $0["recordName"].string == name }
                for record in [read, queried, fed] {
                    let found = Dictionary(
                        uniqueKeysWithValues: (record?["fields"].object?.members ?? []).map {
                            ($0.key, $0.value["value"])
                        })
                    #expect(found == expected, "step \(step), \(name)")
                    for (key, field) in record?["fields"].object?.members ?? [] {
                        let type = field["type"].string ?? ""
                        let isMarked = field["isEncrypted"].bool == true || type == "ENCRYPTED_BYTES"
                        #expect(isMarked == key.hasPrefix("sealed"))
                    }
                }
                let versions = try await cloud.send(
                    .recordsVersions, ["recordName": .string(name), "zoneID": ["zoneName": "z"]],
                    as: .alice, in: .private)
                #expect(versions.status == 200)
            }
        }
        let stored = try await Self.stored(cloud.store)
        #expect(stored.contains("{\"sealed\":1,") && stored.contains("open"))
        #expect(!stored.contains(Self.secret))
        #expect(!stored.contains(Base64.encode(Array(Self.secret.utf8)).prefix(16)))
        await cloud.close()
    }

    // MARK: Other places

    /// Puts the stored body of one record, as it lies there, into another record's row.
    private static func move(
        _ name: String, _ zone: String, of first: DatabaseID, to other: String, _ otherZone: String,
        of second: DatabaseID, in store: any RecordStore
    ) async throws {
        try await store.write { store in
            func row(_ name: String, _ zone: String, _ id: DatabaseID) throws -> (RecordRow, ZoneRow) {
                let database = try #require(try store.database(id))
                let zone = try #require(try store.zone(named: zone, in: database))
                return (try #require(try store.record(named: name, in: zone.id)), zone)
            }
            let (from, _) = try row(name, zone, first)
            let (to, toZone) = try row(other, otherZone, second)
            try store.retag(to, in: toZone, sequence: try store.nextSequence(), body: from.body)
        }
    }

    @Test(arguments: StoreEngine.allCases)
    func `A body that was put under another name, zone or database does not open`(_ engine: StoreEngine)
        async throws
    {
        let cloud = try await TestCloud(engine: engine)
        let tenant = Tenant(container: cloud.container, environment: .development)
        try await cloud.makeZones("one", "two")
        try await cloud.makeZones("one", as: .bob)
        for zone in ["one", "two"] { try await cloud.save("a", ["t": Self.text("1")], zone: zone) }
        try await cloud.save("b", ["t": Self.text("2")], zone: "one")
        try await cloud.save("a", ["t": Self.text("3")], zone: "one", as: .bob)
        let store = cloud.store
        let (_, _, owners) = try await store.read(.short) { reader in
            (0, 0, try reader.keyedDatabases(after: 0, limit: 10).map(\.id))
        }
        #expect(owners.count == 2)
        let alice = DatabaseID(tenant: tenant, owner: TestCloud.Sender.alice.userName)
        let bob = DatabaseID(tenant: tenant, owner: TestCloud.Sender.bob.userName)
        for (name, zone, owner) in [("b", "one", alice), ("a", "two", alice), ("a", "one", bob)] {
            try await Self.move("a", "one", of: alice, to: name, zone, of: owner, in: store)
            let sender: TestCloud.Sender = owner == bob ? .bob : .alice
            let answer = try await cloud.send(
                .recordsLookup,
                ["records": [["recordName": .string(name)]], "zoneID": ["zoneName": .string(zone)]],
                as: sender, in: .private)
            #expect(answer.json["serverErrorCode"].string == "INTERNAL_ERROR", "\(name) \(zone)")
            #expect(!answer.json.text.contains(Self.secret))
            let page = try await cloud.query(["recordType": "Note"], zone: zone, as: sender)
            #expect(page.json["serverErrorCode"].string == "INTERNAL_ERROR")
        }
        // The record itself is as it was.
        #expect(Self.value(try await cloud.record("a", zone: "one"), "t") == .string("\(Self.secret) 1"))
        await cloud.close()
    }

    // MARK: Keys

    private static func service(_ store: any RecordStore, _ key: MasterKey?) -> RecordService {
        let random: @Sendable (Int) -> [UInt8] = { count in (0..<count).map { _ in UInt8.random(in: 0...255) }
        }
        let sealed = SealedStore(
            store, keys: SealingKeys(random: random) { if let key { key } else { throw NoKey() } })
        return RecordService(
            store: sealed, secret: ServiceSecret(bytes: Array(repeating: 7, count: 32)),
            environment: ServiceEnvironment(now: { 1_700_000_000_000 }, random: random))
    }

    private struct NoKey: Error {}

    private static func ask(
        _ service: RecordService, _ endpoint: Endpoint, _ body: JSONValue
    ) async throws -> JSONValue {
        let tenant = Tenant(container: try ContainerID("iCloud.test"), environment: .development)
        let answer = await service.answer(
            ServiceCall(
                endpoint: endpoint, tenant: tenant, scope: .private,
                credentials: Credentials(apiToken: nil, webAuthToken: nil), body: body.bytes, requestID: "r",
                administration: Administration(name: "root", owner: "_ada")))
        return try JSONReader.read(answer.body)
    }

    private static func save(_ name: String, _ fields: JSONValue) -> JSONValue {
        ["operations": [TestCloud.operation("forceUpdate", name, fields: fields)]]
    }

    private static func lookup(_ name: String) -> JSONValue { ["records": [["recordName": .string(name)]]] }

    @Test(arguments: StoreEngine.allCases)
    func `Rotation keeps everything, a wrong key refuses and changes nothing`(_ engine: StoreEngine)
        async throws
    {
        try await engine.run { store in
            let old = try #require(MasterKey(text: String(repeating: "old ", count: 8) + "!"))
            let new = try #require(MasterKey(text: String(repeating: "new ", count: 8) + "!"))
            _ = try await Self.ask(
                Self.service(store, old), .recordsModify,
                Self.save("a", ["t": Self.text("1"), "n": ["value": 5]]))
            _ = try await Self.ask(
                Self.service(store, old), .recordsModify, Self.save("plain", ["n": ["value": 6]]))
            // With another key, and with none, the clear records are there, and the others are refused.
            for key in [new, nil] {
                let wrong = Self.service(store, key)
                for body in [Self.save("a", ["n": ["value": 7]]), Self.save("b", ["t": Self.text("2")])] {
                    let answer = try await Self.ask(wrong, .recordsModify, body)
                    #expect(answer["serverErrorCode"].string == "INTERNAL_ERROR")
                    #expect(answer["reason"].string?.contains("encrypted fields") == true)
                }
                #expect(
                    try await Self.ask(wrong, .recordsLookup, Self.lookup("a"))["serverErrorCode"] != .null)
                let plain = try await Self.ask(wrong, .recordsLookup, Self.lookup("plain"))
                #expect(Self.value(plain["records"][0], "n") == 6)
            }
            let random: @Sendable (Int) -> [UInt8] = { count in
                (0..<count).map { _ in UInt8.random(in: 0...255) }
            }
            await #expect(throws: SealingError.self) {
                try await KeyRotation.run(in: store, from: new, to: new, random: random)
            }
            let before = try await store.read(.short) { try $0.keyedDatabases(after: 0, limit: 10) }
            let report = try await KeyRotation.run(in: store, from: old, to: new, random: random)
            #expect(report.wrapped == 1 && report.unchanged == 0)
            let again = try await KeyRotation.run(in: store, from: old, to: new, random: random)
            #expect(again.wrapped == 0 && again.unchanged == 1)
            let after = try await store.read(.short) { try $0.keyedDatabases(after: 0, limit: 10) }
            #expect(before.map(\.id) == after.map(\.id) && before.map(\.key) != after.map(\.key))
            let read = try await Self.ask(Self.service(store, new), .recordsLookup, Self.lookup("a"))
            #expect(Self.value(read["records"][0], "t") == .string("\(Self.secret) 1"))
            #expect(Self.value(read["records"][0], "n") == 5)
            #expect(
                try await Self.ask(Self.service(store, old), .recordsLookup, Self.lookup("a"))[
                    "serverErrorCode"] != .null)
            #expect(KeyRotation.firstFailure(of: after, with: new) == nil)
            #expect(KeyRotation.firstFailure(of: after, with: old)?.error.code == "SEALING_KEY_WRONG")
            // Nobody can make a database another's: its key is bound to the owner.
            var moved = after
            moved[0].id = DatabaseID(tenant: moved[0].id.tenant, owner: "_eve")
            #expect(KeyRotation.firstFailure(of: moved, with: new)?.error.code == "SEALING_DAMAGED")
        }
    }

    @Test(arguments: StoreEngine.allCases)
    func `A value from before is read in the clear, and sealed when its record is written`(
        _ engine: StoreEngine
    ) async throws {
        let cloud = try await TestCloud(engine: engine)
        try await cloud.save("a", ["t": Self.text("1"), "n": ["value": 1]])
        let opened = try #require(try await cloud.record("a"))
        // As an older version stored it: the record without its closing brace, and nothing sealed.
        let members = (opened.object?.members ?? []).filter { $0.key != "zoneID" }
        let body = Array(JSONValue.object(JSONObject(members)).bytes.dropLast())
        let tenant = Tenant(container: cloud.container, environment: .development)
        try await cloud.store.write { store in
            let id = DatabaseID(tenant: tenant, owner: TestCloud.Sender.alice.userName)
            let database = try #require(try store.database(id))
            let zone = try #require(try store.zone(named: ZoneID.defaultName, in: database))
            let row = try #require(try store.record(named: "a", in: zone.id))
            try store.retag(row, in: zone, sequence: row.sequence, body: body)
        }
        #expect(try await Self.stored(cloud.store).contains(Self.secret))
        #expect(Self.value(try await cloud.record("a"), "t") == .string("\(Self.secret) 1"))
        try await cloud.save("a", ["n": ["value": 2]])
        #expect(try await !Self.stored(cloud.store).contains(Self.secret))
        #expect(Self.value(try await cloud.record("a"), "t") == .string("\(Self.secret) 1"))
        await cloud.close()
    }

    @Test func `Filters and orders of encrypted fields are refused with the reason`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("a", ["t": Self.text("1")])
            let filter: JSONValue = [
                "recordType": "Note",
                "filterBy": [["fieldName": "t", "comparator": "EQUALS", "fieldValue": ["value": "x"]]],
            ]
            let sort: JSONValue = ["recordType": "Note", "sortBy": [["fieldName": "t", "ascending": true]]]
            for query in [filter, sort] {
                let answer = try await cloud.query(query)
                #expect(answer.json["serverErrorCode"].string == "BAD_REQUEST")
                #expect(answer.json.text.contains("Encrypted fields cannot be queried."))
            }
        }
    }

    @Test func `What other services are told has no encrypted fields`() async throws {
        let body = Array(
            #"{"recordName":"a","recordType":"Note","fields":{"t":{"value":"x","type":"STRING","isEncrypted":true},"b":{"value":"eA==","type":"ENCRYPTED_BYTES"},"n":{"value":"\"isEncrypted\":true","type":"STRING"}},"pluginFields":{}"#
                .utf8)
        let told = String(decoding: try RecordBody.withoutEncryptedFields(body), as: UTF8.self)
        #expect(
            told
                == #"{"recordName":"a","recordType":"Note","fields":{"n":{"value":"\"isEncrypted\":true","type":"STRING"}},"pluginFields":{}"#
        )
        let sealed = try RecordBody.sealing(body) { _, plain in plain.reversed() }
        #expect(RecordBody.isSealed(sealed) && !RecordBody.isSealed(body))
        #expect(try RecordBody.opening(sealed) { _, sealed in sealed.reversed() } == body)
    }
}
