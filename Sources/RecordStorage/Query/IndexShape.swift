package import RecordModel

/// What an index of an engine of SQL has to look like so that a scan can walk it in the order of its result: the columns that are
/// held to one value, then those that are sorted by.
package struct IndexShape: Hashable, Sendable {
    /// The columns' SQL after the zone, `c1` or `c2 DESC`. The row's number follows by itself.
    package var columns: [String]

    /// The columns' names, without their directions.
    package var names: [String] { columns.map { $0.hasSuffix(" DESC") ? String($0.dropLast(5)) : $0 } }

    /// The columns that the table of each type has.
    package static let systemColumns = [
        Column.recordName, .createdAt, .modifiedAt, .createdBy, .modifiedBy, .parent,
    ]
    .map(\.sql)

    /// The form that is kept in the catalog.
    package var text: String { columns.joined(separator: ",") }

    package init(text: String) {
        columns = text.split(separator: ",").map(String.init)
    }

    /// The shape that would serve a scan; nil where no index can, or none is needed.
    package init?(_ scan: RecordScan) {
        guard scan.zones.count == 1 else { return nil }
        let fixed = scan.fixedColumns
        var columns = fixed.sorted()
        let first = scan.sort.first?.ascending ?? true
        for key in scan.sort {
            guard case .column(let column) = key.source else { return nil }
            let name = column.sql
            guard !fixed.contains(name), !columns.contains(name), !columns.contains(name + " DESC") else {
                continue
            }
            // Directions are relative to the first key: an index can be walked either way.
            columns.append(key.ascending == first ? name : name + " DESC")
        }
        guard !columns.isEmpty else { return nil }
        self.columns = columns
    }

    /// The columns after the zone.
    package func keys(of type: RecordType) -> [SortKey] {
        let known = Dictionary(
            Self.columns(of: type).map { ($0.sql, $0) }, uniquingKeysWith: { first, _ in first })
        return columns.compactMap { text in
            let isDescending = text.hasSuffix(" DESC")
            let name = isDescending ? String(text.dropLast(5)) : text
            return known[name].map { SortKey(.column($0), ascending: !isDescending) }
        }
    }

    private static func columns(of type: RecordType) -> [Column] {
        type.fields.flatMap { field -> [Column] in
            field.type == FieldType(.location) ? [.latitude(field), .longitude(field)] : [.field(field)]
        } + [.recordName, .createdAt, .modifiedAt, .createdBy, .modifiedBy, .parent]
    }
}

extension RecordScan {
    /// The columns that the condition holds to one value.
    package var fixedColumns: Set<String> {
        var columns: Set<String> = []
        for case .compare(let column, .equal, _) in condition.conjuncts { columns.insert(column.sql) }
        return columns
    }

    /// Whether an index of the scan's shape holds just the rows of the result: no row of the walk is left out.
    package var isAnsweredByIndex: Bool {
        let fixed = fixedColumns
        let walked = sort.lazy.compactMap { key -> String? in
            guard case .column(let column) = key.source, !fixed.contains(column.sql) else { return nil }
            return column.sql
        }.first
        return condition.conjuncts.allSatisfy { condition in
            switch condition {
            case .constant(true), .compare(_, .equal, _): true
            case .compare(let column, let comparison, _): comparison != .notEqual && column.sql == walked
            case .prefix(let column, _): column.sql == walked
            default: false
            }
        }
    }
}

extension Condition {
    /// The conditions that all have to hold.
    package var conjuncts: [Condition] {
        if case .and(let parts) = self { parts.flatMap(\.conjuncts) } else { [self] }
    }
}

extension Column {
    /// The column's name in the table of its type.
    package var sql: String {
        switch self {
        case .field(let field), .latitude(let field): "c\(field.column)"
        case .longitude(let field): "c\(field.column)_lon"
        case .recordName: "name"
        case .createdAt: "created_at"
        case .modifiedAt: "modified_at"
        case .createdBy: "created_by"
        case .modifiedBy: "modified_by"
        case .parent: "parent"
        }
    }
}
