internal import PostgresAccess
internal import RecordModel
internal import RecordStorage
internal import RecordWire

extension PostgresInspection {
    /// Every type has its table, and every table of records its type.
    func tableFinding() throws -> StoreFinding {
        let rows = try connection.run(
            sql: """
                SELECT relname::text FROM pg_class
                WHERE relkind = 'r' AND relname ~ '^r[0-9]+$' AND pg_table_is_visible(oid)
                """)
        let there = Set((0..<rows.count).map { rows.text($0, 0) })
        let known = Set(types.map { "r\($0.type.id)" })
        let missing = known.subtracting(there).sorted()
        guard missing.isEmpty else {
            return StoreFinding(
                "tables", .problem, "Tables of record types are missing: \(missing.joined(separator: ", ")).",
                remedy: Self.restoreRemedy)
        }
        let strays = there.subtracting(known).sorted()
        guard strays.isEmpty else {
            return StoreFinding(
                "tables", .problem, "Tables belong to no record type: \(strays.joined(separator: ", ")).",
                remedy: Self.restoreRemedy)
        }
        return StoreFinding("tables", .good, "\(known.count) record types have their tables.")
    }

    /// The directory of names and the tables of records say the same; where there is no feed, of a record's creation only.
    func directoryFinding() throws -> StoreFinding {
        var records: Int64 = 0
        var wrong: [String] = []
        for (tenant, type) in types {
            records += try count("SELECT count(*) FROM r\(type.id)")
            let unlisted = try count(
                """
                SELECT count(*) FROM r\(type.id) r WHERE NOT EXISTS (
                    SELECT 1 FROM directory d WHERE d.zone = r.zone AND d.name = r.name AND d.type = \(type.id)
                        AND d.id = r.id AND (d.sequence = r.sequence OR NOT d.tracked) AND NOT d.deleted)
                """)
            let lost = try count(
                """
                SELECT count(*) FROM directory d WHERE d.type = \(type.id) AND NOT d.deleted
                    AND NOT EXISTS (SELECT 1 FROM r\(type.id) r WHERE r.id = d.id)
                """)
            if unlisted > 0 {
                wrong.append("\(unlisted) of \(type.name) of \(tenant) are not in the directory")
            }
            if lost > 0 { wrong.append("\(lost) of \(type.name) of \(tenant) are in the directory alone") }
        }
        guard let first = wrong.first else {
            return StoreFinding("directory", .good, "\(records) records are in the directory, and no others.")
        }
        return StoreFinding(
            "directory", .problem, "Records and directory differ: \(first).", remedy: Self.restoreRemedy)
    }

    /// No change carries a sequence number that will be given again.
    func sequenceFinding() throws -> StoreFinding {
        let given = try count("SELECT value FROM meta WHERE key = 'sequence'")
        let largest = try count(
            """
            SELECT greatest((SELECT coalesce(max(sequence), 0) FROM directory),
                (SELECT coalesce(max(sequence), 0) FROM zone))
            """)
        guard largest > given else {
            return StoreFinding(
                "sequence", .good, "The last sequence number is \(given); nothing is ahead of it.")
        }
        return StoreFinding(
            "sequence", .problem,
            "A change has the sequence number \(largest), but \(given) is the last one given.",
            remedy: Self.restoreRemedy)
    }

    /// Every protected reference belongs to a record.
    func referenceFinding() throws -> StoreFinding {
        let lost = try count(
            """
            SELECT count(*) FROM reference r WHERE NOT EXISTS (
                SELECT 1 FROM directory d WHERE d.zone = r.zone AND d.name = r.owner AND NOT d.deleted)
            """)
        guard lost > 0 else {
            return StoreFinding("references", .good, "Every reference belongs to a record.")
        }
        return StoreFinding(
            "references", .problem, "\(lost) references belong to records that do not exist.",
            remedy: Self.restoreRemedy)
    }

    /// No index was left half made.
    func indexFinding() throws -> StoreFinding {
        let rows = try connection.run(
            sql: """
                SELECT indexrelid::regclass::text FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
                WHERE pg_table_is_visible(indrelid) AND relnamespace <> 'pg_catalog'::regnamespace
                    AND NOT (indisvalid AND indisready)
                """)
        guard rows.count > 0 else { return StoreFinding("indexes", .good, "All indexes are whole.") }
        let names = (0..<rows.count).map { rows.text($0, 0) }
        return StoreFinding(
            "indexes", .warning, "Indexes are not whole: \(names.joined(separator: ", ")).",
            remedy: "Make them again with REINDEX INDEX CONCURRENTLY.")
    }

    /// Files that records refer to are known and held.
    func assetFinding() throws -> StoreFinding {
        let lost = try count(
            """
            SELECT (SELECT count(*) FROM asset_use u WHERE NOT EXISTS (
                    SELECT 1 FROM asset a WHERE a.digest = u.digest AND coalesce(a.unused_since, -1) = -1))
                + (SELECT count(*) FROM asset_use u WHERE NOT EXISTS (
                    SELECT 1 FROM directory d WHERE d.zone = u.zone AND d.name = u.owner AND NOT d.deleted))
                + (SELECT count(*) FROM version_asset u WHERE NOT EXISTS (
                    SELECT 1 FROM asset a WHERE a.digest = u.digest AND coalesce(a.unused_since, -1) = -1))
                + (SELECT count(*) FROM version_asset u WHERE NOT EXISTS (
                    SELECT 1 FROM record_version v WHERE v.id = u.version))
            """)
        guard lost > 0 else {
            let files = try count("SELECT count(*) FROM asset")
            return StoreFinding("assets", .good, "\(files) files are known; records and files match.")
        }
        return StoreFinding(
            "assets", .problem, "\(lost) uses of files have no record, or no file.",
            remedy: Self.restoreRemedy)
    }

    /// A user's token belongs to a user. That they belong to tenants the database itself sees to.
    func accessFinding() throws -> StoreFinding {
        let userless = try count(
            """
            SELECT count(*) FROM token WHERE "user" IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM account WHERE account.tenant = token.tenant AND account.record_name = token."user")
            """)
        guard userless > 0 else { return StoreFinding("access", .good, "Tokens and users match.") }
        return StoreFinding(
            "access", .warning, "\(userless) web auth tokens are of users that are not listed.",
            remedy: "See 'stratus token list' and revoke those that are not needed.")
    }

    /// The bodies of some records of each type can be read, and are those of their rows.
    func bodyFinding() throws -> StoreFinding {
        var looked = 0
        for (tenant, type) in types {
            let half = max(1, sampledRecords / 2)
            let rows = try connection.run(
                sql: """
                    SELECT name, body FROM (SELECT * FROM r\(type.id) ORDER BY id LIMIT \(half)) first
                    UNION SELECT name, body FROM (SELECT * FROM r\(type.id) ORDER BY id DESC LIMIT \(half)) last
                    """)
            looked += rows.count
            for row in 0..<rows.count {
                let name = PostgresText.decoded(rows.text(row, 0))
                let body = Array(rows.bytes(row, 1)) + [UInt8(ascii: "}")]
                let object = try? JSONReader.read(body).object
                guard object?["recordName"]?.string != name || object?["recordType"]?.string != type.name
                else { continue }
                return StoreFinding(
                    "bodies", .problem,
                    "A record of \(type.name) of \(tenant) contradicts itself: '\(name)', whose body names another or cannot be read.",
                    remedy: "Save the record again, or restore the last backup.")
            }
        }
        return StoreFinding("bodies", .good, "\(looked) records were read; they agree with their rows.")
    }

    /// Who does the jobs that nodes share.
    func jobFinding() throws -> StoreFinding {
        let rows = try connection.run(
            sql: """
                SELECT job, ends_at > now(),
                    coalesce('last done ' || to_char(done_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') || ' UTC', 'not done yet')
                FROM lease ORDER BY job
                """)
        let jobs = (0..<rows.count).map { row in
            "\(rows.text(row, 0)) \(rows.bool(row, 1) ? "runs" : rows.text(row, 2))"
        }
        return StoreFinding(
            "jobs", .good,
            jobs.isEmpty
                ? "No node has done a job yet." : "Jobs of the nodes: \(jobs.joined(separator: "; ")).")
    }
}
