internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

extension PostgresReader {
    /// How many types' tables are looked into, and how many bytes of bodies are taken of each: records beyond are asked
    /// for one by one, so that a request for many large ones does not hold them all.
    private static let foreseenTypes = 8
    private static let foreseenBytes = 4 << 20
    static let foreseenReferrers = 1_000

    private static let found = """
        FROM zone z JOIN database b ON b.id = z.database
        WHERE b.tenant = $1 AND b.owner = $2 AND z.name = $3 AND NOT z.deleted
        """
    // Name by name, each an entry of an index, whatever the planner believes of the tables: one that is filled for the first
    // time has no statistics, and a walk over its whole zone looked cheaper then. How many there are is hidden from it, or
    // it would plan again for each list.
    private static let wanted = "FROM unnest((SELECT $4)) AS wanted (name)"
    private static let referrersForeseen = PostgresStatement(
        """
        SELECT target, owner, field, action \(wanted)
        CROSS JOIN LATERAL (
            SELECT * FROM reference
            WHERE zone = (SELECT z.id \(found)) AND target = wanted.name COLLATE "C"
            ORDER BY target, owner, field LIMIT \(foreseenReferrers + 1)) r
        ORDER BY target, owner, field LIMIT \(foreseenReferrers + 1)
        """, .int8, .text, .text, .textArray)

    /// The records of some types, and of others that they are there: a name is looked up once, in one statement, whatever
    /// the number of types.
    private static func recordsForeseen(_ types: [Int64]) -> PostgresStatement {
        func part(_ source: String, _ condition: String) -> String {
            "SELECT d.name, d.id, d.type, r.sequence, r.created_by, r.created_at, r.body FROM d"
                + " LEFT JOIN LATERAL (\(source)) r ON true WHERE \(condition)"
        }
        let columns = "sequence, created_by, created_at, body"
        let parts = types.map { type in
            part("SELECT \(columns) FROM r\(type) WHERE id = d.id LIMIT 1", "d.type = \(type)")
        }
        let others = part(
            "SELECT NULL::int8 AS sequence, NULL AS created_by, NULL::int8 AS created_at, NULL::bytea AS body",
            types.isEmpty ? "true" : "d.type NOT IN (\(types.map(String.init).joined(separator: ", ")))")
        return PostgresStatement(
            """
            SELECT name, id, type, sequence, created_by, created_at,
                CASE WHEN sum(octet_length(body)) OVER (ORDER BY name ROWS UNBOUNDED PRECEDING)
                    <= \(foreseenBytes) THEN body END
            FROM (
                WITH d AS MATERIALIZED (
                    SELECT d.name, d.type, d.id \(wanted)
                    CROSS JOIN LATERAL (
                        SELECT directory.name, directory.type, directory.id FROM directory
                        WHERE zone = (SELECT z.id \(found)) AND name = wanted.name COLLATE "C" AND NOT deleted
                        LIMIT 1) d)
                \((parts + [others]).joined(separator: " UNION ALL "))) AS records
            """, .int8, .text, .text, .textArray)
    }

    /// Fetches what one request will ask for, in one trip.
    func fetch(_ foresight: PrefetchHint) throws {
        foreseen = Foreseen()
        guard let name = zoneName(foresight) else { return }
        let names =
            Self.values(of: name)
            + [.texts(Set(foresight.records).sorted().map { PostgresText.encoded($0) })]
        var commands: [PostgresCommand] = []
        if let key = foresight.key {
            commands.append(PostgresCommand(Self.keptOutcomeStatement, values: [.bytes(key)]))
        }
        if !foresight.records.isEmpty {
            let types = types(of: foresight).map(\.id)
            commands.append(PostgresCommand(Self.recordsForeseen(types), values: names))
            if foresight.referrers {
                commands.append(PostgresCommand(Self.referrersForeseen, values: names))
            }
        }
        var answers = try ask(name, commands)[...]
        let opening = answers.removeFirst()
        foreseen.fetched(opening.optionalInt(0, 1), of: foresight.database)
        if let key = foresight.key {
            foreseen.fetched(Self.keptOutcome(of: key, answers.removeFirst()), of: key)
        }
        guard let zone = Self.zone(opening, named: name) else { return }
        foreseen.fetched(zone: zone, named: zone.name, in: zone.database)
        knownZones?.note(zone, name)
        guard !foresight.records.isEmpty else { return }
        takeRecords(answers.removeFirst(), foresight, in: zone.id)
        if foresight.referrers { takeReferrers(answers.removeFirst(), foresight, in: zone.id) }
    }

    private func types(of foresight: PrefetchHint) -> [RecordType] {
        let all = schemaTypes(of: foresight.database.tenant)
        let likely = all.filter { foresight.types.contains($0.name) }
        let others = all.filter { !foresight.types.contains($0.name) }
        return Array((likely + others).prefix(Self.foreseenTypes))
    }

    private func schemaTypes(of tenant: Tenant) -> [RecordType] {
        (catalog.schemas[tenant]?.types.values).map { $0.sorted { $0.id < $1.id } } ?? []
    }

    private func takeReferrers(_ rows: PostgresRows, _ foresight: PrefetchHint, in zone: Int64) {
        guard rows.count <= Self.foreseenReferrers else { return }
        let referrers = ReferrerRow.byTarget(rows)
        for target in Set(foresight.records.map { ExactText($0) }) {
            foreseen.fetched(referrers[target] ?? [], to: target.text, in: zone)
        }
    }

    /// - Parameter rows: a row for each record that is there; without a body where it was not fetched.
    private func takeRecords(_ rows: PostgresRows, _ foresight: PrefetchHint, in zone: Int64) {
        var found: Set<ExactText> = []
        for row in 0..<rows.count {
            let name = PostgresText.decoded(rows.text(row, 0))
            found.insert(ExactText(name))
            guard !rows.isNull(row, 6) else { continue }
            let record = RecordRow(
                id: rows.int(row, 1), zone: zone, type: rows.int(row, 2), name: name,
                sequence: rows.int(row, 3), createdBy: PostgresText.decoded(rows.text(row, 4)),
                createdAt: rows.int(row, 5), body: Array(rows.bytes(row, 6)))
            foreseen.fetched(record: record, named: name, in: zone)
        }
        for name in foresight.records where !found.contains(ExactText(name)) {
            foreseen.fetched(record: nil, named: name, in: zone)
        }
    }
}
