internal import SQLiteAccess
internal import StratusCoreData

/// Another object that has values which have to be unique.
struct FoundDuplicate {
    var constraint: [String]
    var objectID: NSManagedObjectID
    var other: NSManagedObjectID
}

/// Looks for the rows that stand in the way of one.
struct DuplicateSearch {
    private let open: OpenStore
    private let table: EntityTable
    private let files: SaveFiles

    init(_ open: OpenStore, _ table: EntityTable, _ files: SaveFiles) {
        self.open = open
        self.table = table
        self.files = files
    }

    func others(_ change: ObjectChange) throws -> [FoundDuplicate] {
        var result: [FoundDuplicate] = []
        for constraint in open.layout.constraints(of: table) {
            let slots = constraint.compactMap { table.layout.slots[$0] }
            guard slots.count == constraint.count,
                let other = try other(slots, change.values, than: change.objectID.rowKey ?? -1)
            else { continue }
            let objectID = NSManagedObjectID(
                reference: .row(other.key), entity: other.entity, store: open.rows.store)
            result.append(FoundDuplicate(constraint: constraint, objectID: change.objectID, other: objectID))
        }
        return result
    }

    /// The row, other than one, that has the values in the slots.
    func other(
        _ slots: [Int], _ values: [PropertyValue], than key: Int64
    ) throws -> (key: Int64, entity: NSEntityDescription)? {
        let columns = slots.compactMap { WrittenColumn.all($0, table, open.layout).first }
        guard columns.count == slots.count, !columns.isEmpty else { return nil }
        let conditions = columns.map { "\($0.name) = ?" }.joined(separator: " AND ")
        let statement = try open.connection.statement(
            "SELECT Z_PK, Z_ENT FROM \(table.table.sqlName) WHERE \(conditions) AND Z_PK <> ? LIMIT 1")
        for (index, column) in columns.enumerated() {
            try open.writer(table).bind(values[column.slot], column, statement, Int32(index) + 1, files)
        }
        statement.bind(key, at: Int32(columns.count) + 1)
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        let entity = open.layout.entity(number: statement.int(1), in: table.table)?.entity ?? table.entity
        return (statement.int(0), entity)
    }
}

extension StoreLayout {
    /// The constraints that hold for objects of an entity: its own and those of its ancestors.
    func constraints(of table: EntityTable) -> [[String]] {
        var result: [[String]] = []
        var entity: NSEntityDescription? = table.entity
        while let current = entity {
            result += current.uniquenessConstraints.map(NSEntityDescription.names)
            entity = current.superentity
        }
        return result
    }

    func uniqueSlots(of table: EntityTable) -> [Int] {
        constraints(of: table).flatMap { $0.compactMap { table.layout.slots[$0] } }
            .filter { $0 < table.layout.storedCount }
    }

    /// The columns of each constraint.
    func uniqueColumns(of table: EntityTable) -> [[String]] {
        constraints(of: table).map { names in
            names.compactMap { table.layout.slots[$0] }.compactMap {
                WrittenColumn.all($0, table, self).first?.name
            }
        }
    }
}
