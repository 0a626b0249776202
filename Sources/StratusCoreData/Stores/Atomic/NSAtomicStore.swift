/// A store of the app's own that is read and written as a whole: a file format of few objects.
///
/// A subclass overrides ``load()``, which makes a node for each object and hands them to ``addCacheNodes(_:)``, and
/// ``save()``, which writes what ``cacheNodes()`` holds. It is registered with
/// ``NSPersistentStoreCoordinator/registerStoreClass(_:type:)``. Fetches, relationships and conflicts are answered from
/// the nodes, in memory. All methods are called under the coordinator's lock.
///
/// Not offered: uniqueness constraints, which are not checked, batch requests, and the history.
///
/// Unchecked sendable as all stores are: used under the coordinator's lock.
open class NSAtomicStore: NSPersistentStore, GraphStore, @unchecked Sendable {
    private var nodes: [NSManagedObjectID: NSAtomicStoreCacheNode] = [:]
    private let identifierUntilLoaded = UUID().uuidString

    /// Makes a store that is not loaded yet.
    public override init(
        persistentStoreCoordinator coordinator: NSPersistentStoreCoordinator?, configurationName: String?,
        at url: URL, options: [AnyHashable: Any]? = nil
    ) {
        super.init(
            persistentStoreCoordinator: coordinator, configurationName: configurationName, at: url,
            options: options)
    }

    open override var identifier: String! {
        get { metadata?[NSStoreUUIDKey] as? String ?? identifierUntilLoaded }
        set { metadata?[NSStoreUUIDKey] = newValue }
    }

    open override var type: String {
        metadata?[NSStoreTypeKey] as? String ?? options?[StoreTypeOption.key] as? String ?? ""
    }

    // MARK: What a subclass overrides

    /// Reads the file and adds a node for each object. A store without a file yet adds none.
    ///
    /// - Throws: `CocoaError` 134070 unless overridden; an override throws what the caller of `addPersistentStore` is to see.
    open func load() throws {
        throw missing("load()", "adds its nodes with addCacheNodes(_:)")
    }

    /// Writes all nodes, and the metadata.
    ///
    /// - Throws: `CocoaError` 134070 unless overridden; an override throws what the caller of the context's save is to see. The
    ///   nodes are then as they were before the save.
    open func save() throws {
        throw missing("save()", "writes cacheNodes()")
    }

    /// What identifies a new object in the store: a text or a number. A new UUID unless overridden.
    open func newReferenceObject(for managedObject: NSManagedObject) -> Any { UUID().uuidString }

    /// The node of a new object, with its attributes. Relationships are set afterwards, when all nodes are there.
    open func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
        let node = NSAtomicStoreCacheNode(objectID: managedObject.objectID)
        node.take(managedObject) { nodes[$0] }
        return node
    }

    /// Brings a node up to date with a changed object.
    open func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
        node.take(managedObject) { nodes[$0] }
    }

    /// The nodes of deleted objects are about to be taken out.
    open func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {}

    // MARK: What a subclass calls

    /// The nodes of all objects.
    open func cacheNodes() -> Set<NSAtomicStoreCacheNode> { Set(nodes.values) }

    /// Adds the nodes of objects.
    open func addCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
        for node in cacheNodes { nodes[node.objectID] = node }
    }

    /// The node of an object.
    open func cacheNode(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode? {
        nodes[objectID.current]
    }

    /// The ID of an object by what identifies it in the store: a text or a number; anything else counts by its
    /// description.
    open func objectID(for entity: NSEntityDescription, withReferenceObject data: Any) -> NSManagedObjectID {
        NSManagedObjectID(reference: .custom(CustomReference.text(data)), entity: entity, store: self)
    }

    /// What identifies an object in the store: the `String` or `NSNumber` that its ID was made with.
    open func referenceObject(for objectID: NSManagedObjectID) -> Any {
        guard case .custom(let text) = objectID.reference else { return NSNull() }
        return CustomReference.object(text)
    }

    private func missing(_ method: String, _ duty: String) -> CocoaError {
        CoreDataError(
            134070, "The store class \(Swift.type(of: self)) does not override \(method).",
            remedy: "Override it in the class; it \(duty)."
        ).cocoa
    }

    // MARK: What the coordinator asks

    package func readContents() throws {
        var known: [String: Any] = metadata ?? [:]
        if known[NSStoreUUIDKey] == nil { known[NSStoreUUIDKey] = identifier }
        if known[NSStoreTypeKey] == nil { known[NSStoreTypeKey] = type }
        metadata = known
        try load()
    }

    package func fetch(
        _ fetch: StoreFetch, withRows: Bool, generation: (any StoreGeneration)?,
        each: (FetchedRow) throws -> Void
    ) throws {
        for node in try found(fetch) {
            try each(
                FetchedRow(
                    layout: node.objectID.layout, reference: node.objectID.reference,
                    snapshot: withRows ? try node.snapshot() : nil, store: self))
        }
    }

    package func dictionaries(
        _ fetch: StoreFetch, _ columns: StoreColumns, generation: (any StoreGeneration)?
    ) throws -> [[String: Any]] {
        var query = try DictionaryQuery(fetch, columns)
        for node in try found(
            StoreFetch(
                entity: fetch.entity, includesSubentities: fetch.includesSubentities,
                predicate: fetch.predicate))
        {
            try query.add(node)
        }
        return try query.dictionaries()
    }

    private func found(_ fetch: StoreFetch) throws -> [NSAtomicStoreCacheNode] {
        try AtomicQuery(fetch: fetch).run(on: nodes.values)
    }

    package func row(of objectID: NSManagedObjectID, generation: (any StoreGeneration)?) throws -> FetchedRow?
    {
        guard let node = nodes[objectID] else { return nil }
        return FetchedRow(
            layout: node.objectID.layout, reference: node.objectID.reference, snapshot: try node.snapshot(),
            store: self)
    }

    package func destinations(
        of relationship: NSRelationshipDescription, from objectID: NSManagedObjectID,
        generation: (any StoreGeneration)?
    ) throws -> [NSManagedObjectID] {
        nodes[objectID]?.destinations(relationship.name).map(\.objectID) ?? []
    }

    package func newObjectIDs(
        for objects: [(NSManagedObjectID, EntityLayout)], from context: NSManagedObjectContext?
    ) throws -> [NSManagedObjectID] {
        objects.map { objectID, layout in
            // A context below the one that asks may have the object alone; then one like it stands in.
            let object =
                context?.registry.object(objectID)
                ?? ObjectBirth.make(layout.objectClass, layout: layout, objectID: objectID, isFault: false)
            return self.objectID(for: layout.entity, withReferenceObject: newReferenceObject(for: object))
        }
    }

    package func beginSave(
        _ changes: StoreChanges, from context: NSManagedObjectContext?
    ) throws -> any OpenSave {
        guard let context else { throw CoreDataError.noContextHere.cocoa }
        if isReadOnly { throw CoreDataError.readOnlyStore(url).cocoa }
        try check(changes)
        return AtomicSave(self, changes, context)
    }

    /// Brings the nodes up to date and writes them.
    ///
    /// - Throws: what ``save()`` throws; the nodes are then as they were.
    func write(_ changes: StoreChanges, _ context: NSManagedObjectContext) throws -> StoreSaveResult {
        let before = nodes.mapValues { SavedNode($0) }
        apply(changes, context)
        do {
            var result = StoreSaveResult()
            for change in changes.inserted + changes.updated {
                result.snapshots[change.objectID] = try nodes[change.objectID]?.snapshot()
            }
            try save()
            return result
        } catch {
            nodes = before.mapValues { $0.restored() }
            throw error
        }
    }

    private func check(_ changes: StoreChanges) throws {
        var conflicts = StoreConflicts()
        for change in changes.updated + changes.deleted {
            guard let base = change.base else { continue }
            let stored = nodes[change.objectID]
            // Deleted here and there: both have what they want.
            if stored == nil, change.values.isEmpty { continue }
            guard stored?.version != base.version else { continue }
            conflicts.stale.append(.init(objectID: change.objectID, stored: try stored?.snapshot()))
        }
        if !conflicts.stale.isEmpty { throw conflicts }
    }

    /// Brings the nodes up to date: new ones first, so that relationships can lead to them.
    private func apply(_ changes: StoreChanges, _ context: NSManagedObjectContext) {
        let inserted = changes.inserted.map { context.object(with: $0.objectID) }
        addCacheNodes(Set(inserted.map { newCacheNode(for: $0) }))
        for object in inserted { nodes[object.objectID]?.take(object) { nodes[$0] } }
        for change in changes.updated {
            guard let node = nodes[change.objectID] else { continue }
            updateCacheNode(node, from: context.object(with: change.objectID))
            node.version += 1
        }
        let deleted = Set(changes.deleted.compactMap { nodes[$0.objectID] })
        if !deleted.isEmpty { willRemoveCacheNodes(deleted) }
        for node in deleted { nodes[node.objectID] = nil }
    }

    /// A node as it was before a save.
    private struct SavedNode {
        let node: NSAtomicStoreCacheNode
        let version: Int64
        let values: NSMutableDictionary?

        init(_ node: NSAtomicStoreCacheNode) {
            self.node = node
            version = node.version
            values = node.propertyCache?.mutableCopy() as? NSMutableDictionary
        }

        func restored() -> NSAtomicStoreCacheNode {
            node.version = version
            node.propertyCache = values
            return node
        }
    }
}

/// A save of an ``NSAtomicStore``, which is written when it is committed.
private final class AtomicSave: OpenSave {
    private let atomicStore: NSAtomicStore
    private let changes: StoreChanges
    private let context: NSManagedObjectContext

    var store: NSPersistentStore { atomicStore }

    init(_ store: NSAtomicStore, _ changes: StoreChanges, _ context: NSManagedObjectContext) {
        atomicStore = store
        self.changes = changes
        self.context = context
    }

    func commit() throws -> StoreSaveResult { try atomicStore.write(changes, context) }

    func rollBack() {}
}
