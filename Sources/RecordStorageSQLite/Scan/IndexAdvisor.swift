import RecordModel
import RecordStorage
import Synchronization

/// Sees which scans no index served, and asks for an index when one was work enough.
final class IndexAdvisor: Sendable {
    private struct State {
        /// When each index or wanted shape was used last, by a count of uses.
        var uses: [Int64: [IndexShape: UInt64]] = [:]
        var clock: UInt64 = 0
        var wanted: Set<Wish> = []
    }

    private struct Wish: Hashable {
        var shape: IndexShape
        var type: Int64
    }

    private let state = Mutex(State())
    private let request: @Sendable (IndexShape, Int64) -> Void

    /// About how many steps SQLite's machine takes for a row that a scan looks at.
    private static let stepsPerRow = 6

    /// - Parameter request: is called for a shape of a type that deserves an index; once until ``done(_:type:)``.
    init(request: @escaping @Sendable (IndexShape, Int64) -> Void) {
        self.request = request
    }

    /// Notes that a scan of some shape was run.
    func scanned(_ scan: RecordScan, isServed: Bool) {
        guard isServed, let shape = IndexShape(scan) else { return }
        state.withLock { state in
            state.clock += 1
            state.uses[scan.type.id, default: [:]][shape] = state.clock
        }
    }

    /// Notes how much work an unserved scan was.
    func worked(steps: Int, on scan: RecordScan) {
        guard steps > Limits.automaticIndexRows * Self.stepsPerRow, let shape = IndexShape(scan) else {
            return
        }
        let isNew = state.withLock { state in
            state.clock += 1
            return state.wanted.insert(Wish(shape: shape, type: scan.type.id)).inserted
        }
        if isNew { request(shape, scan.type.id) }
    }

    /// An index has to lie idle for so many scans before another takes its place, so that queries of more
    /// shapes than there may be indexes do not make the service build one after the other.
    private static let idleScans: UInt64 = 50

    /// Forgets a request that was carried out, or failed.
    func done(_ shape: IndexShape, type: Int64) {
        state.withLock { _ = $0.wanted.remove(Wish(shape: shape, type: type)) }
    }

    /// The one of a type's indexes that was used longest ago; nil where all are in use.
    ///
    /// - Parameter isIdle: whether it has to lie idle.
    func leastUsed(of indexes: [AutomaticIndex], isIdle: Bool = true) -> AutomaticIndex? {
        state.withLock { state in
            func lastUse(_ index: AutomaticIndex) -> UInt64 { state.uses[index.type]?[index.shape] ?? 0 }
            guard let oldest = indexes.min(by: { lastUse($0) < lastUse($1) }) else { return nil }
            guard !isIdle || state.clock - lastUse(oldest) >= Self.idleScans else { return nil }
            state.uses[oldest.type]?[oldest.shape] = nil
            return oldest
        }
    }
}
