import RecordModel
import RecordStorage
import RecordStorageConformance
import RecordStorageOpening
import TestSupport
import Testing

/// A copied store is the store that it was copied from, on every engine, and goes on as that one would have.
@Suite struct StoreCopyTests {
    @Test(arguments: StoreEngine.allCases, Seed.some(3))
    func `After copies over all engines a store is what it was`(_ first: StoreEngine, _ seed: Seed)
        async throws
    {
        let engines = [first, .sqlite, .postgres, .memory, .postgres, .sqlite]
        let directories = try engines.map { _ in try TemporaryDirectory() }
        let stores = try zip(engines, directories).map { try $0.open($1) }
        let tenant = try Ground.tenant()
        var random = seed.random
        for step in 0..<150 { _ = try await Self.history(tenant, seed, step).step(stores[0]) }
        try await Self.fillAccess(stores[0], tenant)
        for (source, target) in zip(stores, stores.dropFirst()) {
            let portion = CopyPortion(rows: random.int(1...40), bytes: random.int(1...3_000))
            let copy = StoreCopy(from: source, to: target, portion: portion)
            try await copy.copy()
            let (from, to) = try await copy.compare()
            #expect(from == to)
            #expect(from.digest == to.digest)
            try await copy.finish()
            #expect(try await Self.usages(target) == Self.usages(source))
        }
        let answers = try await Self.history(tenant, seed, 0).answers(stores[0])
        for store in stores.dropFirst() {
            Self.compare(try await Self.history(tenant, seed, 0).answers(store), answers)
        }
        // Numbers go on alike.
        for step in 200..<230 {
            let told = try await Self.history(tenant, seed, step).step(stores[0])
            for store in stores.dropFirst() {
                try #require(try await Self.history(tenant, seed, step).step(store) == told, "step \(step)")
            }
        }
        let end = try await Self.history(tenant, seed, 0).answers(stores[0])
        for store in stores.dropFirst() {
            Self.compare(try await Self.history(tenant, seed, 0).answers(store), end)
        }
        for store in stores { await store.close() }
    }

    /// What is counted of each database.
    private static func usages(_ store: any RecordStore) async throws -> [String] {
        try await store.read(.long) { reader in
            try reader.rows(of: .databases, after: nil, CopyPortion(rows: .max, bytes: .max)).compactMap {
                row in
                guard case .database(let row) = row else { return nil }
                return "\(row.number): \(try reader.usage(of: row.number))"
            }
        }
    }

    private static func compare(_ answers: [String], _ expected: [String]) {
        if let (line, other) = zip(answers, expected).first(where: { $0 != $1 }) {
            Issue.record("\(line)\nand not\n\(other)")
        }
        #expect(answers.count == expected.count)
    }

    private static func history(_ tenant: Tenant, _ seed: Seed, _ step: Int) -> StoreHistory {
        StoreHistory(tenant: tenant, random: Random(seed: seed.value &+ UInt64(step) &* 7_919))
    }

    /// Rows of everything that histories leave out.
    private static func fillAccess(_ store: any RecordStore, _ tenant: Tenant) async throws {
        let other = try Ground.tenant("iCloud.other", .production)
        try await store.write { store in
            try store.store(
                SignInPolicyRow(
                    tenant: other, admission: .invited, invited: ["@example.org", "ü"], title: "Ü",
                    color: "#0a3d62", logo: [0, 255]))
            for index in 0..<3 {
                try store.store(
                    SignInProviderRow(
                        tenant: index == 0 ? tenant : other, name: "p\(index)", title: "Ü",
                        issuer: "https://id.example", clientID: "c", secret: [0, 255], keyID: "k", team: "t",
                        postsForm: index == 1, createdAt: 3))
            }
            try store.setRoles(["editor", "reader"], tenant: other)
            let type = try store.makeType(named: "Page", tenant: other)
            _ = try store.setAnnotations(
                systemIndexes: [.recordID: .queryable], grants: [SecurityGrant(.read, to: "reader")],
                of: type, tenant: other)
            for index in 0..<7 as Range<UInt8> {
                let name = "_user\(index)\u{0}"
                for tenant in [tenant, other] {
                    try store.insert(
                        UserRow(
                            tenant: tenant, recordName: name, label: "ü \(index)", createdAt: 5,
                            roles: index == 0 ? [] : ["editor", "Leser ü \(index)"],
                            isDisabled: index == 3))
                }
                try store.insert(
                    TokenRow(
                        kind: index.isMultiple(of: 2) ? .api : .web, tenant: other,
                        user: index.isMultiple(of: 2) ? nil : name, label: "", createdAt: Int64(index),
                        expiresAt: index < 3 ? nil : 99), digest: [index, 255])
                try store.insert(OperatorRow(name: "op \(index)", createdAt: 3))
                let account = AccountRow(
                    id: "id\(index)", address: "\(9 - index)@example.org", createdAt: 4,
                    isDisabled: index == 2)
                try store.store(account)
                if index > 1 {
                    try store.store(
                        CredentialRow(
                            account: account.id, kind: .password, name: account.id, secret: [0, index],
                            createdAt: 6))
                }
                try store.insert(
                    OperatorTokenRow(kind: .session, operatorName: "op 1", createdAt: 4, expiresAt: 9),
                    digest: [255, index])
                try store.insert(
                    AuditRow(
                        at: 8, operatorName: "op 1", action: "record.delete",
                        tenant: index < 3 ? nil : other, subject: "a\u{1}", requestID: "r"))
            }
        }
    }

    @Test(arguments: StoreEngine.durable)
    func `Nobody opens a copy before it is finished`(_ engine: StoreEngine) async throws {
        let directories = (try TemporaryDirectory(), try TemporaryDirectory())
        let source = try StoreEngine.memory.open(directories.0)
        _ = try await Ground.make(source)
        let target = try engine.open(directories.1)
        let copy = StoreCopy(from: source, to: target)
        try await copy.copy()
        await target.close()
        let error = #expect(throws: StorageError.self) { _ = try engine.open(directories.1) }
        #expect(error?.code == "STORAGE_UNFINISHED_COPY")
        await source.close()
    }

    @Test(arguments: StoreEngine.allCases)
    func `Nothing is copied into a store that is not empty, and differences are seen`(_ engine: StoreEngine)
        async throws
    {
        let directories = (try TemporaryDirectory(), try TemporaryDirectory())
        let source = try StoreEngine.memory.open(directories.0)
        _ = try await Ground.make(source)
        let target = try engine.open(directories.1)
        let copy = StoreCopy(from: source, to: target)
        try await copy.copy()
        try await copy.finish()
        let error = await #expect(throws: StorageError.self) { try await copy.copy() }
        #expect(error?.code == "STORAGE_NOT_EMPTY")
        var (from, to) = try await copy.compare()
        #expect(from == to)
        try await target.write { try $0.insert(OperatorRow(name: "late", createdAt: 1)) }
        (from, to) = try await copy.compare()
        #expect(from.digests[.operators] != to.digests[.operators] && from.digest != to.digest)
        #expect(from.digests[.zones] == to.digests[.zones])
        await target.close()
        await source.close()
    }

    @Test func `A database of PostgreSQL is for nodes, or for a copy alone`() async throws {
        let directory = try TemporaryDirectory()
        await (try StoreEngine.postgres.open(directory)).close()
        let location = StoreLocation.postgres(url: try StoreEngine.databaseURL(of: directory))
        let node = try location.open()
        let refusal = #expect(throws: StorageError.self) { _ = try location.open(.sole) }
        #expect(refusal?.code == "STORAGE_LOCKED")
        await node.close()
        let sole = try location.open(.sole)
        try await sole.write { try $0.insert(OperatorRow(name: "ada", createdAt: 1)) }
        let other = #expect(throws: StorageError.self) { _ = try location.open() }
        #expect(other?.code == "STORAGE_LOCKED")
        await sole.close()
        let again = try location.open()
        #expect(try await again.read(.short) { try $0.operators().map(\.name) } == ["ada"])
        await again.close()
    }
}
