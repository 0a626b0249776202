import RecordModel
import RecordStorage
import RecordStorageConformance
import Synchronization
import TestSupport
import Testing

@testable import RecordStorageSQLite

/// Old deletions are forgotten, and feeds say up to where.
@Suite struct CompactionTests {
    private static func open(
        _ directory: TemporaryDirectory, _ clock: FakeClock, keeping changes: Int64
    ) throws -> SQLiteStore {
        var settings = BackgroundPace.Settings()
        settings.isAutomatic = false
        settings.rowsPerSlice = 3
        settings.housekeepingSeconds = 0
        return try SQLiteStore(
            directory: directory.path, background: settings,
            horizon: DeletionHorizon(milliseconds: 1_000, changes: changes), clock: { clock.now })
    }

    private final class FakeClock: Sendable {
        private let time = Mutex<Int64>(1_000_000)
        var now: Int64 { time.withLock { $0 } }
        func wait(_ milliseconds: Int64) { time.withLock { $0 += milliseconds } }
    }

    /// How many tombstones a store has, of records and of zones.
    private static func tombstones(_ store: SQLiteStore) async throws -> [Int64] {
        try await store.read(.short) { store in
            let reader = try #require(store as? SQLiteReader)
            return [
                try reader.connection.int("SELECT count(*) FROM directory WHERE deleted = 1"),
                try reader.connection.int("SELECT count(*) FROM zone WHERE deleted = 1"),
            ]
        }
    }

    @Test func `Deletions are kept for a time and for a number of changes, then forgotten`() async throws {
        let directory = try TemporaryDirectory()
        let clock = FakeClock()
        let store = try Self.open(directory, clock, keeping: 10)
        let ground = try await Ground.make(store)
        let gone = try await Ground.make(store, zone: "Gone")
        try await store.write { store in
            for number in 0..<20 { try ground.save("r\(number)", in: store) }
            for number in 0..<10 { try ground.delete("r\(number)", in: store) }
            try gone.save("x", in: store)
            try store.deleteZone(gone.zone)
        }
        let last = try await store.read(.short) { try $0.lastSequence() }
        _ = try await store.runSlices(30)
        #expect(try await Self.tombstones(store) == [10, 1], "the time is not over")
        clock.wait(2_000)
        _ = try await store.runSlices(30)
        let kept = try await Self.tombstones(store)
        #expect(kept[0] == 8 && kept[1] == 1, "so many changes are kept, however old: \(kept)")
        // Other changes move the horizon on.
        try await store.write { store in
            for number in 20..<40 { try ground.save("r\(number)", in: store) }
        }
        _ = try await store.runSlices(30)
        #expect(try await Self.tombstones(store) == [0, 0])
        let zone = try await store.read(.short) { try $0.zone(named: "Zone", in: ground.zone.database) }
        #expect(zone?.forgottenUntil == last - 2, "the last deletion that is forgotten")
        let zones = try await store.read(.short) { try $0.forgottenZones(in: ground.zone.database) }
        #expect(zones == last)
        // A zone's number is given once, also when nothing is left of the zone.
        let again = try await store.write { try $0.makeZone(named: "Gone", in: ground.zone.database) }
        #expect(again.id > gone.zone.id)
        await store.close()
        let findings = try StoreInspection.run(directory: directory.path)
        // Bodies of these tests are not whole records.
        let messages = findings.filter { $0.severity != .good }.map(\.message)
        #expect(messages.filter { !$0.contains("whose body names another record") } == [])
    }

    @Test(arguments: Seed.some(6))
    func `A follower whose token is not older than the horizon misses nothing`(_ seed: Seed) async throws {
        let directory = try TemporaryDirectory()
        let clock = FakeClock()
        var random = seed.random
        let store = try Self.open(directory, clock, keeping: 15)
        let ground = try await Ground.make(store)
        var there: Set<String> = []
        var followers: [(token: Int64, mirror: Set<String>)] = [(0, [])]
        var expired = 0
        for _ in 0..<150 {
            let name = "r\(random.int(0...11))"
            if there.contains(name), random.oneIn(2) {
                try await store.write { try ground.delete(name, in: $0) }
                there.remove(name)
            } else {
                try await store.write { try ground.save(name, in: $0) }
                there.insert(name)
            }
            clock.wait(Int64(random.int(0...300)))
            if random.oneIn(3) { _ = try await store.runSlices(random.int(1...8)) }
            if random.oneIn(10) { followers.append(followers[0]) }
            guard random.oneIn(4), let position = followers.indices.randomElement(using: &random) else {
                continue
            }
            let zone = try #require(
                try await store.read(.short) { try $0.zone(named: "Zone", in: ground.zone.database) })
            if followers[position].token > 0, followers[position].token < zone.forgottenUntil {
                expired += 1
                followers[position] = (0, [])
            }
            let after = followers[position].token
            let changes = try await store.read(.short) { store in
                var changes: [(name: String, isThere: Bool)] = []
                try store.changes(
                    ChangeFeed(zone: ground.zone.id, after: after, tombstonesAfter: after, limit: 999)
                ) { row in
                    changes.append((row.name, row.body != nil))
                    return true
                }
                return changes
            }
            for change in changes {
                if change.isThere {
                    followers[position].mirror.insert(change.name)
                } else {
                    followers[position].mirror.remove(change.name)
                }
            }
            followers[position].token = max(zone.sequence, after)
            #expect(followers[position].mirror == there)
        }
        #expect(expired > 0, "some followers came too late")
        await store.close()
    }
}
