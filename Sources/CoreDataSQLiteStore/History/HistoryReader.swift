internal import SQLiteAccess
internal import StratusCoreData

/// Reads the history of a store, and forgets parts of it.
struct HistoryReader {
    private let open: OpenStore
    private let connection: SQLiteConnection
    private let tables: HistoryTables
    private let storeIdentifier: String

    /// Nil where the store has no history.
    init?(_ open: OpenStore, storeIdentifier: String) throws {
        self.open = open
        connection = open.connection
        self.storeIdentifier = storeIdentifier
        guard let tables = try HistoryTables(try StoredState.schema(connection), connection) else {
            return nil
        }
        self.tables = tables
    }

    // MARK: Numbers

    /// The number of the last transaction; 0 before the first.
    func lastNumber() throws -> Int64 {
        try number(
            "SELECT max(IFNULL((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(tables.transaction)), 0), "
                + "IFNULL((SELECT max(Z_PK) FROM ATRANSACTION), 0))")
    }

    private func number(_ sql: String) throws -> Int64 {
        let statement = try connection.statement(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : 0
    }

    /// - Throws: `CocoaError` with code 134301 where transactions after the number were forgotten.
    func requireKept(after number: Int64) throws {
        let count = try self.number("SELECT count(*) FROM (SELECT 1 FROM ATRANSACTION LIMIT 1)")
        let first = count == 0 ? try lastNumber() &+ 1 : try self.number("SELECT min(Z_PK) FROM ATRANSACTION")
        guard number < .max, number + 1 < first else { return }
        throw CoreDataError(
            134301, "The history after the token was deleted.",
            remedy: "Fetch everything again, and continue from the current token."
        ).cocoa
    }

    // MARK: Transactions

    /// The transactions for which a condition holds, oldest first.
    func transactions(_ condition: SQLPiece, withChanges: Bool) throws -> [NSPersistentHistoryTransaction] {
        let names = ["AUTHOR", "BUNDLEID", "CONTEXTNAME", "PROCESSID"]
        let columns = names.map { name in
            tables.internsStrings
                ? "IFNULL((SELECT s.ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = t.Z\(name)TS), t.Z\(name))"
                : "t.Z\(name)"
        }
        let statement = try connection.makeStatement(
            "SELECT t.Z_PK, t.ZTIMESTAMP, \(columns.joined(separator: ", ")) FROM ATRANSACTION t WHERE \(condition.sql) "
                + "ORDER BY t.Z_PK")
        statement.bind(condition.bindings)
        var result: [NSPersistentHistoryTransaction] = []
        while try statement.step() {
            result.append(
                NSPersistentHistoryTransaction(
                    timestamp: Date(timeIntervalSinceReferenceDate: statement.double(1)),
                    transactionNumber: statement.int(0), storeID: storeIdentifier,
                    bundleID: statement.text(3),
                    processID: statement.text(5), contextName: statement.optionalText(4),
                    author: statement.optionalText(2)))
        }
        if withChanges {
            for transaction in result { try readChanges(of: transaction) }
        }
        return result
    }

    private func readChanges(of transaction: NSPersistentHistoryTransaction) throws {
        let tombstones = (0..<tables.tombstoneCount).map { ", ZTOMBSTONE\($0)" }.joined()
        let statement = try connection.statement(
            "SELECT Z_PK, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZCOLUMNS\(tombstones) FROM ACHANGE "
                + "WHERE ZTRANSACTIONID = ? ORDER BY Z_PK")
        statement.bind(transaction.transactionNumber, at: 1)
        var changes: [NSPersistentHistoryChange] = []
        while try statement.step() {
            guard let change = change(statement) else { continue }
            change.transaction = transaction
            changes.append(change)
        }
        transaction.changes = changes
    }

    /// Nil for entities that the model does not know, such as CloudKit's own.
    private func change(_ statement: PreparedStatement) -> NSPersistentHistoryChange? {
        guard let table = open.layout.entity(number: Int(truncatingIfNeeded: statement.int(2))),
            let kind = NSPersistentHistoryChangeType(rawValue: Int(truncatingIfNeeded: statement.int(1)))
        else { return nil }
        let objectID = NSManagedObjectID(
            reference: .row(statement.int(3)), entity: table.entity, store: open.rows.store)
        return NSPersistentHistoryChange(
            changeID: statement.int(0), changedObjectID: objectID, changeType: kind,
            updatedProperties: kind == .update ? properties([UInt8](statement.bytes(4)), table) : nil,
            tombstone: kind == .delete ? tombstone(statement, table) : nil)
    }

    private func properties(_ bytes: [UInt8], _ table: EntityTable) -> Set<NSPropertyDescription> {
        var result: Set<NSPropertyDescription> = []
        for (bit, slot) in table.historyBits.enumerated() {
            guard bit / 8 < bytes.count, bytes[bit / 8] & (0x80 >> UInt8(bit % 8)) != 0 else { continue }
            result.insert(table.layout.properties[slot])
        }
        return result
    }

    private func tombstone(_ statement: PreparedStatement, _ table: EntityTable) -> [AnyHashable: Any]? {
        let slots = table.preservedSlots
        guard !slots.isEmpty else { return nil }
        var result: [AnyHashable: Any] = [:]
        for (index, slot) in slots.enumerated() where index < tables.tombstoneCount {
            guard let attribute = table.layout.attributeDescriptions[slot] else { continue }
            let value = StoredValue.value(
                statement.value(Int32(index) + 5), of: attribute, isMarked: open.layout.isMarked(attribute),
                files: open.files)
            result[attribute.name] = value.anyValue(of: attribute)
        }
        return result
    }

    // MARK: Forgetting

    /// Forgets the transactions for which a condition holds, and gives their number.
    func delete(_ condition: SQLPiece) throws -> Int {
        try connection.transaction {
            let changes = try connection.makeStatement(
                "DELETE FROM ACHANGE WHERE ZTRANSACTIONID IN (SELECT t.Z_PK FROM ATRANSACTION t WHERE \(condition.sql))"
            )
            changes.bind(condition.bindings)
            try changes.run()
            let transactions = try connection.makeStatement(
                "DELETE FROM ATRANSACTION WHERE Z_PK IN (SELECT t.Z_PK FROM ATRANSACTION t WHERE \(condition.sql))"
            )
            transactions.bind(condition.bindings)
            try transactions.run()
            return connection.changeCount
        }
    }
}

extension StoredValue {
    /// The value of a column that was read on its own.
    static func value(
        _ binding: SQLBinding, of attribute: NSAttributeDescription, isMarked: Bool, files: ExternalFiles?
    ) -> PropertyValue {
        switch binding {
        case .null: .null
        case .int(let number): value(number, of: attribute)
        case .double(let number): value(number, of: attribute)
        case .text(let text): value(text, of: attribute)
        case .blob(let data):
            data.withUnsafeBytes { value($0, of: attribute, isMarked: isMarked, files: files) }
        }
    }
}
