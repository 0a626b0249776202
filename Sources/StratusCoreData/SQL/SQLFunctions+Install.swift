internal import GRDBSQLite

/// A function for SQLite.
struct SQLFunction: Sendable {
    let name: String
    /// The number of arguments; -1 for any.
    let count: Int32
    /// Whether equal arguments give equal answers.
    let isDeterministic: Bool
    let body: @Sendable (SQLArguments) throws -> SQLBinding

    init(
        _ name: String, _ count: Int32, isDeterministic: Bool = true,
        _ body: @escaping @Sendable (SQLArguments) throws -> SQLBinding
    ) {
        self.name = name
        self.count = count
        self.isDeterministic = isDeterministic
        self.body = body
    }
}

/// The arguments of one call.
struct SQLArguments {
    private let count: Int
    private let handles: UnsafeMutablePointer<OpaquePointer?>?

    fileprivate init(count: Int32, handles: UnsafeMutablePointer<OpaquePointer?>?) {
        self.count = Int(count)
        self.handles = handles
    }

    private func handle(_ place: Int) -> OpaquePointer? { place < count ? handles?[place] : nil }

    func int(_ place: Int) -> Int64 { handle(place).map { sqlite3_value_int64($0) } ?? 0 }

    /// The text, nil for anything else.
    func text(_ place: Int) -> String? {
        guard let handle = handle(place), sqlite3_value_type(handle) == SQLITE_TEXT,
            let start = sqlite3_value_text(handle)
        else { return nil }
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(handle)))
        return String(decoding: bytes, as: UTF8.self)
    }

    func value(_ place: Int) -> SQLBinding {
        guard let handle = handle(place) else { return .null }
        switch sqlite3_value_type(handle) {
        case SQLITE_INTEGER: return .int(sqlite3_value_int64(handle))
        case SQLITE_FLOAT: return .double(sqlite3_value_double(handle))
        case SQLITE_TEXT: return text(place).map { .text($0) } ?? .null
        case SQLITE_BLOB:
            let count = Int(sqlite3_value_bytes(handle))
            guard count > 0, let start = sqlite3_value_blob(handle) else { return .blob(Data()) }
            return .blob(Data(bytes: start, count: count))
        default: return .null
        }
    }

    /// The values from a place on, read as their letters say.
    func values(letters: String, from place: Int) -> [PredicateValue] {
        letters.enumerated().map { value(place + $0.offset).value($0.element) }
    }
}

extension SQLFunctions {
    /// Adds all functions and collations to a connection.
    ///
    /// - Parameter database: SQLite's handle.
    /// - Throws: `CocoaError` where SQLite refuses.
    static func install(on database: OpaquePointer) throws {
        for function in all { try install(function, on: database) }
        try installStatistic(on: database)
        for comparison in StoreSort.Comparison.localizedVariants {
            try install(comparison, on: database)
        }
    }

    /// Keeps what a callback needs; SQLite owns it.
    private final class Box<Content> {
        let content: Content
        init(_ content: Content) { self.content = content }
    }

    private static func check(_ code: Int32, _ name: String) throws {
        guard code == SQLITE_OK else {
            throw CoreDataError(134060, "SQLite refused the function \(name) (code \(code)).").cocoa
        }
    }

    private static func flags(_ isDeterministic: Bool) -> Int32 {
        SQLITE_UTF8 | (isDeterministic ? SQLITE_DETERMINISTIC : 0)
    }

    private static func install(_ function: SQLFunction, on database: OpaquePointer) throws {
        let box = Unmanaged.passRetained(Box(function)).toOpaque()
        let code = sqlite3_create_function_v2(
            database, function.name, function.count, flags(function.isDeterministic), box,
            { context, count, handles in
                guard let context, let data = sqlite3_user_data(context) else { return }
                let box = Unmanaged<Box<SQLFunction>>.fromOpaque(data).takeUnretainedValue()
                SQLFunctions.answer(context) {
                    try box.content.body(SQLArguments(count: count, handles: handles))
                }
            }, nil, nil, { if let box = $0 { Unmanaged<Box<SQLFunction>>.fromOpaque(box).release() } })
        try check(code, function.name)
    }

    private static func installStatistic(on database: OpaquePointer) throws {
        let code = sqlite3_create_function_v2(
            database, "stratus_statistic", 3, flags(true), nil, nil,
            { context, count, handles in
                guard let context, let statistic = SQLFunctions.statistic(context) else { return }
                do { try statistic.add(SQLArguments(count: count, handles: handles)) } catch {
                    sqlite3_result_error(context, "\(error)", -1)
                }
            },
            { context in
                guard let context else { return }
                // No row at all: SQLite gives no memory then.
                let place = sqlite3_aggregate_context(context, 0)?
                    .assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
                guard let kept = place?.pointee else { return sqlite3_result_null(context) }
                let statistic = Unmanaged<SQLStatistic>.fromOpaque(kept).takeRetainedValue()
                SQLFunctions.answer(context) { try statistic.finish() }
            }, nil)
        try check(code, "stratus_statistic")
    }

    /// The statistic of the group that SQLite is at; made for its first row.
    private static func statistic(_ context: OpaquePointer) -> SQLStatistic? {
        let size = Int32(MemoryLayout<UnsafeMutableRawPointer?>.size)
        guard
            let place = sqlite3_aggregate_context(context, size)?
                .assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
        else { return nil }
        if let kept = place.pointee {
            return Unmanaged<SQLStatistic>.fromOpaque(kept).takeUnretainedValue()
        }
        let statistic = SQLStatistic()
        place.pointee = Unmanaged.passRetained(statistic).toOpaque()
        return statistic
    }

    private static func install(_ comparison: StoreSort.Comparison, on database: OpaquePointer) throws {
        let box = Unmanaged.passRetained(Box(comparison)).toOpaque()
        let code = sqlite3_create_collation_v2(
            database, comparison.collationName, SQLITE_UTF8, box,
            { data, firstCount, first, secondCount, second in
                guard let data else { return 0 }
                let box = Unmanaged<Box<StoreSort.Comparison>>.fromOpaque(data).takeUnretainedValue()
                let left = String(
                    decoding: UnsafeRawBufferPointer(start: first, count: Int(firstCount)), as: UTF8.self)
                let right = String(
                    decoding: UnsafeRawBufferPointer(start: second, count: Int(secondCount)), as: UTF8.self)
                return Int32(box.content.textOrder(left, right).rawValue)
            }, { if let box = $0 { Unmanaged<Box<StoreSort.Comparison>>.fromOpaque(box).release() } })
        try check(code, comparison.collationName)
    }

    /// SQLite copies what is answered, since Swift's memory may move.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    private static func answer(_ context: OpaquePointer, _ body: () throws -> SQLBinding) {
        do {
            switch try body() {
            case .null: sqlite3_result_null(context)
            case .int(let number): sqlite3_result_int64(context, number)
            case .double(let number): sqlite3_result_double(context, number)
            case .text(var text):
                text.withUTF8 { bytes in
                    bytes.withMemoryRebound(to: CChar.self) {
                        // An empty text may have no address, which would be null.
                        sqlite3_result_text64(
                            context, $0.baseAddress ?? SQLFunctions.emptyText, UInt64($0.count), transient,
                            UInt8(SQLITE_UTF8))
                    }
                }
            case .blob(let data):
                data.withUnsafeBytes {
                    guard let start = $0.baseAddress, !$0.isEmpty else {
                        sqlite3_result_zeroblob(context, 0)
                        return
                    }
                    sqlite3_result_blob64(context, start, UInt64($0.count), transient)
                }
            }
        } catch {
            sqlite3_result_error(context, "\(error)", -1)
        }
    }

    /// A place to point at for a text without bytes. Unsafe in name only: nothing writes it, and it lives as long as
    /// the process.
    private nonisolated(unsafe) static let emptyText: UnsafePointer<CChar> = {
        let place = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
        place.pointee = 0
        return UnsafePointer(place)
    }()
}
