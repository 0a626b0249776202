internal import HashTreeCollections
internal import RecordModel
internal import RecordStorage

extension MemoryWriter {
    func noteAsset(_ content: AssetContent, at now: Int64) throws {
        guard let entry = state.assets[content.digest] else {
            state.assets[content.digest] = AssetEntry(
                size: content.size, createdAt: now, unusedSince: .time(now))
            return
        }
        // A file that records hold stays theirs, and one that a record let go of keeps its mark until a sweep has
        // checked whether others hold it.
        guard case .time? = entry.unusedSince else { return }
        state.assets[content.digest]?.unusedSince = .time(now)
    }

    func dateReleasedAssets(at now: Int64, limit: Int) throws -> Int {
        let released = state.assets.filter { $0.value.unusedSince == .released }.keys.prefix(limit)
        for digest in released {
            let isUsed = state.assetUses[digest] != nil || state.versions.holders[digest] != nil
            state.assets[digest]?.unusedSince = isUsed ? nil : .time(now)
        }
        return released.count
    }

    func removeAsset(_ digest: AssetDigest, unusedBefore time: Int64) throws -> Bool {
        guard case .time(let since)? = state.assets[digest]?.unusedSince, since < time,
            state.assetUses[digest] == nil, state.versions.holders[digest] == nil
        else { return false }
        state.assets[digest] = nil
        return true
    }

    func hold(_ assets: [(field: String, digest: AssetDigest)], of owner: String, in zone: Int64) {
        for (field, digest) in assets {
            state.assetUses[digest, default: []].insert(
                AssetHolder(zone: zone, owner: owner, field: field))
            state.assets[digest]?.unusedSince = nil
        }
    }

    func release(_ assets: [(field: String, digest: AssetDigest)], of owner: String, in zone: Int64) {
        for (field, digest) in assets {
            state.assetUses[digest]?.remove(AssetHolder(zone: zone, owner: owner, field: field))
            if state.assetUses[digest]?.isEmpty == true { state.assetUses[digest] = nil }
            state.assets[digest]?.unusedSince = .released
        }
    }
}
