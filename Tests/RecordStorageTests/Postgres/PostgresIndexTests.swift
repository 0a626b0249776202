import PostgresAccess
import RecordModel
import RecordStorage
import RecordStorageConformance
import TestSeeds
import TestSupport
import Testing

@testable import RecordStoragePostgres

/// Indexes that PostgreSQL gets for what is asked of it; `AutomaticIndexTests` has the same of SQLite.
@Suite struct PostgresIndexTests {
    static let fields = (0..<10).map { ("f\($0)", FieldType(.int64)) } + [("t", FieldType(.string))]

    /// Runs a test with a store that replaces an index as soon as it lies idle, with rows in it.
    static func run(
        rows: Int, idleSeconds: Double = 0, _ body: (PostgresStore, Ground, String) async throws -> Void
    ) async throws {
        let url = try StoreEngine.databaseURL(of: TemporaryDirectory())
        let store = try PostgresStore(url: url, indexIdleSeconds: idleSeconds)
        let ground = try await Ground.make(store, fields: fields)
        try await store.write { store in
            for row in 0..<rows {
                var values = (0..<10).map { ("f\($0)", FieldValue.int64(Int64(row * ($0 + 7) % 101))) }
                if row % 7 > 0 { values.append(("t", .string("t\(row % 50)"))) }
                try ground.save("r\(row)", Dictionary(uniqueKeysWithValues: values), in: store)
            }
        }
        do {
            try await body(store, ground, url)
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    static func indexes(_ url: String) throws -> [PostgresAutomaticIndex] {
        let connection = try PostgresConnection(url: url)
        defer { connection.close() }
        return PostgresAutomaticIndex.all(try connection.run([PostgresAutomaticIndex.list])[0])
    }

    @Test func `An index comes by itself, PostgreSQL walks it, and every page stays the same`() async throws {
        try await Self.run(rows: 2_000) { store, ground, url in
            let (number, text) = (try ground.column("f1"), try ground.column("t"))
            for (condition, sort) in [
                (Condition.compare(number, .equal, .int(5)), [SortKey(.column(text), ascending: false)]),
                (.constant(true), [SortKey(.column(text), ascending: true)]),
                (
                    .compare(number, .greater, .int(90)),
                    [
                        SortKey(.column(number), ascending: false), SortKey(.column(text), ascending: true),
                    ]
                ),
            ] {
                var scan = ground.scan(condition, sort: sort, limit: 9)
                func walk() async throws -> (names: [String], plans: Set<ScanPlan>) {
                    var (names, plans): ([String], Set<ScanPlan>) = ([], [])
                    scan.after = nil
                    repeat {
                        let page = try await store.read(.long) { [scan] in try ground.names(scan, in: $0) }
                        names += page.names
                        plans.insert(page.outcome.plan)
                        scan.after = page.outcome.next
                    } while scan.after != nil
                    return (names, plans)
                }
                let before = try await walk()
                let isMade = try await eventually { [scan] in store.explain(scan).plan == .index }
                #expect(isMade)
                let after = try await walk()
                #expect(after.names == before.names && after.plans == [.index])
                scan.isBackward = true
                #expect(try await walk().names == before.names.reversed())
                let shape = try #require(scan.indexShape)
                #expect(
                    try await eventually {
                        try Self.indexes(url).contains { $0.shape == shape && $0.isWhole && $0.scans > 5 }
                    }, "\(shape.text)")
            }
            let again = try PostgresStore(url: url)
            #expect(
                again.explain(ground.scan(sort: [SortKey(.column(text), ascending: true)])).plan == .index)
            await again.close()
        }
    }

    @Test func `There are no more than so many; who orders one gets it for that used longest ago`()
        async throws
    {
        try await Self.run(rows: 600, idleSeconds: 3_600) { store, ground, url in
            func scan(_ field: Int) throws -> RecordScan {
                let column = try ground.column("f\(field)")
                return ground.scan(sort: [SortKey(.column(column), ascending: true)], limit: 5)
            }
            for field in 0..<Limits.automaticIndexesPerType {
                let scan = try scan(field)
                _ = try await store.read(.long) { try ground.names(scan, in: $0) }
                let isMade = try await eventually { store.explain(scan).plan == .index }
                #expect(isMade, "f\(field)")
            }
            let one = try scan(8)
            let before = try await store.read(.long) { try ground.names(one, in: $0).names }
            // All are in use: by itself it is not made, an order counts for more.
            try await store.makeIndex(for: try scan(9))
            #expect(store.explain(try scan(9)).plan == .index)
            #expect(store.explain(one).plan == .scan && !store.explain(one).isBeingMade)
            #expect(try Self.indexes(url).count == Limits.automaticIndexesPerType)
            try await store.makeIndex(for: one)
            #expect(store.explain(one).index == one.sort)
            #expect(try await store.read(.long) { try ground.names(one, in: $0).names } == before)
            #expect(try Self.indexes(url).count == Limits.automaticIndexesPerType)
            #expect(store.backgroundWork.isDone)
        }
    }

    @Test func `Small types, unserved shapes and those who may not ask get none`() async throws {
        try await Self.run(rows: Limits.automaticIndexRows) { store, ground, url in
            let column = try ground.column("f1")
            var small = ground.scan(sort: [SortKey(.column(column), ascending: true)], limit: 5)
            _ = try await store.read(.long) { [small] in try ground.names(small, in: $0) }
            let isLookedAt = try await eventually { store.maker.wishes.next == nil }
            #expect(isLookedAt)
            // One more row is one too many, for those who may ask.
            try await store.write { try ground.save("one more", in: $0) }
            small.sort = [SortKey(.column(try ground.column("f2")), ascending: true)]
            small.mayMakeIndex = false
            _ = try await store.read(.long) { [small] in try ground.names(small, in: $0) }
            let missing = ground.scan(.compare(column, .equal, .null), sort: small.sort)
            #expect(store.explain(missing).missing == [])
            _ = try await store.read(.long) { try ground.names(missing, in: $0) }
            #expect(store.maker.wishes.next == nil)
            #expect(try Self.indexes(url) == [])
            small.mayMakeIndex = true
            _ = try await store.read(.long) { [small] in try ground.names(small, in: $0) }
            let isMade = try await eventually { [small] in store.explain(small).plan == .index }
            #expect(isMade)
        }
    }

    @Test func `A text that is too long for an index is stored, and the index goes`() async throws {
        try await Self.run(rows: 600) { store, ground, url in
            let sort = [SortKey(.column(try ground.column("t")), ascending: true)]
            let scan = ground.scan(sort: sort, limit: 1_000)
            try await store.makeIndex(for: scan)
            #expect(store.explain(scan).plan == .index)
            // PostgreSQL compresses what it can.
            var random = Seed(1).random
            let long = String(
                (0..<9_000).map { _ in Character(Unicode.Scalar(UInt8.random(in: 33...126, using: &random))) }
            )
            try await store.write { try ground.save("long", ["t": .string(long)], in: $0) }
            let names = try await store.read(.long) { try ground.names(scan, in: $0).names }
            #expect(names.count == 601 && names.contains("long"))
            let isKnown = try await eventually { store.explain(scan).plan == .scan }
            #expect(isKnown)
            // The store says that it is gone before PostgreSQL has dropped it.
            let isGone = try await eventually { try Self.indexes(url) == [] }
            #expect(isGone)
            try await store.makeIndex(for: scan)
            #expect(store.explain(scan).plan == .scan)
            #expect(try Self.indexes(url) == [], "nothing is left of one that could not be made")
        }
    }

    /// An index waits for transactions that began before it, here for one of somebody else that lasts.
    @Test func `While an index is made, rows are written and fields added`() async throws {
        try await Self.run(rows: 600) { store, ground, url in
            let other = try PostgresConnection(url: url)
            defer { other.close() }
            try other.run(sql: "BEGIN ISOLATION LEVEL REPEATABLE READ")
            try other.run(sql: "SELECT 1")
            let scan = ground.scan(sort: [SortKey(.column(try ground.column("f3")), ascending: true)])
            let order = Task { try await store.makeIndex(for: scan) }
            let isUnderWay = try await eventually { try Self.indexes(url).contains { !$0.isWhole } }
            #expect(isUnderWay)
            #expect(store.explain(scan).isBeingMade && !store.backgroundWork.isDone)
            try await store.write { try ground.save("beside", in: $0) }
            let type = try await store.write {
                try $0.addField(
                    named: "new", type: FieldType(.int64), indexes: .all(for: FieldType(.int64)),
                    to: ground.type, tenant: ground.tenant)
            }
            #expect(type["new"] != nil)
            try await order.value
            try other.run(sql: "COMMIT")
            let isTidy = try await eventually { try Self.indexes(url).allSatisfy(\.isWhole) }
            #expect(isTidy)
            try await store.makeIndex(for: scan)
            #expect(store.explain(scan).plan == .index)
        }
    }
}
