internal import CStratusSQLite
internal import SQLiteAccess
internal import StratusCoreData

/// Writes what to-many relationships keep outside their owner's row: keys, rows of join tables, and orders.
struct RelationshipWriter {
    let connection: SQLiteConnection
    let owner: Int64

    /// Writes one changed relationship.
    func write(_ change: ToManyChange, _ storage: SlotStorage) throws {
        switch storage {
        case .toManyKey(let key):
            if !key.hasInverse { try writeKeys(change, key) }
            guard let order = key.order else { return }
            try writeOrder(
                change, reading: "SELECT Z_PK, \(order) FROM \(key.table.sqlName) WHERE \(key.key) = ?",
                writing: "UPDATE \(key.table.sqlName) SET \(order) = ?1 WHERE Z_PK = ?2 AND \(key.key) = ?3")
        case .join(let side):
            try writePairs(change, side)
            guard let order = side.order else { return }
            let table = side.table.sqlName
            try writeOrder(
                change, reading: "SELECT \(side.other), \(order) FROM \(table) WHERE \(side.own) = ?",
                writing: "UPDATE \(table) SET \(order) = ?1 WHERE \(side.other) = ?2 AND \(side.own) = ?3")
        case .none, .column, .composite, .toOne: break
        }
    }

    private func writeKeys(_ change: ToManyChange, _ key: ToManyKey) throws {
        let (removed, added) = (change.removed.compactMap(\.rowKey), change.added.compactMap(\.rowKey))
        let order = key.order.map { ", \($0) = NULL" } ?? ""
        let table = key.table.sqlName
        for destination in removed {
            let statement = try connection.statement(
                "UPDATE \(table) SET \(key.key) = NULL\(order) WHERE Z_PK = ? AND \(key.key) = ?")
            statement.bind(destination, at: 1)
            statement.bind(owner, at: 2)
            try statement.run()
        }
        for destination in added {
            let statement = try connection.statement(
                "UPDATE \(table) SET \(key.key) = ?\(order) WHERE Z_PK = ? AND \(key.key) IS NOT ?1")
            statement.bind(owner, at: 1)
            statement.bind(destination, at: 2)
            try statement.run()
        }
    }

    private func writePairs(_ change: ToManyChange, _ side: JoinSide) throws {
        let (removed, added) = (change.removed.compactMap(\.rowKey), change.added.compactMap(\.rowKey))
        for destination in removed {
            try run(
                "DELETE FROM \(side.table.sqlName) WHERE \(side.own) = ? AND \(side.other) = ?", destination,
                side)
        }
        for destination in added {
            try run(
                "INSERT OR IGNORE INTO \(side.table.sqlName) (\(side.own), \(side.other)) VALUES (?, ?)",
                destination,
                side)
        }
    }

    /// A relationship that is its own inverse has each pair both ways.
    private func run(_ sql: String, _ destination: Int64, _ side: JoinSide) throws {
        for pair in side.isOwnInverse ? [(owner, destination), (destination, owner)] : [(owner, destination)]
        {
            let statement = try connection.statement(sql)
            statement.bind(pair.0, at: 1)
            statement.bind(pair.1, at: 2)
            try statement.run()
        }
    }

    // MARK: Order

    private func writeOrder(_ change: ToManyChange, reading: String, writing: String) throws {
        var current: [Int64: Int64] = [:]
        let rows = try connection.statement(reading)
        rows.bind(owner, at: 1)
        while try rows.step() {
            if !rows.isNull(1) { current[rows.int(0)] = rows.int(1) }
        }
        var keys = change.order?.compactMap(\.rowKey) ?? []
        if change.order == nil {
            // The list was never read: what was added comes last.
            keys = change.added.compactMap(\.rowKey)
            let added = Set(keys)
            let rest = current.filter { !added.contains($0.key) }
            keys = rest.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key) + keys
            current = rest
        }
        let values = OrderValues.assigned(keys.map { current[$0] })
        for (key, value) in zip(keys, values) where current[key] != value {
            let statement = try connection.statement(writing)
            statement.bind(value, at: 1)
            statement.bind(key, at: 2)
            statement.bind(owner, at: 3)
            try statement.run()
        }
    }

    // MARK: Deletes

    /// Removes what other tables keep of an object that is gone.
    func forget(_ table: EntityTable) throws {
        for storage in table.slots {
            switch storage {
            case .join(let side):
                try run("DELETE FROM \(side.table.sqlName) WHERE \(side.own) = ?")
                if side.isOwnInverse { try run("DELETE FROM \(side.table.sqlName) WHERE \(side.other) = ?") }
            case .toManyKey(let key) where !key.hasInverse:
                let order = key.order.map { ", \($0) = NULL" } ?? ""
                try run("UPDATE \(key.table.sqlName) SET \(key.key) = NULL\(order) WHERE \(key.key) = ?")
            case .none, .column, .composite, .toOne, .toManyKey: break
            }
        }
    }

    private func run(_ sql: String) throws {
        let statement = try connection.statement(sql)
        statement.bind(owner, at: 1)
        try statement.run()
    }
}
