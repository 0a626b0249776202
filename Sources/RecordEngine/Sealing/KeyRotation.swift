import RecordModel
public import RecordStorage

/// Wraps the keys of all databases with another master key. No field is written.
public enum KeyRotation {
    /// How many keys one write wraps.
    private static let keysPerWrite = 200

    /// What was done.
    public struct Report: Hashable, Sendable {
        /// How many keys were wrapped again.
        public var wrapped = 0
        /// How many were wrapped by the new master key already: an earlier run was interrupted.
        public var unchanged = 0
    }

    /// Wraps the keys. Done again after it was interrupted, it goes on.
    ///
    /// - Parameters:
    ///   - store: where they are; no server may use it meanwhile, since one knows a single master key.
    ///   - old: the master key so far.
    ///   - new: the one from now on.
    ///   - random: gives so many random bytes.
    /// - Throws: ``SealingError`` where a key opens with neither, before that key is changed; `StorageError`.
    public static func run(
        in store: any RecordStore, from old: MasterKey, to new: MasterKey,
        random: @escaping @Sendable (Int) -> [UInt8]
    ) async throws -> Report {
        // All of them first: a wrong key must not leave half of them behind.
        try await walk(store) { databases in
            try await store.read(.long) { _ in
                for database in databases { _ = try opened(database, old, new) }
            }
        }
        var report = Report()
        try await walk(store) { databases in
            let count = try await store.write { store in
                var count = 0
                for database in databases {
                    guard let wrapped = database.key, !new.isWrappedHere(wrapped) else { continue }
                    let key = try old.unwrap(wrapped, of: database.id)
                    try store.store(
                        databaseKey: new.wrap(key, of: database.id, nonce: random(12)), of: database.number)
                    count += 1
                }
                return count
            }
            report.wrapped += count
            report.unchanged += databases.count - count
        }
        return report
    }

    /// The first of some databases whose key a master key does not open, and why.
    ///
    /// - Parameters:
    ///   - databases: with their keys.
    ///   - key: the master key.
    public static func firstFailure(
        of databases: [KeyedDatabase], with key: MasterKey
    ) -> (database: KeyedDatabase, error: SealingError)? {
        for database in databases {
            do throws(SealingError) {
                _ = try database.key.map { wrapped throws(SealingError) in
                    try key.unwrap(wrapped, of: database.id)
                }
            } catch {
                return (database, error)
            }
        }
        return nil
    }

    private static func opened(_ database: KeyedDatabase, _ old: MasterKey, _ new: MasterKey) throws {
        guard let wrapped = database.key else { return }
        _ = try (new.isWrappedHere(wrapped) ? new : old).unwrap(wrapped, of: database.id)
    }

    private static func walk(
        _ store: any RecordStore, _ visit: ([KeyedDatabase]) async throws -> Void
    ) async throws {
        var last: Int64 = 0
        while true {
            let databases = try await store.read(.short) { [last] in
                try $0.keyedDatabases(after: last, limit: keysPerWrite)
            }
            guard let end = databases.last?.number else { return }
            try await visit(databases)
            last = end
        }
    }
}
