import RecordModel
import RecordStorage
import SQLiteAccess

extension SQLiteReader {
    static let versionColumns = """
        id, sequence, database, zone, type, record, name, kind, ended_by, ended_at, created_by, created_at, bytes, body
        """

    func versions(
        ofRecordNamed name: String, in zone: Int64, before id: Int64?, limit: Int
    ) throws -> [RecordVersion] {
        try versions(
            where: "zone = ?1 AND name = ?2 AND id < ?3", [.int(zone), .text(name), .int(id ?? .max)], limit)
    }

    func version(_ sequence: Int64, ofRecordNamed name: String, in zone: Int64) throws -> RecordVersion? {
        try versions(
            where: "zone = ?1 AND name = ?2 AND sequence = ?3", [.int(zone), .text(name), .int(sequence)], 1
        ).first
    }

    func deletedVersions(
        ofType type: Int64, in zone: Int64, before id: Int64?, limit: Int
    ) throws -> [RecordVersion] {
        let kind = RecordVersion.End.deleted.rawValue
        return try versions(
            where: "zone = ?1 AND type = ?2 AND kind = \(kind) AND id < ?3",
            [.int(zone), .int(type), .int(id ?? .max)], limit)
    }

    private func versions(
        where condition: String, _ values: [StorageValue], _ limit: Int
    ) throws -> [RecordVersion] {
        let statement = try connection.statement(
            "SELECT \(Self.versionColumns) FROM record_version WHERE \(condition) ORDER BY id DESC LIMIT \(limit)"
        )
        defer { statement.reset() }
        statement.bind(values)
        var versions: [RecordVersion] = []
        var bytes = 0
        while bytes < Limits.answerBytes || versions.count < 2, try statement.step() {
            versions.append(Self.version(statement))
            bytes += versions.last?.body.count ?? 0
        }
        return versions
    }

    static func version(_ row: Statement) -> RecordVersion {
        RecordVersion(
            id: row.int(0), sequence: row.int(1), database: row.int(2), zone: row.int(3), type: row.int(4),
            record: row.int(5), name: row.text(6), end: RecordVersion.End(rawValue: row.int(7)) ?? .replaced,
            endedBy: row.text(8), endedAt: row.int(9), createdBy: row.text(10), createdAt: row.int(11),
            bytes: row.int(12), body: Array(row.bytes(13)))
    }

    func versionGroups(after group: VersionGroup?, limit: Int) throws -> [VersionGroup] {
        var groups: [VersionGroup] = []
        var last = group
        while groups.count < limit {
            // A step in the index for each group, however many versions it has.
            let statement = try connection.statement(
                """
                SELECT zone, type, kind FROM record_version WHERE (zone, type, kind) > (?, ?, ?)
                ORDER BY zone, type, kind LIMIT 1
                """)
            defer { statement.reset() }
            statement.bind(last?.zone ?? -1, at: 1)
            statement.bind(last?.type ?? -1, at: 2)
            statement.bind(last?.end.rawValue ?? -1, at: 3)
            guard try statement.step() else { break }
            let next = VersionGroup(
                zone: statement.int(0), type: statement.int(1),
                end: RecordVersion.End(rawValue: statement.int(2)) ?? .returned)
            groups.append(next)
            last = next
        }
        return groups
    }

    func versionUsage(of database: Int64) throws -> VersionUsage {
        let statement = try connection.statement(
            "SELECT versions, version_bytes FROM database WHERE id = ?")
        defer { statement.reset() }
        statement.bind(database, at: 1)
        guard try statement.step() else { return VersionUsage() }
        return VersionUsage(versions: statement.int(0), bytes: statement.int(1))
    }

    /// The files that a version holds, in the order of their digests.
    func assets(ofVersion id: Int64) throws -> [AssetDigest] {
        let statement = try connection.statement(
            "SELECT digest FROM version_asset WHERE version = ? ORDER BY digest")
        defer { statement.reset() }
        statement.bind(id, at: 1)
        var digests: [AssetDigest] = []
        while try statement.step() {
            if let digest = AssetDigest(bytes: Array(statement.bytes(0))) { digests.append(digest) }
        }
        return digests
    }
}
