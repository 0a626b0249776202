public import RecordModel
import Synchronization

/// Remembered requests, newest first.
public struct HistoryPage: Sendable {
    /// The requests.
    public var requests: [KeptRequest]
    /// Whether there are newer and older ones that pass the filter.
    public var hasNewer: Bool
    public var hasOlder: Bool

    /// A page without requests.
    public static let empty = HistoryPage(requests: [], hasNewer: false, hasOlder: false)
}

/// Where a page of requests begins or ends.
public enum RequestPlace: Sendable, Hashable {
    /// At the newest.
    case newest
    /// With requests whose numbers are below this one.
    case olderThan(UInt64)
    /// With requests whose numbers are above this one, the nearest.
    case newerThan(UInt64)
}

extension RequestHistory {
    /// How many requests are looked at before those that wait to be remembered get their turn.
    private static let requestsPerLook = 512

    /// A page of the requests that pass a filter.
    ///
    /// Positions are numbers of requests, so a page stays the same while new requests come.
    public func page(_ filter: RequestFilter, at place: RequestPlace = .newest, limit: Int) -> HistoryPage {
        let limit = max(1, limit)
        let filter = PreparedFilter(filter)
        switch place {
        case .newest, .olderThan:
            var below = UInt64.max
            if case .olderThan(let sequence) = place { below = sequence }
            let found = older(than: below, filter, limit + 1)
            let hasNewer = below < .max && !newer(than: below - (below > 0 ? 1 : 0), filter, 1).isEmpty
            return HistoryPage(
                requests: Array(found.prefix(limit)), hasNewer: hasNewer, hasOlder: found.count > limit)
        case .newerThan(let sequence):
            let found = newer(than: sequence, filter, limit + 1)
            let (next, overflow) = sequence.addingReportingOverflow(1)
            let hasOlder = !older(than: overflow ? .max : next, filter, 1).isEmpty
            return HistoryPage(
                requests: found.prefix(limit).reversed(), hasNewer: found.count > limit, hasOlder: hasOlder)
        }
    }

    /// The request of an id; nil where it is not remembered any more, or never was.
    public func request(_ id: RequestID) -> KeptRequest? {
        var filter = RequestFilter()
        filter.id = RequestIDPrefix(id.description)
        return older(than: .max, PreparedFilter(filter), 1).first
    }

    /// When the oldest request came that is remembered, good or not; nil without any.
    public var oldestTime: Int64? {
        withState { state in
            state.shelves.compactMap { shelf in
                guard shelf.count > 0 else { return nil }
                return shelf.withRecord(at: 0) { bytes in
                    RequestRecord.View(bytes)?.number(RequestRecord.Place.time)
                }
            }.min()
        }
    }

    /// How many requests are remembered.
    public var count: Int { withState { $0.shelves.reduce(0) { $0 + $1.count } } }

    /// The points of a chart that ends now, oldest first; see ``RequestPoint``.
    ///
    /// - Parameters:
    ///   - span: how far back the chart goes.
    ///   - now: milliseconds since 1970.
    ///   - grouping: how many stretches of the span's resolution make one point.
    ///   - tenant: whose requests; nil for all. Of `Limits/chartedContainers` there are some, those asked of last.
    public func points(
        _ span: RequestSpan, now: Int64, grouping: Int = 1, of tenant: Tenant? = nil
    ) -> [RequestPoint] {
        series(of: tenant).points(span, now: now, grouping: grouping)
    }

    /// The whole of a chart that ends now as one point.
    public func total(_ span: RequestSpan, now: Int64, of tenant: Tenant? = nil) -> RequestPoint {
        series(of: tenant).total(span, now: now)
    }

    private func series(of tenant: Tenant?) -> RequestSeries {
        // Its arrays are shared, so the lock is held for no longer than a look.
        withState { state in tenant.map { state.tenants[$0] } ?? state.series }
    }

    private func older(than sequence: UInt64, _ filter: PreparedFilter, _ limit: Int) -> [KeptRequest] {
        var found: [KeptRequest] = []
        var below = sequence
        while found.count < limit, below > 0 {
            let end = withState { state in
                state.walk(downFrom: below, Self.requestsPerLook, filter, limit, &found)
            }
            below = end
        }
        return found
    }

    private func newer(than sequence: UInt64, _ filter: PreparedFilter, _ limit: Int) -> [KeptRequest] {
        var found: [KeptRequest] = []
        var above: UInt64? = sequence
        while found.count < limit, let start = above {
            above = withState { state in
                state.walk(upFrom: start, Self.requestsPerLook, filter, limit, &found)
            }
        }
        return found
    }
}

extension RequestHistory.State {
    /// Looks at so many requests below a number, all shelves as one list.
    ///
    /// - Returns: the number below which to go on; 0 at the end.
    func walk(
        downFrom sequence: UInt64, _ steps: Int, _ filter: PreparedFilter, _ limit: Int,
        _ found: inout [KeptRequest]
    ) -> UInt64 {
        var positions = shelves.map { $0.position(notBelow: sequence) }
        var below = sequence
        for _ in 0..<steps {
            var next: Int?
            var newest: UInt64 = 0
            for shelf in positions.indices where positions[shelf] > 0 {
                let sequence = shelves[shelf].sequence(at: positions[shelf] - 1)
                if sequence > newest { (next, newest) = (shelf, sequence) }
            }
            guard let next else { return 0 }
            positions[next] -= 1
            below = look(next, positions[next], filter, &found)
            if found.count >= limit { break }
        }
        return below
    }

    /// Looks at so many requests above a number.
    ///
    /// - Returns: the number above which to go on; nil at the end.
    func walk(
        upFrom sequence: UInt64, _ steps: Int, _ filter: PreparedFilter, _ limit: Int,
        _ found: inout [KeptRequest]
    ) -> UInt64? {
        guard sequence < .max else { return nil }
        var positions = shelves.map { $0.position(notBelow: sequence + 1) }
        var above = sequence
        for _ in 0..<steps {
            var next: Int?
            var oldest = UInt64.max
            for shelf in positions.indices where positions[shelf] < shelves[shelf].count {
                let sequence = shelves[shelf].sequence(at: positions[shelf])
                if sequence < oldest { (next, oldest) = (shelf, sequence) }
            }
            guard let next else { return nil }
            above = look(next, positions[next], filter, &found)
            positions[next] += 1
            if found.count >= limit { break }
        }
        return above
    }

    private func look(
        _ shelf: Int, _ position: Int, _ filter: PreparedFilter, _ found: inout [KeptRequest]
    ) -> UInt64 {
        let sequence = shelves[shelf].sequence(at: position)
        let request = shelves[shelf].withRecord(at: position) { bytes -> KeptRequest? in
            guard let view = RequestRecord.View(bytes), filter.passes(view) else { return nil }
            return RequestRecord.request(view, sequence: sequence)
        }
        if let request { found.append(request) }
        return sequence
    }
}
