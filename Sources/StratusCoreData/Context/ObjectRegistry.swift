internal import CObjectRuntime

/// The objects of a context by their IDs, without keeping them alive: the one place where objects enter a context, leave
/// it and change their IDs. Stores of the app's own hear of it here.
///
/// Weak references would do, but an object that has one pays for it at every retain and release, which made fetches and
/// saves several times slower. So the registry keeps plain addresses, an object takes itself out when it goes, and
/// looking up asks the run time whether the object may still be kept.
///
/// Unchecked sendable: objects may go on any thread, so everything is under a lock. An object that is going waits in its
/// `deinit` for the lock, so the memory behind an address that is found under the lock is there.
final class ObjectRegistry: @unchecked Sendable {
    /// The context whose objects these are.
    weak var context: NSManagedObjectContext?
    private let lock = PlainLock()
    private var tables: [TableKey: Table] = [:]
    /// The table that was asked for last, which the next question is likely to be about.
    private var last: (store: StoreAnchor, rootNumber: Int, table: Table)?
    /// Objects that were never saved, by the numbers of their temporary IDs.
    private var unsaved = AddressTable()
    private var others: [NSManagedObjectID: UnsafeMutableRawPointer] = [:]
    /// Whether objects stay alive while the context does.
    var retainsObjects = false { didSet { retained = retainsObjects ? all : [] } }
    private var retained: [NSManagedObject] = []

    /// Tables by store and root entity.
    private struct TableKey: Hashable {
        var store: String
        var rootNumber: Int
    }

    /// The objects of one table of a store, which nearly all are.
    final class Table {
        fileprivate var objects = AddressTable()
        fileprivate unowned let registry: ObjectRegistry

        fileprivate init(_ registry: ObjectRegistry) { self.registry = registry }

        func object(_ key: Int64) -> NSManagedObject? {
            registry.lock.withLock { objects[key].flatMap(ObjectRegistry.retained) }
        }

        /// A new object of the table enters the context.
        func enter(_ object: NSManagedObject, _ key: Int64) {
            let registry = registry
            object.belong(to: registry)
            registry.lock.withLock { objects.set(Unmanaged.passUnretained(object).toOpaque(), key) }
            if registry.retainsObjects { registry.retained.append(object) }
        }
    }

    /// The object at an address, unless it is going. The caller holds the lock.
    private static func retained(_ address: UnsafeMutableRawPointer) -> NSManagedObject? {
        guard let kept = stratus_retain_unless_going(address) else { return nil }
        return Unmanaged<NSManagedObject>.fromOpaque(kept).takeRetainedValue()
    }

    func table(store: StoreAnchor, rootNumber: Int) -> Table {
        lock.withLock { lockedTable(store, rootNumber) }
    }

    private func lockedTable(_ store: StoreAnchor, _ rootNumber: Int) -> Table {
        if let last, last.store === store, last.rootNumber == rootNumber { return last.table }
        let key = TableKey(store: store.identifier, rootNumber: rootNumber)
        let table = tables[key] ?? Table(self)
        tables[key] = table
        last = (store, rootNumber, table)
        return table
    }

    func object(_ objectID: NSManagedObjectID) -> NSManagedObject? {
        if let key = objectID.rowKey, let store = objectID.anchor {
            return lock.withLock {
                lockedTable(store, objectID.rootNumber).objects[key].flatMap(Self.retained)
            }
        }
        let known = lock.withLock {
            (objectID.temporaryNumber.map { unsaved[$0] } ?? others[objectID]).flatMap(Self.retained)
        }
        if let known { return known }
        // Saved since: the object has another ID now.
        let current = objectID.current
        return current === objectID ? nil : object(current)
    }

    // MARK: Entering and leaving

    /// An object enters the context.
    func enter(_ object: NSManagedObject) {
        object.belong(to: self)
        set(object)
        if !object.identity.isTemporary { IncrementalStoreHooks.note(object) }
        if retainsObjects { retained.append(object) }
    }

    /// An object leaves the context, and has none from then on.
    func leave(_ object: NSManagedObject) {
        hide(object)
        object.belong(to: nil)
    }

    /// The context finds an object no more, which belongs to it still.
    func hide(_ object: NSManagedObject) {
        remove(object.identity)
        if retainsObjects { retained.removeAll { $0 === object } }
        if object.marks.remove(.tracked) != nil { IncrementalStoreHooks.forget([object.identity]) }
    }

    /// All objects leave.
    ///
    /// - Parameter each: called with each object before it leaves.
    func leaveAll(_ each: (NSManagedObject) -> Void) {
        retained = []
        for object in all {
            each(object)
            leave(object)
        }
    }

    /// Puts an object under its permanent ID.
    func rename(_ object: NSManagedObject, to objectID: NSManagedObjectID) {
        remove(object.identity)
        object.identity = objectID
        set(object)
        IncrementalStoreHooks.note(object)
    }

    private func set(_ object: NSManagedObject) {
        let objectID = object.identity
        let address = Unmanaged.passUnretained(object).toOpaque()
        lock.withLock {
            if let key = objectID.rowKey, let store = objectID.anchor {
                lockedTable(store, objectID.rootNumber).objects.set(address, key)
            } else if let number = objectID.temporaryNumber {
                unsaved.set(address, number)
            } else {
                others[objectID] = address
            }
        }
    }

    private func remove(_ objectID: NSManagedObjectID) {
        lock.withLock {
            if let key = objectID.rowKey, let store = objectID.anchor {
                lockedTable(store, objectID.rootNumber).objects.remove(key)
            } else if let number = objectID.temporaryNumber {
                unsaved.remove(number)
            } else {
                others[objectID] = nil
            }
        }
    }

    /// Forgets an object that leaves or goes, unless another one has taken its place.
    func forget(_ object: NSManagedObject) {
        let objectID = object.identity
        let address = Unmanaged.passUnretained(object).toOpaque()
        lock.withLock {
            if let key = objectID.rowKey, let store = objectID.anchor {
                let table = lockedTable(store, objectID.rootNumber)
                if table.objects[key] == address { table.objects.remove(key) }
            } else if let number = objectID.temporaryNumber {
                if unsaved[number] == address { unsaved.remove(number) }
            } else if others[objectID] == address {
                others[objectID] = nil
            }
        }
    }

    /// The objects whose IDs are temporary, or of a store of the app's own.
    var withoutRows: [NSManagedObject] {
        lock.withLock { (unsaved.addresses + Array(others.values)).compactMap(Self.retained) }
    }

    /// How many objects there are, those that are going among them.
    var count: Int {
        lock.withLock { tables.values.reduce(unsaved.count + others.count) { $0 + $1.objects.count } }
    }

    /// All objects that are alive.
    var all: [NSManagedObject] {
        lock.withLock {
            tables.values.flatMap { $0.objects.addresses.compactMap(Self.retained) }
                + (unsaved.addresses + Array(others.values)).compactMap(Self.retained)
        }
    }
}

/// The identity of a store, as IDs hold it: small, and outliving the store.
///
/// Unchecked sendable: the identifier is set before the first ID is made, and changes with the store's own.
package final class StoreAnchor: @unchecked Sendable {
    /// The store; nil once it is gone.
    weak var store: NSPersistentStore?
    /// Its identifier.
    var identifier: String

    init(store: NSPersistentStore) {
        self.store = store
        identifier = store.identifier ?? ""
    }
}
