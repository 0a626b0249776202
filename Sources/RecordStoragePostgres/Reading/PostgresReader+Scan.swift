internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

extension PostgresReader {
    /// How many rows are asked for at once where each has still to be looked at.
    private static let lookedAtOnce = 500

    func scan(_ scan: RecordScan, _ visit: (borrowing ScanRow) throws -> Bool) throws -> ScanOutcome {
        let sql = PostgresScan(scan)
        let (_, plan, isServed) = catalog.index(for: scan)
        if !isServed { wishes?.missed(scan) }
        var (left, first, last) = (scan.limit, ScanPosition?.none, ScanPosition?.none)
        let start = try ScanPosition.of(scan)
        var after = start
        guard !scan.zones.isEmpty else { return ScanOutcome(next: nil, plan: plan) }
        func outcome(_ next: ScanPosition?) -> ScanOutcome {
            ScanOutcome(of: scan, from: start, first: first, next: next, plan: plan)
        }
        while true {
            // One more than is wanted shows whether there is more.
            let limit = sql.rest.isEmpty ? left + 1 : Self.lookedAtOnce
            let rows = try ask(sql.rows(after: after, limit: limit))
            for row in 0..<rows.count {
                guard fulfils(sql, rows, row) else { continue }
                guard left > 0 else { return outcome(last) }
                guard
                    try visit(
                        ScanRow(
                            body: rows.bytes(row, 0), zone: rows.int(row, 2), id: rows.int(row, 1),
                            name: scan.readsNames ? PostgresText.decoded(rows.text(row, 3)) : nil))
                else {
                    return outcome(position(rows, row, sql).including)
                }
                left -= 1
                if first == nil { first = position(rows, row, sql) }
                if left == 0 { last = position(rows, row, sql) }
            }
            guard rows.count == limit else { return outcome(nil) }
            after = position(rows, rows.count - 1, sql)
        }
    }

    func count(_ scan: RecordScan) throws -> Int {
        let sql = PostgresScan(scan)
        guard !scan.zones.isEmpty else { return 0 }
        guard !sql.rest.isEmpty else { return Int(try ask(sql.count).int(0, 0)) }
        var (count, after) = (0, ScanPosition?.none)
        while true {
            let rows = try ask(sql.rows(after: after, limit: Self.lookedAtOnce))
            for row in 0..<rows.count where fulfils(sql, rows, row) { count += 1 }
            guard rows.count == Self.lookedAtOnce else { return count }
            after = position(rows, rows.count - 1, sql)
        }
    }

    private func position(_ rows: PostgresRows, _ row: Int, _ sql: PostgresScan) -> ScanPosition {
        let keys = sql.scan.sort.enumerated().map { index, key in
            rows.storageValue(row, sql.firstKeyColumn + index, key.source.kind)
        }
        return ScanPosition(keys: keys, id: rows.int(row, 1))
    }

    private func fulfils(_ sql: PostgresScan, _ rows: PostgresRows, _ row: Int) -> Bool {
        guard !sql.rest.isEmpty else { return true }
        let source = RowSource(rows: rows, row: row, columns: sql.restColumns.map(\.name))
        return sql.rest.allSatisfy(source.fulfils)
    }
}

/// A row with the columns of a condition that SQL cannot say.
private struct RowSource: ConditionSource {
    let rows: PostgresRows
    let row: Int
    /// The names of the columns from ``PostgresScan/firstRestColumn`` on.
    let columns: [String]

    private func index(_ column: Column) -> Int? {
        columns.firstIndex(of: column.name).map { $0 + PostgresScan.firstRestColumn }
    }

    func value(of column: Column) -> StorageValue {
        index(column).map { rows.storageValue(row, $0, column.kind) } ?? .null
    }

    func elements(of column: Column) -> [StorageValue] {
        guard let index = index(column), case .list(let scalar) = column.kind else { return [] }
        return switch ColumnKind.element(scalar) {
        case .int: rows.ints(row, index).map { .int($0) }
        case .double: rows.doubles(row, index).map { .double($0) }
        case .text, .list: rows.texts(row, index).map { .text(PostgresText.decoded($0)) }
        }
    }

    func location(_ field: FieldSchema) -> Location? {
        guard case .double(let latitude) = value(of: .latitude(field)),
            case .double(let longitude) = value(of: .longitude(field))
        else { return nil }
        return Location(latitude: latitude, longitude: longitude)
    }
}

extension PostgresRows {
    /// A column of a type's table as conditions see it; of a list, only whether it is there.
    fileprivate func storageValue(_ row: Int, _ column: Int, _ kind: ColumnKind) -> StorageValue {
        if isNull(row, column) { return .null }
        return switch kind {
        case .text: .text(PostgresText.decoded(text(row, column)))
        case .int: .int(int(row, column))
        case .double: .double(double(row, column))
        case .list: .text("")
        }
    }
}
