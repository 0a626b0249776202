internal import SQLiteAccess
internal import StratusCoreData

extension SQLiteConnection {
    /// The most prepared statements that a store keeps; fetches with many values have long texts.
    private static var statementsKept: Int { 300 }
    private static var statementBytesKept: Int { 1_000_000 }

    /// Opens the file of a store; its errors are `CocoaError`. Used under the coordinator's lock.
    ///
    /// - Throws: `CocoaError`: 134080 where the file cannot be opened or is not a database, 134090 where another
    ///   process has it locked for longer than the timeout, 134180 where it is damaged or cannot be written, or
    ///   SQLite refuses a pragma.
    convenience init(path: String, settings: StoreSettings, isReader: Bool = false) throws {
        // SQLite would write into a device, and wait for the other end of a pipe.
        if path != ":memory:", !path.hasPrefix("file:") {
            try RegularFile.require(URL(fileURLWithPath: path))
        }
        var options = Options()
        options.isReadOnly = settings.isReadOnly
        options.busySeconds = settings.timeout
        options.statements = settings.statements(isReader: isReader)
        // An app that sets it itself is not overruled.
        options.setsDurability =
            settings.pragmas["synchronous"] == nil && !settings.isInMemory && !settings.isReadOnly
        options.statementsKept = Self.statementsKept
        options.statementBytesKept = Self.statementBytesKept
        try self.init(path: path, options: options) { CoreDataError.sqlite($0).cocoa }
        rollbackFailed = { CoreDataLog.report("A transaction was not rolled back: \($0)") }
        for function in StoreFunctions.affected { try add(function) }
        try EvaluationFunctions.install(on: self)
    }

    /// How many rows of each entity there are, by its number.
    func counts(_ entities: [(table: String, number: Int)]) throws -> [Int: Int64] {
        var result: [Int: Int64] = [:]
        for (table, members) in Dictionary(grouping: entities, by: \.table) {
            let wanted = Set(members.map { Int64($0.number) })
            for row in try rows("SELECT Z_ENT, count(*) FROM \(table) GROUP BY Z_ENT") {
                guard case .int(let number) = row[0], case .int(let count) = row[1], wanted.contains(number)
                else { continue }
                result[Int(number)] = count
            }
        }
        return result
    }
}
