import RecordModel
import RecordStorage
import RecordWire

/// Live queries and counts of the shared database. What a change of an owner is to somebody who takes part, only the shares of that
/// moment say; so the query is asked again, as `records/query` would be, and what it finds is told whole where it is another.
extension LivePlan {
    /// How long a query waits at least before it is asked again: others' changes must not keep the store busy.
    static let sharedPause = Duration.milliseconds(250)

    /// Whether it is of the shared database.
    var isShared: Bool { context.scope == .shared }

    /// What the query finds now: its page, or how many records there are.
    ///
    /// - Throws: `ZONE_NOT_FOUND` where the zone is not shared with the caller; `StorageError`.
    func sharedResult(
        isCount: Bool, isReplacement: Bool
    ) async throws -> (page: [UInt8], count: Int, position: Int64) {
        try await service.store.read(.long, for: context.party) { reader in
            let query = try SharedQuery(plan, context, reader, service.secret)
            let position = try reader.lastSequence()
            if isCount { return ([], try query.number(), position) }
            let (output, hasMore) = try query.page(after: nil, limit: limit) { row in
                let record = try LoggedRecord(body: Array(row.body))
                return Array(",\"place\":\"\(place(of: record, id: row.id))\"".utf8)
            }
            let again = isReplacement ? "\"startAgain\":true," : ""
            let start = Array("{\(again)\"moreComing\":\(hasMore),".utf8)
            return (start + output.body.dropFirst(), 0, position)
        }
    }
}

extension RecordService {
    /// The databases in which a query of the shared database looks for records, each with what is wanted of its changes.
    ///
    /// - Throws: `ZONE_NOT_FOUND` where the zone is not shared with the caller; `StorageError`.
    func sharedDatabases(_ plan: QueryPlan, _ context: CallContext) async throws -> [Int64: Set<Int64>] {
        try await store.read(.short, for: context.party) { reader in
            if plan.isZoneWide {
                guard let user = context.participant else { throw ServiceError.needsUser }
                return try SharedAudience.all(of: user, in: context.tenant, reader)
                    .mapValues { _ in [ChangeWatch.shares] }
            }
            let entered = try context.entering(plan.request.zoneID ?? .default, reader)
            guard let zone = entered.access?.zone else { throw ServiceError.zoneNotFound(.default) }
            return [zone.database: [ChangeWatch.shares]]
        }
    }
}

extension ServiceError {
    /// The end of a live query whose zone the caller has lost.
    static let sharedNoMore = ServiceError(
        .zoneNotFound, "The zone is not shared with you any more.",
        remedy: "Ask its owner to let you in again.")
}
