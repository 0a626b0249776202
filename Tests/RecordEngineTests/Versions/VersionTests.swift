import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

/// Earlier states of records: kept, shown, put back, and forgotten (Documentation/Protocol.md, 'Versions').
@Suite struct VersionTests {
    static func keep(
        _ count: Int = 5, days: Int = 10, of type: String = "Note", in cloud: TestCloud
    ) async throws {
        try await VersionSettings.set(
            VersionKeeping(count: count, days: days), ofTypeNamed: type,
            in: Tenant(container: cloud.container, environment: .development), store: cloud.store)
    }

    private static func text(_ text: String) -> JSONValue { ["t": ["value": .string(text)]] }

    private func versions(
        _ name: String, _ cloud: TestCloud, as sender: TestCloud.Sender = .alice,
        in scope: DatabaseScope = .private, zone: String? = nil
    ) async throws -> TestCloud.Answer {
        var body: JSONValue = ["recordName": .string(name)]
        if let zone { body = body.with("zoneID", ["zoneName": .string(zone)]) }
        return try await cloud.send(.recordsVersions, body, as: sender, in: scope)
    }

    private func texts(_ answer: TestCloud.Answer) -> [String] {
        answer.json["versions"].elements.map { $0["record"]["fields"]["t"]["value"].string ?? "-" }
    }

    private func restore(
        _ name: String, to tag: String?, _ cloud: TestCloud, now: String? = nil,
        as sender: TestCloud.Sender = .alice, in scope: DatabaseScope = .private
    ) async throws -> TestCloud.Answer {
        let operation = TestCloud.operation("restore", name, type: nil, tag: now)
            .with("versionTag", .string(tag ?? ""))
        return try await cloud.modify([operation], as: sender, in: scope)
    }

    @Test func `Who changed what when is told field by field`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("r", Self.text("one"))
            #expect(texts(try await versions("r", cloud)) == ["one"])
            try await Self.keep(in: cloud)
            try await cloud.save("r", Self.text("two").with("n", ["value": 1]))
            try await cloud.save("r", ["n": ["value": nil]])
            let answer = try await versions("r", cloud)
            #expect(texts(answer) == ["two", "two", "one"])
            let found = answer.json["versions"]
            #expect(found[0]["changedFields"] == ["n"] && found[0]["replaced"] == .null)
            #expect(Set(found[1]["changedFields"].elements.compactMap(\.string)) == ["n", "t"])
            #expect(found[2]["changedFields"] == ["t"])
            let alice: JSONValue = .string(TestCloud.Sender.alice.userName)
            #expect(found[1]["replaced"]["userRecordName"] == alice)
            #expect(found[1]["replaced"]["timestamp"] == found[0]["record"]["modified"]["timestamp"])
            #expect(answer.json["continuationMarker"] == .null)
        }
    }

    @Test func `Another form of a letter is a change, also in a list`() async throws {
        try await TestCloud.run { cloud in
            let forms = ["\u{E9}", "e\u{301}"]
            try await cloud.save("r", Self.text("one"))
            try await Self.keep(in: cloud)
            for form in forms {
                try await cloud.save(
                    "r", Self.text(form).with("l", ["value": [.string(form)], "type": "STRING_LIST"]))
            }
            let found = try await versions("r", cloud).json["versions"][0]["changedFields"]
            #expect(Set(found.elements.compactMap(\.string)) == ["l", "t"])
        }
    }

    @Test func `A type that keeps none has the record as it is, and one that stops forgets`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("r", Self.text("one"))
            try await cloud.save("r", Self.text("two"))
            #expect(texts(try await versions("r", cloud)) == ["two"])
            try await Self.keep(in: cloud)
            try await cloud.save("r", Self.text("three"))
            let tenant = Tenant(container: cloud.container, environment: .development)
            try await VersionSettings.set(nil, ofTypeNamed: "Note", in: tenant, store: cloud.store)
            try await cloud.save("r", Self.text("four"))
            #expect(texts(try await versions("r", cloud)) == ["four", "two"])
            try await cloud.service.sweepVersions()
            #expect(texts(try await versions("r", cloud)) == ["four"])
            await #expect(throws: ServiceError.self) {
                try await VersionSettings.set(.usual, ofTypeNamed: "None", in: tenant, store: cloud.store)
            }
        }
    }

    @Test func `A setting is kept with its type, and counts`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("r", Self.text("0"))
            try await Self.keep(3, in: cloud)
            if StoreEngine.chosen != .memory { try await cloud.reopen() }
            #expect(cloud.schema(.development).types["Note"]?.keeping == VersionKeeping(count: 3, days: 10))
            for number in 1...6 { try await cloud.save("r", Self.text("\(number)")) }
            #expect(texts(try await versions("r", cloud)) == ["6", "5", "4", "3"])
            for (count, days) in [
                (0, 1), (1, 0), (Limits.versionsPerRecord + 1, 1), (1, Limits.versionDays + 1),
            ] {
                #expect(VersionKeeping(count: count, days: days) == nil)
            }
            #expect(VersionKeeping(count: Limits.versionsPerRecord, days: Limits.versionDays) != nil)
        }
    }

    @Test func `Putting a version back is a change like others`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            let first = try await cloud.save("r", Self.text("one"))
            try await Self.keep(in: cloud)
            let second = try await cloud.save("r", Self.text("two").with("n", ["value": 1]))
            #expect(try await restore("r", to: first, cloud, now: first).codes == ["CONFLICT"])
            #expect(try await restore("r", to: "zz", cloud).codes == ["NOT_FOUND"])
            #expect(try await restore("r", to: second, cloud).codes == ["NOT_FOUND"])
            let answer = try await restore("r", to: first, cloud, now: second)
            #expect(answer.codes == [nil])
            let record = try #require(try await cloud.record("r"))
            #expect(record["fields"]["t"]["value"] == "one" && record["fields"]["n"] == .null)
            #expect(record["recordChangeTag"] != .string(first))
            // It can be undone as well.
            #expect(texts(try await versions("r", cloud)) == ["one", "two", "one"])
            let lacking = try await cloud.modify([TestCloud.operation("restore", "r")])
            #expect(lacking.code == "BAD_REQUEST")
            let strange = TestCloud.operation("update", "r", tag: second).with("versionTag", .string(first))
            #expect(try await cloud.modify([strange]).code == "BAD_REQUEST")
        }
    }

    @Test(arguments: [nil, "Zone"] as [String?])
    func `A deleted record is in the bin, and comes back as its maker's`(_ zone: String?) async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            try await cloud.save("r", Self.text("one"), zone: zone)
            try await Self.keep(in: cloud)
            let before = try #require(try await cloud.record("r", zone: zone))
            try await cloud.modify([TestCloud.operation("forceDelete", "r")], zone: zone)
            let zoneID: JSONValue = ["zoneName": .string(zone ?? "_defaultZone")]
            func bin() async throws -> [JSONValue] {
                let body: JSONValue = ["recordType": "Note", "zoneID": zoneID]
                return try await cloud.send(.recordsVersions, body).json["versions"].elements
            }
            let found = try await bin()
            #expect(found.map { $0["record"]["recordName"] } == ["r"])
            #expect(found[0]["deleted"]["userRecordName"] == .string(TestCloud.Sender.alice.userName))
            let operation = TestCloud.operation("restore", "r", type: nil)
                .with("versionTag", before["recordChangeTag"])
            #expect(try await cloud.modify([operation], zone: zone).codes == [nil])
            let after = try #require(try await cloud.record("r", zone: zone))
            #expect(after["created"] == before["created"] && after["fields"] == before["fields"])
            #expect(try await bin().isEmpty)
            #expect(texts(try await versions("r", cloud, zone: zone)) == ["one", "one"])
        }
    }

    @Test func `What the setting keeps no more is in no bin, before a sweep and after a return`() async throws
    {
        try await TestCloud.run { cloud in
            try await cloud.save("r", Self.text("one"))
            try await Self.keep(in: cloud)
            let tag = try #require(try await cloud.record("r"))["recordChangeTag"]
            try await cloud.modify([TestCloud.operation("forceDelete", "r")])
            func bin() async throws -> [JSONValue] {
                try await cloud.send(.recordsVersions, ["recordType": "Note"]).json["versions"].elements
            }
            #expect(try await bin().count == 1)
            let tenant = Tenant(container: cloud.container, environment: .development)
            try await VersionSettings.set(nil, ofTypeNamed: "Note", in: tenant, store: cloud.store)
            #expect(try await bin().isEmpty)
            // What is still there can be put back, and then it is not deleted, whatever is kept later.
            let operation = TestCloud.operation("restore", "r", type: nil).with("versionTag", tag)
            #expect(try await cloud.modify([operation]).codes == [nil])
            try await Self.keep(in: cloud)
            #expect(try await bin().isEmpty)
            // Ten days are kept: not a millisecond more.
            try await cloud.modify([TestCloud.operation("forceDelete", "r")])
            cloud.wait(milliseconds: 10 * 86_400_000 - 60_000)
            #expect(try await bin().count == 1)
            cloud.wait(milliseconds: 60_000)
            #expect(try await bin().isEmpty)
        }
    }

    @Test func `A cascade goes to the bin, record by record`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            try await cloud.save("parent", Self.text("p"), zone: "Zone")
            try await Self.keep(in: cloud)
            for name in ["a", "b"] {
                let link: JSONValue = ["recordName": "parent", "action": "DELETE_SELF"]
                try await cloud.save(
                    name, Self.text(name).with("link", ["value": link, "type": "REFERENCE"]), zone: "Zone")
            }
            try await cloud.modify([TestCloud.operation("forceDelete", "parent")], zone: "Zone")
            let body: JSONValue = ["recordType": "Note", "zoneID": ["zoneName": "Zone"], "resultsLimit": 2]
            let first = try await cloud.send(.recordsVersions, body).json
            let rest = try await cloud.send(
                .recordsVersions, body.with("continuationMarker", first["continuationMarker"])
            ).json
            let names = (first["versions"].elements + rest["versions"].elements)
                .compactMap { $0["record"]["recordName"].string }
            #expect(Set(names) == ["parent", "a", "b"] && names.count == 3)
            #expect(rest["continuationMarker"] == .null)
        }
    }

    @Test func `The files of a version stay as long as it does`() async throws {
        try await TestCloud.run { cloud in
            let old = try await cloud.upload(Array("old".utf8))
            try await cloud.save("r", file: old)
            try await Self.keep(of: "Photo", in: cloud)
            let new = try await cloud.upload(Array("new".utf8))
            try await cloud.save("r", file: new)
            func sweep() async throws {
                for _ in 0..<2 {
                    _ = try await cloud.service.sweepAssets()
                    cloud.wait(milliseconds: 4 * 86_400_000)
                }
            }
            try await sweep()
            let found = try await versions("r", cloud).json["versions"]
            let url = try #require(found[1]["record"]["fields"]["file"]["value"]["downloadURL"].string)
            #expect(try await cloud.download(url) == Array("old".utf8))
            let tag = try #require(found[1]["record"]["recordChangeTag"].string)
            #expect(try await restore("r", to: tag, cloud).codes == [nil])
            let record = try #require(try await cloud.record("r"))
            let address = try #require(record["fields"]["file"]["value"]["downloadURL"].string)
            #expect(try await cloud.download(address) == Array("old".utf8))
            // Once its versions are too old, nothing holds the other file.
            cloud.wait(milliseconds: 11 * 86_400_000)
            try await cloud.service.sweepVersions()
            try await sweep()
            let digest = try #require(AssetDigest(checksum: new["fileChecksum"].string ?? ""))
            #expect(try await cloud.store.read(.short) { try $0.asset(digest) } == nil)
            #expect(try await cloud.record("r") != nil)
        }
    }

    @Test func `Versions older than the setting go, and the others stay`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("r", Self.text("0"))
            try await Self.keep(days: 2, in: cloud)
            for number in 1...3 {
                try await cloud.save("r", Self.text("\(number)"))
                cloud.wait(milliseconds: 86_400_000)
            }
            try await cloud.service.sweepVersions()
            // Three days later, the state that ended two days and a moment ago is gone too.
            #expect(texts(try await versions("r", cloud)) == ["3", "2"])
            try await cloud.makeZones("Zone")
            try await cloud.save("z", Self.text("0"), zone: "Zone")
            try await cloud.save("z", Self.text("1"), zone: "Zone")
            let body: JSONValue = [
                "operations": [["operationType": "delete", "zone": ["zoneID": ["zoneName": "Zone"]]]]
            ]
            _ = try await cloud.send(.zonesModify, body)
            cloud.wait(milliseconds: 3 * 86_400_000)
            try await cloud.service.sweepVersions()
            #expect(
                try await eventually {
                    let groups = try await cloud.store.read(.short) {
                        try $0.versionGroups(after: nil, limit: 9)
                    }
                    return groups.isEmpty
                })
        }
    }

    @Test func `Long histories come in pages, each state once`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("r", Self.text("0"))
            try await Self.keep(40, in: cloud)
            for number in 1...30 { try await cloud.save("r", Self.text("\(number)")) }
            for limit in [1, 7, 31, 201] {
                var found: [String] = []
                var changed = 0
                var marker: JSONValue = .null
                repeat {
                    let body: JSONValue = [
                        "recordName": "r", "resultsLimit": .int(Int64(limit)), "continuationMarker": marker,
                    ]
                    let answer = try await cloud.send(.recordsVersions, body)
                    found += texts(answer)
                    changed += answer.json["versions"].elements.count { $0["changedFields"] == ["t"] }
                    marker = answer.json["continuationMarker"]
                } while marker != .null
                #expect(found == (0...30).reversed().map(String.init), "\(limit)")
                #expect(changed == 31, "\(limit)")
            }
            for body in [
                ["recordName": "r", "resultsLimit": 0],
                ["recordName": "r", "continuationMarker": "!"], ["recordName": "r", "recordType": "Note"],
                [:],
            ] as [JSONValue] {
                #expect(try await cloud.send(.recordsVersions, body).code == "BAD_REQUEST", "\(body.text)")
            }
            #expect(try await versions("none", cloud).code == "NOT_FOUND")
        }
    }

    @Test func `In the public database versions are for whoever may read what they are of`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("r", Self.text("one"), in: .public)
            try await Self.keep(in: cloud)
            let tag = try #require(try await cloud.record("r", in: .public)?["recordChangeTag"].string)
            try await cloud.save("r", Self.text("two"), in: .public)
            // Everybody reads it, so everybody reads what it was; its maker alone puts it back.
            #expect(texts(try await versions("r", cloud, as: .bob, in: .public)) == ["two", "one"])
            #expect(try await restore("r", to: tag, cloud, as: .bob, in: .public).codes == ["ACCESS_DENIED"])
            let nobody = try await restore("r", to: tag, cloud, as: .nobody, in: .public)
            #expect(nobody.code == "AUTHENTICATION_REQUIRED")
            try await cloud.modify([TestCloud.operation("forceDelete", "r")], in: .public)
            // What was deleted is taken from its readers.
            for sender in [TestCloud.Sender.bob, .nobody] {
                #expect(try await versions("r", cloud, as: sender, in: .public).code == "NOT_FOUND")
            }
            #expect(try await restore("r", to: tag, cloud, as: .bob, in: .public).codes == ["NOT_FOUND"])
            let bin: JSONValue = ["recordType": "Note"]
            let bobs = try await cloud.send(.recordsVersions, bin, as: .bob, in: .public)
            #expect(bobs.json["versions"].elements.isEmpty && bobs.status == 200)
            // Somebody else takes the name: what was Alice's stays hers to see.
            try await cloud.save("r", Self.text("bob"), as: .bob, in: .public)
            #expect(texts(try await versions("r", cloud, as: .bob, in: .public)) == ["bob"])
            #expect(try await restore("r", to: tag, cloud, as: .bob, in: .public).codes == ["NOT_FOUND"])
            #expect(try await restore("r", to: tag, cloud, in: .public).codes == ["ACCESS_DENIED"])
            try await cloud.modify([TestCloud.operation("forceDelete", "r")], as: .bob, in: .public)
            #expect(try await restore("r", to: tag, cloud, in: .public).codes == [nil])
            let record = try #require(try await cloud.record("r", in: .public))
            #expect(record["created"]["userRecordName"] == .string(TestCloud.Sender.alice.userName))
        }
    }

    @Test(arguments: RightsMatrixTests.cases)
    func `Versions and the bin, by every caller`(_ item: RightsMatrixTests.Case) async throws {
        try await TestCloud.run { cloud in
            let ground = try await RightsGround(cloud)
            try await ground.set(SecurityGrant.defaults)
            try await Self.keep(in: cloud)
            for asker in RightsGround.Asker.allCases {
                for name in ["changed", "gone"] {
                    try await cloud.save("\(asker)-\(name)", Self.text("one"), in: .public)
                }
            }
            var tags: [String: String] = [:]
            for asker in RightsGround.Asker.allCases {
                for name in ["\(asker)-changed", "\(asker)-gone"] {
                    tags[name] = try await cloud.record(name, in: .public)?["recordChangeTag"].string
                }
                try await cloud.save("\(asker)-changed", Self.text("two"), in: .public)
                try await cloud.modify([TestCloud.operation("forceDelete", "\(asker)-gone")], in: .public)
            }
            try await ground.set(item.grants)
            for asker in RightsGround.Asker.allCases {
                let isAlice = asker == .alice
                let read = RightsGround.allows(.read, item.grants, asker, isOwn: isAlice)
                let write = RightsGround.allows(.write, item.grants, asker, isOwn: isAlice)
                let create = RightsGround.allows(.create, item.grants, asker, isOwn: false)
                let changed = try await ground.send(
                    .recordsVersions, ["recordName": "\(asker)-changed"], as: asker)
                #expect(texts(changed) == (read ? ["two", "one"] : []), "\(asker)")
                let gone = try await ground.send(
                    .recordsVersions, ["recordName": "\(asker)-gone"], as: asker)
                #expect(texts(gone) == (read && write ? ["one"] : []), "\(asker)")
                let bin = try await ground.send(
                    .recordsVersions, ["recordType": "Note", "resultsLimit": 200], as: asker)
                #expect(bin.json["versions"].elements.isEmpty == !(read && write), "\(asker)")
                for (name, isAllowed) in [
                    ("changed", read && write), ("gone", read && write && create),
                ] {
                    let operation = TestCloud.operation("restore", "\(asker)-\(name)", type: nil)
                        .with("versionTag", .string(tags["\(asker)-\(name)"] ?? ""))
                    let answer = try await ground.send(
                        .recordsModify, ["operations": [operation]], as: asker)
                    let isDone = answer.code == nil && answer.codes == [nil]
                    #expect(isDone == isAllowed, "\(asker), \(name): \(answer.json.text)")
                    if isDone {
                        let record = try #require(try await ground.record("\(asker)-\(name)"))
                        #expect(record["fields"]["t"]["value"] == "one")
                    }
                }
            }
        }
    }

    @Test func `Versions take as much room as the quota at most, and are not counted for it`() async throws {
        try await TestCloud.run(quotas: StorageQuotas(perUser: 20_000)) { cloud in
            try await cloud.save("r", Self.text("0"))
            try await Self.keep(100, in: cloud)
            for number in 0..<60 {
                try await cloud.save("r\(number % 2)", Self.text(String(repeating: "x", count: 900)))
                #expect(try await cloud.send(.storageUsage, [:]).json["bytes"].int ?? .max < 5_000)
            }
            let database = DatabaseID(
                tenant: Tenant(container: cloud.container, environment: .development),
                owner: TestCloud.Sender.alice.userName)
            let usage = try await cloud.store.read(.short) { store in
                try store.database(database).map { try store.versionUsage(of: $0) }
            }
            let taken = try #require(usage)
            #expect(taken.bytes <= 20_000 && taken.bytes > 10_000 && taken.versions > 8)
        }
    }

    @Test func `A version needs what a save needs`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            try await cloud.save("target", Self.text("t"), zone: "Zone")
            let link: JSONValue = ["recordName": "target", "action": "VALIDATE"]
            let linked: JSONValue = ["link": ["value": link, "type": "REFERENCE"]]
            let tag = try await cloud.save("r", linked, zone: "Zone")
            try await Self.keep(in: cloud)
            try await cloud.save("r", ["link": ["value": nil]], zone: "Zone")
            try await cloud.modify([TestCloud.operation("forceDelete", "target")], zone: "Zone")
            let operation = TestCloud.operation("restore", "r", type: nil).with("versionTag", .string(tag))
            let answer = try await cloud.modify([operation], zone: "Zone", atomic: false)
            #expect(answer.codes == ["VALIDATING_REFERENCE_ERROR"])
            // A field that went with its values comes back with the version, as with any save in development.
            let store = cloud.store
            let tenant = Tenant(container: cloud.container, environment: .development)
            let first = try await cloud.save("s", Self.text("one"))
            try await cloud.save("s", Self.text("two"))
            try await store.write { store in
                let type = try #require(try store.schema(of: tenant).types["Note"])
                _ = try store.removeField(named: "t", from: type, tenant: tenant)
            }
            #expect(try await restore("s", to: first, cloud).codes == [nil])
            #expect(try await cloud.record("s")?["fields"]["t"]["value"] == "one")
        }
    }
}
