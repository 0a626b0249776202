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
    private static let databaseForeseen = PostgresStatement(
        "SELECT id FROM database WHERE tenant = $1 AND owner = $2", .int8, .text)
    private static let zoneForeseen = PostgresStatement(
        "SELECT z.id, z.database, z.name, z.sequence, z.deleted, z.horizon \(found)", .int8, .text, .text)
    // Name by name, each an entry of an index, whatever the planner believes of the tables: one that is filled for the first
    // time has no statistics, and a walk over its whole zone looked cheaper then. How many there are is hidden from it, or
    // it would plan again for each list.
    private static let wanted = "FROM unnest((SELECT $4)) AS wanted (name)"
    private static func inDirectory(_ condition: String = "") -> String {
        """
        CROSS JOIN LATERAL (
            SELECT directory.name, directory.id FROM directory
            WHERE zone = (SELECT z.id \(found)) AND name = wanted.name COLLATE "C" AND NOT deleted\(condition)
            LIMIT 1) d
        """
    }

    private static let directoryForeseen = PostgresStatement(
        "SELECT d.name \(wanted) \(inDirectory())", .int8, .text, .text, .textArray)
    private static let referrersForeseen = PostgresStatement(
        """
        SELECT target, owner, field, action \(wanted)
        CROSS JOIN LATERAL (
            SELECT * FROM reference
            WHERE zone = (SELECT z.id \(found)) AND target = wanted.name COLLATE "C"
            ORDER BY target, owner, field LIMIT \(foreseenReferrers + 1)) r
        ORDER BY target, owner, field LIMIT \(foreseenReferrers + 1)
        """, .int8, .text, .text, .textArray)

    private static func recordsForeseen(_ type: Int64) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT d.name, d.id, r.sequence, r.created_by, r.created_at,
                CASE WHEN sum(octet_length(r.body)) OVER (ORDER BY d.name ROWS UNBOUNDED PRECEDING)
                    <= \(foreseenBytes) THEN r.body END
            \(wanted) \(inDirectory(" AND type = \(type)"))
            CROSS JOIN LATERAL (SELECT * FROM r\(type) WHERE id = d.id LIMIT 1) r
            """, .int8, .text, .text, .textArray)
    }

    /// Fetches what one request will ask for, in one trip.
    func fetch(_ foresight: Foresight) throws {
        foreseen = Foreseen()
        guard let tenant = catalog.tenants[foresight.database.tenant] else { return }
        let owner = PostgresValue.text(PostgresText.encoded(foresight.database.owner ?? ""))
        let zone = [
            PostgresValue.int(tenant), owner, .text(PostgresText.encoded(foresight.zone)),
        ]
        let names =
            zone + [.texts(Set(foresight.records).sorted().map { PostgresText.encoded($0) })]
        let types = foresight.records.isEmpty ? [] : types(of: foresight)
        var commands = [
            PostgresCommand(Self.databaseForeseen, values: [.int(tenant), owner]),
            PostgresCommand(Self.zoneForeseen, values: zone),
        ]
        if let key = foresight.key {
            commands.append(PostgresCommand(Self.keptOutcomeStatement, values: [.bytes(key)]))
        }
        if !foresight.records.isEmpty {
            commands.append(PostgresCommand(Self.directoryForeseen, values: names))
            commands += types.map { PostgresCommand(Self.recordsForeseen($0.id), values: names) }
        }
        let asksReferrers = foresight.referrers && !foresight.records.isEmpty
        if asksReferrers { commands.append(PostgresCommand(Self.referrersForeseen, values: names)) }
        var answers = try ask(commands)[...]
        let database = answers.removeFirst()
        foreseen.fetched(database.count > 0 ? database.int(0, 0) : nil, of: foresight.database)
        let row = Self.zones(answers.removeFirst()).first
        if let key = foresight.key {
            foreseen.fetched(Self.keptOutcome(of: key, answers.removeFirst()), of: key)
        }
        guard let row else { return }
        foreseen.fetched(zone: row, named: row.name, in: row.database)
        guard !foresight.records.isEmpty else { return }
        let there = answers.removeFirst()
        if asksReferrers { takeReferrers(answers.removeLast(), foresight, in: row.id) }
        takeRecords(there, Array(answers), types, foresight, in: row.id)
    }

    private func types(of foresight: Foresight) -> [RecordType] {
        let all = schemaTypes(of: foresight.database.tenant)
        let likely = all.filter { foresight.types.contains($0.name) }
        let others = all.filter { !foresight.types.contains($0.name) }
        return Array((likely + others).prefix(Self.foreseenTypes))
    }

    private func schemaTypes(of tenant: Tenant) -> [RecordType] {
        (catalog.schemas[tenant]?.types.values).map { $0.sorted { $0.id < $1.id } } ?? []
    }

    private func takeReferrers(_ rows: PostgresRows, _ foresight: Foresight, in zone: Int64) {
        guard rows.count <= Self.foreseenReferrers else { return }
        var referrers = Dictionary(uniqueKeysWithValues: Set(foresight.records).map { ($0, [ReferrerRow]()) })
        for row in 0..<rows.count {
            referrers[PostgresText.decoded(rows.text(row, 0)), default: []].append(
                ReferrerRow(
                    name: PostgresText.decoded(rows.text(row, 1)),
                    field: PostgresText.decoded(rows.text(row, 2)),
                    action: Reference.Action(rawValue: rows.text(row, 3)) ?? .none))
        }
        for (target, rows) in referrers { foreseen.fetched(rows, to: target, in: zone) }
    }

    /// - Parameters:
    ///   - there: the names that the directory has.
    ///   - answers: the records of each type.
    private func takeRecords(
        _ there: PostgresRows, _ answers: [PostgresRows], _ types: [RecordType], _ foresight: Foresight,
        in zone: Int64
    ) {
        let found = Set((0..<there.count).map { PostgresText.decoded(there.text($0, 0)) })
        for name in foresight.records where !found.contains(name) {
            foreseen.fetched(record: nil, named: name, in: zone)
        }
        for (type, rows) in zip(types, answers) {
            for row in 0..<rows.count where !rows.isNull(row, 5) {
                let name = PostgresText.decoded(rows.text(row, 0))
                let record = RecordRow(
                    id: rows.int(row, 1), zone: zone, type: type.id, name: name,
                    sequence: rows.int(row, 2), createdBy: PostgresText.decoded(rows.text(row, 3)),
                    createdAt: rows.int(row, 4), body: Array(rows.bytes(row, 5)))
                foreseen.fetched(record: record, named: name, in: zone)
            }
        }
    }
}
