internal import HashTreeCollections
internal import RecordModel
internal import RecordStorage

extension MemoryReader {
    /// A row that a scan found, at its place in the order.
    private struct Found {
        var position: ScanPosition
        var zone: Int64
        var body: [UInt8]
    }

    func scan(_ scan: RecordScan, _ visit: (borrowing ScanRow) throws -> Void) throws -> ScanOutcome {
        let order = ScanOrder(scan)
        var rows = found(scan).sorted { order.precedes($0.position, $1.position) }
        if let after = scan.after {
            rows = Array(rows.drop { !order.precedes(after, $0.position) })
        }
        for row in rows.prefix(scan.limit) {
            try row.body.withUnsafeBytes { try visit(ScanRow(body: $0, zone: row.zone)) }
        }
        let visited = rows.prefix(scan.limit)
        return ScanOutcome(
            next: rows.count > scan.limit ? visited.last?.position : nil, plan: .scan,
            first: visited.first?.position)
    }

    func count(_ scan: RecordScan) throws -> Int { found(scan).count }

    private func found(_ scan: RecordScan) -> [Found] {
        Set(scan.zones).flatMap { zone in
            (state.contents[zone]?.entries ?? [:]).compactMap { name, entry -> Found? in
                guard entry.type == scan.type.id, let record = entry.record else { return nil }
                let row = ConditionRow(name: name, record: record)
                guard row.fulfils(scan.condition) else { return nil }
                let keys = scan.sort.map { row.value(of: $0.source) }
                return Found(
                    position: ScanPosition(keys: keys, id: entry.id), zone: zone, body: record.body)
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

extension StorageValue {
    /// Negative, zero or positive, as the value comes before, with or after the other one: missing ones first, then
    /// numbers by value, then texts by their UTF-8 bytes.
    func order(_ other: StorageValue) -> Int {
        switch (self, other) {
        case (.null, .null): 0
        case (.null, _): -1
        case (_, .null): 1
        case (.text(let left), .text(let right)):
            left.utf8.elementsEqual(right.utf8)
                ? 0 : left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
        case (_, .text): -1
        case (.text, _): 1
        case (.int(let left), .int(let right)): left < right ? -1 : left == right ? 0 : 1
        case (.double(let left), .double(let right)): left < right ? -1 : left == right ? 0 : 1
        case (.int(let left), .double(let right)): Self.order(left, right)
        case (.double(let left), .int(let right)): -Self.order(right, left)
        }
    }

    /// Exactly, where a number of 64 bits may have more digits than one of floating point.
    private static func order(_ int: Int64, _ double: Double) -> Int {
        if double >= 0x1p63 { return -1 }
        if double < -0x1p63 { return 1 }
        let whole = Int64(double.rounded(.towardZero))
        if int != whole { return int < whole ? -1 : 1 }
        let rest = double - double.rounded(.towardZero)
        return rest > 0 ? -1 : rest < 0 ? 1 : 0
    }
}
