import RecordModel
public import RecordStorage

/// Indexes on request: the same ones that scans get by themselves, made at once.
extension SQLiteStore {
    public func explain(_ scan: RecordScan) -> ScanExplanation {
        let (index, plan, isServed) = ScanSQL.index(for: scan, in: catalog.current)
        return ScanExplanation(
            plan: plan, index: index.map { $0.shape.keys(of: scan.type) } ?? [],
            missing: isServed ? [] : IndexShape(scan)?.keys(of: scan.type) ?? [])
    }

    public func makeIndex(for scan: RecordScan) async throws {
        guard let shape = IndexShape(scan) else { return }
        let type = scan.type.id
        try await writes.perform { [advisor] writer in
            let indexes = writer.catalog.indexes[type] ?? []
            let isFull = indexes.count >= Limits.automaticIndexesPerType
            // Who asks for an index wants it more than the one that nobody used for the longest time.
            let old = isFull ? advisor.leastUsed(of: indexes, isIdle: false) : nil
            try writer.makeIndex(shape, type: type, dropping: old)
        }
        // A fresh index is not the next one to go.
        advisor.scanned(scan, isServed: true)
    }
}

extension IndexShape {
    /// The columns after the zone.
    fileprivate func keys(of type: RecordType) -> [SortKey] {
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
