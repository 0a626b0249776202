import RecordModel
import RecordStorage
import Synchronization

/// The numbers of databases and of their default zones, which never change once they are committed, so that
/// most requests need not look for them.
final class DefaultZoneCache: Sendable {
    private struct State {
        var databases: [DatabaseID: Int64] = [:]
        var zones: [Int64: ZoneRow] = [:]
    }

    private let state = Mutex(State())

    /// The most databases that are remembered; above it all are forgotten, which costs a look each.
    private static let capacity = 20_000

    func database(_ id: DatabaseID) -> Int64? { state.withLock { $0.databases[id] } }

    func zone(of database: Int64) -> ZoneRow? { state.withLock { $0.zones[database] } }

    func remember(_ number: Int64, of id: DatabaseID) {
        state.withLock { state in
            assert((state.databases[id] ?? number) == number, "a database's number never changes")
            if state.databases.count >= Self.capacity { state = State() }
            state.databases[id] = number
        }
    }

    func remember(_ zone: ZoneRow) {
        guard !zone.isTracked else { return }
        state.withLock { state in
            assert(!zone.isDeleted, "a default zone is never deleted")
            assert((state.zones[zone.database]?.id ?? zone.id) == zone.id, "nor is it made again")
            if state.zones.count >= Self.capacity { state = State() }
            state.zones[zone.database] = zone
        }
    }
}
