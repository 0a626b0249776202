internal import CLibPQ
internal import Glibc

extension PostgresConnection {
    /// Sends statements together and gives what each answered, in one trip.
    ///
    /// Outside a transaction they are one by themselves: all or nothing. When one fails, those after it are not run,
    /// `COMMIT` among them: the connection is in a failed transaction then, until that is rolled back.
    /// - Throws: ``PostgresFailure`` of the first that failed. After one with `isConnectionLost` what was asked may
    ///   have been done or not; the connection is closed. `CancellationError` where the work that has the connection was
    ///   cancelled: nothing was sent.
    @discardableResult
    public func run(_ commands: [PostgresCommand]) throws -> [PostgresRows] {
        guard let handle else { throw PostgresFailure.closed }
        if stop?.isAsked == true { throw CancellationError() }
        do {
            var expected: [Step] = []
            for command in commands { try send(command, handle, &expected) }
            guard PQpipelineSync(handle) == 1 else { throw PostgresFailure(connection: handle) }
            trips?.add()
            try flush(handle)
            let hasEnded = try endedTransaction(handle)
            do {
                let rows = try receive(expected, handle)
                try deallocateEvicted(handle)
                return rows
            } catch let failure as PostgresFailure where !hasEnded && failure.isInFailedTransaction {
                // Nothing of it was run.
                try run(sql: "ROLLBACK")
                return try run(commands)
            }
        } catch let failure as PostgresFailure where failure.isConnectionLost {
            close()
            throw failure
        }
    }

    /// Sends one statement and gives what it answered.
    ///
    /// - Throws: ``PostgresFailure`` where it fails or the connection is lost; `CancellationError`, as ``run(_:)`` does.
    @discardableResult
    public func run(_ statement: PostgresStatement, _ values: PostgresValue...) throws -> PostgresRows {
        try run(one: PostgresCommand(statement, values: values))
    }

    /// Sends one statement without parameters.
    ///
    /// - Throws: ``PostgresFailure`` where it fails or the connection is lost; `CancellationError`, as ``run(_:)`` does.
    @discardableResult
    public func run(sql: String) throws -> PostgresRows { try run(one: PostgresCommand(sql: sql)) }

    private func run(one command: PostgresCommand) throws -> PostgresRows {
        let rows = try run([command])
        assert(rows.count == 1)
        return rows[0]
    }

    /// Ends a transaction that has only read, without waiting for the answer: it is taken in with the next one.
    ///
    /// - Throws: ``PostgresFailure`` where it cannot be sent; the connection is closed then.
    public func endReading() throws {
        guard let handle else { throw PostgresFailure.closed }
        do {
            var expected: [Step] = []
            try send(Self.commit, handle, &expected)
            guard PQpipelineSync(handle) == 1, PQflush(handle) >= 0 else {
                throw PostgresFailure(connection: handle)
            }
            ending = expected
        } catch {
            close()
            throw error
        }
    }

    private static let commit = PostgresCommand(sql: "COMMIT")

    /// Takes in the answer to ``endReading()``.
    ///
    /// - Returns: false where it failed, and the transaction may still be open: a cancellation came too late for its reader.
    private func endedTransaction(_ handle: OpaquePointer) throws -> Bool {
        guard let expected = ending else { return true }
        ending = nil
        do {
            _ = try receive(expected, handle)
            return true
        } catch let failure as PostgresFailure where !failure.isConnectionLost {
            return false
        }
    }

    /// Runs a closure in a transaction: committed when it returns, rolled back when it throws.
    ///
    /// - Throws: what the closure throws; ``PostgresFailure`` where it cannot be begun or committed; `CancellationError` where it
    ///   was cancelled before.
    public func transaction<Value>(_ begin: String = "BEGIN", _ body: () throws -> Value) throws -> Value {
        try run(sql: begin)
        do {
            let value = try body()
            try run(sql: "COMMIT")
            return value
        } catch {
            rollBackOrClose()
            throw error
        }
    }

    /// Ends a transaction without its changes, where one is open. A connection that cannot do even that is closed,
    /// which does the same.
    public func rollBackOrClose() {
        guard isInTransaction else { return }
        do {
            try run(sql: "ROLLBACK")
        } catch {
            close()
        }
    }

    // MARK: Sending

    /// What one answer belongs to.
    enum Step {
        case prepare(PostgresStatement, String)
        case deallocate
        case execute
    }

    private func send(_ command: PostgresCommand, _ handle: OpaquePointer, _ expected: inout [Step]) throws {
        let name = try preparedName(of: command.statement, handle, &expected)
        var bytes: [UInt8] = []
        var ranges: [Range<Int>?] = []
        for value in command.values {
            let start = bytes.count
            ranges.append(value.encode(into: &bytes) ? start..<bytes.count : nil)
        }
        // A value of no bytes still needs an address: no address means NULL.
        bytes.append(0)
        let code = bytes.withUnsafeBytes { bytes in
            let values = ranges.map { range in
                range.flatMap { range in
                    bytes.baseAddress.map { ($0 + range.lowerBound).assumingMemoryBound(to: CChar.self) }
                }
            }
            let lengths = ranges.map { Int32(clamping: $0?.count ?? 0) }
            let formats = [Int32](repeating: 1, count: values.count)
            return PQsendQueryPrepared(handle, name, Int32(values.count), values, lengths, formats, 1)
        }
        guard code == 1 else { throw PostgresFailure(connection: handle) }
        expected.append(.execute)
    }

    private func preparedName(
        of statement: PostgresStatement, _ handle: OpaquePointer, _ expected: inout [Step]
    ) throws -> String {
        if let name = prepared.use(statement) { return name }
        // Also where an earlier command of this pipeline prepares the same one: it is not known before the answer.
        for case .prepare(statement, let name) in expected { return name }
        let name = prepared.makeName()
        let types = statement.types.map(\.rawValue)
        guard PQsendPrepare(handle, name, statement.sql, Int32(types.count), types) == 1 else {
            throw PostgresFailure(connection: handle)
        }
        expected.append(.prepare(statement, name))
        return name
    }

    /// Writes what waits to be sent, and takes in what comes meanwhile: a server that cannot write does not read.
    private func flush(_ handle: OpaquePointer) throws {
        while true {
            let code = PQflush(handle)
            if code == 0 { return }
            guard code == 1 else { throw PostgresFailure(connection: handle) }
            let ready = try wait(handle, for: Int16(POLLIN | POLLOUT))
            if ready & Int16(POLLIN) != 0, PQconsumeInput(handle) == 0 {
                throw PostgresFailure(connection: handle)
            }
        }
    }

    // MARK: Receiving

    private func receive(_ expected: [Step], _ handle: OpaquePointer) throws -> [PostgresRows] {
        var rows: [PostgresRows] = []
        var failure: PostgresFailure?
        for step in expected {
            let result = try nextResult(handle)
            switch PQresultStatus(result) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
                switch step {
                case .execute: rows.append(PostgresRows(result))
                case .prepare(let statement, let name):
                    PQclear(result)
                    if let old = prepared.note(statement, name) { evicted.append(old) }
                case .deallocate: PQclear(result)
                }
            case PGRES_PIPELINE_ABORTED: PQclear(result)
            default:
                let told = PostgresFailure(result: result, connection: handle)
                PQclear(result)
                if told.isConnectionLost { throw told }
                failure = failure ?? told
            }
            // Each answer ends with none.
            if let extra = try nextResultOrEnd(handle) {
                PQclear(extra)
                throw PostgresFailure(
                    code: nil, message: "The server answered more than it was asked.", isConnectionLost: true)
            }
        }
        let end = try nextResult(handle)
        let isEnd = PQresultStatus(end) == PGRES_PIPELINE_SYNC
        PQclear(end)
        guard isEnd else {
            throw failure
                ?? PostgresFailure(
                    code: nil, message: "The server's answer has no end.", isConnectionLost: true)
        }
        if let failure { throw failure }
        return rows
    }

    /// Makes the server forget what ``PreparedNames`` has. Only once every answer is in: those of commands that were
    /// sent after it would be taken for its own.
    private func deallocateEvicted(_ handle: OpaquePointer) throws {
        assert(ending == nil)
        let names = evicted
        guard !names.isEmpty else { return }
        evicted = []
        for name in names {
            guard PQsendQueryParams(handle, "DEALLOCATE \(name)", 0, nil, nil, nil, nil, 1) == 1 else {
                throw PostgresFailure(connection: handle)
            }
        }
        guard PQpipelineSync(handle) == 1 else { throw PostgresFailure(connection: handle) }
        try flush(handle)
        _ = try receive([Step](repeating: .deallocate, count: names.count), handle)
    }

    private func nextResult(_ handle: OpaquePointer) throws -> OpaquePointer {
        guard let result = try nextResultOrEnd(handle) else { throw PostgresFailure(connection: handle) }
        return result
    }

    private func nextResultOrEnd(_ handle: OpaquePointer) throws -> OpaquePointer? {
        while PQisBusy(handle) == 1 {
            _ = try wait(handle, for: Int16(POLLIN))
            guard PQconsumeInput(handle) == 1 else { throw PostgresFailure(connection: handle) }
        }
        return PQgetResult(handle)
    }

    private func wait(_ handle: OpaquePointer, for events: Int16) throws -> Int16 {
        var entry = pollfd(fd: PQsocket(handle), events: events, revents: 0)
        while true {
            switch poll(&entry, 1, silenceMilliseconds) {
            case 0:
                throw PostgresFailure(
                    code: nil, message: "The server was silent for \(silenceMilliseconds / 1_000) s.",
                    isConnectionLost: true)
            case 1...: return entry.revents
            default:
                guard errno == EINTR else {
                    throw PostgresFailure(
                        code: nil, message: String(cString: strerror(errno)), isConnectionLost: true)
                }
            }
        }
    }
}
