import RecordModel
import RecordStorage
import RecordWire

/// The number of a live count.
struct LiveTally {
    /// How many records fulfil the query, as of the position up to which changes were looked at.
    var count = 0
    /// What the client has; nil for nothing yet.
    var told: Int?

    init(_ cursor: LiveCursor?) {
        told = cursor?.count
    }
}

/// Counts instead of records: counted once, and kept up by what enters and leaves.
extension LiveQuery {
    /// Counts as `records/count` does, with the same bounds, and gives the position of the count.
    mutating func countAgain() async throws -> Int64 {
        let (count, place) = try await service.store.read(.long, for: context.party) {
            [self] reader -> (Int, Int64) in
            let place = try reader.lastSequence()
            do {
                let zones = try plan.zones(context, reader)
                let scan = plan.scan(zones: zones.map(\.id), after: nil, limit: 0)
                return (try zones.isEmpty ? 0 : reader.count(scan), place)
            } catch let error as ServiceError where error.code == .zoneNotFound && tally?.told != nil {
                // A zone that was deleted has no records; the count goes on in case it comes back.
                return (0, place)
            }
        }
        tally?.count = count
        return place
    }

    /// Notes what a change means for the count.
    mutating func countOn(_ change: FollowedChange) {
        let (before, after) = results(of: change)
        tally?.count += (after == nil ? 0 : 1) - (before == nil ? 0 : 1)
    }
}
