internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

/// An index that was made for the shape of a query. Which there are is what PostgreSQL's own catalog says: nothing is kept
/// beside it that could differ, and an index goes with its table or with a column.
struct PostgresAutomaticIndex: Hashable, Sendable {
    var name: String
    var type: Int64
    var shape: IndexShape
    /// Whether queries can use it: not while it is being made, nor when that was interrupted.
    var isWhole: Bool
    /// How often queries of all nodes have used it.
    var scans: Int64

    private static let prefix = "auto_"

    /// A name for a new one of a type.
    static func makeName(type: Int64) -> String {
        "\(prefix)\(type)_" + String(UInt64.random(in: 0 ... .max), radix: 36)
    }

    /// Lists those of all types.
    static let list = PostgresCommand(
        sql: """
            SELECT x.relname::text, substr(t.relname::text, 2)::int8, i.indisvalid AND i.indisready,
                array_to_string(ARRAY(
                    SELECT a.attname::text || CASE WHEN i.indoption[(k.place - 1)::int4] & 1 = 1 THEN ' DESC' ELSE '' END
                    FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k (number, place)
                    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number
                    WHERE k.place BETWEEN 2 AND i.indnatts - 1 ORDER BY k.place), ',')::text,
                coalesce(pg_stat_get_numscans(i.indexrelid), 0)
            FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
            WHERE x.relname LIKE '\(prefix.replacing("_", with: "\\_"))%' AND t.relname ~ '^r[0-9]+$'
                AND pg_table_is_visible(t.oid)
            ORDER BY x.relname
            """)

    /// What `list` has told.
    static func all(_ rows: PostgresRows) -> [PostgresAutomaticIndex] {
        (0..<rows.count).map { row in
            PostgresAutomaticIndex(
                name: rows.text(row, 0), type: rows.int(row, 1), shape: IndexShape(text: rows.text(row, 3)),
                isWhole: rows.bool(row, 2), scans: rows.int(row, 4))
        }
    }

    /// The statement that makes one beside writes: after the zone and the shape comes the row's number, as rows of equal
    /// keys do in a result. Missing values come first, and an index can be walked either way.
    static func making(_ name: String, _ shape: IndexShape, type: Int64) -> PostgresCommand {
        let keys = shape.columns.map { column in
            column.hasSuffix(" DESC") ? column + " NULLS LAST" : column + " NULLS FIRST"
        }
        return PostgresCommand(
            sql: "CREATE INDEX CONCURRENTLY \(name) ON r\(type) (zone, \(keys.joined(separator: ", ")), id)")
    }

    /// The statement that drops one beside writes.
    static func dropping(_ name: String) -> PostgresCommand {
        PostgresCommand(sql: "DROP INDEX CONCURRENTLY IF EXISTS \(name)")
    }

    /// The statements that drop one although somebody is making it, for a write that cannot be stored while it is there.
    static func removing(_ name: String) -> [PostgresCommand] {
        [
            stopMaking, PostgresCommand(sql: "SET LOCAL lock_timeout = '2s'"),
            PostgresCommand(sql: "DROP INDEX IF EXISTS \(name)"),
        ]
    }

    /// Ends the making of indexes, which keeps tables from being changed as long as it takes.
    static let stopMaking = PostgresCommand(
        sql: """
            SELECT pg_cancel_backend(pid) FROM pg_stat_progress_create_index WHERE datname = current_database()
            """)

    /// The index that a value was too long for.
    static func refusing(_ error: any Error) -> String? {
        if let known = error as? IndexInTheWay { return known.name }
        // One that is being made is not known yet.
        guard let failure = error as? PostgresFailure, failure.isTooWide, let name = failure.constraint,
            name.hasPrefix(prefix),
            name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
        else { return nil }
        return name
    }
}

extension PostgresCatalog {
    /// The index of a scan, how its rows are found with it, and whether no index is missing.
    ///
    /// PostgreSQL decides by itself whether it walks an index that is there.
    func index(for scan: RecordScan) -> (index: PostgresAutomaticIndex?, plan: ScanPlan, isServed: Bool) {
        guard let shape = scan.indexShape else {
            let isWalk = scan.isOfOneZone && scan.sort.isEmpty && scan.condition == .constant(true)
            return (nil, isWalk ? .index : .scan, true)
        }
        let index = indexes[scan.type.id]?.first { $0.shape == shape && $0.isWhole }
        return (index, index != nil && scan.isAnsweredByIndex ? .index : .scan, index != nil)
    }
}

extension RecordScan {
    /// The shape of the index that would serve; nil where none would. PostgreSQL does not take a column that is held to NULL
    /// for one that is the same in all rows, and would sort nevertheless.
    var indexShape: IndexShape? {
        for case .compare(_, .equal, .null) in condition.conjuncts { return nil }
        return IndexShape(self)
    }
}
