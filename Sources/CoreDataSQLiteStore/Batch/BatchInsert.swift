internal import SQLiteAccess
internal import StratusCoreData

/// Does a batch insert.
///
/// Where a value has to be unique and is not, the context's merge policy decides: an object that trumps changes the
/// row that is there, a store that trumps keeps it, and an error takes the whole request back.
struct BatchInsert {
    private let request: NSBatchInsertRequest
    private let support: BatchSupport
    private let table: EntityTable

    init(
        _ request: NSBatchInsertRequest, _ store: SQLiteObjectStore, _ open: OpenStore,
        _ context: NSManagedObjectContext?
    ) throws {
        self.request = request
        support = BatchSupport(store: store, open: open, context: context)
        table = try support.entity(request.entityName, request.entity)
        guard !table.entity.isAbstract else {
            throw CoreDataError(134060, "'\(request.entityName)' is abstract: it has no objects of its own.")
                .cocoa
        }
    }

    func run() throws -> NSPersistentStoreResult {
        let files = support.newFiles()
        let objectIDs = try support.transaction(files) { try insert(files) }
        let result: Any =
            switch request.resultType {
            case .statusOnly: true
            case .objectIDs: objectIDs
            case .count: objectIDs.count
            }
        return NSBatchInsertResult(result: result, resultType: request.resultType)
    }

    private func insert(_ files: SaveFiles) throws -> [NSManagedObjectID] {
        let root = try support.open.table(of: table.table.root)
        let number = try support.beginHistory()
        var key = try KeyRange.reserve(0, root, support.connection)
        let first = key
        var result: [NSManagedObjectID] = []
        try eachObject { values, given in
            let change = ObjectChange(
                objectID: support.objectID(key, table), layout: table.layout, base: nil, values: values,
                changedSlots: given)
            switch try support.open.writer(table).insert(change, files) {
            case .done, .missing:
                try support.add(.insert, table, key, number)
                result.append(change.objectID)
                key = try KeyRange.next(after: key, in: root.table.name)
            case .duplicate:
                if let objectID = try settle(change, given, files, number) { result.append(objectID) }
            }
        }
        _ = try KeyRange.reserve(0, root, support.connection)
        if key > first {
            let statement = try support.connection.statement(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")
            statement.bind(key - 1, at: 1)
            statement.bind(Int64(root.number), at: 2)
            try statement.run()
        }
        if number != nil { try support.open.history?.finish() }
        return result
    }

    /// Does what the policy says about a row that is not unique; gives the row that was changed.
    private func settle(
        _ change: ObjectChange, _ given: [Int], _ files: SaveFiles, _ number: Int64?
    ) throws -> NSManagedObjectID? {
        let others = try DuplicateSearch(support.open, table, files).others(change)
        guard let other = others.first?.other, let key = other.rowKey else {
            throw BatchSupport.notUnique(table, support.open.layout.constraints(of: table))
        }
        switch support.policy {
        case .errorMergePolicyType: throw BatchSupport.notUnique(table, others.map(\.constraint))
        case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType: return nil
        case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType: break
        }
        guard let row = try support.store.row(of: other, support.open), let snapshot = row.snapshot,
            let target = support.open.layout.table(of: row.layout.entity)
        else { return nil }
        var updated = ObjectChange(
            objectID: support.objectID(key, target), layout: row.layout, base: snapshot,
            values: snapshot.values(row.layout),
            changedSlots: [])
        for slot in given {
            // The other row may be of another entity of the same family.
            guard let own = row.layout.slots[table.layout.properties[slot].name] else { continue }
            updated.values[own] = change.values[slot]
            updated.changedSlots.append(own)
        }
        updated.changedSlots.sort()
        try TemporaryKeys.fill([key], support.connection)
        let external = updated.changedSlots.filter {
            row.layout.attributeDescriptions[$0].map { support.open.layout.hasMarks($0) } ?? false
        }
        try support.noteFiles(target.table, external.flatMap { target.slots[$0].rowColumns }, files)
        if case .duplicate = try support.open.writer(target).update(updated, from: snapshot.version, files) {
            throw BatchSupport.notUnique(table, support.open.layout.constraints(of: table))
        }
        try support.add(.update, target, key, number, slots: updated.changedSlots)
        return updated.objectID
    }

    // MARK: What is inserted

    private func eachObject(_ body: ([PropertyValue], [Int]) throws -> Void) throws {
        if let objects = request.objectsToInsert {
            for object in objects { try values(object, body) }
        }
        if let handler = request.dictionaryHandler {
            while true {
                let dictionary = NSMutableDictionary()
                if handler(dictionary) { break }
                var object: [String: Any] = [:]
                for (key, value) in dictionary {
                    if let key = key as? String { object[key] = value }
                }
                try values(object, body)
            }
        }
        while let object = request.valuesOfNextObject(table.layout) {
            try body(object.values, object.given)
        }
    }

    private func values(_ object: [String: Any], _ body: ([PropertyValue], [Int]) throws -> Void) throws {
        var values = (0..<table.layout.storedCount).map { table.layout.defaults[$0] }
        var given: [Int] = []
        for (key, any) in object {
            let slot = try support.slot(key, table)
            values[slot] = try support.value(any, slot, table)
            given.append(slot)
        }
        try body(values, given.sorted())
    }
}
