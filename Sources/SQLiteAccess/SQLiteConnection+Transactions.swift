internal import CStratusSQLite

extension SQLiteConnection {
    /// What a commit waits for.
    public enum Durability: String, Sendable {
        /// The disk.
        case disk = "FULL"
        /// The operating system: it reaches the disk with the next commit that waits for that.
        case system = "NORMAL"
    }

    /// Whether a transaction was begun and not ended.
    public var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Runs a closure in a transaction that has the write lock from the start.
    ///
    /// - Throws: what the closure throws, after which nothing of it is in the file; or what the connection's owner
    ///   makes of a ``SQLiteFailure`` of the beginning or the commit.
    @inlinable
    public func transaction<Value>(
        _ durability: Durability = .disk, _ body: () throws -> Value
    ) throws -> Value {
        try begin(durability)
        do {
            let value = try body()
            try commit()
            return value
        } catch {
            rollBack()
            throw error
        }
    }

    /// Begins a transaction that has the write lock.
    ///
    /// Each says what its commit waits for, and nothing begins where SQLite does not take that: a setting that had to
    /// be put back afterwards would weaken all later commits when that failed.
    ///
    /// - Throws: what the connection's owner makes of a ``SQLiteFailure``, `SQLITE_BUSY` where another connection writes;
    ///   nothing has begun then.
    public func begin(_ durability: Durability = .disk) throws {
        try require(durability)
        try statement("BEGIN IMMEDIATE").run()
    }

    /// Hands the pages of the transaction to the operating system, as far as nobody reads them: a full disk shows
    /// before the commit.
    ///
    /// - Throws: what the connection's owner makes of a ``SQLiteFailure``; the transaction goes on and must be rolled
    ///   back.
    public func flush() throws {
        let code = sqlite3_db_cacheflush(handle)
        if code != SQLITE_BUSY { try check(code) }
    }

    /// Ends the transaction; where that fails, it still has to be rolled back.
    ///
    /// - Throws: what the connection's owner makes of a ``SQLiteFailure``: the disk did not take the transaction, for
    ///   example.
    public func commit() throws {
        try statement("COMMIT").run()
        transactionEnded?(true)
    }

    /// Takes the transaction back. Where that fails, it stays open and the next one is refused.
    public func rollBack() {
        // A full disk may have ended the transaction already.
        if isInTransaction {
            do { try execute("ROLLBACK") } catch { rollbackFailed?(error) }
        }
        transactionEnded?(false)
    }
}
