internal import CStratusSQLite
internal import SQLiteAccess
internal import StratusCoreData

extension SQLiteObjectStore {
    func row(of objectID: NSManagedObjectID, generation: (any StoreGeneration)?) throws -> FetchedRow? {
        try row(of: objectID, try opened(), generation)
    }

    /// The row of an object of a store that is known to be open.
    func row(
        of objectID: NSManagedObjectID, _ open: OpenStore, _ generation: (any StoreGeneration)? = nil
    ) throws -> FetchedRow? {
        guard let key = objectID.rowKey else { return nil }
        let table = try open.table(of: objectID.entity)
        let shape = open.shape(table, includesSubentities: true)
        let sql = shape.rowStatement
        return try open.reading(generation).stepping(sql) { statement in
            statement.bind(key, at: 1)
            guard try statement.step() else { return nil }
            let page = PackedRows(shape, context: open.rows, capacity: 1)
            return open.fetched(statement, page, page.append(statement.handle, from: 3))
        }
    }

    func destinations(
        of relationship: NSRelationshipDescription, from objectID: NSManagedObjectID,
        generation: (any StoreGeneration)?
    ) throws -> [NSManagedObjectID] {
        let open = try opened()
        let table = try open.table(of: objectID.entity)
        guard let key = objectID.rowKey, let destination = relationship.destinationEntity,
            let sql = table.storage(relationship.name)?.destinationStatement
        else { return [] }
        return try open.reading(generation).stepping(sql) { statement in
            statement.bind(key, at: 1)
            var result: [NSManagedObjectID] = []
            while try statement.step() {
                // A row without a number, or with one that the model does not know, is no object.
                guard
                    let entity = open.layout.entity(number: Int(truncatingIfNeeded: statement.int(1)))?.entity
                else { continue }
                result.append(
                    NSManagedObjectID(
                        reference: .row(statement.int(0)),
                        entity: entity.isKindOf(entity: destination) ? entity : destination, store: self))
            }
            return result
        }
    }
}

extension OpenStore {
    /// The row at which a statement is, whose first columns are key, entity and version; nil for a row that
    /// is no object of the model.
    func fetched(_ statement: PreparedStatement, _ page: PackedRows, _ row: Int) -> FetchedRow? {
        guard let member = page.shape.member(number: statement.int(1)) else { return nil }
        return FetchedRow(
            layout: member.layout, reference: .row(statement.int(0)),
            snapshot: Snapshot(version: statement.int(2), page: page, row: row))
    }
}

extension RowShape {
    /// Reads one row of the entity by its key.
    var rowStatement: String {
        let numbers = entity.family.map(String.init).joined(separator: ", ")
        return
            "SELECT \(selectList("t0")) FROM \(entity.table.sqlName) t0 WHERE t0.Z_PK = ? AND t0.Z_ENT IN (\(numbers))"
    }
}

extension SlotStorage {
    /// Reads key and entity of the objects to which a to-many relationship leads; nil for other properties.
    var destinationStatement: String? {
        switch self {
        case .toManyKey(let key):
            let order = key.order.map { "\($0), Z_PK" } ?? "Z_PK"
            return "SELECT Z_PK, Z_ENT FROM \(key.table.sqlName) WHERE \(key.key) = ? ORDER BY \(order)"
        case .join(let side):
            let order = side.order.map { "j.\($0), d.Z_PK" } ?? "d.Z_PK"
            return "SELECT d.Z_PK, d.Z_ENT FROM \(side.table.sqlName) j JOIN \(side.destination.sqlName) d "
                + "ON d.Z_PK = j.\(side.other) WHERE j.\(side.own) = ? ORDER BY \(order)"
        case .none, .column, .composite, .toOne: return nil
        }
    }
}
