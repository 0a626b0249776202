/// The objects of a context by their IDs, without keeping them alive.
///
/// Objects with rows, which are nearly all, are found by two numbers.
struct ObjectRegistry {
    fileprivate struct Weak {
        weak var object: NSManagedObject?
    }

    /// Tables by store and root entity.
    private struct TableKey: Hashable {
        var store: String
        var rootNumber: Int
    }

    /// The objects of one table of a store.
    final class Table {
        fileprivate var objects: [Int64: Weak] = [:]
        fileprivate var sweepAt = 1_024

        func object(_ key: Int64) -> NSManagedObject? { objects[key]?.object }

        func set(_ object: NSManagedObject, _ key: Int64) {
            if objects.count >= sweepAt { sweep() }
            objects[key] = Weak(object: object)
        }

        func remove(_ key: Int64) { objects[key] = nil }

        func reserve(_ count: Int) {
            objects.reserveCapacity(objects.count + count)
            sweepAt = max(sweepAt, objects.count + count + 1)
        }

        /// Drops the entries of objects that are gone; done each time the table has doubled, which makes its cost
        /// a constant for each object.
        private func sweep() {
            objects = objects.filter { $0.value.object != nil }
            sweepAt = max(1_024, objects.count * 2)
        }
    }

    private var tables: [TableKey: Table] = [:]
    private var others: [NSManagedObjectID: Weak] = [:]
    private var sweepOthersAt = 1_024

    mutating func table(store: String, rootNumber: Int) -> Table {
        let key = TableKey(store: store, rootNumber: rootNumber)
        if let table = tables[key] { return table }
        let table = Table()
        tables[key] = table
        return table
    }

    mutating func object(_ objectID: NSManagedObjectID) -> NSManagedObject? {
        if let key = objectID.rowKey, let store = objectID.storeIdentifier {
            return table(store: store, rootNumber: objectID.rootNumber).object(key)
        }
        if let known = others[objectID]?.object { return known }
        // Saved since: the object has another ID now.
        let current = objectID.current
        return current === objectID ? nil : object(current)
    }

    /// The objects whose IDs are temporary, or of a store of the app's own.
    var withoutRows: [NSManagedObject] { others.values.compactMap(\.object) }

    mutating func set(_ object: NSManagedObject) {
        let objectID = object.identity
        if let key = objectID.rowKey, let store = objectID.storeIdentifier {
            table(store: store, rootNumber: objectID.rootNumber).set(object, key)
            return
        }
        if others.count >= sweepOthersAt {
            others = others.filter { $0.value.object != nil }
            sweepOthersAt = max(1_024, others.count * 2)
        }
        others[objectID] = Weak(object: object)
    }

    mutating func remove(_ objectID: NSManagedObjectID) {
        if let key = objectID.rowKey, let store = objectID.storeIdentifier {
            table(store: store, rootNumber: objectID.rootNumber).remove(key)
        } else {
            others[objectID] = nil
        }
    }

    /// All objects that are alive.
    var all: [NSManagedObject] {
        tables.values.flatMap { $0.objects.values.compactMap(\.object) } + others.values.compactMap(\.object)
    }
}
