import RecordModel
import RecordStorage
import Synchronization

/// Sees which scans no index served, and asks for an index when one was work enough.
final class IndexAdvisor: Sendable {
    private struct State {
        /// When each index was used last, by the clock that only goes forward.
        var uses: [Int64: [IndexShape: UInt64]] = [:]
        var wanted: Set<Wish> = []
    }

    private struct Wish: Hashable {
        var shape: IndexShape
        var type: Int64
    }

    private let state = Mutex(State())
    private let beginning = Uptime.nanoseconds
    private let idleNanoseconds: UInt64
    private let request: @Sendable (IndexShape, Int64) -> Void

    /// About how many steps SQLite's machine takes for a row that a scan looks at.
    private static let stepsPerRow = 6

    /// - Parameters:
    ///   - idleSeconds: how long an index has to lie idle before another takes its place, so that queries of more
    ///     shapes than there may be indexes do not make the service build one after the other.
    ///   - request: is called for a shape of a type that deserves an index; once until ``done(_:type:)``.
    init(
        idleSeconds: Double = Double(Limits.automaticIndexIdleSeconds),
        request: @escaping @Sendable (IndexShape, Int64) -> Void
    ) {
        idleNanoseconds = UInt64(idleSeconds * 1e9)
        self.request = request
    }

    /// Notes that a scan of some shape was run.
    func scanned(_ scan: RecordScan, isServed: Bool) {
        guard isServed, let shape = IndexShape(scan) else { return }
        let now = Uptime.nanoseconds
        state.withLock { $0.uses[scan.type.id, default: [:]][shape] = now }
    }

    /// Notes how much work an unserved scan was; an index is asked for where who scans may have one made.
    func worked(steps: Int, on scan: RecordScan) {
        guard scan.mayMakeIndex, steps > Limits.automaticIndexRows * Self.stepsPerRow,
            let shape = IndexShape(scan)
        else { return }
        let isNew = state.withLock { state in
            state.wanted.insert(Wish(shape: shape, type: scan.type.id)).inserted
        }
        if isNew { request(shape, scan.type.id) }
    }

    /// Forgets a request that was carried out, or failed.
    func done(_ shape: IndexShape, type: Int64) {
        state.withLock { _ = $0.wanted.remove(Wish(shape: shape, type: type)) }
    }

    /// The one of a type's indexes that was used longest ago; nil where all are in use.
    ///
    /// - Parameter isIdle: whether it has to lie idle.
    func leastUsed(of indexes: [AutomaticIndex], isIdle: Bool = true) -> AutomaticIndex? {
        let now = Uptime.nanoseconds
        return state.withLock { state in
            // What was not used since the start was used at the start, for all that is known.
            func lastUse(_ index: AutomaticIndex) -> UInt64 {
                state.uses[index.type]?[index.shape] ?? beginning
            }
            guard let oldest = indexes.min(by: { lastUse($0) < lastUse($1) }) else { return nil }
            guard !isIdle || now - lastUse(oldest) >= idleNanoseconds else { return nil }
            state.uses[oldest.type]?[oldest.shape] = nil
            return oldest
        }
    }
}
