import PostgresAccess
import RecordModel
import RecordStorage
import RecordStoragePostgres
import Synchronization
import TestSupport
import Testing

/// Who remembers what callers may is told when something of it is gone.
@Suite struct RevocationHintTests {
    private final class Counter: Sendable {
        private let value = Atomic(0)

        var count: Int { value.load(ordering: .relaxed) }

        func add() { value.add(1, ordering: .relaxed) }
    }

    private static func rows(_ store: any RecordStore, _ tenant: Tenant) async throws {
        try await store.write { store in
            try store.store(AccountRow(id: "a", address: "a@example.org", createdAt: 0, isDisabled: false))
            for name in ["_u", "_v"] {
                try store.insert(UserRow(tenant: tenant, recordName: name, label: name, createdAt: 0))
            }
            for id in ["one", "two"] {
                try store.store(
                    SessionRow(
                        id: id, tenant: tenant, user: "_u", account: "a", label: "", createdAt: 0, seenAt: 0,
                        endsAt: 100, idleMilliseconds: 1))
            }
            try store.insert(
                TokenRow(kind: .api, tenant: tenant, user: nil, label: "", createdAt: 0, expiresAt: nil),
                digest: [1])
        }
    }

    @Test(arguments: StoreEngine.allCases)
    func `Each kind of taking away is told once it is stored, and nothing else`(_ engine: StoreEngine)
        async throws
    {
        try await engine.run { store in
            let tenant = Tenant(container: try ContainerID("iCloud.test"), environment: .development)
            try await Self.rows(store, tenant)
            // A store that was just opened may say once that something could have gone before.
            let calls = Counter()
            store.listenForRevocations { calls.add() }
            let deeds: [@Sendable (any StoreWriter) throws -> Void] = [
                { try $0.deleteToken(digest: [1]) }, { try $0.deleteSession("one") },
                { try $0.setRoles(["editor"], ofUserNamed: "_u", tenant: tenant) },
                { try $0.deleteUser(named: "_v", of: tenant) }, { try $0.deleteAccount("a") },
            ]
            for deed in deeds {
                let before = calls.count
                try await store.write { try deed($0) }
                #expect(calls.count > before, "told before the write returns")
            }
        }
    }

    @Test func `A node that missed the hint sees that the number is another one`() async throws {
        let directory = try TemporaryDirectory()
        let store = try StoreEngine.postgres.open(directory)
        let calls = Counter()
        store.listenForRevocations { calls.add() }
        let connection = try PostgresConnection(url: try StoreEngine.databaseURL(of: directory))
        for _ in 0..<3 {
            let before = calls.count
            // As another node does it, without the hint.
            try connection.run(
                sql: """
                    INSERT INTO meta VALUES ('revocations', 1)
                    ON CONFLICT (key) DO UPDATE SET value = meta.value + 1
                    """)
            let isTold = try await eventually { calls.count > before }
            #expect(isTold)
        }
        connection.close()
        await store.close()
    }
}
