internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

extension PostgresReader {
    static let versionColumns = """
        id, sequence, database, zone, type, record, name, kind, ended_by, ended_at, created_by, created_at, bytes, body
        """

    /// The newest versions of a condition; lengths of bodies are known without reading them.
    private static func newest(_ condition: String, limit: String) -> String {
        """
        SELECT \(versionColumns) FROM (
            SELECT *, row_number() OVER newest AS place,
                sum(octet_length(body)) OVER newest - octet_length(body) AS before
            FROM record_version WHERE \(condition)
            WINDOW newest AS (ORDER BY id DESC) ORDER BY id DESC LIMIT \(limit)) AS version
        WHERE place <= 2 OR before < \(Limits.answerBytes) ORDER BY id DESC
        """
    }

    private static let versionsStatement = PostgresStatement(
        newest("zone = $1 AND name = $2 AND id < $3", limit: "$4"), .int8, .text, .int8, .int8)
    private static let versionStatement = PostgresStatement(
        newest("zone = $1 AND name = $2 AND sequence = $3", limit: "1"), .int8, .text, .int8)
    private static let deletedStatement = PostgresStatement(
        newest(
            "zone = $1 AND type = $2 AND kind = \(RecordVersion.End.deleted.rawValue) AND id < $3",
            limit: "$4"),
        .int8, .int8, .int8, .int8)

    func versions(
        ofRecordNamed name: String, in zone: Int64, before id: Int64?, limit: Int
    ) throws -> [RecordVersion] {
        Self.versions(
            try ask(
                Self.versionsStatement, .int(zone), .text(PostgresText.encoded(name)), .int(id ?? .max),
                .int(Int64(limit))))
    }

    func version(_ sequence: Int64, ofRecordNamed name: String, in zone: Int64) throws -> RecordVersion? {
        Self.versions(
            try ask(
                Self.versionStatement, .int(zone), .text(PostgresText.encoded(name)), .int(sequence))
        ).first
    }

    func deletedVersions(
        ofType type: Int64, in zone: Int64, before id: Int64?, limit: Int
    ) throws -> [RecordVersion] {
        Self.versions(
            try ask(
                Self.deletedStatement, .int(zone), .int(type), .int(id ?? .max), .int(Int64(limit))))
    }

    static func versions(_ rows: PostgresRows) -> [RecordVersion] {
        (0..<rows.count).map { row in
            RecordVersion(
                id: rows.int(row, 0), sequence: rows.int(row, 1), database: rows.int(row, 2),
                zone: rows.int(row, 3), type: rows.int(row, 4), record: rows.int(row, 5),
                name: PostgresText.decoded(rows.text(row, 6)),
                end: RecordVersion.End(rawValue: rows.int(row, 7)) ?? .replaced,
                endedBy: PostgresText.decoded(rows.text(row, 8)), endedAt: rows.int(row, 9),
                createdBy: PostgresText.decoded(rows.text(row, 10)), createdAt: rows.int(row, 11),
                bytes: rows.int(row, 12), body: Array(rows.bytes(row, 13)))
        }
    }

    /// A step in the index for each group, however many versions it has.
    private static let groupsStatement = PostgresStatement(
        """
        WITH RECURSIVE found AS (
            (SELECT zone, type, kind FROM record_version WHERE (zone, type, kind) > ($1, $2, $3)
                ORDER BY zone, type, kind LIMIT 1)
            UNION ALL
            SELECT next.zone, next.type, next.kind FROM found CROSS JOIN LATERAL (
                SELECT zone, type, kind FROM record_version AS v
                WHERE (v.zone, v.type, v.kind) > (found.zone, found.type, found.kind)
                ORDER BY v.zone, v.type, v.kind LIMIT 1) AS next)
        SELECT zone, type, kind FROM found LIMIT $4
        """, .int8, .int8, .int8, .int8)

    func versionGroups(after group: VersionGroup?, limit: Int) throws -> [VersionGroup] {
        let rows = try ask(
            Self.groupsStatement, .int(group?.zone ?? -1), .int(group?.type ?? -1),
            .int(group?.end.rawValue ?? -1), .int(Int64(limit)))
        return (0..<rows.count).map { row in
            VersionGroup(
                zone: rows.int(row, 0), type: rows.int(row, 1),
                end: RecordVersion.End(rawValue: rows.int(row, 2)) ?? .returned)
        }
    }

    private static let versionUsageStatement = PostgresStatement(
        "SELECT versions, version_bytes FROM database WHERE id = $1", .int8)

    func versionUsage(of database: Int64) throws -> VersionUsage {
        let rows = try ask(Self.versionUsageStatement, .int(database))
        guard rows.count > 0 else { return VersionUsage() }
        return VersionUsage(versions: rows.int(0, 0), bytes: rows.int(0, 1))
    }

    private static let versionPageStatement = PostgresStatement(
        """
        SELECT \(versionColumns) FROM (
            SELECT *, sum(octet_length(body)) OVER oldest - octet_length(body) AS before
            FROM record_version WHERE id > $1
            WINDOW oldest AS (ORDER BY id) ORDER BY id LIMIT $2) AS version
        WHERE before < $3 ORDER BY id
        """, .int8, .int8, .int8)
    private static let filesStatement = PostgresStatement(
        "SELECT version, digest FROM version_asset WHERE version >= $1 AND version <= $2 ORDER BY version, digest",
        .int8, .int8)

    /// Some of all versions, with their files, in the order of their numbers.
    func versionRows(after last: StoreRow?, _ portion: CopyPortion) throws -> [StoreRow] {
        var first: Int64 = 0
        if case .version(let row)? = last { first = row.id }
        let versions = Self.versions(
            try ask(
                Self.versionPageStatement, .int(first), .int(Int64(portion.rows)), .int(Int64(portion.bytes)))
        )
        guard let first = versions.first?.id, let last = versions.last?.id else { return [] }
        let rows = try ask(Self.filesStatement, .int(first), .int(last))
        var files: [Int64: [AssetDigest]] = [:]
        for row in 0..<rows.count {
            guard let digest = AssetDigest(bytes: Array(rows.bytes(row, 1))) else { continue }
            files[rows.int(row, 0), default: []].append(digest)
        }
        return versions.map {
            var version = $0
            version.assets = files[version.id] ?? []
            return .version(version)
        }
    }
}
