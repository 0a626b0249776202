/// An object as its store has it, read by key without a context.
///
/// What it leads to is read from the store when a path asks for it.
final class StoredObject {
    /// The row as it was found; a store of the app's own may find it without values.
    let row: FetchedRow
    private let reader: ObjectReader
    private lazy var snapshot = row.snapshot ?? reader.row(of: objectID)?.snapshot
    /// The identity of the object.
    lazy var objectID = NSManagedObjectID(
        reference: row.reference, layout: row.layout, anchor: row.anchor)

    fileprivate init(_ row: FetchedRow, _ reader: ObjectReader) {
        self.row = row
        self.reader = reader
    }
}

extension StoredObject: KeyValueReadable {
    func value(forKey key: String) -> Any? {
        guard let slot = row.layout.slots[key] else {
            return key == "objectID" ? objectID : key == "entity" ? row.layout.entity : nil
        }
        if let relationship = row.layout.relationshipDescriptions[slot], relationship.isToMany {
            return reader.destinations(of: relationship, from: objectID)
        }
        guard slot < row.layout.storedCount, let value = snapshot?.value(slot, row.layout) else { return nil }
        if case .reference(let objectID) = value { return reader.object(objectID) }
        return value.anyValue(of: row.layout.attributeDescriptions[slot])
    }

    func offersValue(forKey key: String) -> Bool {
        row.layout.slots[key] != nil || key == "objectID" || key == "entity"
    }
}

extension StoredObject: PredicateValueConvertible {
    /// The object's ID: a predicate takes an object or its ID.
    var predicateValue: PredicateValue { .object(PredicateObject(objectID)) }
}

/// Reads the objects of one store for a fetch that is answered in memory. Used under the coordinator's lock.
final class ObjectReader {
    let store: any GraphStore
    private let generation: (any StoreGeneration)?
    /// What paths led to lately.
    private var known: [NSManagedObjectID: StoredObject] = [:]
    private static let knownLimit = 1_000
    /// The first failure of a read by key, which cannot throw itself.
    private var failure: (any Error)?

    init(_ store: any GraphStore, _ generation: (any StoreGeneration)?) {
        self.store = store
        self.generation = generation
    }

    /// Hands out what a fetch finds in the store.
    ///
    /// - Throws: what the store throws, also for what `each` read by key.
    func fetch(
        _ fetch: StoreFetch, withRows: Bool = true, each: (StoredObject) throws -> Void
    ) throws {
        try store.fetch(fetch, withRows: withRows, generation: generation) { row in
            try each(StoredObject(row, self))
            if let failure { throw failure }
        }
    }

    /// The number of objects that a fetch finds in the store.
    func count(_ fetch: StoreFetch) throws -> Int { try store.count(fetch, generation: generation) }

    fileprivate func row(of objectID: NSManagedObjectID) -> FetchedRow? {
        reading(nil) {
            var row = try store.row(of: objectID, generation: generation)
            row?.anchor = store.anchor
            return row
        }
    }

    fileprivate func object(_ objectID: NSManagedObjectID) -> StoredObject? {
        if let object = known[objectID] { return object }
        guard let row = row(of: objectID) else { return nil }
        if known.count >= Self.knownLimit { known.removeAll() }
        let object = StoredObject(row, self)
        known[objectID] = object
        return object
    }

    fileprivate func destinations(
        of relationship: NSRelationshipDescription, from objectID: NSManagedObjectID
    ) -> [StoredObject] {
        reading([]) {
            try store.destinations(of: relationship, from: objectID, generation: generation)
        }.compactMap(object)
    }

    private func reading<Value>(_ nothing: Value, _ work: () throws -> Value) -> Value {
        do { return try work() } catch {
            failure = failure ?? error
            return nothing
        }
    }
}
