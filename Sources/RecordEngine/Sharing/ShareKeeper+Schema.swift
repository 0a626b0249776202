import RecordModel
import RecordStorage
import RecordWire

/// What becomes of shares where a type goes with all of its records, or all zones of a container: in the write that takes them away.
extension ShareKeeper {
    /// Settles what is shared before a type goes. Its records leave no departures, so feeds of hierarchies begin from nothing; what
    /// has lost its root is shared no more.
    static func settleRemoval(of type: RecordType, in tenant: Tenant, _ store: any StoreWriter) throws {
        for keeper in try keepers(of: tenant, store) {
            for share in try store.shares(in: keeper.zone.id, limit: .max) {
                guard let root = share.root else {
                    // Whoever sees the whole zone sees its tombstones.
                    if type.name == RecordInput.shareType { try keeper.close(share) }
                    continue
                }
                try keeper.expire(share)
                let isRootGone = try store.origin(ofRecordNamed: root, in: keeper.zone.id)?.type == type.id
                if isRootGone || type.name == RecordInput.shareType { try keeper.close(share) }
            }
            try keeper.finish()
        }
    }

    /// Ends all shares of a tenant, whose custom zones are about to go.
    static func endAll(of tenant: Tenant, _ store: any StoreWriter) throws {
        for keeper in try keepers(of: tenant, store) {
            for share in try store.shares(in: keeper.zone.id, limit: .max) { try keeper.expire(share) }
            try keeper.endAll()
            try store.deleteShareLinks(in: keeper.zone.id)
        }
    }

    /// A keeper for each zone of a tenant that shares something.
    ///
    /// What they note has no time: feeds are told to begin from nothing before a share ends.
    private static func keepers(of tenant: Tenant, _ store: any StoreWriter) throws -> [ShareKeeper] {
        let zones = Set(try store.shares(of: tenant, limit: .max).map(\.zone))
        return try zones.sorted().compactMap { number in
            try store.zone(numbered: number).map {
                ShareKeeper(try ShareHierarchy(zone: $0, store), store, now: 0)
            }
        }
    }

    /// Ends a share and deletes its record.
    private func close(_ share: ShareRow) throws {
        try end(share)
        guard let row = try store.record(named: share.name, in: zone.id) else { return }
        try store.delete(row, in: zone, sequence: try store.nextSequence())
    }
}
