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
        try await EveryTable.fill(stores[0], tenant, seed.value)
        let full = try await StoreCopy(from: stores[0], to: stores[0]).compare().source
        #expect(
            StoreSection.allCases.filter { full.counts[$0] == 0 } == [], "The test has rows of every kind.")
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

    /// The store, as soon as PostgreSQL has ended the sessions of who had it before.
    private static func opened(_ open: () throws -> any RecordStore) async throws -> any RecordStore {
        var store: (any RecordStore)?
        _ = try await eventually {
            do { store = try open() } catch let error as StorageError where error.code == "STORAGE_LOCKED" {}
            return store != nil
        }
        return try #require(store)
    }

    @Test func `A database of PostgreSQL is for nodes, or for a copy alone`() async throws {
        let directory = try TemporaryDirectory()
        await (try StoreEngine.postgres.open(directory)).close()
        let location = StoreLocation.postgres(url: try StoreEngine.databaseURL(of: directory))
        let node = try location.open()
        let refusal = #expect(throws: StorageError.self) { _ = try location.open(.sole) }
        #expect(refusal?.code == "STORAGE_LOCKED")
        await node.close()
        let sole = try await Self.opened { try location.open(.sole) }
        try await sole.write { try $0.insert(OperatorRow(name: "ada", createdAt: 1)) }
        let other = #expect(throws: StorageError.self) { _ = try location.open() }
        #expect(other?.code == "STORAGE_LOCKED")
        await sole.close()
        let again = try await Self.opened { try location.open() }
        #expect(try await again.read(.short) { try $0.operators().map(\.name) } == ["ada"])
        await again.close()
    }
}
