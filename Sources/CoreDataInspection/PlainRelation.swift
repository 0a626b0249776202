internal import SQLiteAccess

/// The two key columns of a to-many relationship, and where they are.
struct PlainRelation {
    var table: String
    /// The keys of this side, in the table.
    var own: String
    /// The keys of the other side.
    var other: String
    var order: String?
    var isJoin: Bool
    /// Both sides are one property, so each row counts both ways.
    var isOwnInverse = false

    struct Keys {
        /// The keys of the other side for each key of this side.
        var keys: [Int64: [Int64]] = [:]
        /// Those of this side whose order values are missing or occur twice.
        var unordered: Set<Int64> = []
    }

    /// The keys; those that lead to no row, or to one of no entity, are left out.
    func keys(_ store: PlainStore, destination: String, family: String) throws -> Keys {
        let names = [table, own, other, destination].map(PlainStore.quoted)
        let (table, own, other, rows) = (names[0], names[1], names[2], names[3])
        let place = order.map(PlainStore.quoted)
        var filter = "\(own) IS NOT NULL"
        filter +=
            isJoin
            ? " AND \(other) IN (SELECT Z_PK FROM \(rows) WHERE Z_ENT IN (\(family)))"
            : " AND Z_ENT IN (\(family))"
        let ordering = place.map { " ORDER BY \($0), \(other)" } ?? ""
        var result = Keys()
        var last: [Int64: Int64] = [:]
        try store.each(
            "SELECT \(own), \(other), \(place ?? "NULL") FROM \(table) WHERE \(filter)\(ordering)"
        ) { row in
            guard let key = row.integer(0), let found = row.integer(1) else { return }
            result.keys[key, default: []].append(found)
            let value = row.integer(2)
            if value == nil || last[key] == value { result.unordered.insert(key) }
            last[key] = value
        }
        guard isOwnInverse else { return result }
        var both: [Int64: Set<Int64>] = [:]
        for (key, others) in result.keys {
            for other in others {
                both[key, default: []].insert(other)
                both[other, default: []].insert(key)
            }
        }
        result.keys = both.mapValues { $0.sorted() }
        return result
    }
}
