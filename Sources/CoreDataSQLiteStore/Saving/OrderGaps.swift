internal import SQLiteAccess
internal import StratusCoreData

/// Puts objects that came to an ordered relationship from the other side at the end of its list.
///
/// Whoever sets the to-one side need not have read the list, so nothing may say where in it the object belongs.
struct OrderGaps {
    /// The statements of one relationship.
    private struct Place: Hashable {
        /// The objects of an owner without a position, and the last position that is taken.
        var missing: String
        var last: String
        var write: String
    }

    private var owners: [Place: Set<Int64>] = [:]

    /// Notes that a row leads to an owner now.
    mutating func add(_ table: TableLayout, key: String, order: String, owner: Int64) {
        let place = Place(
            missing: "SELECT Z_PK FROM \(table.sqlName) WHERE \(key) = ? AND \(order) IS NULL ORDER BY Z_PK",
            last: "SELECT max(\(order)) FROM \(table.sqlName) WHERE \(key) = ?",
            write: "UPDATE \(table.sqlName) SET \(order) = ? WHERE Z_PK = ? AND \(key) = ?")
        owners[place, default: []].insert(owner)
    }

    /// Notes that pairs were added from a side whose other side has an order.
    mutating func add(_ side: JoinSide, added: [Int64]) {
        guard let order = side.otherOrder, !added.isEmpty else { return }
        let (object, owner) = side.isOwnInverse ? (side.other, side.own) : (side.own, side.other)
        let table = side.table.sqlName
        let place = Place(
            missing: "SELECT \(object) FROM \(table) WHERE \(owner) = ? AND \(order) IS NULL ORDER BY 1",
            last: "SELECT max(\(order)) FROM \(table) WHERE \(owner) = ?",
            write: "UPDATE \(table) SET \(order) = ? WHERE \(object) = ? AND \(owner) = ?")
        owners[place, default: []].formUnion(added)
    }

    /// Fills the gaps, after all lists that are known were written.
    func fill(_ connection: SQLiteConnection) throws {
        for (place, owners) in owners {
            for owner in owners { try fill(place, owner, connection) }
        }
    }

    private func fill(_ place: Place, _ owner: Int64, _ connection: SQLiteConnection) throws {
        let missing = try connection.statement(place.missing)
        missing.bind(owner, at: 1)
        var keys: [Int64] = []
        while try missing.step() { keys.append(missing.int(0)) }
        guard !keys.isEmpty else { return }
        let last = try connection.statement(place.last)
        last.bind(owner, at: 1)
        var value = try last.step() ? last.int(0) : 0
        last.reset()
        value = max(value, OrderValues.first - OrderValues.step)
        for key in keys {
            // Past the largest number there is no place: such an object stays without one, at the end of the list.
            guard value <= .max - OrderValues.step else { return }
            value += OrderValues.step
            let statement = try connection.statement(place.write)
            statement.bind(value, at: 1)
            statement.bind(key, at: 2)
            statement.bind(owner, at: 3)
            try statement.run()
        }
    }
}
