internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

/// What a group of writes wishes to know, asked together: one statement for each kind of question, whatever the number of
/// writes. It goes with the lock of all writes, in the same trip; bodies of records that are there take a second one.
struct GroupPrefetch {
    /// A zone that writes go to, by names: nobody knows the numbers yet.
    private struct Place: Hashable {
        var database: DatabaseID
        var zone: String
    }

    private struct WantedRecord: Hashable {
        var place: Int
        @ExactText var name: String
    }

    private var places: [Place] = []
    private var positions: [Place: Int] = [:]
    private var tenants: [Int64] = []
    private var keys: [[UInt8]] = []
    private var records: [WantedRecord] = []
    private var known: Set<WantedRecord> = []
    private var referred: [WantedRecord] = []
    private var zones: [Int64?] = []

    /// - Parameter catalog: knows the numbers of tenants; of those that are not in it there is nothing to ask.
    init(_ wishes: [PrefetchHint], _ catalog: PostgresCatalog) {
        for wish in wishes {
            if let key = wish.key { keys.append(key) }
            guard let tenant = catalog.tenants[wish.database.tenant] else { continue }
            let position = add(Place(database: wish.database, zone: wish.zone), tenant)
            for name in wish.records {
                let record = WantedRecord(place: position, name: name)
                if wish.referrers { referred.append(record) }
                if known.insert(record).inserted { records.append(record) }
            }
        }
    }

    private mutating func add(_ place: Place, _ tenant: Int64) -> Int {
        if let position = positions[place] { return position }
        positions[place] = places.count
        places.append(place)
        tenants.append(tenant)
        return places.count - 1
    }

    // MARK: Questions

    /// The zones of the places: the numbers of their databases are found on the way.
    private static let wantedPlaces = "unnest($1, $2, $3) WITH ORDINALITY AS w (tenant, owner, zone, number)"
    private static let placesStatement = PostgresStatement(
        """
        SELECT w.number, b.id, z.id, z.sequence, z.horizon FROM \(wantedPlaces)
        CROSS JOIN LATERAL (
            SELECT id FROM database WHERE tenant = w.tenant AND owner = w.owner COLLATE "C" LIMIT 1) AS b
        LEFT JOIN LATERAL (
            SELECT * FROM zone WHERE database = b.id AND name = w.zone COLLATE "C" AND NOT deleted LIMIT 1
        ) AS z ON true
        """, .int8Array, .textArray, .textArray)
    private static let numbers = """
        WITH numbers AS MATERIALIZED (
            SELECT array_agg((
                SELECT z.id FROM database AS b JOIN zone AS z ON z.database = b.id
                WHERE b.tenant = w.tenant AND b.owner = w.owner COLLATE "C" AND z.name = w.zone COLLATE "C"
                    AND NOT z.deleted) ORDER BY w.number) AS zones
            FROM \(wantedPlaces))
        """
    // Name by name, each an entry of an index, whatever the planner believes of the tables (PostgresReader+PrefetchHint).
    private static let wantedRecords = "unnest((SELECT $4), (SELECT $5)) AS r (place, name)"
    private static let zone = "(SELECT zones FROM numbers)[r.place]"
    private static let recordsStatement = PostgresStatement(
        """
        \(numbers)
        SELECT r.place, r.name, d.type, d.id FROM \(wantedRecords)
        CROSS JOIN LATERAL (
            SELECT type, id FROM directory
            WHERE zone = \(zone) AND name = r.name COLLATE "C" AND NOT deleted LIMIT 1) AS d
        """, .int8Array, .textArray, .textArray, .int8Array, .textArray)
    private static let referrersStatement = PostgresStatement(
        """
        \(numbers)
        SELECT r.place, d.target, d.owner, d.field, d.action FROM \(wantedRecords)
        CROSS JOIN LATERAL (
            SELECT * FROM reference WHERE zone = \(zone) AND target = r.name COLLATE "C"
            ORDER BY target, owner, field LIMIT \(PostgresReader.foreseenReferrers + 1)) AS d
        LIMIT \(PostgresReader.foreseenReferrers + 1)
        """, .int8Array, .textArray, .textArray, .int8Array, .textArray)
    private static let outcomesStatement = PostgresStatement(
        "SELECT key, request, created_at, outcome FROM kept_outcome WHERE key = ANY($1)", .byteaArray)

    /// What is asked, for ``take(_:into:)``.
    var commands: [PostgresCommand] {
        var commands: [PostgresCommand] = []
        let values: [PostgresValue] = [
            .ints(tenants), .texts(places.map { PostgresText.encoded($0.database.owner ?? "") }),
            .texts(places.map { PostgresText.encoded($0.zone) }),
        ]
        func wanted(_ records: [WantedRecord]) -> [PostgresValue] {
            // Arrays count from 1.
            values + [
                .ints(records.map { Int64($0.place + 1) }),
                .texts(records.map { PostgresText.encoded($0.name) }),
            ]
        }
        if !places.isEmpty { commands.append(PostgresCommand(Self.placesStatement, values: values)) }
        if !records.isEmpty {
            commands.append(PostgresCommand(Self.recordsStatement, values: wanted(records)))
        }
        if !referred.isEmpty {
            commands.append(PostgresCommand(Self.referrersStatement, values: wanted(referred)))
        }
        if !keys.isEmpty { commands.append(PostgresCommand(Self.outcomesStatement, .bytesList(keys))) }
        return commands
    }

    // MARK: Answers

    /// Takes in what was answered.
    ///
    /// - Returns: The numbers of the records that are there, by type, with their places: their bodies are to be fetched.
    mutating func take(_ answers: [PostgresRows], into foreseen: inout Foreseen) -> [FoundRecord] {
        var answers = answers[...]
        foreseen.isGathered = true
        if !places.isEmpty { takePlaces(answers.removeFirst(), &foreseen) }
        let found = records.isEmpty ? [] : takeRecords(answers.removeFirst(), &foreseen)
        if !referred.isEmpty { takeReferrers(answers.removeFirst(), &foreseen) }
        if !keys.isEmpty {
            for key in keys { foreseen.fetched(nil, of: key) }
            let rows = answers.removeFirst()
            for row in 0..<rows.count {
                let outcome = IdempotencyRecord(
                    key: Array(rows.bytes(row, 0)), request: Array(rows.bytes(row, 1)),
                    createdAt: rows.int(row, 2), outcome: Array(rows.bytes(row, 3)))
                foreseen.fetched(outcome, of: outcome.key)
            }
        }
        return found
    }

    private mutating func takePlaces(_ rows: PostgresRows, _ foreseen: inout Foreseen) {
        zones = [Int64?](repeating: nil, count: places.count)
        for place in places { foreseen.fetched(nil, of: place.database) }
        for row in 0..<rows.count {
            let position = Int(rows.int(row, 0)) - 1
            let (place, database) = (places[position], rows.int(row, 1))
            foreseen.fetched(database, of: place.database)
            zones[position] = rows.optionalInt(row, 2)
            let zone = zones[position].map {
                ZoneRow(
                    id: $0, database: database, name: place.zone, sequence: rows.int(row, 3),
                    isDeleted: false, forgottenUntil: rows.int(row, 4))
            }
            foreseen.fetched(zone: zone, named: place.zone, in: database)
        }
    }

    /// A record that is there, without its body.
    struct FoundRecord {
        var zone: Int64
        var name: String
        var type: Int64
        var id: Int64
    }

    private func takeRecords(_ rows: PostgresRows, _ foreseen: inout Foreseen) -> [FoundRecord] {
        let found: [FoundRecord] = (0..<rows.count).compactMap { row in
            zones[Int(rows.int(row, 0)) - 1].map {
                FoundRecord(
                    zone: $0, name: PostgresText.decoded(rows.text(row, 1)), type: rows.int(row, 2),
                    id: rows.int(row, 3))
            }
        }
        let there = Set(found.map { Foreseen.RecordPlace(zone: $0.zone, name: $0.name) })
        for record in records {
            guard let zone = zones[record.place],
                !there.contains(Foreseen.RecordPlace(zone: zone, name: record.name))
            else { continue }
            foreseen.fetched(record: nil, named: record.name, in: zone)
        }
        return found
    }

    private func takeReferrers(_ rows: PostgresRows, _ foreseen: inout Foreseen) {
        guard rows.count <= PostgresReader.foreseenReferrers else { return }
        var referrers: [WantedRecord: [ReferrerRow]] = [:]
        for row in 0..<rows.count {
            let target = WantedRecord(
                place: Int(rows.int(row, 0)) - 1, name: PostgresText.decoded(rows.text(row, 1)))
            referrers[target, default: []].append(ReferrerRow(rows, row, from: 2))
        }
        for record in referred {
            guard let zone = zones[record.place] else { continue }
            foreseen.fetched(referrers[record] ?? [], to: record.name, in: zone)
        }
    }

    // MARK: Bodies

    /// How many bytes of bodies are fetched for a group: records beyond are asked for one by one.
    private static let bytes = 16 << 20

    private static func bodies(ofType type: Int64) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT w.id, r.sequence, r.created_by, r.created_at,
                CASE WHEN sum(octet_length(r.body)) OVER (ORDER BY w.id ROWS UNBOUNDED PRECEDING) <= $2
                    THEN r.body END
            FROM unnest((SELECT $1)) AS w (id)
            CROSS JOIN LATERAL (SELECT * FROM r\(type) WHERE id = w.id LIMIT 1) AS r
            """, .int8Array, .int8)
    }

    /// Fetches the bodies of records, in one trip.
    static func fetch(
        _ found: [FoundRecord], _ connection: PostgresConnection, into foreseen: inout Foreseen
    ) throws {
        let byType = Dictionary(grouping: found, by: \.type).sorted { $0.key < $1.key }
        guard !byType.isEmpty else { return }
        let answers = try connection.run(
            byType.map { type, records in
                PostgresCommand(
                    bodies(ofType: type), .ints(records.map(\.id)), .int(Int64(bytes / byType.count)))
            })
        for ((type, records), rows) in zip(byType, answers) {
            let names = Dictionary(records.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
            for row in 0..<rows.count where !rows.isNull(row, 4) {
                guard let record = names[rows.int(row, 0)] else { continue }
                let stored = RecordRow(
                    id: record.id, zone: record.zone, type: type, name: record.name,
                    sequence: rows.int(row, 1), createdBy: PostgresText.decoded(rows.text(row, 2)),
                    createdAt: rows.int(row, 3), body: Array(rows.bytes(row, 4)))
                foreseen.fetched(record: stored, named: record.name, in: record.zone)
            }
        }
    }
}
