import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

@testable import RecordEngine

/// Requests with a key take effect once (Documentation/Protocol.md, 'Idempotency keys').
@Suite struct IdempotencyTests {
    private static func body(_ operations: [JSONValue], key: String? = "k1", zone: String? = nil) -> JSONValue
    {
        var body: JSONValue = ["operations": .array(operations)]
        if let key { body = body.with("idempotencyKey", .string(key)) }
        if let zone { body = body.with("zoneID", ["zoneName": .string(zone)]) }
        return body.with("atomic", false)
    }

    private static func note(_ type: String, _ name: String?, _ value: JSONValue = 1) -> JSONValue {
        TestCloud.operation(type, name, fields: ["n": ["value": value]])
    }

    private static func names(_ cloud: TestCloud, zone: String? = nil) async throws -> [String] {
        try await cloud.query(["recordType": "Note"], zone: zone).names.sorted()
    }

    @Test(arguments: [nil, "Zone"] as [String?])
    func `A repetition is answered as the first time, and does nothing`(_ zone: String?) async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            let old = try await cloud.save("old", ["n": ["value": 5]], zone: zone)
            try await cloud.save("gone", ["n": ["value": 5]], zone: zone)
            let operations: [JSONValue] = [
                Self.note("create", nil), Self.note("create", "a"),
                TestCloud.operation("update", "old", tag: old, fields: ["n": ["value": 6]]),
                TestCloud.operation("forceDelete", "gone", type: nil), Self.note("update", "none"),
                Self.note("create", "b", "text"),
            ]
            let body = Self.body(operations, zone: zone)
            let first = try await cloud.send(.recordsModify, body)
            #expect(first.codes == [nil, nil, nil, nil, "NOT_FOUND", "BAD_REQUEST"])
            let names = try await Self.names(cloud, zone: zone)
            #expect(names.count == 3)
            try await cloud.reopen()
            let again = try await cloud.send(.recordsModify, body)
            #expect(again.status == 200 && again.codes == first.codes)
            #expect(Array(again.records.prefix(4)) == Array(first.records.prefix(4)))
            for (left, right) in zip(first.records.suffix(2), again.records.suffix(2)) {
                #expect(left["reason"] == right["reason"] && left["remedy"] == right["remedy"])
            }
            #expect(again.trace.items == 6 && again.trace.failedItems == 2)
            #expect(try await Self.names(cloud, zone: zone) == names)
            // Without a key, as with another one, it is a request like any other.
            for key in [nil, "k2"] as [String?] {
                let other = try await cloud.send(.recordsModify, Self.body(operations, key: key, zone: zone))
                #expect(other.codes[1] == "CONFLICT")
            }
        }
    }

    @Test func `A repetition shows records as they are by then`() async throws {
        try await TestCloud.run { cloud in
            let body = Self.body([
                Self.note("create", "kept"), Self.note("create", "changed"), Self.note("create", "deleted"),
            ])
            let first = try await cloud.send(.recordsModify, body)
            let tag = try await cloud.save("changed", ["n": ["value": 2]])
            try await cloud.modify([TestCloud.operation("forceDelete", "deleted", type: nil)])
            let again = try await cloud.send(.recordsModify, body)
            #expect(again.codes == [nil, nil, "NOT_FOUND"])
            #expect(again.records[0] == first.records[0])
            #expect(again.records[1]["recordChangeTag"] == .string(tag))
            #expect(try await cloud.record("deleted") == nil)
        }
    }

    @Test func `A conflict is answered again with the record that the service has`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.save("there", ["n": ["value": 5]])
            let body = Self.body([Self.note("create", "there"), Self.note("create", "new")])
            let first = try await cloud.send(.recordsModify, body)
            let again = try await cloud.send(.recordsModify, body)
            #expect(again.codes == ["CONFLICT", nil] && again.codes == first.codes)
            #expect(again.records[0]["serverRecord"] == first.records[0]["serverRecord"])
            #expect(again.records[0]["serverRecord"]["recordName"] == "there")
        }
    }

    @Test func `A key names one request of one user`() async throws {
        try await TestCloud.run { cloud in
            let body = Self.body([Self.note("create", "mine")])
            _ = try await cloud.send(.recordsModify, body, as: .alice, in: .public)
            for other in [
                Self.body([Self.note("create", "mine", 2)]), Self.body([]),
            ] {
                let answer = try await cloud.send(.recordsModify, other, as: .alice, in: .public)
                #expect(answer.status == 400 && answer.code == "BAD_REQUEST")
                #expect(answer.json["reason"].string?.contains("another request") == true)
            }
            // The same bytes for another database, and for zones, are another request.
            let elsewhere = try await cloud.send(.recordsModify, body, as: .alice)
            #expect(elsewhere.code == "BAD_REQUEST")
            let zones = try await cloud.send(.zonesModify, ["idempotencyKey": "k1", "operations": []])
            #expect(zones.code == "BAD_REQUEST")
            // To others the key says nothing: their request is looked at as if nobody had used it.
            let bob = try await cloud.send(.recordsModify, body, as: .bob, in: .public)
            #expect(bob.codes == ["CONFLICT"])
            let own = try await cloud.send(.recordsModify, Self.body([Self.note("create", "x")]), as: .bob)
            #expect(own.code == "BAD_REQUEST")
            let production = try await cloud.send(
                .recordsModify, body, as: .alice, in: .public, environment: .production)
            #expect(production.status == 200 && production.records.count == 1)
        }
    }

    @Test(arguments: ["", " ", "a b", "ä", "a\u{0}", String(repeating: "k", count: 129)])
    func `What is no key is refused`(_ key: String) async throws {
        try await TestCloud.run { cloud in
            let answer = try await cloud.send(
                .recordsModify, Self.body([Self.note("create", "a")], key: key))
            #expect(answer.code == "BAD_REQUEST")
            #expect(try await cloud.record("a") == nil)
            let longest = String(repeating: "~", count: Limits.idempotencyKeyBytes)
            let good = try await cloud.send(
                .recordsModify, Self.body([Self.note("create", "a")], key: longest))
            #expect(good.codes == [nil])
        }
    }

    @Test func `An atomic batch that failed is tried again`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            try await cloud.save("in the way", ["n": ["value": 1]], zone: "Zone")
            let body = Self.body(
                [Self.note("create", "a"), Self.note("create", "in the way")], zone: "Zone"
            ).with("atomic", true)
            #expect(try await cloud.send(.recordsModify, body).codes == ["ATOMIC_ERROR", "CONFLICT"])
            try await cloud.modify(
                [TestCloud.operation("forceDelete", "in the way", type: nil)], zone: "Zone")
            let done = try await cloud.send(.recordsModify, body)
            #expect(done.codes == [nil, nil])
            #expect(try await cloud.send(.recordsModify, body).records == done.records)
        }
    }

    @Test func `Zones are made and deleted once`() async throws {
        try await TestCloud.run { cloud in
            func operation(_ type: String, _ name: String) -> JSONValue {
                ["operationType": .string(type), "zone": ["zoneID": ["zoneName": .string(name)]]]
            }
            try await cloud.makeZones("Old")
            let body: JSONValue = [
                "idempotencyKey": "z",
                "operations": [
                    operation("create", "New"), operation("delete", "Old"),
                    operation("create", String(repeating: "z", count: 300)),
                ],
            ]
            let first = try await cloud.send(.zonesModify, body)
            #expect(first.zones[2]["serverErrorCode"] == "BAD_REQUEST")
            // The token of the zone as it was then: from there on nothing may be missed.
            try await cloud.save("a", ["n": ["value": 1]], zone: "New")
            try await cloud.makeZones("Old")
            let again = try await cloud.send(.zonesModify, body)
            #expect(Array(again.zones.prefix(2)) == Array(first.zones.prefix(2)))
            #expect(again.zones[2]["reason"] == first.zones[2]["reason"])
            let zones = try await cloud.send(.zonesList, [:]).zones.map { $0["zoneID"]["zoneName"] }
            #expect(zones.contains("Old") && zones.contains("New"))
        }
    }

    @Test func `Subscriptions are made and deleted once`() async throws {
        try await TestCloud.run { cloud in
            func operation(_ type: String, _ subscription: JSONValue) -> JSONValue {
                ["operationType": .string(type), "subscription": subscription]
            }
            try await cloud.save("a", ["n": ["value": 1]])
            let unnamed: JSONValue = [
                "subscriptionType": "query", "firesOn": ["create"], "query": ["recordType": "Note"],
            ]
            try await cloud.subscribe(TestCloud.notes("old"))
            let body: JSONValue = [
                "idempotencyKey": "s",
                "operations": [
                    operation("create", unnamed), operation("delete", ["subscriptionID": "old"]),
                    operation("delete", ["subscriptionID": "none"]),
                ],
            ]
            let first = try await cloud.send(.subscriptionsModify, body)
            let name = first.json["subscriptions"][0]["subscriptionID"].string
            #expect(name != nil && first.json["subscriptions"][0]["zoneWide"] == true)
            #expect(first.json["subscriptions"][1]["deleted"] == true)
            #expect(first.json["subscriptions"][2]["serverErrorCode"] == "NOT_FOUND")
            try await cloud.subscribe(TestCloud.notes("old"))
            let again = try await cloud.send(.subscriptionsModify, body)
            for index in 0..<2 {
                #expect(again.json["subscriptions"][index] == first.json["subscriptions"][index])
            }
            #expect(again.json["subscriptions"][2]["serverErrorCode"] == "NOT_FOUND")
            let all = try await cloud.send(.subscriptionsList, [:]).json["subscriptions"].array ?? []
            #expect(Set(all.map { $0["subscriptionID"].string }) == [name, "old"])
            // With other operations it is another request.
            let other = try await cloud.send(
                .subscriptionsModify, ["idempotencyKey": "s", "operations": [operation("create", unnamed)]])
            #expect(other.code == "BAD_REQUEST")
        }
    }

    @Test func `After its time a key is as good as new, and the sweep removes what was kept`() async throws {
        try await TestCloud.run { cloud in
            let body = Self.body([Self.note("create", nil)])
            let first = try await cloud.send(.recordsModify, body)
            #expect(try await cloud.service.sweepKeptOutcomes() == 0)
            cloud.wait(milliseconds: Int64(Limits.keptOutcomeSeconds) * 1_000 - 60_000)
            #expect(try await cloud.send(.recordsModify, body).records == first.records)
            cloud.wait(milliseconds: 60_000)
            // Not swept yet, and over all the same.
            let second = try await cloud.send(.recordsModify, body)
            #expect(second.names != first.names)
            #expect(try await cloud.send(.recordsModify, body).records == second.records)
            #expect(try await cloud.service.sweepKeptOutcomes() == 0)
            // More than one slice of the sweep.
            let now = cloud.wait(milliseconds: 0)
            try await cloud.store.write { store in
                for number in 0..<600 as Range<UInt16> {
                    let key = [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
                    try store.keep(
                        IdempotencyRecord(key: key, request: [], createdAt: now, outcome: []), room: 1 << 30)
                }
            }
            cloud.wait(milliseconds: Int64(Limits.keptOutcomeSeconds) * 1_000)
            #expect(try await cloud.service.sweepKeptOutcomes() == 601)
            #expect(try await cloud.send(.recordsModify, body).names != second.names)
        }
    }

    @Test func `An unknown outcome is no invitation to send the same again`() {
        let lost = StorageError.outcomeUnknown(TestFailure("The connection broke."))
        let error = ServiceError(describing: lost)
        #expect(error.code == .internalError && error.retryAfterSeconds == nil)
        #expect(error.reason.contains("cannot say"))
    }

    @Test func `Very many errors of one request are kept without their sentences`() throws {
        var outcome = IdempotentResult()
        for number in 0..<200 {
            let reason = String(repeating: "r", count: 100) + "\(number)"
            outcome.add(.failed(ServiceError(.conflict, reason, remedy: reason)))
        }
        let encoded = outcome.encoded()
        #expect(encoded.count < Limits.keptErrorBytes + 200 * 120)
        let errors = try IdempotentResult(encoded: encoded).items.map { item in
            guard case .failed(let error) = item else { throw TestFailure("\(item) is no error") }
            return error
        }
        #expect(errors.count == 200 && errors.allSatisfy { $0.code == .conflict })
        #expect(errors[0].reason.hasSuffix("r0") && errors[0].remedy == errors[0].reason)
        #expect(errors[199].reason.contains("not kept") && errors[199].remedy == nil)
        #expect(throws: StorageError.self) { try IdempotentResult(encoded: Array("[2]".utf8)) }
    }
}
