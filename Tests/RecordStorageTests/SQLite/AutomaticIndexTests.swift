import RecordModel
import RecordStorage
import RecordStorageConformance
import SQLiteAccess
import TestSupport
import Testing

@testable import RecordStorageSQLite

@Suite struct AutomaticIndexTests {
    static let fields = (0..<12).map { ("f\($0)", FieldType(.int64)) }

    static func fill(_ store: SQLiteStore, rows: Int) async throws -> Ground {
        let ground = try await Ground.make(store, fields: fields)
        try await store.write { store in
            for row in 0..<rows {
                let values = (0..<12).map { ("f\($0)", FieldValue.int64(Int64(row * ($0 + 7) % 1_009))) }
                try ground.save("r\(row)", Dictionary(uniqueKeysWithValues: values), in: store)
            }
        }
        return ground
    }

    static func indexes(_ store: SQLiteStore) async throws -> [String] {
        try await store.read(.short) { store in
            let reader = try #require(store as? SQLiteReader)
            let statement = try reader.connection.statement(
                "SELECT shape FROM automatic_index WHERE state <> 3 ORDER BY shape")
            defer { statement.reset() }
            var shapes: [String] = []
            while try statement.step() { shapes.append(statement.text(0)) }
            return shapes
        }
    }

    /// A store that replaces an index as soon as it lies idle.
    static func restless(_ directory: TemporaryDirectory) throws -> SQLiteStore {
        try SQLiteStore(
            directory: directory.path, background: BackgroundPace.Settings(), indexIdleSeconds: 0)
    }

    @Test
    func `Indexes are made for what is asked, and no more than so many`() async throws {
        let directory = try TemporaryDirectory()
        let store = try Self.restless(directory)
        let ground = try await Self.fill(store, rows: 1_500)
        for field in 0..<12 {
            let scan = ground.scan(
                sort: [SortKey(.column(try ground.column("f\(field)")), ascending: true)], limit: 10)
            #expect(store.effort(of: scan) == .long)
            let before = try await store.read(.long) { try ground.names(scan, in: $0).names }
            let isIndexed = try await eventually {
                let (names, outcome) = try await store.read(.long) { try ground.names(scan, in: $0) }
                #expect(names == before)
                return outcome.plan == .index
            }
            #expect(isIndexed, "f\(field)")
            #expect(try await eventually { store.effort(of: scan) == .short })
            #expect(try await Self.indexes(store).count <= Limits.automaticIndexesPerType)
        }
        #expect(try await Self.indexes(store).count == Limits.automaticIndexesPerType)
        let isDone = try await eventually { store.backgroundWork.isDone }
        #expect(isDone)
        await store.close()
        let findings = try StoreInspection.run(directory: directory.path)
        // Bodies of these tests are not whole records.
        let messages = findings.filter { $0.severity != .good }.map(\.message)
        #expect(messages.filter { !$0.contains("whose body names another record") } == [])
    }

    @Test
    func `What no row fits is found by an index as nothing`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        let ground = try await Self.fill(store, rows: 900)
        let column = try ground.column("f1")
        var scan = ground.scan(sort: [SortKey(.column(column), ascending: true)], limit: 5)
        let isIndexed = try await eventually { [scan] in
            let plan = try await store.read(.long) { try ground.names(scan, in: $0).outcome.plan }
            return plan == .index
        }
        #expect(isIndexed)
        let one = Condition.compare(column, .equal, .int(1))
        for condition: Condition in [
            .constant(false), .or([]), .not(.constant(true)), .among(column, []),
            .compare(column, .less, .null), .and([one, .constant(false)]), .and([one, .among(column, [])]),
        ] {
            scan.condition = condition
            let (names, count) = try await store.read(.long) { [scan] reader in
                (try ground.names(scan, in: reader).names, try reader.count(scan))
            }
            #expect(names == [] && count == 0, "\(condition)")
        }
        await store.close()
    }

    @Test
    func `Who may not have an index made gets the rows all the same`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        let ground = try await Self.fill(store, rows: 900)
        var scan = ground.scan(sort: [SortKey(.column(try ground.column("f1")), ascending: true)], limit: 5)
        scan.mayMakeIndex = false
        for _ in 0..<5 {
            let names = try await store.read(.long) { [scan] in try ground.names(scan, in: $0).names }
            #expect(names.count == 5)
        }
        try await store.write { try ground.save("last", in: $0) }
        #expect(try await Self.indexes(store).isEmpty)
        await store.close()
    }

    @Test func `Small types and unknown shapes get no index`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        let ground = try await Self.fill(store, rows: 100)
        for _ in 0..<20 {
            let scan = ground.scan(sort: [SortKey(.column(try ground.column("f1")), ascending: true)])
            _ = try await store.read(.long) { try ground.names(scan, in: $0) }
        }
        // A write behind the reads: what they asked for was done by then.
        try await store.write { try ground.save("last", in: $0) }
        #expect(try await Self.indexes(store).isEmpty)
        await store.close()
    }

    @Test
    func `Queries go on while the indexes that they use are replaced`() async throws {
        let directory = try TemporaryDirectory()
        let store = try Self.restless(directory)
        let ground = try await Self.fill(store, rows: 1_200)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    for round in 0..<150 {
                        let field = (round * 5 + worker * 3) % 12
                        let scan = ground.scan(
                            sort: [
                                SortKey(.column(try ground.column("f\(field)")), ascending: round % 2 == 0)
                            ], limit: 5)
                        let (names, outcome) = try await store.read(store.effort(of: scan)) {
                            try ground.names(scan, in: $0)
                        }
                        #expect(names.count == 5)
                        var next = scan
                        next.after = outcome.next
                        _ = try await store.read(store.effort(of: next)) { [next] in
                            try ground.names(next, in: $0)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(store.health == .good)
        await store.close()
    }

    @Test
    func `Indexes that are in use stay, however many shapes are asked for`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        let ground = try await Self.fill(store, rows: 800)
        let most = Limits.automaticIndexesPerType
        for _ in 0..<30 {
            for field in 0...most {
                let scan = ground.scan(
                    sort: [SortKey(.column(try ground.column("f\(field)")), ascending: true)], limit: 5)
                _ = try await store.read(store.effort(of: scan)) { try ground.names(scan, in: $0) }
            }
            // A write behind the reads: what they asked for was done by then.
            try await store.write { _ in }
        }
        #expect(try await Self.indexes(store).count == most)
        let last = try await store.read(.short) { try $0.lastSequence() }
        // Each index takes a sequence number, and so do the records, the zones and nothing else.
        #expect(last == 800 + 2 + Int64(most), "indexes were built again and again")
        await store.close()
    }

    /// The page after any row has to be found in the index, whatever its keys are.
    @Test(arguments: [true, false], [StorageValue.int(5), .null])
    func `Each part of a later page is one range of the index`(_ ascending: Bool, _ key: StorageValue)
        async throws
    {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        let ground = try await Self.fill(store, rows: 300)
        let keys = ["f1", "f2"].map { name in
            SortKey(
                .column((try? ground.column(name)) ?? .recordName), ascending: ascending == (name == "f1"))
        }
        let base = ground.scan(.compare(try ground.column("f0"), .equal, .int(7)), sort: keys, limit: 10)
        try await store.makeIndex(for: base)
        let isThere = try await eventually { store.explain(base).plan == .index }
        #expect(isThere)
        var scan = base
        scan.after = ScanPosition(keys: [key, .int(1)], id: 5).cursor
        let plans = try await store.read(.long) { [scan] store -> [[String]] in
            let reader = try #require(store as? SQLiteReader)
            return try ScanSQL(scan, catalog: reader.catalog).statements.map { text in
                let statement = try reader.connection.statement("EXPLAIN QUERY PLAN " + text.sql)
                defer { statement.reset() }
                var details: [String] = []
                while try statement.step() { details.append(statement.text(3)) }
                return details
            }
        }
        #expect(!plans.isEmpty)
        for plan in plans {
            #expect(plan.first?.contains("INDEX auto_") == true, "\(plan)")
            // The bodies are found by their numbers, and nothing is sorted or walked over.
            let isSearch = plan.dropFirst().allSatisfy { $0.contains("INTEGER PRIMARY KEY (rowid=?)") }
            #expect(isSearch && plan.allSatisfy { $0.hasPrefix("SEARCH") }, "\(plan)")
        }
        await store.close()
    }
}
