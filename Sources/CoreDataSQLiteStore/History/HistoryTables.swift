internal import SQLiteAccess
internal import StratusCoreData

/// The tables of the history (Documentation/CoreDataStore.md, 'History').
struct HistoryTables {
    /// The numbers of the framework's own entities in this store.
    let change: Int64
    let transaction: Int64
    let string: Int64
    /// Whether names are kept once, in a table of their own; stores of 2017 have them in each transaction.
    let internsStrings: Bool
    /// How many columns there are for the values of deleted objects.
    let tombstoneCount: Int

    private static let change = "CHANGE"
    private static let transaction = "TRANSACTION"
    private static let string = "TRANSACTIONSTRING"

    /// The tables of a store; nil where it has none.
    init?(_ schema: StoredSchema, _ connection: SQLiteConnection) throws {
        guard let changes = schema.columns(of: "ACHANGE"),
            let transactions = schema.columns(of: "ATRANSACTION")
        else { return nil }
        var numbers: [String: Int64] = [:]
        // An app's entity may have one of these names, with a number of its own.
        let statement = try connection.makeStatement(
            "SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY WHERE Z_ENT >= 16000")
        while try statement.step() { numbers[statement.text(0)] = statement.int(1) }
        change = numbers[Self.change] ?? 16_001
        transaction = numbers[Self.transaction] ?? 16_002
        string = numbers[Self.string] ?? 16_003
        internsStrings =
            schema.columns(of: "ATRANSACTIONSTRING") != nil
            && transactions.contains { $0.name == "ZAUTHORTS" }
        tombstoneCount = changes.filter { $0.name.hasPrefix("ZTOMBSTONE") }.count
    }

    /// Makes what is missing, in a transaction of the caller's.
    static func make(_ layout: StoreLayout, _ schema: StoredSchema, _ connection: SQLiteConnection) throws {
        if schema.columns(of: "ACHANGE") == nil || schema.columns(of: "ATRANSACTION") == nil {
            for statement in createStatements { try connection.execute(statement) }
            for (number, name) in [(16_001, change), (16_002, transaction), (16_003, string)] {
                try connection.execute(
                    "INSERT OR IGNORE INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (\(number), '\(name)', 0, 0)"
                )
            }
        }
        let known = Set((schema.columns(of: "ACHANGE") ?? []).map(\.name))
        let needed = layout.entities.map(\.preservedSlots.count).max() ?? 0
        for index in 0..<needed where !known.contains("ZTOMBSTONE\(index)") {
            try connection.execute("ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE\(index) BLOB")
        }
    }

    private static let createStatements = [
        "CREATE TABLE IF NOT EXISTS ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
            + "ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB )",
        "CREATE TABLE IF NOT EXISTS ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
            + "ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, "
            + "ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, "
            + "ZQUERYGEN BLOB )",
        "CREATE TABLE IF NOT EXISTS ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
            + "ZNAME VARCHAR )",
        "CREATE INDEX IF NOT EXISTS ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
        "CREATE INDEX IF NOT EXISTS ATRANSACTION_ZAUTHORTS_INDEX ON ATRANSACTION (ZAUTHORTS)",
        "CREATE INDEX IF NOT EXISTS ATRANSACTION_ZBUNDLEIDTS_INDEX ON ATRANSACTION (ZBUNDLEIDTS)",
        "CREATE INDEX IF NOT EXISTS ATRANSACTION_ZCONTEXTNAMETS_INDEX ON ATRANSACTION (ZCONTEXTNAMETS)",
        "CREATE INDEX IF NOT EXISTS ATRANSACTION_ZPROCESSIDTS_INDEX ON ATRANSACTION (ZPROCESSIDTS)",
        "CREATE INDEX IF NOT EXISTS Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION (ZAUTHOR COLLATE BINARY ASC)",
        "CREATE INDEX IF NOT EXISTS Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION "
            + "(ZTIMESTAMP COLLATE BINARY ASC)",
        "CREATE UNIQUE INDEX IF NOT EXISTS Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING "
            + "(ZNAME COLLATE BINARY ASC)",
    ]
}

extension EntityTable {
    /// The slots of the attributes whose values outlive their object in the history, by name.
    var preservedSlots: [Int] {
        layout.attributes.filter { slot in
            guard layout.attributeDescriptions[slot]?.preservesValueInHistoryOnDeletion == true,
                case .column = slots[slot]
            else { return false }
            return true
        }
    }

    /// For each bit of `ZCOLUMNS`, in order, the slot of the property: all stored properties by name.
    ///
    /// A to-one relationship to an entity with subentities takes two bits: one store shows it
    /// (Documentation/CoreDataStore.md, 'History').
    var historyBits: [Int] {
        let stored = (0..<layout.toManys.upperBound).filter { !layout.properties[$0].isTransient }
        let sorted = stored.sorted { layout.properties[$0].name < layout.properties[$1].name }
        return sorted.flatMap { slot -> [Int] in
            if case .toOne(let columns) = slots[slot], columns.entity != nil { return [slot, slot] }
            return [slot]
        }
    }
}
