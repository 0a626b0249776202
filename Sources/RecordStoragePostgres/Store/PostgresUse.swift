internal import Foundation
internal import PostgresAccess
internal import RecordStorage
internal import Synchronization

/// The right to use a database, with other nodes or without, held by a connection of its own: a lock of the session, which
/// all nodes share. Their other connections share it too, since this one may be lost.
final class PostgresUse: Sendable {
    private static let key = 7_316_482_054
    /// How often it is asked for: the server may take a moment to see that a node's connections are gone.
    private static let tries = 30
    private static let secondsBetweenTries = 0.1

    private let connection: Mutex<PostgresConnection?>

    /// Takes the right; who wants it alone waits a few seconds for connections that are ending.
    ///
    /// - Throws: ``StorageError`` when another one is in the way; ``PostgresFailure``.
    init(url: String, isSole: Bool) throws {
        // A session that waits for nothing must not be ended for it.
        let connection = try PostgresConnection(url: url, settings: ["idle_session_timeout": "0"])
        guard isSole else {
            try Self.join(connection)
            self.connection = Mutex(connection)
            return
        }
        for attempt in 1...Self.tries {
            if try connection.run(sql: "SELECT pg_try_advisory_lock(\(Self.key))").bool(0, 0) { break }
            guard attempt < Self.tries else { throw StorageError.inUse("the PostgreSQL database") }
            Thread.sleep(forTimeInterval: Self.secondsBetweenTries)
        }
        self.connection = Mutex(connection)
    }

    /// Takes a share of the lock for a node's connection, which keeps it as long as it lives.
    ///
    /// - Throws: ``StorageError`` while somebody has the database alone.
    static func join(_ connection: PostgresConnection) throws {
        guard try connection.run(sql: "SELECT pg_try_advisory_lock_shared(\(key))").bool(0, 0) else {
            throw StorageError.beingCopied("The PostgreSQL database")
        }
    }

    /// Lets other nodes in.
    func end() {
        connection.withLock { connection in
            connection?.close()
            connection = nil
        }
    }
}
