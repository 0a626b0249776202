internal import CStratusSQLite
internal import Foundation

extension SQLiteConnection {
    /// Adds a function.
    ///
    /// - Throws: what the connection's owner makes of a ``SQLiteFailure``: SQLite refuses the name.
    public func add(_ function: SQLiteFunction) throws {
        let box = Unmanaged.passRetained(Box(function)).toOpaque()
        // SQLite releases the box, also where it refuses the function.
        try check(
            sqlite3_create_function_v2(
                handle, function.name, function.argumentCount,
                SQLITE_UTF8 | (function.isDeterministic ? SQLITE_DETERMINISTIC : 0), box,
                { context, count, handles in
                    guard let context, let function: SQLiteFunction = content(context) else { return }
                    answer(context) {
                        try function.body(SQLiteArguments(count: count, handles: handles))
                    }
                }, nil, nil, release))
    }

    /// Adds a function over the rows of a group.
    ///
    /// - Throws: what the connection's owner makes of a ``SQLiteFailure``: SQLite refuses the name.
    public func add(aggregate: any SQLiteAggregate.Type, _ name: String, _ argumentCount: Int32) throws {
        let box = Unmanaged.passRetained(Box(aggregate)).toOpaque()
        try check(
            sqlite3_create_function_v2(
                handle, name, argumentCount, SQLITE_UTF8 | SQLITE_DETERMINISTIC, box, nil,
                { context, count, handles in
                    guard let context, let state = groupState(context) else { return }
                    do {
                        try state.aggregate.add(SQLiteArguments(count: count, handles: handles))
                    } catch {
                        report(error, context)
                    }
                },
                { context in
                    guard let context else { return }
                    // No row at all: SQLite gives no memory then.
                    let place = sqlite3_aggregate_context(context, 0)?
                        .assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
                    guard let kept = place?.pointee else { return sqlite3_result_null(context) }
                    let state = Unmanaged<GroupState>.fromOpaque(kept).takeRetainedValue()
                    answer(context) { try state.aggregate.finish() }
                }, release))
    }

    /// Adds an order of texts.
    ///
    /// - Parameter compare: negative, zero or positive, as the first text comes before, with or after the second.
    /// - Throws: what the connection's owner makes of a ``SQLiteFailure``: SQLite refuses the name.
    public func add(
        collation name: String, _ compare: @escaping @Sendable (_ first: String, _ second: String) -> Int
    ) throws {
        let retained = Unmanaged.passRetained(Box(compare))
        let code = sqlite3_create_collation_v2(
            handle, name, SQLITE_UTF8, retained.toOpaque(),
            { data, firstCount, first, secondCount, second in
                guard let data else { return 0 }
                let box = Unmanaged<AnyBox>.fromOpaque(data).takeUnretainedValue()
                guard let box = box as? Box<@Sendable (String, String) -> Int> else { return 0 }
                let texts = (
                    String(
                        decoding: UnsafeRawBufferPointer(start: first, count: Int(firstCount)), as: UTF8.self),
                    String(
                        decoding: UnsafeRawBufferPointer(start: second, count: Int(secondCount)),
                        as: UTF8.self)
                )
                return Int32(clamping: box.content(texts.0, texts.1))
            }, release)
        // Unlike functions, a collation that is refused keeps what it was given.
        if code != SQLITE_OK { retained.release() }
        try check(code)
    }
}

/// Keeps what a callback needs; SQLite owns it.
private class AnyBox {}

private final class Box<Content>: AnyBox {
    let content: Content
    init(_ content: Content) { self.content = content }
}

/// The aggregate of one group.
private final class GroupState {
    let aggregate: any SQLiteAggregate
    init(_ aggregate: any SQLiteAggregate) { self.aggregate = aggregate }
}

private func release(_ box: UnsafeMutableRawPointer?) {
    if let box { Unmanaged<AnyBox>.fromOpaque(box).release() }
}

private func content<Content>(_ context: OpaquePointer) -> Content? {
    guard let data = sqlite3_user_data(context) else { return nil }
    let box = Unmanaged<AnyBox>.fromOpaque(data).takeUnretainedValue()
    assert(box is Box<Content>)
    return unsafeDowncast(box, to: Box<Content>.self).content
}

/// The state of the group that SQLite is at; made for its first row.
private func groupState(_ context: OpaquePointer) -> GroupState? {
    let size = Int32(MemoryLayout<UnsafeMutableRawPointer?>.size)
    guard
        let place = sqlite3_aggregate_context(context, size)?
            .assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    else { return nil }
    if let kept = place.pointee { return Unmanaged<GroupState>.fromOpaque(kept).takeUnretainedValue() }
    guard let type: any SQLiteAggregate.Type = content(context) else { return nil }
    let state = GroupState(type.init())
    place.pointee = Unmanaged.passRetained(state).toOpaque()
    return state
}

private func answer(_ context: OpaquePointer, _ body: () throws -> SQLiteValue) {
    do {
        switch try body() {
        case .null: sqlite3_result_null(context)
        case .int(let number): sqlite3_result_int64(context, number)
        case .double(let number): sqlite3_result_double(context, number)
        case .text(var text):
            text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    // An empty text may have no address, which would be null.
                    guard let start = $0.baseAddress else {
                        sqlite3_result_text(context, "", 0, PreparedStatement.transient)
                        return
                    }
                    sqlite3_result_text64(
                        context, start, UInt64($0.count), PreparedStatement.transient, UInt8(SQLITE_UTF8))
                }
            }
        case .blob(let data):
            data.withUnsafeBytes {
                guard let start = $0.baseAddress, !$0.isEmpty else {
                    sqlite3_result_zeroblob(context, 0)
                    return
                }
                sqlite3_result_blob64(context, start, UInt64($0.count), PreparedStatement.transient)
            }
        }
    } catch {
        report(error, context)
    }
}

private func report(_ error: any Error, _ context: OpaquePointer) {
    guard let failure = error as? SQLiteFailure else { return sqlite3_result_error(context, "\(error)", -1) }
    sqlite3_result_error(context, failure.message, -1)
    sqlite3_result_error_code(context, failure.code)
}
