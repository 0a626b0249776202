import RecordModel
import RecordStorage
import RecordStorageConformance
import SQLiteAccess
import TestSupport
import Testing

@testable import RecordStorageSQLite

/// Deletions that are carried out in slices are whole for readers from their write on, whatever happens between slices.
@Suite struct BackgroundLawTests {
    /// Slices of so many rows, run by hand, none of them in the write itself.
    private static func slow(_ rows: Int) -> BackgroundPace.Settings {
        var settings = BackgroundPace.Settings()
        settings.isAutomatic = false
        settings.rowsAtOnce = 0
        settings.rowsPerSlice = rows
        settings.sliceSeconds = 60
        return settings
    }

    @Test(arguments: Seed.some(10))
    func `A history with slices between its steps answers as the model does`(_ seed: Seed) async throws {
        let directory = try TemporaryDirectory()
        var random = seed.random
        let rows = random.int(1...7)
        var store = try SQLiteStore(directory: directory.path, background: Self.slow(rows))
        try await StoreEngine.memory.run { model in
            let tenant = try Ground.tenant()
            let answers = BackgroundAnswers(tenant: tenant)
            for step in 0..<160 {
                let history = StoreHistory(
                    tenant: tenant, random: Random(seed: seed.value &+ UInt64(step) &* 7_919),
                    removesFileFields: true)
                let told = (
                    Self.ofRecords(try await history.step(store)),
                    Self.ofRecords(try await history.step(model))
                )
                try #require(told.0 == told.1, "step \(step)")
                if random.oneIn(3) { _ = try await store.runSlices(random.int(1...4)) }
                if random.oneIn(12) { try await order(random, store, tenant) }
                // As after the upgrade of a file in which nothing was counted.
                if random.oneIn(25) { try await forgetUsage(store) }
                if random.oneIn(20) {
                    // The process ends with work left, and goes on with it.
                    await store.close()
                    #expect(
                        try StoreInspection.run(directory: directory.path).allSatisfy { $0.severity == .good }
                    )
                    store = try SQLiteStore(directory: directory.path, background: Self.slow(rows))
                }
                guard step % 4 == 3 else { continue }
                try await compare(answers, store, model, "after step \(step)")
            }
            while try await store.runSlices(50) {}
            try await compare(answers, store, model, "at the end")
            // A field may be taken out of a body in two ways, of which one writes numbers again: bytes are compared with
            // what is in the tables, by the inspection below.
            let (counted, expected) = (
                try await store.read(.short) { try $0.usage(of: tenant) },
                try await model.read(.short) { try $0.usage(of: tenant) }
            )
            #expect(counted.records == expected.records && counted.assetBytes == expected.assetBytes)
            for digest in (0..<5).map({ StoreWalk.digest(UInt8($0)) }) {
                let uses = (
                    try await store.read(.short) { try $0.asset(digest)?.uses ?? 0 },
                    try await model.read(.short) { try $0.asset(digest)?.uses ?? 0 }
                )
                #expect(uses.0 == uses.1)
            }
        }
        await store.close()
        #expect(try StoreInspection.run(directory: directory.path).allSatisfy { $0.severity == .good })
        let left = try Connection(
            path: directory.path + "/" + SQLiteStore.fileName, role: .reader, cacheKiB: 64)
        defer { left.close() }
        #expect(try left.int("SELECT count(*) FROM job") == 0)
        for table in ["directory", "reference", "asset_use", "record_version"] {
            let dead = "SELECT count(*) FROM \(table) WHERE zone IN (SELECT id FROM zone WHERE deleted <> 0)"
            #expect(try left.int(dead) == 0, "\(table) keeps rows of zones that are gone")
        }
    }

    /// What a step told, without what it told of files: they are let go of when the records go.
    private static func ofRecords(_ told: String) -> String {
        told.split(separator: ", ").filter { !$0.hasPrefix("dated") && !$0.hasPrefix("removed") }
            .joined(separator: ", ")
    }

    private func forgetUsage(_ store: SQLiteStore) async throws {
        try await store.write { writer in
            guard let writer = writer as? SQLiteWriter else { return }
            writer.usageChanges = UsageChanges()
            try writer.connection.execute(UsageSQL.recount)
            writer.counting = nil
            try writer.takeCountingPlaces()
        }
    }

    /// Asks for an index of some field, so that the history meets indexes that are being made and removed.
    private func order(_ random: Random, _ store: SQLiteStore, _ tenant: Tenant) async throws {
        var random = random
        let types = store.schema(of: tenant).types.values.sorted { $0.name < $1.name }
        guard let type = types.randomElement(using: &random),
            let field = type.fields.filter({ !$0.indexes.isEmpty && $0.type.canBeQueried && !$0.type.isList })
                .randomElement(using: &random), field.type.scalar != .location
        else { return }
        let isRemoval = random.oneIn(3)
        try await store.write { writer in
            guard let writer = writer as? SQLiteWriter else { return }
            let scan = RecordScan(
                type: type, zones: [1], condition: .constant(true),
                sort: [SortKey(.column(.field(field)), ascending: true)], limit: 1)
            guard let shape = IndexShape(scan) else { return }
            if isRemoval, let old = writer.catalog.indexes[type.id]?.first(where: { $0.state != .removing }) {
                try writer.removeIndex(old)
            } else {
                try writer.orderIndex(shape, type: type.id)
            }
        }
    }

    private func compare(
        _ answers: BackgroundAnswers, _ store: SQLiteStore, _ model: any RecordStore, _ moment: String
    ) async throws {
        let seen = try await answers.lines(store, fillingBy: store)
        let expected = try await answers.lines(model, fillingBy: store)
        for (line, other) in zip(seen, expected) where line != other {
            Issue.record("\(moment):\n\(line)\nand not\n\(other)")
            throw TestFailure("The answers differ.")
        }
        try #require(seen.count == expected.count)
    }

    @Test func `A follower of a zone learns of every record of a removed type, however late`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path, background: Self.slow(3))
        let ground = try await Ground.make(store)
        let other = try await Ground.make(store, type: "Other")
        try await store.write { store in
            for number in 0..<20 { try ground.save("n\(number)", ["n": .int64(1)], in: store) }
            for number in 0..<5 { try other.save("o\(number)", in: store) }
        }
        var mirror = Set((0..<20).map { "n\($0)" } + (0..<5).map { "o\($0)" })
        var token = try await store.read(.short) { try $0.lastSequence() }
        try await store.write { try $0.removeType(ground.type, tenant: ground.tenant) }
        var rounds = 0
        while true {
            let isLeft = try await store.runSlices(1)
            let after = token
            let changes = try await store.read(.short) { store in
                var changes: [(name: String, isThere: Bool, sequence: Int64)] = []
                try store.changes(
                    ChangeFeed(zone: ground.zone.id, after: after, tombstonesAfter: after, limit: 99)
                ) { row in
                    changes.append((row.name, row.body != nil, row.sequence))
                    return true
                }
                return changes
            }
            for change in changes {
                if change.isThere { mirror.insert(change.name) } else { mirror.remove(change.name) }
                token = change.sequence
            }
            rounds += 1
            guard isLeft else { break }
        }
        #expect(rounds > 5, "the removal was in slices")
        #expect(mirror == Set((0..<5).map { "o\($0)" }))
        await store.close()
    }
}
