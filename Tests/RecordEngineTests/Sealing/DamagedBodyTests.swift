import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

@testable import RecordEngine

/// Bodies that cannot be read, since they are damaged or their key is lost, keep nobody from anything else.
@Suite struct DamagedBodyTests {
    private struct NoKey: Error {}

    private static let encrypted: JSONValue = [
        "t": ["value": "quince", "type": "STRING", "isEncrypted": true]
    ]

    /// The store of a cloud as a service without its master key has it.
    private static func keyless(_ cloud: TestCloud) -> SealedStore {
        SealedStore(
            cloud.store, keys: SealingKeys(random: { Array(repeating: 1, count: $0) }) { throw NoKey() })
    }

    private static func tenant(_ cloud: TestCloud) -> Tenant {
        Tenant(container: cloud.container, environment: .development)
    }

    /// Puts other bytes in the place of a record's body.
    private static func store(
        _ body: String, asRecordNamed name: String, of owner: String?, in cloud: TestCloud
    ) async throws {
        let id = DatabaseID(tenant: tenant(cloud), owner: owner)
        try await cloud.store.write { store in
            let database = try #require(try store.database(id))
            let zone = try #require(try store.zone(named: ZoneID.defaultName, in: database))
            let row = try #require(try store.record(named: name, in: zone.id))
            try store.retag(row, in: zone, sequence: try store.nextSequence(), body: Array(body.utf8))
        }
    }

    @Test(arguments: StoreEngine.allCases, ErasureRow.PublicRecords.allCases)
    func `What a lost key has closed and what is damaged is erased with its user`(
        _ engine: StoreEngine, _ rule: ErasureRow.PublicRecords
    ) async throws {
        let cloud = try await TestCloud(engine: engine)
        let tenant = Self.tenant(cloud)
        let alice = TestCloud.Sender.alice.userName
        try await cloud.store.write { store in
            try store.insert(UserRow(tenant: tenant, recordName: alice, label: "alice", createdAt: 1))
        }
        try await cloud.makeZones("z")
        for zone in [nil, "z"] { try await cloud.save("a", Self.encrypted, zone: zone) }
        try await cloud.save("b", ["n": ["value": 1]])
        try await Self.store(#"{"recordName":"b","fields":{"#, asRecordNamed: "b", of: alice, in: cloud)
        try await cloud.save("sealed", Self.encrypted, in: .public)
        for name in ["broken", "good"] { try await cloud.save(name, ["n": ["value": 1]], in: .public) }
        try await Self.store(
            #"{"recordName":"broken","created":{"userRecordName":"\#(alice)"#, asRecordNamed: "broken",
            of: nil,
            in: cloud)
        _ = try await SignInPolicies.set(publicRecords: rule, of: tenant, store: cloud.store)
        try await Users.remove("alice", from: tenant, now: 1, store: cloud.store)

        let row = try #require(try await Erasures.waiting(in: cloud.store).first)
        let report = try await Erasures.run(row, in: Self.keyless(cloud), now: { 2 })
        switch rule {
        case .remove: #expect(report.refused == 0 && report.removed == 6)
        case .keep: #expect(report.refused == 2 && report.unnamed == 1 && report.removed == 3)
        }
        try await cloud.store.read(.short) { store throws in
            let database = try #require(try store.database(DatabaseID(tenant: tenant, owner: alice)))
            #expect(try store.usage(of: database).records == 0)
        }
        await cloud.close()
    }

    @Test(arguments: StoreEngine.allCases)
    func `The log goes on after a change whose body is damaged`(_ engine: StoreEngine) async throws {
        let cloud = try await TestCloud(engine: engine)
        let alice = TestCloud.Sender.alice.userName
        try await cloud.save("a", Self.encrypted)
        try await cloud.save("b", ["n": ["value": 1]])
        try await cloud.subscribe(TestCloud.notes("s"))
        for body in [
            #"{"sealed":1,"recordName":"a","fields":{"#,
            #"{"sealed":1,"recordName":"a","fields":{"t":{"value":"?","type":"ENCRYPTED_BYTES"}}"#,
        ] {
            try await Self.store(body, asRecordNamed: "a", of: alice, in: cloud)
        }
        try await cloud.save("b", ["n": ["value": 2]])
        let changes = try await Self.keyless(cloud).read(.short) {
            try $0.loggedChanges(after: 0, in: nil, limit: 100)
        }
        #expect(changes.map(\.name) == ["a", "a", "b"])
        await cloud.close()
    }
}
