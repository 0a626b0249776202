internal import CStratusSQLite
internal import SQLiteAccess
package import StratusCoreData

/// A statement that a store ran.
package struct ObservedStatement: Sendable {
    /// The text, with question marks for values.
    package var sql: String
    /// How long it took, from the first row to the last.
    package var nanoseconds: Int64
}

/// Keeps the handler of a trace where SQLite's callback finds it.
private final class TraceBox {
    let handler: (ObservedStatement) -> Void

    init(_ handler: @escaping (ObservedStatement) -> Void) { self.handler = handler }
}

// What CoreDataTesting sees of a store. Stores of the app's own have nothing to see.
extension NSPersistentStore {
    private var handle: OpaquePointer? {
        // A store that is closed has nothing to see.
        (self as? SQLiteObjectStore).flatMap { try? $0.opened().connection.handle }
    }

    /// Runs work, and hands out each statement that the store ran meanwhile.
    package func observing<Value, Failure: Error>(
        _ handler: @escaping (ObservedStatement) -> Void, _ work: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard let handle else { return try work() }
        let box = TraceBox(handler)
        // It is for tests and measurements, and answers anything but SQLITE_OK only for a handle that is none.
        _ = sqlite3_trace_v2(
            handle, UInt32(SQLITE_TRACE_PROFILE),
            { _, context, statement, nanoseconds in
                guard let context, let statement, let nanoseconds,
                    let text = sqlite3_sql(OpaquePointer(statement))
                else { return 0 }
                Unmanaged<TraceBox>.fromOpaque(context).takeUnretainedValue().handler(
                    ObservedStatement(
                        sql: String(cString: text), nanoseconds: nanoseconds.load(as: Int64.self)))
                return 0
            }, Unmanaged.passUnretained(box).toOpaque())
        defer {
            // As above: only a handle that is none is refused.
            _ = sqlite3_trace_v2(handle, 0, nil, nil)
            // The callback's context is alive until here.
            withExtendedLifetime(box) {}
        }
        return try work()
    }

    /// The texts of statements that were begun and not ended.
    package var unfinishedStatements: [String] {
        guard let handle else { return [] }
        var texts: [String] = []
        var statement = sqlite3_next_stmt(handle, nil)
        while let current = statement {
            if sqlite3_stmt_busy(current) != 0, let text = sqlite3_sql(current) {
                texts.append(String(cString: text))
            }
            statement = sqlite3_next_stmt(handle, current)
        }
        return texts
    }

    /// How SQLite would find the rows of a statement: the lines of its plan.
    package func queryPlan(of sql: String) throws -> [String] {
        guard let store = self as? SQLiteObjectStore else { return [] }
        return try store.opened().connection.stepping("EXPLAIN QUERY PLAN \(sql)") { statement in
            var lines: [String] = []
            while try statement.step() { lines.append(statement.text(3)) }
            return lines
        }
    }
}
