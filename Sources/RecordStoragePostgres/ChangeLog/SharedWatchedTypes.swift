internal import PostgresAccess
internal import RecordStorage
internal import Synchronization

/// What is watched, as a node's committer learned it last.
final class SharedWatchedTypes: Sendable {
    private let types = Mutex(WatchedTypes())

    var current: WatchedTypes { types.withLock { $0 } }

    func set(_ newer: WatchedTypes) { types.withLock { $0 = newer } }
}

extension PostgresRows {
    /// The watch of a row with `database, type, since, used_at`.
    func watch(_ row: Int) -> ChangeWatch {
        ChangeWatch(
            database: int(row, 0), type: int(row, 1), since: int(row, 2), usedAt: int(row, 3))
    }
}
