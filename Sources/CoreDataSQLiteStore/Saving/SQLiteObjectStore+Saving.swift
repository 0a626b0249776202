internal import CStratusSQLite
internal import SQLiteAccess
internal import StratusCoreData

extension SQLiteObjectStore {
    func newObjectIDs(
        for objects: [(NSManagedObjectID, EntityLayout)], from context: NSManagedObjectContext?
    ) throws -> [NSManagedObjectID] {
        zip(objects, try reserveKeys(objects.map(\.1.entity))).map { object, key in
            NSManagedObjectID(reference: .row(key), entity: object.1.entity, store: self)
        }
    }

    /// Reserves keys by raising `Z_MAX` of the root entities.
    ///
    /// In a transaction of its own, so that several processes never give a key twice. It does not wait for the
    /// disk: the save that uses the keys does, and a key that is lost with the power was used by nobody.
    private func reserveKeys(_ entities: [NSEntityDescription]) throws -> [Int64] {
        let open = try writable()
        var counts: [Int: (table: EntityTable, count: Int64)] = [:]
        let roots = try Self.roots(of: entities, open)
        for root in roots { counts[root.number, default: (root, 0)].count += 1 }
        let connection = open.connection
        var next: [Int: Int64] = [:]
        try connection.transaction(.system) {
            for (number, entry) in counts {
                next[number] = try KeyRange.reserve(entry.count, entry.table, connection)
            }
        }
        return roots.map { root in
            let key = next[root.number] ?? 1
            // One more than the last that was reserved, which may be the largest number; nobody takes it.
            next[root.number] = key &+ 1
            return key
        }
    }

    /// The root of each entity, found once for entities that follow each other.
    private static func roots(of entities: [NSEntityDescription], _ open: OpenStore) throws -> [EntityTable] {
        var result: [EntityTable] = []
        result.reserveCapacity(entities.count)
        var last: NSEntityDescription?
        for entity in entities {
            if entity === last, let root = result.last {
                result.append(root)
                continue
            }
            result.append(try open.table(of: try open.table(of: entity).table.root))
            last = entity
        }
        return result
    }

    func save(_ changes: StoreChanges, from context: NSManagedObjectContext?) throws -> StoreSaveResult {
        guard !changes.isEmpty else {
            try saveMetadata()
            return StoreSaveResult()
        }
        return try beginSave(changes, from: context).commit()
    }

    func beginSave(_ changes: StoreChanges, from context: NSManagedObjectContext?) throws -> any OpenSave {
        let operation = SaveOperation(changes, self, try writable())
        try operation.write()
        return operation
    }
}

/// Keys of one table.
enum KeyRange {
    /// Raises `Z_MAX` within a transaction, and gives the first key.
    static func reserve(_ count: Int64, _ root: EntityTable, _ connection: SQLiteConnection) throws -> Int64 {
        // Other tools insert rows without raising it.
        let read = try connection.statement(
            "SELECT max(IFNULL((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?), 0), "
                + "IFNULL((SELECT max(Z_PK) FROM \(root.table.sqlName)), 0))")
        read.bind(Int64(root.number), at: 1)
        let last = try read.step() ? read.int(0) : 0
        read.reset()
        let first = try next(after: last, in: root.table.name)
        let (sum, overflow) = last.addingReportingOverflow(count)
        guard !overflow else { throw noneLeft(root.table.name) }
        let write = try connection.statement("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
        write.bind(sum, at: 1)
        write.bind(Int64(root.number), at: 2)
        try write.run()
        return first
    }

    /// The key after another one, which a file of others may have set to the largest number.
    static func next(after key: Int64, in table: String) throws -> Int64 {
        guard key < .max else { throw noneLeft(table) }
        return key + 1
    }

    private static func noneLeft(_ table: String) -> CocoaError {
        CoreDataError(134030, "The table \(table) has no keys left.").cocoa
    }
}
