internal import HashTreeCollections
internal import RecordModel
internal import RecordStorage

/// The earlier states of records, by the place of their name.
struct MemoryVersions: Sendable {
    struct Place: Hashable, Sendable {
        var zone: Int64
        @ExactText var name: String
    }

    /// The versions of each name, the oldest first.
    private(set) var places: TreeDictionary<Place, [RecordVersion]> = [:]
    /// How many versions hold a file.
    private(set) var holders: TreeDictionary<AssetDigest, Int> = [:]

    var all: [RecordVersion] { places.values.flatMap { $0 } }

    func at(_ zone: Int64, _ name: String) -> [RecordVersion] { places[Place(zone: zone, name: name)] ?? [] }

    mutating func insert(_ version: RecordVersion) {
        places[Place(zone: version.zone, name: version.name), default: []].append(version)
        for digest in version.assets { holders[digest, default: 0] += 1 }
    }

    /// Takes versions out, and gives their files.
    mutating func remove(_ gone: [RecordVersion]) -> Set<AssetDigest> {
        for version in gone {
            let place = Place(zone: version.zone, name: version.name)
            places[place]?.removeAll { $0.id == version.id }
            if places[place]?.isEmpty == true { places[place] = nil }
            for digest in version.assets {
                holders[digest, default: 0] -= 1
                if holders[digest] == 0 { holders[digest] = nil }
            }
        }
        return Set(gone.flatMap(\.assets))
    }

    mutating func noteReturn(_ zone: Int64, _ name: String) {
        let place = Place(zone: zone, name: name)
        for index in (places[place] ?? []).indices where places[place]?[index].end == .deleted {
            places[place]?[index].end = .returned
        }
    }
}

extension MemoryReader {
    func versions(
        ofRecordNamed name: String, in zone: Int64, before id: Int64?, limit: Int
    ) throws -> [RecordVersion] {
        page(state.versions.at(zone, name), before: id, limit)
    }

    func version(_ sequence: Int64, ofRecordNamed name: String, in zone: Int64) throws -> RecordVersion? {
        page(state.versions.at(zone, name).filter { $0.sequence == sequence }, before: nil, 1).first
    }

    func deletedVersions(
        ofType type: Int64, in zone: Int64, before id: Int64?, limit: Int
    ) throws -> [RecordVersion] {
        let deleted = state.versions.all.filter { $0.zone == zone && $0.type == type && $0.end == .deleted }
        return page(deleted, before: id, limit)
    }

    private func page(_ all: [RecordVersion], before id: Int64?, _ limit: Int) -> [RecordVersion] {
        var versions: [RecordVersion] = []
        var bytes = 0
        for var version in all.filter({ $0.id < id ?? .max }).sorted(by: { $0.id > $1.id }).prefix(limit) {
            guard bytes < Limits.answerBytes || versions.count < 2 else { break }
            version.assets = []
            bytes += version.body.count
            versions.append(version)
        }
        return versions
    }

    func versionGroups(after group: VersionGroup?, limit: Int) throws -> [VersionGroup] {
        let keys = Set(state.versions.all.map { [$0.zone, $0.type, $0.end.rawValue] })
        let last = group.map { [$0.zone, $0.type, $0.end.rawValue] } ?? []
        return keys.filter { last.lexicographicallyPrecedes($0) }
            .sorted { $0.lexicographicallyPrecedes($1) }.prefix(limit)
            .map {
                VersionGroup(
                    zone: $0[0], type: $0[1], end: RecordVersion.End(rawValue: $0[2]) ?? .replaced)
            }
    }

    func versionUsage(of database: Int64) throws -> VersionUsage {
        state.versions.all.filter { $0.database == database }.reduce(into: VersionUsage()) {
            $0.versions += 1
            $0.bytes += $1.bytes
        }
    }
}

extension MemoryWriter {
    func setKeeping(
        _ keeping: VersionKeeping?, of recordType: RecordType, tenant: Tenant
    ) throws -> RecordType {
        var changed = recordType
        changed.keeping = keeping
        state.schemas[tenant, default: Schema()].set(changed)
        return changed
    }

    func keep(_ version: RecordVersion, atMost count: Int, room: Int64?) throws {
        state.versions.insert(version)
        forget(Array(state.versions.at(version.zone, version.name).sorted { $0.id < $1.id }.dropLast(count)))
        guard let room else { return }
        var taken = try versionUsage(of: version.database).bytes
        guard taken > room else { return }
        let oldest = state.versions.all.filter { $0.zone == version.zone && $0.type == version.type }
            .sorted { ($0.end.rawValue, $0.id) < ($1.end.rawValue, $1.id) }
        for version in oldest where taken > room - room / 8 {
            forget([version])
            taken -= version.bytes
        }
    }

    func noteReturn(ofRecordNamed name: String, in zone: Int64) throws {
        state.versions.noteReturn(zone, name)
    }

    func forgetVersions(of group: VersionGroup, endedBefore time: Int64) throws -> Bool {
        let all = state.versions.all
            .filter { $0.zone == group.zone && $0.type == group.type && $0.end == group.end }
            .sorted { $0.id < $1.id }
        forget(Array(all.prefix { $0.endedAt < time }))
        return true
    }

    func forgetVersions(ofRecordNamed name: String, in zone: Int64) throws {
        forget(state.versions.at(zone, name))
    }

    func forgetVersions(ofZone zone: Int64) { forget(state.versions.all.filter { $0.zone == zone }) }

    private func forget(_ versions: [RecordVersion]) {
        for digest in state.versions.remove(versions) { state.assets[digest]?.unusedSince = .released }
    }
}
