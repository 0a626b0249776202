internal import HashTreeCollections
internal import RecordModel
internal import RecordStorage

extension MemoryReader {
    /// A row that a scan found, at its place in the order.
    private struct Found {
        var position: ScanPosition
        var zone: Int64
        var name: String
        var body: [UInt8]
    }

    func scan(_ scan: RecordScan, _ visit: (borrowing ScanRow) throws -> Bool) throws -> ScanOutcome {
        let order = ScanOrder(scan)
        var rows = found(scan).sorted { order.precedes($0.position, $1.position) }
        let start = try ScanPosition.of(scan)
        if let start {
            rows = Array(
                rows.drop {
                    start.isInclusive
                        ? order.precedes($0.position, start) : !order.precedes(start, $0.position)
                })
        }
        for (index, row) in rows.prefix(scan.limit).enumerated() {
            guard
                try row.body.withUnsafeBytes({
                    try visit(
                        ScanRow(
                            body: $0, zone: row.zone, id: row.position.id,
                            name: scan.readsNames ? row.name : nil))
                })
            else {
                return ScanOutcome(
                    of: scan, from: start, first: index > 0 ? rows.first?.position : nil,
                    next: row.position.including, plan: .scan)
            }
        }
        let visited = rows.prefix(scan.limit)
        return ScanOutcome(
            of: scan, from: start, first: visited.first?.position,
            next: rows.count > scan.limit ? visited.last?.position : nil, plan: .scan)
    }

    func count(_ scan: RecordScan) throws -> Int { found(scan).count }

    private func found(_ scan: RecordScan) -> [Found] {
        Set(scan.zones).flatMap { zone in
            (state.contents[zone]?.entries ?? [:]).compactMap { name, entry -> Found? in
                guard entry.type == scan.type.id, let record = entry.record else { return nil }
                let row = ConditionRow(name: name.text, record: record)
                guard row.fulfils(scan.condition) else { return nil }
                let keys = scan.sort.map { row.value(of: $0.source) }
                return Found(
                    position: ScanPosition(keys: keys, id: entry.id), zone: zone, name: name.text,
                    body: record.body)
            }
        }
    }
}

/// The order in which a scan meets rows.
struct ScanOrder {
    private let ascending: [Bool]
    private let idIsAscending: Bool

    init(_ scan: RecordScan) {
        ascending = scan.sort.map { $0.ascending != scan.isBackward }
        idIsAscending = scan.idIsAscending
    }

    /// Whether one place is met before another.
    func precedes(_ first: ScanPosition, _ second: ScanPosition) -> Bool {
        for (index, isAscending) in ascending.enumerated() {
            let order = first.keys[index].order(second.keys[index])
            if order != 0 { return (order < 0) == isAscending }
        }
        return first.id != second.id && (first.id < second.id) == idIsAscending
    }
}
