internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

extension PostgresReader {
    private static let directoryStatement = PostgresStatement(
        "SELECT type, id FROM directory WHERE zone = $1 AND name = $2 AND NOT deleted", .int8, .text)

    func record(named name: String, in zone: Int64) throws -> RecordRow? {
        if let known = foreseen.records[Foreseen.RecordPlace(zone: zone, name: name)] { return known }
        let found = try ask(Self.directoryStatement, .int(zone), .text(PostgresText.encoded(name)))
        guard found.count > 0 else { return nil }
        let (type, id) = (found.int(0, 0), found.int(0, 1))
        let statement = PostgresStatement(
            "SELECT sequence, created_by, created_at, body FROM r\(type) WHERE id = $1", .int8)
        let rows = try ask(statement, .int(id))
        guard rows.count > 0 else { throw Self.missingRecord }
        return RecordRow(
            id: id, zone: zone, type: type, name: name, sequence: rows.int(0, 0),
            createdBy: PostgresText.decoded(rows.text(0, 1)), createdAt: rows.int(0, 2),
            body: Array(rows.bytes(0, 3)))
    }

    func body(
        ofRecordNamed name: String, in zone: Int64, _ visit: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Bool {
        guard let row = try record(named: name, in: zone) else { return false }
        try row.body.withUnsafeBytes(visit)
        return true
    }

    static let missingRecord = StorageError.engine("The directory names a record that is missing.")

    func recordCount(of type: RecordType) throws -> Int {
        Int(try ask(PostgresStatement("SELECT count(*) FROM r\(type.id)")).int(0, 0))
    }

    private static let referrersStatement = PostgresStatement(
        """
        SELECT owner, field, action FROM reference WHERE zone = $1 AND target = $2
        ORDER BY owner, field LIMIT $3
        """, .int8, .text, .int8)
    private static let referrersByActionStatement = PostgresStatement(
        """
        SELECT owner, field, action FROM reference WHERE zone = $1 AND target = $2 AND action = $4
        ORDER BY owner, field LIMIT $3
        """, .int8, .text, .int8, .text)

    func origin(ofRecordNamed name: String, in zone: Int64) throws -> RecordOrigin? {
        try record(named: name, in: zone).map { RecordOrigin(type: $0.type, createdBy: $0.createdBy) }
    }

    func referrers(
        to name: String, in zone: Int64, action: Reference.Action?, limit: Int
    ) throws -> [ReferrerRow] {
        if let known = foreseen.referrers[Foreseen.RecordPlace(zone: zone, name: name)] {
            return Array(known.filter { action == nil || $0.action == action }.prefix(limit))
        }
        let (target, most) = (PostgresValue.text(PostgresText.encoded(name)), PostgresValue.int(Int64(limit)))
        let rows =
            if let action {
                try ask(Self.referrersByActionStatement, .int(zone), target, most, .text(action.rawValue))
            } else {
                try ask(Self.referrersStatement, .int(zone), target, most)
            }
        return (0..<rows.count).map { ReferrerRow(rows, $0, from: 0) }
    }

    private static let referenceCountStatement = PostgresStatement(
        "SELECT count(*) FROM reference WHERE zone = $1 AND target = $2 AND action = $3 AND owner <> $4",
        .int8, .text, .text, .text)

    func referenceCount(
        to name: String, in zone: Int64, action: Reference.Action, besides holder: String
    ) throws -> Int {
        let rows = try ask(
            Self.referenceCountStatement, .int(zone), .text(PostgresText.encoded(name)),
            .text(action.rawValue), .text(PostgresText.encoded(holder)))
        return Int(rows.int(0, 0))
    }

    // MARK: Feeds

    func changes(_ feed: ChangeFeed, _ visit: (borrowing ChangeRow) throws -> Bool) throws {
        var text = PostgresSQL(
            "SELECT sequence, name, type, id, deleted FROM directory WHERE tracked AND zone = ")
        text.append(feed.zone)
        text.append(" AND sequence > ")
        text.append(feed.after)
        // Who starts from nothing needs no tombstones: only what is there now.
        let isFirst = feed.after == 0 && feed.backwardsFrom == nil
        text.append(" AND (NOT deleted OR sequence > ")
        text.append(isFirst ? .max : feed.tombstonesAfter)
        text.append(")")
        if let end = feed.backwardsFrom {
            text.append(" AND sequence < ")
            text.append(end)
        }
        if let types = feed.types {
            text.append(" AND type = ANY(")
            text.append(.ints(types), .int8Array)
            text.append(")")
        }
        text.append(" ORDER BY sequence\(feed.backwardsFrom == nil ? "" : " DESC") LIMIT \(feed.limit)")
        let rows = try ask(text.command)
        let bodies = try bodies(of: rows)
        for row in 0..<rows.count {
            let name = PostgresText.decoded(rows.text(row, 1))
            let (sequence, type) = (rows.int(row, 0), rows.int(row, 2))
            guard !rows.bool(row, 4) else {
                guard try visit(ChangeRow(sequence: sequence, name: name, type: type, body: nil)) else {
                    return
                }
                continue
            }
            guard let (answer, position) = bodies[rows.int(row, 3)] else { throw Self.missingRecord }
            let change = ChangeRow(
                sequence: sequence, name: name, type: type, body: answer.bytes(position, 1))
            guard try visit(change) else { return }
        }
    }

    /// The bodies of the records that a part of the directory names, by number: one trip for all types.
    private func bodies(of rows: PostgresRows) throws -> [Int64: (PostgresRows, Int)] {
        var numbers: [Int64: [Int64]] = [:]
        for row in 0..<rows.count where !rows.bool(row, 4) {
            numbers[rows.int(row, 2), default: []].append(rows.int(row, 3))
        }
        guard !numbers.isEmpty else { return [:] }
        let commands = numbers.sorted { $0.key < $1.key }.map { type, ids in
            PostgresCommand(
                PostgresStatement("SELECT id, body FROM r\(type) WHERE id = ANY($1)", .int8Array),
                .ints(ids.map { $0 }))
        }
        var bodies: [Int64: (PostgresRows, Int)] = [:]
        for answer in try ask(commands) {
            for row in 0..<answer.count { bodies[answer.int(row, 0)] = (answer, row) }
        }
        return bodies
    }
}
