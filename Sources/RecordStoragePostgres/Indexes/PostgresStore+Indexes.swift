internal import PostgresAccess
internal import RecordModel
public import RecordStorage

/// Indexes for the shapes of queries: by themselves where a query has missed one, and on request.
extension PostgresStore {
    public func explain(_ scan: RecordScan) -> ScanExplanation {
        let (index, plan, isServed) = catalog.current.index(for: scan)
        let shape = isServed ? nil : scan.indexShape
        return ScanExplanation(
            plan: plan, index: index.map { $0.shape.keys(of: scan.type) } ?? [],
            missing: shape?.keys(of: scan.type) ?? [],
            isBeingMade: shape.map { maker.wishes.isOrdered(.init(shape: $0, type: scan.type.id)) } ?? false)
    }

    /// How long who asks for an index waits for it, in steps of 5 ms.
    private static let looks = 400

    public func makeIndex(for scan: RecordScan) async throws {
        guard let zone = scan.zones.first, let shape = scan.indexShape,
            !catalog.current.index(for: scan).isServed
        else { return }
        let wish = IndexWishes.Wish(shape: shape, type: scan.type.id)
        maker.wishes.order(wish, zone: zone)
        for _ in 0..<Self.looks where maker.wishes.isOrdered(wish) {
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    public var backgroundWork: BackgroundWork {
        let count = maker.wishes.orderedCount
        return BackgroundWork(waiting: count > 0 ? [.indexMaking: count] : [:])
    }
}
