internal import HashTreeCollections
internal import RecordModel
internal import RecordStorage

extension MemoryReader {
    func asset(_ digest: AssetDigest) throws -> AssetRow? {
        let uses = (state.assetUses[digest]?.count ?? 0) + (state.versions.holders[digest] ?? 0)
        return state.assets[digest].map { row(digest, $0, uses: uses) }
    }

    func assets(of tenant: Tenant, after digest: AssetDigest?, limit: Int) throws -> [AssetRow] {
        let digests = state.assetUses.keys.filter { digest == nil || precedes(digest, $0) }
            .sorted { precedes($0, $1) }
        let rows = digests.lazy.compactMap { digest -> AssetRow? in
            let uses = self.uses(of: digest, in: tenant).count
            guard uses > 0, let entry = self.state.assets[digest] else { return nil }
            return self.row(digest, entry, uses: uses)
        }
        return Array(rows.prefix(limit))
    }

    func assetUses(of digest: AssetDigest, in tenant: Tenant, limit: Int) throws -> [AssetUse] {
        let uses = uses(of: digest, in: tenant).compactMap { holder -> AssetUse? in
            guard let zone = state.zones[holder.zone] else { return nil }
            return AssetUse(
                owner: state.databaseIDs[zone.database]?.owner, zoneName: zone.name,
                recordName: holder.owner, field: holder.field)
        }
        let sorted = uses.sorted { first, second in
            [first.owner ?? "", first.zoneName, first.recordName, first.field]
                .lexicographicallyPrecedes([
                    second.owner ?? "", second.zoneName, second.recordName, second.field,
                ])
        }
        return Array(sorted.prefix(limit))
    }

    func assetUsage(of tenant: Tenant) throws -> AssetUsage {
        var usage = AssetUsage()
        var types: [String: (files: Int, bytes: Int64)] = [:]
        let names = Dictionary(
            (state.schemas[tenant]?.types.values ?? [:].values).map { ($0.id, $0.name) },
            uniquingKeysWith: { first, _ in first })
        for digest in state.assetUses.keys {
            let uses = uses(of: digest, in: tenant)
            guard !uses.isEmpty, let size = state.assets[digest]?.size else { continue }
            usage.files += 1
            usage.bytes += size
            let used = Set(uses.compactMap { state.contents[$0.zone]?.entries[ExactText($0.owner)]?.type })
            for name in used.compactMap({ names[$0] }) {
                types[name, default: (0, 0)].files += 1
                types[name, default: (0, 0)].bytes += size
            }
        }
        usage.types = types.map { AssetUsage.TypeUsage(recordType: $0, files: $1.files, bytes: $1.bytes) }
            .sorted { $0.recordType.utf8.lexicographicallyPrecedes($1.recordType.utf8) }
        return usage
    }

    func assets(unusedBefore time: Int64, limit: Int) throws -> [AssetDigest] {
        let unused = state.assets.compactMap { digest, entry -> (digest: AssetDigest, since: Int64)? in
            guard case .time(let since)? = entry.unusedSince, since < time else { return nil }
            return (digest, since)
        }
        return unused.sorted { $0.since < $1.since }.prefix(limit).map(\.digest)
    }

    func oldestAsset() throws -> Int64? { state.assets.lazy.map(\.value.createdAt).min() }

    private func uses(of digest: AssetDigest, in tenant: Tenant) -> [AssetHolder] {
        (state.assetUses[digest] ?? []).filter { holder in
            guard let zone = state.zones[holder.zone] else { return false }
            return state.databaseIDs[zone.database]?.tenant == tenant
        }
    }

    private func row(_ digest: AssetDigest, _ entry: AssetEntry, uses: Int) -> AssetRow {
        AssetRow(
            content: AssetContent(digest: digest, size: entry.size), createdAt: entry.createdAt,
            unusedSince: entry.unusedSince, uses: uses)
    }

    private func precedes(_ first: AssetDigest?, _ second: AssetDigest) -> Bool {
        (first?.bytes ?? []).lexicographicallyPrecedes(second.bytes)
    }
}
