import RecordModel
import RecordStorage
import RecordStorageConformance
import RecordWire
import SQLiteAccess
import TestSupport
import Testing

@testable import RecordStorageSQLite

/// Taking out large records puts little into the log at a time: a commit stays below what the log's bounds are made for.
@Suite struct LargeRemovalTests {
    private static let records = 48
    private static let text = String(repeating: "x", count: 1_000_000)
    /// What a slice or a request may put into the log beside what it removes.
    private static let most = 6 << 20

    /// A store whose slices only bytes limit, and records of a megabyte in it.
    private static func make(_ directory: TemporaryDirectory) async throws -> (SQLiteStore, Ground) {
        var settings = BackgroundPace.Settings()
        settings.isAutomatic = false
        settings.rowsAtOnce = 0
        settings.sliceSeconds = 600
        let store = try SQLiteStore(directory: directory.path, background: settings)
        // Without indexes and so without columns: the text is in bodies only.
        let ground = try await Ground.make(
            store, fields: [("n", FieldType(.int64)), ("gone", FieldType(.int64))])
        for number in 0..<records {
            try await store.write { store in
                var record = ground.record("r\(number)", sequence: try store.nextSequence())
                record.body = Array(
                    """
                    {"recordName":"r\(number)","recordType":"Note","fields":{"gone":{"value":\(number),"type":"NUMBER_INT64"},\
                    "t":{"value":"\(text)","type":"STRING"}},"recordChangeTag":"1"
                    """.utf8)
                try store.insert(record)
            }
        }
        return (store, ground)
    }

    private static func logBytes(_ store: SQLiteStore) throws -> Int {
        try #require(store.gauges.first { $0.name == "log_bytes" }).value
    }

    /// Does all slices one by one.
    ///
    /// - Returns: how many there were, and the most that one put into the log.
    private static func drain(_ store: SQLiteStore) async throws -> (slices: Int, bytes: Int) {
        var slices = 0
        var largest = 0
        while true {
            let before = try logBytes(store)
            let isLeft = try await store.runSlices(1)
            // Where the log started over in between, all of it is the slice's.
            let after = try logBytes(store)
            largest = max(largest, after >= before ? after - before : after)
            slices += 1
            guard isLeft else { return (slices, largest) }
        }
    }

    private enum Removal: CaseIterable {
        case zone, type, field
    }

    @Test(arguments: Removal.allCases)
    private func `Slices end by bytes`(_ removal: Removal) async throws {
        let directory = try TemporaryDirectory()
        let (store, ground) = try await Self.make(directory)
        try await store.write { store in
            switch removal {
            case .zone: try store.deleteZone(ground.zone)
            case .type: try store.removeType(ground.type, tenant: ground.tenant)
            case .field: _ = try store.removeField(named: "gone", from: ground.type, tenant: ground.tenant)
            }
        }
        let (slices, largest) = try await Self.drain(store)
        #expect(slices >= Self.records / 5, "each slice takes some of them: \(slices)")
        #expect(largest <= Self.most, "\(largest)")
        guard removal == .field else { return await store.close() }
        let bodies = try await store.read(.long) { reader in
            var bodies: [[UInt8]] = []
            for number in 0..<Self.records {
                bodies.append(try #require(try reader.record(named: "r\(number)", in: ground.zone.id)).body)
            }
            return bodies
        }
        for body in bodies {
            #expect(try RecordBody.fields(of: body).map(\.name) == ["t"])
        }
        await store.close()
    }

    @Test func `A request that deletes large records puts little into the log`() async throws {
        let directory = try TemporaryDirectory()
        let (store, ground) = try await Self.make(directory)
        let before = try Self.logBytes(store)
        try await store.write { store in
            for number in 0..<Self.records { try ground.delete("r\(number)", in: store) }
        }
        let after = try Self.logBytes(store)
        let bytes = after >= before ? after - before : after
        #expect(bytes <= Self.most, "\(bytes)")
        await store.close()
    }
}
