internal import HashTreeCollections
internal import RecordModel
internal import RecordStorage

/// The rows of a described table, by the values of the key.
struct MemoryTable: Sendable {
    private(set) var rows: TreeDictionary<[TableValue], [TableValue]> = [:]

    /// The rows that match, in no order.
    func matching(_ conditions: [TableCondition], of table: TableShape) -> [[TableValue]] {
        guard let key = Self.key(conditions, of: table) else {
            return rows.values.filter { table.accepts($0, conditions) }
        }
        return rows[key].map { table.accepts($0, conditions) ? [$0] : [] } ?? []
    }

    /// The key that conditions name a single row by; nil where there may be several.
    private static func key(_ conditions: [TableCondition], of table: TableShape) -> [TableValue]? {
        let values = table.columns.prefix(table.keyCount).compactMap { column in
            conditions.first { $0.column == column.name && $0.comparison == .equal }?.values[0]
        }
        return values.count == table.keyCount ? values : nil
    }

    /// Stores a row.
    ///
    /// - Throws: ``StorageError`` where the key or what is unique besides is another row's.
    mutating func store(_ row: [TableValue], of table: TableShape, replacing: Bool) throws {
        let key = Array(row.prefix(table.keyCount))
        let isTaken = !replacing && rows[key] != nil
        let unique = table.unique.map { $0.map(table.place(of:)) }
        guard
            !isTaken,
            unique.isEmpty
                || !rows.contains(where: { other in
                    other.key != key
                        && unique.contains { $0.allSatisfy { other.value[$0] == row[$0] } }
                })
        else { throw StorageError.engine("A row of the table '\(table.name)' already exists.") }
        rows[key] = row
    }

    mutating func remove(_ conditions: [TableCondition], of table: TableShape) {
        for row in matching(conditions, of: table) { rows[Array(row.prefix(table.keyCount))] = nil }
    }
}

extension MemoryReader {
    func rows(of table: TableShape, _ query: TableQuery) throws -> [[TableValue]] {
        let order = query.order.map { (place: table.place(of: $0.column), descends: $0.descends) }
        func precedes(_ mine: [TableValue], _ theirs: [TableValue]) -> Bool {
            for (place, descends) in order where mine[place] != theirs[place] {
                return mine[place].precedes(theirs[place]) != descends
            }
            return false
        }
        /// Whether a row comes after the one that the query goes on after.
        func follows(_ row: [TableValue]) -> Bool {
            for ((place, _), value) in zip(order, query.start) where row[place] != value {
                return value.precedes(row[place])
            }
            return query.start.isEmpty
        }
        let sorted = try matching(table, query.conditions).filter(follows).sorted(by: precedes)
        var room = query.bytes ?? .max
        return Array(
            sorted.prefix(query.limit ?? .max).prefix { row in
                defer { room -= row.reduce(0) { $0 + $1.byteCount } }
                return room > 0
            })
    }

    func total(of column: String?, in table: TableShape, where conditions: [TableCondition]) throws -> Int64 {
        let rows = try matching(table, conditions)
        guard let place = column.map(table.place(of:)) else { return Int64(rows.count) }
        return rows.reduce(0) { sum, row in
            if case .int(let value) = row[place] { sum + value } else { sum }
        }
    }

    private func matching(_ table: TableShape, _ conditions: [TableCondition]) throws -> [[TableValue]] {
        let rows =
            ownRows(of: table)?.filter { table.accepts($0, conditions) }
            ?? state.tables[table.name]?.matching(conditions, of: table) ?? []
        let databases = try conditions.filter { $0.comparison == .ofTenant }.map { condition in
            let tenant = Tenant(columnValue: condition.values[0])
            return (
                place: table.place(of: condition.column),
                numbers: Set(try tenant.map { try self.databases(of: $0) } ?? [])
            )
        }
        return rows.filter { row in
            databases.allSatisfy { place, numbers in
                if case .int(let number) = row[place] { numbers.contains(number) } else { false }
            }
        }
    }

    /// The rows of a table that the state keeps in another form; nil for all others.
    private func ownRows(of table: TableShape) -> [[TableValue]]? {
        switch table.name {
        case Catalogue.watches.shape.name:
            state.changeLog.watches.values.flatMap(\.values).map(Catalogue.watches.values)
        case Catalogue.changes.shape.name: state.changeLog.placed.map(Catalogue.changes.values)
        case Catalogue.outcomes.shape.name:
            state.keptOutcomes.order.compactMap { place in
                state.keptOutcomes.rows[place.key].map {
                    Catalogue.outcomes.values(of: PlacedOutcome(position: place.position, outcome: $0))
                }
            }
        default: nil
        }
    }
}

extension MemoryWriter {
    func store(_ row: [TableValue], in table: TableShape, replacing: Bool) throws {
        assert(row.count == table.columns.count, "A row has a value for each column.")
        switch table.name {
        case Catalogue.watches.shape.name:
            let watch = try Catalogue.watches.row(of: row)
            state.changeLog.watches[watch.database, default: [:]][watch.type] = watch
        case Catalogue.changes.shape.name: state.changeLog.restore(try Catalogue.changes.row(of: row))
        case Catalogue.outcomes.shape.name:
            let row = try Catalogue.outcomes.row(of: row)
            state.keptOutcomes.rows[row.outcome.key] = row.outcome
            state.keptOutcomes.order.append((row.position, row.outcome.key))
        default:
            for (column, value) in zip(table.columns, row) where column.kind == .tenant {
                if let tenant = Tenant(columnValue: value) { makeTenant(tenant) }
            }
            try state.tables[table.name, default: MemoryTable()].store(row, of: table, replacing: replacing)
        }
    }

    func update(
        _ table: TableShape, set values: [(column: String, value: TableValue)],
        where conditions: [TableCondition]
    ) throws {
        let places = values.map { (place: table.place(of: $0.column), value: $0.value) }
        for var row in state.tables[table.name]?.matching(conditions, of: table) ?? [] {
            for (place, value) in places { row[place] = value }
            try state.tables[table.name, default: MemoryTable()].store(row, of: table, replacing: true)
        }
    }

    func remove(from table: TableShape, where conditions: [TableCondition]) throws {
        state.tables[table.name]?.remove(conditions, of: table)
    }

    func announce(_ announcement: StoreAnnouncement) throws {
        if announcement == .revocation { hasRevoked = true }
    }
}
