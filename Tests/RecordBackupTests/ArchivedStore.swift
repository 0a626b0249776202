import Foundation
import ObjectStorage
import RecordModel
import RecordStorage
import Synchronization
import TestSupport

@testable import RecordBackup
@testable import RecordStorageSQLite

/// A store whose log is archived into a folder, with a clock that only the test moves. What it holds at a moment is told by the names
/// of its zones.
final class ArchivedStore {
    /// Milliseconds since 1970, moved by hand.
    final class TestClock: Sendable {
        private let value: Mutex<Int64>

        init(_ value: Int64) { self.value = Mutex(value) }

        var now: Int64 { value.withLock(\.self) }

        @discardableResult
        func move(by milliseconds: Int64) -> Int64 {
            value.withLock { value in
                value += milliseconds
                return value
            }
        }
    }

    let home = try? TemporaryDirectory()
    let clock: TestClock
    let objects: FolderStore
    let data: String
    let place: String
    private(set) var store: SQLiteStore
    private(set) var archiver: LogArchiver
    private var running: Task<Void, Never>?
    private var database: Int64 = 0
    /// Each zone, and the millisecond at which it was acknowledged.
    private(set) var zones: [(name: String, at: Int64)] = []

    private static let key = Array("a key of tests".utf8)
    static let program = ProgramVersion(number: "0.0.0", commit: "tests")

    init(at start: Int64 = 1_760_000_000_000) async throws {
        guard let home else { throw TestFailure("There is no folder for the test.") }
        clock = TestClock(start)
        data = home.path + "/data"
        place = home.path + "/archive"
        objects = FolderStore(path: place)
        store = try Self.open(data, clock)
        archiver = Self.archiver(store, data, objects, clock, keeps: 86_400_000)
        try await begin()
        database = try await store.write { writer in
            try writer.makeDatabase(
                DatabaseID(
                    tenant: Tenant(container: try ContainerID("iCloud.test"), environment: .development),
                    owner: "_alice"))
        }
        let archiver = archiver
        guard try await eventually({ archiver.status.earliest != nil }) else {
            throw TestFailure("There is no base: \(archiver.status)")
        }
    }

    static func open(_ data: String, _ clock: TestClock) throws -> SQLiteStore {
        var background = BackgroundPace.Settings()
        background.isAutomatic = false
        return try SQLiteStore(directory: data, background: background, clock: { clock.now })
    }

    static func archiver(
        _ store: SQLiteStore, _ data: String, _ objects: any ObjectStore, _ clock: TestClock, keeps: Int64
    ) -> LogArchiver {
        let source = BackupSource(directory: data, secretName: "stratus.secret", key: key) { path, _ in
            try await store.copyDatabase(to: path)
        }
        var plan = LogArchiver.Plan(keeps: keeps)
        plan.interval = .milliseconds(20)
        return LogArchiver(
            of: source, in: store, to: objects, plan: plan, program: program, clock: { clock.now },
            report: { _ in })
    }

    private func begin() async throws {
        await archiver.begin()
        let archiver = archiver
        running = Task { await archiver.run() }
    }

    /// Writes a zone, and notes when it was acknowledged.
    func write() async throws {
        let name = "zone-\(zones.count)"
        try await store.write { [database] in _ = try $0.makeZone(named: name, in: database) }
        zones.append((name, clock.now))
    }

    /// Stops as a server does, and goes on as its next start does.
    func restart() async throws {
        await stop()
        archiver.noteClosed()
        store = try Self.open(data, clock)
        archiver = Self.archiver(store, data, objects, clock, keeps: 86_400_000)
        try await begin()
    }

    /// Ends archiving and closes the store; what waited is sent.
    func stop() async {
        running?.cancel()
        await running?.value
        await store.close()
    }

    /// Waits until all that was written is in the archive.
    func catchUp() async throws {
        // What began after this moment has all of it.
        let now = clock.move(by: 1)
        let archiver = archiver
        guard try await eventually({ archiver.status.latest ?? 0 >= now && archiver.status.failure == nil })
        else { throw TestFailure("The archive does not catch up: \(archiver.status)") }
    }

    /// The names of the parts of the log, in their order.
    func segments() async throws -> [String] {
        var names: [String] = []
        try await objects.forEach("") { if $0.name.contains("/log/") { names.append($0.name) } }
        return names
    }

    /// The zones that a restored moment has; nil for all that is in the archive.
    func zones(at second: Int64?) async throws -> [String] {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/again"
        let reader = try await ArchiveReader(
            place, environment: [:], program: Self.program, progress: { _, _, _ in })
        _ = try await reader.restore(second: second, to: path)
        let store = try SQLiteStore(directory: path)
        let names = try await store.read(.long) { [database] in try $0.zones(in: database).map(\.name) }
        await store.close()
        return names.filter { $0.hasPrefix("zone-") }.sorted(by: Self.inOrder)
    }

    /// What a moment has to have.
    func expected(at second: Int64) -> [String] { zones.filter { $0.at <= second * 1_000 }.map(\.name) }

    private static func inOrder(_ one: String, _ other: String) -> Bool {
        (one.utf8.count, one) < (other.utf8.count, other)
    }
}
