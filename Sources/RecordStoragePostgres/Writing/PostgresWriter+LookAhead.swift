internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

/// Records that a write comes upon by others, such as those that are deleted with one.
extension PostgresWriter {
    /// How many records are fetched in one trip, and those who refer to them at most: others are asked for one by one.
    private static let mostRecords = 1_000
    private static let mostReferrers = 10_000

    // Name by name, each an entry of an index, whatever the planner believes of the tables (PostgresReader+PrefetchHint).
    private static let wantedAhead = "unnest((SELECT $2)) AS wanted (name)"
    private static let entriesAhead = PostgresStatement(
        """
        SELECT wanted.name, d.type, d.id FROM \(wantedAhead)
        CROSS JOIN LATERAL (
            SELECT type, id FROM directory
            WHERE zone = $1 AND name = wanted.name COLLATE "C" AND NOT deleted LIMIT 1) AS d
        """, .int8, .textArray)
    private static let referrersAhead = PostgresStatement(
        """
        SELECT r.target, r.owner, r.field, r.action FROM \(wantedAhead)
        CROSS JOIN LATERAL (
            SELECT * FROM reference WHERE zone = $1 AND target = wanted.name COLLATE "C"
            ORDER BY target, owner, field LIMIT \(mostReferrers + 1)) AS r
        LIMIT \(mostReferrers + 1)
        """, .int8, .textArray)

    func foresee(recordsNamed names: [String], in zone: Int64) throws {
        let names = names.filter { !foreseen.knows(recordNamed: $0, in: zone) }.prefix(Self.mostRecords)
        // One by itself takes as many trips without.
        guard names.count > 1 else { return }
        let values: [PostgresValue] = [.int(zone), .texts(names.map { PostgresText.encoded($0) })]
        let answers = try ask([
            PostgresCommand(Self.entriesAhead, values: values),
            PostgresCommand(Self.referrersAhead, values: values),
        ])
        let found = (0..<answers[0].count).map { row in
            GroupPrefetch.FoundRecord(
                zone: zone, name: PostgresText.decoded(answers[0].text(row, 0)), type: answers[0].int(row, 1),
                id: answers[0].int(row, 2))
        }
        var fetched = Foreseen()
        try GroupPrefetch.fetch(found, connection, into: &fetched)
        for case (let place, let record?) in fetched.records {
            foreseen.learn(record, named: place.name, in: zone)
        }
        let missing = Set(names.map { ExactText($0) }).subtracting(found.map { ExactText($0.name) })
        for name in missing { foreseen.learn(nil, named: name.text, in: zone) }
        guard answers[1].count <= Self.mostReferrers else { return }
        let referrers = ReferrerRow.byTarget(answers[1])
        for name in names { foreseen.learn(referrers[ExactText(name)] ?? [], to: name, in: zone) }
    }
}
