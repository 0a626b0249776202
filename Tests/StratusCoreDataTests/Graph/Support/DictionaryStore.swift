import Predicates
import StratusCoreData
import Synchronization

/// A store of the tests' own: rows in a dictionary that several coordinators share by its address.
final class DictionaryStore: NSIncrementalStore, @unchecked Sendable {
    static let storeType = NSPersistentStore.StoreType(rawValue: "Dictionary")

    /// What is "on disk"; guarded by its own lock, since several coordinators use it.
    final class Disk: @unchecked Sendable {
        let lock = NSRecursiveLock()
        let identifier = UUID().uuidString
        var rows: [String: Row] = [:]
        var lastKey = 0
        /// What was asked of the store, in order.
        var log: [String] = []
        var registered: [String: Int] = [:]
        /// Fails the next save.
        var failure: (any Error)?
        /// The entities whose rows cannot be read, and the relationships.
        var unreadable: Set<String> = []

        func requireReadable(_ name: String?) throws {
            if let name, unreadable.contains(name) { throw CocoaError(.fileReadNoPermission) }
        }
    }

    final class Row: KeyValueReadable {
        let key: String
        let entity: NSEntityDescription
        unowned let disk: Disk
        var version: UInt64 = 1
        var values: [String: Any] = [:]
        var ones: [String: String] = [:]
        var manys: [String: [String]] = [:]

        init(_ key: String, _ entity: NSEntityDescription, _ disk: Disk) {
            self.key = key
            self.entity = entity
            self.disk = disk
        }

        func value(forKey key: String) -> Any? {
            if let value = values[key] { return value }
            if let one = ones[key] { return disk.rows[one] }
            if let relationship = entity.relationshipsByName[key], relationship.isToMany {
                return (manys[key] ?? []).compactMap { disk.rows[$0] }
            }
            return nil
        }

        func offersValue(forKey key: String) -> Bool { entity.propertiesByName[key] != nil }
    }

    private static let disks = Mutex<[URL: Disk]>([:])

    static func disk(at url: URL) -> Disk {
        disks.withLock { disks in
            if let known = disks[url] { return known }
            let disk = Disk()
            disks[url] = disk
            return disk
        }
    }

    static func forget(_ url: URL) { disks.withLock { $0[url] = nil } }

    static let registered: Void = {
        NSPersistentStoreCoordinator.registerStoreClass(DictionaryStore.self, type: storeType)
    }()

    private(set) lazy var disk = Self.disk(at: url ?? URL(fileURLWithPath: "/dev/null"))

    override func loadMetadata() throws {
        metadata = [NSStoreUUIDKey: disk.identifier, NSStoreTypeKey: Self.storeType.rawValue]
    }

    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws
        -> Any
    {
        try disk.lock.withLock {
            if let fetch = request as? AnyFetchRequest { return try find(fetch, context) }
            guard let save = request as? NSSaveChangesRequest else {
                return try super.execute(request, with: context)
            }
            if let failure = disk.failure {
                disk.failure = nil
                throw failure
            }
            disk.log.append("save")
            for object in save.insertedObjects ?? [] { write(object, isNew: true) }
            for object in save.updatedObjects ?? [] { write(object, isNew: false) }
            for object in save.deletedObjects ?? [] { disk.rows[key(object.objectID)] = nil }
            return []
        }
    }

    func key(_ objectID: NSManagedObjectID) -> String { referenceObject(for: objectID) as? String ?? "?" }

    private func write(_ object: NSManagedObject, isNew: Bool) {
        let key = key(object.objectID)
        let row = disk.rows[key] ?? Row(key, object.entity, disk)
        if !isNew { row.version += 1 }
        // Asked once: its answer reads lists, and rows that were written before this one are in them already.
        let changed = Set(object.changedValues().keys)
        for (name, property) in object.entity.propertiesByName where !property.isTransient {
            guard let relationship = property as? NSRelationshipDescription else {
                row.values[name] = object.value(forKey: name)
                continue
            }
            if relationship.isToMany {
                if isNew || changed.contains(name) {
                    let objectIDs = object.objectIDs(forRelationshipNamed: name)
                    row.manys[name] = objectIDs.map { self.key($0) }
                }
            } else {
                row.ones[name] = object.objectIDs(forRelationshipNamed: name).first.map { self.key($0) }
            }
        }
        disk.rows[key] = row
    }

    private func objectID(_ row: Row) -> NSManagedObjectID {
        let entity =
            persistentStoreCoordinator?.managedObjectModel.entitiesByName[row.entity.name ?? ""] ?? row.entity
        return newObjectID(for: entity, referenceObject: row.key)
    }

    private func find(_ request: AnyFetchRequest, _ context: NSManagedObjectContext?) throws -> Any {
        disk.log.append("fetch \(request.entityName ?? "?")")
        guard let entity = request.entity else { return [] }
        var rows = disk.rows.values.filter { row in
            row.entity.name == entity.name
                || (request.includesSubentities && Self.isKind(row.entity, of: entity.name))
        }
        rows.sort { (Int($0.key) ?? 0) < (Int($1.key) ?? 0) }
        if let predicate = request.predicate {
            let tree = try PredicateTree(predicate)
            rows = try rows.filter { row in
                if let ids = Self.idList(tree) {
                    return ids.contains { $0 == objectID(row) }
                }
                return try Self.withKeys(tree, self).evaluate(on: row)
            }
        }
        for sort in (request.sortDescriptors ?? []).reversed() {
            let indexed = rows.enumerated().sorted { first, second in
                let order = sort.compare(first.element, to: second.element)
                return order == .orderedSame ? first.offset < second.offset : order == .orderedAscending
            }
            rows = indexed.map(\.element)
        }
        if request.resultType == .countResultType, request.fetchLimit == 0, request.fetchOffset == 0 {
            return [NSNumber(value: rows.count)]
        }
        rows = Array(rows.dropFirst(request.fetchOffset))
        if request.fetchLimit > 0 { rows = Array(rows.prefix(request.fetchLimit)) }
        switch request.resultType {
        case .countResultType: return [NSNumber(value: rows.count)]
        case .managedObjectIDResultType: return rows.map(objectID)
        case .dictionaryResultType:
            return rows.map { row -> [String: Any] in
                var values: [String: Any] = [:]
                for case let name as String in request.propertiesToFetch ?? [] {
                    values[name] = row.values[name]
                }
                return values
            }
        default: return rows.compactMap { context?.object(with: objectID($0)) }
        }
    }

    private static func isKind(_ entity: NSEntityDescription, of name: String?) -> Bool {
        var entity: NSEntityDescription? = entity
        while let current = entity {
            if current.name == name { return true }
            entity = current.superentity
        }
        return false
    }

    /// The IDs of `SELF IN {…}`, by which contexts ask for several rows at once.
    private static func idList(_ tree: PredicateTree) -> [NSManagedObjectID]? {
        guard case .comparison(let comparison) = tree, case .selfObject = comparison.left,
            case .constant(.list(let values)) = comparison.right
        else { return nil }
        return values.compactMap { value in
            if case .object(let object) = value { return object.base as? NSManagedObjectID }
            return nil
        }
    }

    /// Objects in a predicate stand for rows here.
    private static func withKeys(_ tree: PredicateTree, _ store: DictionaryStore) -> PredicateTree {
        guard case .comparison(var comparison) = tree else {
            switch tree {
            case .and(let parts): return .and(parts.map { withKeys($0, store) })
            case .or(let parts): return .or(parts.map { withKeys($0, store) })
            case .not(let part): return .not(withKeys(part, store))
            default: return tree
            }
        }
        if case .constant(.object(let object)) = comparison.right, let id = object.base as? NSManagedObjectID,
            let row = store.disk.rows[store.key(id)]
        {
            comparison.right = .constant(.object(PredicateObject(row)))
        }
        return .comparison(comparison)
    }

    override func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        try disk.lock.withLock {
            guard let row = disk.rows[key(objectID)] else {
                throw CocoaError(CocoaError.Code(rawValue: 133_000))
            }
            disk.log.append("read \(row.entity.name ?? "?")")
            try disk.requireReadable(row.entity.name)
            var values = row.values
            for (name, relationship) in row.entity.relationshipsByName where !relationship.isToMany {
                values[name] = row.ones[name].flatMap { disk.rows[$0] }.map(self.objectID) ?? NSNull()
            }
            return NSIncrementalStoreNode(objectID: objectID, withValues: values, version: row.version)
        }
    }

    override func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        try disk.lock.withLock {
            disk.log.append("relationship \(relationship.name)")
            try disk.requireReadable(relationship.name)
            let mine = key(objectID)
            // The to-one side of a relationship is what is written, so it is what is read.
            if let inverse = relationship.inverseRelationship, !inverse.isToMany, !relationship.isOrdered {
                return disk.rows.values.filter { $0.ones[inverse.name] == mine && $0.offers(inverse) }
                    .map(self.objectID)
            }
            return (disk.rows[mine]?.manys[relationship.name] ?? []).compactMap { disk.rows[$0] }.map(
                self.objectID)
        }
    }

    override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        disk.lock.withLock {
            array.map { object in
                disk.lastKey += 1
                return newObjectID(for: object.entity, referenceObject: "\(disk.lastKey)")
            }
        }
    }

    override func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {
        disk.lock.withLock { for id in objectIDs { disk.registered[key(id), default: 0] += 1 } }
    }

    override func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {
        disk.lock.withLock { for id in objectIDs { disk.registered[key(id), default: 0] -= 1 } }
    }
}

extension DictionaryStore.Row {
    fileprivate func offers(_ relationship: NSRelationshipDescription) -> Bool {
        entity.relationshipsByName[relationship.name]?.inverseRelationship?.name
            == relationship.inverseRelationship?.name
            && entity.relationshipsByName[relationship.name]?.destinationEntity?.name
                == relationship.destinationEntity?.name
    }
}
