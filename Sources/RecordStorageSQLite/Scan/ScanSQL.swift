import RecordModel
import RecordStorage

/// A scan as SQL: one statement from the beginning, or one for each way in which a row can come after a position.
///
/// A row comes after (a, b, id) when its keys are equal to a and b and its number is greater, or its first key
/// is a and its second comes after b, or its first comes after a. Each of these is one range of the index, and
/// together, in this order, they are the rest of the result. So every page starts where the last one ended, at
/// the cost of the first page, null keys included.
struct ScanSQL {
    private let scan: RecordScan
    private let index: AutomaticIndex?
    /// Whether the index, or the order in which rows are stored, gives the rows in the scan's order.
    let plan: ScanPlan
    /// Whether an index of the shape is there.
    let hasIndex: Bool
    private let keys: [SQLText]
    /// Whether rows come with their sequence number, after the keys: some bodies hold values that do not count.
    let readsVersions: Bool
    /// Whether rows come with the number of their zone, as the last column: theirs do not all tell it.
    let readsZones: Bool
    /// Where the walk begins; nil at the beginning.
    let start: ScanPosition?

    /// The columns before the keys: the body and the row's number.
    static let firstKeyColumn: Int32 = 2

    /// - Throws: `StorageError` for a cursor of another scan.
    init(_ scan: RecordScan, catalog: Catalog) throws {
        self.scan = scan
        start = try ScanPosition.of(scan)
        readsZones = scan.zones.count > 1 && scan.zones.contains(where: RowID.isShared)
        (index, plan, hasIndex) = Self.index(for: scan, in: catalog)
        keys = scan.sort.map(\.source.sql)
        readsVersions = catalog.removedFields[scan.type.id] != nil
    }

    /// The index of a scan, how its rows are found with it, and whether no index is missing.
    static func index(
        for scan: RecordScan, in catalog: Catalog
    ) -> (index: AutomaticIndex?, plan: ScanPlan, isServed: Bool) {
        guard let shape = IndexShape(scan) else {
            let isWalk = scan.isOfOneZone && scan.sort.isEmpty && scan.condition == .constant(true)
            return (nil, isWalk ? .index : .scan, true)
        }
        let index = catalog.index(for: shape, of: scan.type.id)
        return (index, index != nil && scan.isAnsweredByIndex ? .index : .scan, index != nil)
    }

    /// The statements in the order in which their rows follow each other. Each ends in `LIMIT ?`, to be bound
    /// after the values.
    var statements: [SQLText] {
        guard let position = start else { return [select(nil)] }
        var statements: [SQLText] = []
        for count in stride(from: keys.count, through: 0, by: -1) {
            for tail in tails(after: position, equalKeys: count) { statements.append(select(tail)) }
        }
        return statements
    }

    /// The statement that counts the rows.
    var count: SQLText {
        var text = SQLText("SELECT count(*) FROM \(source)")
        text.append(filter)
        return text
    }

    private var source: String {
        "r\(scan.type.id)" + (index.map { " INDEXED BY \($0.name)" } ?? "")
    }

    /// The row's number; the table of bodies has a column of that name, too.
    private var row: String { "r\(scan.type.id).id" }

    private var filter: SQLText {
        var text = SQLText(" WHERE ")
        if index != nil, scan.zones.count == 1 {
            text.append("zone = ")
            text.append(.int(scan.zones[0]))
            // The index holds the rows with its mark, which are all of them.
            if let slot = index?.slot { text.append(" AND i\(slot) = 1") }
        } else if scan.zones.count <= Self.zonesByRange {
            // Without an index the rows of one zone are still neighbours, by their number.
            text.append("(")
            for (position, zone) in scan.zones.enumerated() {
                text.append(position == 0 ? "\(row) BETWEEN " : " OR \(row) BETWEEN ")
                text.append(.int(RowID.first(of: zone)))
                text.append(" AND ")
                text.append(.int(RowID.last(of: zone)))
                guard RowID.isShared(zone) else { continue }
                text.append(" AND zone = ")
                text.append(.int(zone))
            }
            text.append(scan.zones.isEmpty ? "0)" : ")")
        } else {
            text.append("zone IN ")
            text.list(scan.zones.map { .int($0) })
        }
        for condition in scan.condition.conjuncts where condition != .constant(true) {
            text.append(" AND (")
            text.append(condition)
            text.append(")")
        }
        return text
    }

    /// SQLite bounds the depth of an expression; above this many zones the table is scanned instead.
    private static let zonesByRange = 100

    private func select(_ tail: SQLText?) -> SQLText {
        // The columns are walked first, then the bodies of the rows that fit are fetched by number. Rows that have to
        // be sorted are sorted without their bodies: SQLite would hold those of a whole page in memory. It reads a
        // bounded subquery row by row, in its order.
        let body = "CROSS JOIN b\(scan.type.id) AS b ON b.id ="
        var text = SQLText(isSorted ? "SELECT b.body, q.* FROM (SELECT \(row)" : "SELECT b.body, \(row)")
        for key in keys {
            text.append(", ")
            text.append(key)
        }
        if readsVersions { text.append(", r\(scan.type.id).sequence AS version") }
        if scan.readsNames { text.append(", r\(scan.type.id).name AS record_name") }
        if readsZones { text.append(", r\(scan.type.id).zone AS zone_number") }
        text.append(" FROM \(source)")
        if !isSorted { text.append(" \(body) \(row)") }
        text.append(filter)
        if let tail { text.append(tail) }
        text.append(" ORDER BY ")
        for (key, sort) in zip(keys, scan.sort) {
            text.append(key)
            text.append(sort.ascending != scan.isBackward ? ", " : " DESC, ")
        }
        text.append(scan.idIsAscending ? "\(row) LIMIT ?" : "\(row) DESC LIMIT ?")
        if isSorted { text.append(") AS q \(body) q.id") }
        return text
    }

    /// Whether SQLite has to sort the rows that it finds.
    private var isSorted: Bool { index == nil && !(scan.sort.isEmpty && scan.zones.count <= 1) }

    /// The conditions for rows whose first keys equal the position's and whose next one comes after it.
    private func tails(after position: ScanPosition, equalKeys count: Int) -> [SQLText] {
        var equal = SQLText()
        for (key, value) in zip(keys, position.keys).prefix(count) {
            equal.append(" AND ")
            equal.append(key)
            if value == .null {
                equal.append(" IS NULL")
            } else {
                equal.append(" = ")
                equal.append(value)
            }
        }
        func tail(_ more: (inout SQLText) -> Void) -> SQLText {
            var text = equal
            more(&text)
            return text
        }
        guard count < keys.count else {
            return [
                tail {
                    $0.append(scan.idIsAscending ? " AND \(row) > " : " AND \(row) < ")
                    $0.append(.int(position.bound(idIsAscending: scan.idIsAscending)))
                }
            ]
        }
        let key = keys[count]
        let value = position.keys[count]
        switch (scan.sort[count].ascending != scan.isBackward, value) {
        case (true, .null):
            return [
                tail {
                    $0.append(" AND "); $0.append(key); $0.append(" IS NOT NULL")
                }
            ]
        case (false, .null): return []
        case (true, _):
            return [
                tail {
                    $0.append(" AND "); $0.append(key); $0.append(" > "); $0.append(value)
                }
            ]
        case (false, _):
            // Missing values come last, and a range of the index ends before them.
            return [
                tail {
                    $0.append(" AND "); $0.append(key); $0.append(" < "); $0.append(value)
                },
                tail {
                    $0.append(" AND "); $0.append(key); $0.append(" IS NULL")
                },
            ]
        }
    }
}

extension SortKey.Source {
    fileprivate var sql: SQLText {
        switch self {
        case .column(let column): return SQLText(column.sql)
        case .distance(let field, let place):
            var text = SQLText(
                "stratus_distance(\(Column.latitude(field).sql), \(Column.longitude(field).sql), ")
            text.append(.double(place.latitude))
            text.append(", ")
            text.append(.double(place.longitude))
            text.append(")")
            return text
        case .nearness(let field, let place):
            var text = SQLText("coalesce(")
            text.append(SortKey.Source.distance(field, from: place).sql)
            text.append(", ")
            text.append(.double(SortKey.nowhere))
            text.append(")")
            return text
        }
    }
}
