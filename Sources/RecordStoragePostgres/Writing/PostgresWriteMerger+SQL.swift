internal import PostgresAccess
internal import RecordModel
internal import RecordStorage

/// The statements, which take any number of rows as one array for each column. One row alone goes as plain values, which
/// PostgreSQL does faster.
extension PostgresWriteMerger {
    typealias RecordState = PostgresWrite.RecordState

    static func insert(_ rows: [RecordState]) -> [PostgresCommand] {
        guard let first = rows.first else { return [] }
        let columns = RecordState.columns(of: first.type).joined(separator: ", ")
        return together(
            rows,
            alone: {
                "INSERT INTO r\($0.type.id) (\(columns)) VALUES (\(parameters($0.values.map(\.type))))"
            },
            together: {
                "INSERT INTO r\(first.type.id) (\(columns)) SELECT * FROM unnest(\(parameters($0)))"
            })
    }

    static func update(_ rows: [RecordState]) -> [PostgresCommand] {
        guard let first = rows.first else { return [] }
        // The number, the zone and the name stay.
        let columns = RecordState.columns(of: first.type)
        func assignments(_ value: (Int) -> String) -> String {
            columns.indices.dropFirst(3).map { "\(columns[$0]) = \(value($0))" }.joined(separator: ", ")
        }
        return together(
            rows,
            alone: { "UPDATE r\($0.type.id) SET \(assignments { "$\($0 + 1)" }) WHERE id = $1" },
            together: {
                """
                UPDATE r\(first.type.id) AS r SET \(assignments { "w.c\($0)" })
                FROM unnest(\(parameters($0))) AS w (\(columns.indices.map { "c\($0)" }.joined(separator: ", ")))
                WHERE r.id = w.c0
                """
            })
    }

    /// - Parameters:
    ///   - alone: the statement for one row, whose parameters are its values.
    ///   - together: that for many, whose parameters are arrays of these types.
    private static func together(
        _ rows: [RecordState], alone: (RecordState) -> String, together: ([PostgresType]) -> String
    ) -> [PostgresCommand] {
        guard rows.count > 1, let first = rows.first, !first.hasLists else {
            return rows.map { row in
                PostgresCommand(
                    PostgresStatement(sql: alone(row), types: row.values.map(\.type)),
                    values: row.values.map(\.value))
            }
        }
        let types = first.values.map(\.type)
        let arrays = types.indices.map { column in
            PostgresValue.array(rows.map { $0.values[column].value }, of: types[column])
        }
        let statement = PostgresStatement(sql: together(arrays.map(\.type)), types: arrays.map(\.type))
        return [PostgresCommand(statement, values: arrays.map(\.value))]
    }

    /// `$1, $2 …`
    private static func parameters(_ types: [PostgresType]) -> String {
        types.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
    }

    // MARK: Directory, references and zones

    /// Over the tombstone of an earlier record of the name, or the entry of the one that is changed.
    private static let entryEnd = """
        ON CONFLICT (zone, name) DO UPDATE SET
            type = excluded.type, id = excluded.id, sequence = excluded.sequence, deleted = false
        """
    private static let entryStatement = PostgresStatement(
        """
        INSERT INTO directory (zone, name, type, id, sequence, tracked, deleted)
        VALUES ($1, $2, $3, $4, $5, $6, false) \(entryEnd)
        """, .int8, .text, .int8, .int8, .int8, .bool)
    private static let entriesStatement = PostgresStatement(
        """
        INSERT INTO directory (zone, name, type, id, sequence, tracked, deleted)
        SELECT *, false FROM unnest($1, $2, $3, $4, $5, $6) \(entryEnd)
        """, .int8Array, .textArray, .int8Array, .int8Array, .int8Array, .boolArray)

    static func enter(_ entries: [PostgresWrite.DirectoryEntry]) -> PostgresCommand {
        if entries.count == 1, let entry = entries.first {
            return PostgresCommand(
                entryStatement, .int(entry.zone), .text(PostgresText.encoded(entry.name)), .int(entry.type),
                .int(entry.id), .int(entry.sequence), .bool(entry.isTracked))
        }
        return PostgresCommand(
            entriesStatement, .ints(entries.map(\.zone)),
            .texts(entries.map { PostgresText.encoded($0.name) }), .ints(entries.map(\.type)),
            .ints(entries.map(\.id)), .ints(entries.map(\.sequence)), .bools(entries.map(\.isTracked)))
    }

    private static let referenceStatement = PostgresStatement(
        """
        INSERT INTO reference (zone, target, owner, field, action) SELECT * FROM unnest($1, $2, $3, $4, $5)
        ON CONFLICT (zone, target, owner, field) DO UPDATE SET action = excluded.action
        """, .int8Array, .textArray, .textArray, .textArray, .textArray)

    static func refer(_ entries: [PostgresWrite.ReferenceEntry]) -> PostgresCommand {
        PostgresCommand(
            referenceStatement, .ints(entries.map(\.key.zone)),
            .texts(entries.map { PostgresText.encoded($0.key.target) }),
            .texts(entries.map { PostgresText.encoded($0.key.owner) }),
            .texts(entries.map(\.key.field)), .texts(entries.map(\.action)))
    }

    private static let endStatement = PostgresStatement(
        "DELETE FROM reference WHERE zone = $1 AND owner = $2", .int8, .text)
    private static let endsStatement = PostgresStatement(
        #"DELETE FROM reference USING unnest($1, $2) AS w (z, o) WHERE zone = w.z AND owner = w.o COLLATE "C""#,
        .int8Array, .textArray)

    static func end(_ places: [Foreseen.RecordPlace]) -> PostgresCommand {
        if places.count == 1, let place = places.first {
            return PostgresCommand(endStatement, .int(place.zone), .text(PostgresText.encoded(place.name)))
        }
        return PostgresCommand(
            endsStatement, .ints(places.map(\.zone)), .texts(places.map { PostgresText.encoded($0.name) }))
    }

    /// Changes come in the order of their numbers, but for those that are restored.
    private static let touchStatement = PostgresStatement(
        """
        UPDATE zone SET sequence = greatest(sequence, w.s) FROM unnest($1, $2) AS w (z, s) WHERE id = w.z
        """, .int8Array, .int8Array)

    static func touch(_ touches: [Int64: Int64]) -> PostgresCommand {
        let sorted = touches.sorted { $0.key < $1.key }
        return PostgresCommand(touchStatement, .ints(sorted.map(\.key)), .ints(sorted.map(\.value)))
    }
}

extension PostgresValue {
    /// An array of single values of one type, with its own.
    fileprivate static func array(
        _ values: [PostgresValue], of type: PostgresType
    ) -> (value: PostgresValue, type: PostgresType) {
        switch type {
        case .int8:
            (.ints(values.map { if case .int(let number) = $0 { number } else { nil } }), .int8Array)
        case .float8:
            (.doubles(values.map { if case .double(let number) = $0 { number } else { nil } }), .float8Array)
        case .bytea:
            (.bytesList(values.map { if case .bytes(let bytes) = $0 { bytes } else { nil } }), .byteaArray)
        case .bool:
            (.bools(values.map { if case .bool(let truth) = $0 { truth } else { nil } }), .boolArray)
        case .text, .byteaArray, .boolArray, .textArray, .int8Array, .float8Array:
            (.texts(values.map { if case .text(let text) = $0 { text } else { nil } }), .textArray)
        }
    }
}
