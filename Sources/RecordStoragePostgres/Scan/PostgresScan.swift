internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

/// A scan as SQL: the rows after a position are a few ranges, each of which an index can walk, put together in their
/// order in one statement.
///
/// A row comes after (a, b, id) when its keys are equal to a and b and its number is greater, or its first key is a and
/// its second comes after b, or its first comes after a. Leading equalities stay outside of comparisons: a comparison of
/// rows would make PostgreSQL read an index from its beginning.
struct PostgresScan {
    let scan: RecordScan
    /// What is left to look at in each row.
    let rest: [Condition]
    private let conditions: [Condition]

    /// The columns that have to be looked at for that, after those of every row.
    let restColumns: [Column]

    /// Where the columns to be looked at begin, and where the sort keys do.
    static let firstRestColumn = 4
    var firstKeyColumn: Int { Self.firstRestColumn + restColumns.count }

    init(_ scan: RecordScan) {
        self.scan = scan
        let conjuncts = scan.condition.conjuncts.filter { $0 != .constant(true) }
        conditions = conjuncts.filter(\.isExpressible)
        rest = conjuncts.filter { !$0.isExpressible }
        var columns: [String: Column] = [:]
        for column in rest.flatMap(\.columns) { columns[column.name] = column }
        restColumns = columns.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The rows after a position, so many at most: body, number, zone, name and the sort keys of each.
    func rows(after position: ScanPosition?, limit: Int) -> PostgresCommand {
        var text = PostgresSQL()
        guard let position else {
            select(nil, limit: limit, to: &text)
            return text.command
        }
        text.append("SELECT * FROM (")
        var part = 0
        for count in stride(from: scan.sort.count, through: 0, by: -1) {
            for tail in tails(after: position, equalKeys: count) {
                if part > 0 { text.append(" UNION ALL ") }
                text.append("(")
                select(tail, limit: limit, part: part, to: &text)
                text.append(")")
                part += 1
            }
        }
        text.append(") AS parts ORDER BY part, \(outerOrder) LIMIT \(limit)")
        return text.command
    }

    /// The number of rows, where nothing is left to look at.
    var count: PostgresCommand {
        var text = PostgresSQL("SELECT count(*) FROM r\(scan.type.id)")
        filter(to: &text)
        return text.command
    }

    private func select(
        _ tail: ((inout PostgresSQL) -> Void)?, limit: Int, part: Int? = nil, to text: inout PostgresSQL
    ) {
        text.append("SELECT body, id, zone, name")
        // Named apart: a column may be a sort key as well.
        for (index, column) in restColumns.enumerated() { text.append(", \(column.name) AS c_\(index)") }
        for (index, key) in scan.sort.enumerated() {
            text.append(", ")
            append(key.source, to: &text)
            text.append(" AS k\(index)")
        }
        if let part { text.append(", \(part) AS part") }
        text.append(" FROM r\(scan.type.id)")
        filter(to: &text)
        tail?(&text)
        text.append(" ORDER BY ")
        for (index, key) in scan.sort.enumerated() {
            // By the column itself where it is one, so that an index may serve.
            if case .column(let column) = key.source {
                text.append(column.name)
            } else {
                text.append("k\(index)")
            }
            text.append(direction(key))
        }
        // In the text: a plan for any limit would be one for a tenth of all rows, and one for each is made each time.
        text.append("id\(scan.idIsAscending ? "" : " DESC") LIMIT \(limit)")
    }

    private func direction(_ key: SortKey) -> String {
        // Missing values are smaller than all others.
        key.ascending != scan.isBackward ? " NULLS FIRST, " : " DESC NULLS LAST, "
    }

    private var outerOrder: String {
        scan.sort.enumerated().map { "k\($0)\(direction($1))" }.joined()
            + "id\(scan.idIsAscending ? "" : " DESC")"
    }

    private func filter(to text: inout PostgresSQL) {
        if let zone = scan.zones.first, scan.zones.count == 1 {
            text.append(" WHERE zone = ")
            text.append(zone)
        } else {
            text.append(" WHERE zone = ANY(")
            text.append(.ints(scan.zones), .int8Array)
            text.append(")")
        }
        for condition in conditions {
            text.append(" AND (")
            text.append(condition)
            text.append(")")
        }
    }

    private func append(_ source: SortKey.Source, to text: inout PostgresSQL) {
        switch source {
        case .column(let column): text.append(column.name)
        case .distance(let field, let place): text.distance(field, place)
        case .nearness(let field, let place):
            text.append("coalesce(")
            text.distance(field, place)
            text.append(", ")
            text.append(SortKey.nowhere)
            text.append(")")
        }
    }

    /// The conditions for rows whose first keys equal the position's and whose next one comes after it.
    private func tails(
        after position: ScanPosition, equalKeys count: Int
    ) -> [(inout PostgresSQL) -> Void] {
        func tail(_ more: @escaping (inout PostgresSQL) -> Void) -> (inout PostgresSQL) -> Void {
            return { text in
                for (key, value) in zip(scan.sort, position.keys).prefix(count) {
                    text.append(" AND ")
                    append(key.source, to: &text)
                    if value == .null {
                        text.append(" IS NULL")
                    } else {
                        text.append(" = ")
                        text.append(value)
                    }
                }
                more(&text)
            }
        }
        guard count < scan.sort.count else {
            return [
                tail { text in
                    text.append(" AND id \(scan.idIsAscending ? ">" : "<") ")
                    text.append(position.bound(idIsAscending: scan.idIsAscending))
                }
            ]
        }
        let key = scan.sort[count]
        let value = position.keys[count]
        func compared(_ sign: String) -> (inout PostgresSQL) -> Void {
            tail { text in
                text.append(" AND ")
                append(key.source, to: &text)
                text.append(" \(sign)")
                if value != .null, sign == "> " || sign == "< " { text.append(value) }
            }
        }
        switch (key.ascending != scan.isBackward, value) {
        case (true, .null): return [compared("IS NOT NULL")]
        case (false, .null): return []
        case (true, _): return [compared("> ")]
        case (false, _): return [compared("< "), compared("IS NULL")]
        }
    }
}

extension SortKey.Source {
    /// The kind of the key's values.
    var kind: ColumnKind {
        switch self {
        case .column(let column): column.kind
        case .distance, .nearness: .double
        }
    }
}
