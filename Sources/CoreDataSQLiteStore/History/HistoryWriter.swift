internal import SQLiteAccess
internal import StratusCoreData

/// Writes the history of a store, in the transactions of the changes that it records.
final class HistoryWriter {
    private let connection: SQLiteConnection
    private let layout: StoreLayout
    private let tables: HistoryTables
    private var bits: [Int: [Int]] = [:]
    private var insert: PreparedStatement?
    /// The values of preserved attributes of objects that are about to be deleted.
    private var tombstones: [NSManagedObjectID: [SQLBinding]] = [:]
    private var nextChange: Int64 = 0
    /// Whether the numbers of the transactions that are made here are noted, so that those of others are known.
    var notesOwnNumbers = false
    /// These numbers; whoever asked for them empties it.
    var ownNumbers: Set<Int64> = []
    /// The number that is not committed yet.
    private var begun: Int64?

    /// Makes the tables where they are missing.
    init(_ connection: SQLiteConnection, _ layout: StoreLayout, _ schema: StoredSchema) throws {
        self.connection = connection
        self.layout = layout
        try connection.transaction { try HistoryTables.make(layout, schema, connection) }
        guard let tables = try HistoryTables(try StoredState.schema(connection), connection) else {
            throw CoreDataError(134070, "The tables of the history could not be made.").cocoa
        }
        self.tables = tables
        connection.transactionEnded = { [weak self] committed in self?.ended(committed) }
    }

    private func ended(_ committed: Bool) {
        // A number that was taken back may be the next one of somebody else.
        if committed, notesOwnNumbers, let begun { ownNumbers.insert(begun) }
        begun = nil
    }

    /// Lets go of prepared statements.
    func forget() { insert = nil }

    // MARK: Saves

    /// Reads what is to be kept of an object, before its row goes.
    func keepTombstone(_ change: ObjectChange, _ table: EntityTable) throws {
        guard let key = change.objectID.rowKey else { return }
        tombstones[change.objectID] = try tombstone(key, table)
    }

    /// Records a save.
    ///
    /// - Parameter derived: objects that have other derived values, whether they were saved themselves or not.
    /// - Returns: the number of the transaction.
    func write(_ changes: StoreChanges, derived: Set<NSManagedObjectID> = []) throws -> Int64 {
        defer { tombstones.removeAll() }
        let number = try begin(contextName: changes.contextName, author: changes.author)
        for change in changes.inserted { try add(.insert, change, number) }
        for change in changes.updated {
            let slots = change.changedSlots + change.toManys.map(\.slot)
            try add(.update, change, number, slots: slots)
        }
        for change in changes.deleted { try add(.delete, change, number) }
        try addDerived(derived, changes, number)
        try finish()
        return number
    }

    /// Other processes learn only from the history that the save changed these objects too.
    private func addDerived(
        _ derived: Set<NSManagedObjectID>, _ changes: StoreChanges, _ number: Int64
    ) throws {
        guard !derived.isEmpty else { return }
        let saved = Set((changes.inserted + changes.updated).map(\.objectID))
        for objectID in derived.subtracting(saved) {
            guard let key = objectID.rowKey, let table = layout.table(of: objectID.entity) else { continue }
            try add(.update, table, key, number, columns: bitmap(table.layout.derived, table))
        }
    }

    private func add(
        _ kind: NSPersistentHistoryChangeType, _ change: ObjectChange, _ number: Int64, slots: [Int]? = nil
    ) throws {
        guard let key = change.objectID.rowKey, let table = layout.table(of: change.layout.entity) else {
            return
        }
        try add(
            kind, table, key, number, columns: slots.map { bitmap($0, table) },
            tombstone: kind == .delete ? tombstones[change.objectID] : nil)
    }

    // MARK: Parts, which batch requests use too

    /// Starts a transaction of the history, and gives its number.
    func begin(contextName: String?, author: String?) throws -> Int64 {
        let process = ProcessInfo.processInfo.processName
        let names: [String?] = [author, Bundle.main.bundleIdentifier ?? process, contextName, process]
        let number = try reserve(tables.transaction, "ATRANSACTION")
        begun = number
        nextChange = try KeyRange.next(after: last(tables.change, "ACHANGE"), in: "ACHANGE")
        let columns =
            tables.internsStrings
            ? "ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS"
            : "ZAUTHOR, ZBUNDLEID, ZCONTEXTNAME, ZPROCESSID"
        let keys = tables.internsStrings ? try names.map { try $0.map(intern) } : []
        let statement = try connection.statement(
            "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP, \(columns)) VALUES (?, ?, ?, ?, ?, ?, ?)")
        statement.bind(number, at: 1)
        statement.bind(tables.transaction, at: 2)
        statement.bind(Date().timeIntervalSinceReferenceDate, at: 3)
        for index in 0..<4 {
            let position = Int32(index) + 4
            if tables.internsStrings {
                if let key = keys[index] {
                    statement.bind(key, at: position)
                } else {
                    statement.bindNull(at: position)
                }
            } else {
                statement.bind(names[index], at: position)
            }
        }
        try statement.run()
        return number
    }

    /// Adds a change to a transaction.
    func add(
        _ kind: NSPersistentHistoryChangeType, _ table: EntityTable, _ key: Int64, _ number: Int64,
        columns: [UInt8]?,
        tombstone: [SQLBinding]? = nil
    ) throws {
        let statement = try insert ?? makeInsert()
        statement.bind(nextChange, at: 1)
        statement.bind(Int64(kind.rawValue), at: 2)
        statement.bind(Int64(table.number), at: 3)
        statement.bind(key, at: 4)
        statement.bind(number, at: 5)
        if let columns { statement.bind(blob: columns, at: 6) } else { statement.bindNull(at: 6) }
        for index in 0..<tables.tombstoneCount {
            let value = tombstone.flatMap { index < $0.count ? $0[index] : nil } ?? .null
            statement.bind(value, at: Int32(index) + 7)
        }
        try statement.run()
        nextChange = try KeyRange.next(after: nextChange, in: "ACHANGE")
    }

    /// Ends a transaction of the history.
    func finish() throws {
        let statement = try connection.statement("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
        statement.bind(nextChange - 1, at: 1)
        statement.bind(tables.change, at: 2)
        try statement.run()
    }

    private func makeInsert() throws -> PreparedStatement {
        let extra = (0..<tables.tombstoneCount).map { ", ZTOMBSTONE\($0)" }.joined()
        let places = String(repeating: ", ?", count: tables.tombstoneCount)
        let statement = try connection.makeStatement(
            "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS\(extra)) "
                + "VALUES (?, \(tables.change), ?, ?, ?, ?, ?\(places))")
        insert = statement
        return statement
    }

    /// One bit for each property by name, the first in the highest bit of the first byte.
    func bitmap(_ slots: [Int], _ table: EntityTable) -> [UInt8] {
        let bits = bits[table.number] ?? table.historyBits
        self.bits[table.number] = bits
        let changed = Set(slots)
        var bytes = Array(repeating: UInt8(0), count: (bits.count + 7) / 8)
        for (bit, slot) in bits.enumerated() where changed.contains(slot) {
            bytes[bit / 8] |= 0x80 >> UInt8(bit % 8)
        }
        return bytes
    }

    /// The preserved values of a row.
    func tombstone(_ key: Int64, _ table: EntityTable) throws -> [SQLBinding]? {
        let columns = table.preservedSlots.flatMap { table.slots[$0].rowColumns }
        guard !columns.isEmpty else { return nil }
        let statement = try connection.statement(
            "SELECT \(columns.joined(separator: ", ")) FROM \(table.table.sqlName) WHERE Z_PK = ?")
        statement.bind(key, at: 1)
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        return columns.indices.map { statement.value(Int32($0)) }
    }

    private func intern(_ name: String) throws -> Int64 {
        let find = try connection.statement("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?")
        find.bind(name, at: 1)
        if try find.step() {
            defer { find.reset() }
            return find.int(0)
        }
        let key = try reserve(tables.string, "ATRANSACTIONSTRING")
        let insert = try connection.statement(
            "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (?, ?, ?)")
        insert.bind(key, at: 1)
        insert.bind(tables.string, at: 2)
        insert.bind(name, at: 3)
        try insert.run()
        return key
    }

    private func last(_ entity: Int64, _ table: String) throws -> Int64 {
        let statement = try connection.statement(
            "SELECT max(IFNULL((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?), 0), "
                + "IFNULL((SELECT max(Z_PK) FROM \(table)), 0))")
        statement.bind(entity, at: 1)
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : 0
    }

    private func reserve(_ entity: Int64, _ table: String) throws -> Int64 {
        let key = try KeyRange.next(after: last(entity, table), in: table)
        let statement = try connection.statement("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
        statement.bind(key, at: 1)
        statement.bind(entity, at: 2)
        try statement.run()
        return key
    }
}
