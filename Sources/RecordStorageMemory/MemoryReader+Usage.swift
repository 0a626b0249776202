internal import HashTreeCollections
internal import RecordModel
internal import RecordStorage

/// Usage is added up from what is there: this is what engines that count it are compared with.
extension MemoryReader {
    func usage(of database: Int64) throws -> StorageUsage {
        state.laggingUsage?[database] ?? storedUsage(of: database)
    }

    func storedUsage(of database: Int64) -> StorageUsage {
        let zones = state.zonesOfDatabases[database] ?? []
        var usage = StorageUsage()
        for zone in zones {
            for case let record? in (state.contents[zone]?.entries ?? [:]).values.map(\.record) {
                usage += StorageUsage(records: 1, recordBytes: Int64(record.body.count))
            }
        }
        for (digest, holders) in state.assetUses {
            let count = holders.count { zones.contains($0.zone) }
            usage.assetBytes += Int64(count) * (state.assets[digest]?.size ?? 0)
        }
        return usage
    }

    func usage(of tenant: Tenant) throws -> StorageUsage {
        try databases(of: tenant).reduce(StorageUsage()) { try $0 + usage(of: $1) }
    }

    func databaseUsages(of tenant: Tenant, limit: Int) throws -> [DatabaseUsage] {
        let all = try databases(of: tenant).map {
            DatabaseUsage(owner: state.databaseIDs[$0]?.owner, usage: try usage(of: $0))
        }
        return Array(all.sorted { $0.usage.bytes > $1.usage.bytes }.prefix(limit))
    }

    func assetBytes(ofRecordNamed name: String, in zone: Int64) throws -> Int64 {
        let uses = Set(
            (state.contents[zone]?.entries[ExactText(name)]?.record?.assets ?? []).map {
                AssetUseKey(field: $0.field, digest: $0.digest)
            })
        return uses.reduce(0) { $0 + (state.assets[$1.digest]?.size ?? 0) }
    }

    private struct AssetUseKey: Hashable {
        var field: String
        var digest: AssetDigest
    }

    var isUsageCounted: Bool { get throws { true } }
}
