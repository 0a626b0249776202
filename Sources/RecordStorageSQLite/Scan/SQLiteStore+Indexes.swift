import RecordModel
public import RecordStorage

/// Indexes on request: the same ones that scans get by themselves, made at once.
extension SQLiteStore {
    public func explain(_ scan: RecordScan) -> ScanExplanation {
        let catalog = catalog.current
        let (index, plan, isServed) = ScanSQL.index(for: scan, in: catalog)
        let shape = IndexShape(scan)
        return ScanExplanation(
            plan: plan, index: index.map { $0.shape.keys(of: scan.type) } ?? [],
            missing: isServed ? [] : shape?.keys(of: scan.type) ?? [],
            isBeingMade: !isServed
                && (catalog.indexes[scan.type.id] ?? []).contains {
                    $0.shape == shape && $0.state != .removing
                })
    }

    /// How long who asks for an index waits for it, in steps of 5 ms.
    private static let looks = 200

    public func makeIndex(for scan: RecordScan) async throws {
        guard let shape = IndexShape(scan) else { return }
        let type = scan.type.id
        try await writes.perform { [advisor] writer in
            let indexes = (writer.catalog.indexes[type] ?? []).filter { $0.state != .removing }
            guard !indexes.contains(where: { $0.shape == shape }) else { return }
            let isFull = indexes.count >= Limits.automaticIndexesPerType
            // Who asks for an index wants it more than the one that nobody used for the longest time.
            let old = isFull ? advisor.leastUsed(of: indexes, isIdle: false) : nil
            try writer.orderIndex(shape, type: type, replacing: old)
        }
        for _ in 0..<Self.looks where isExclusive && explain(scan).isBeingMade {
            try await Task.sleep(for: .milliseconds(5))
        }
        // A fresh index is not the next one to go.
        advisor.scanned(scan, isServed: true)
    }
}
