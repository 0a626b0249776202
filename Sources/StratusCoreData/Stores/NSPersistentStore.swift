/// A store of a coordinator: one file, or memory.
///
/// Unchecked sendable: it is used under its coordinator's lock.
open class NSPersistentStore: NSObject, @unchecked Sendable {
    /// The kind of a store.
    public struct StoreType: RawRepresentable, Hashable, Sendable {
        /// Apple's name of the type.
        public let rawValue: String
        /// Takes a type by name, also one that an app registered.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// A SQLite file in Apple's layout.
        public static let sqlite = StoreType(rawValue: "SQLite")
        /// Not offered here: adding such a store is an error.
        public static let binary = StoreType(rawValue: "Binary")
        /// SQLite in memory.
        public static let inMemory = StoreType(rawValue: "InMemory")
        /// Not offered here: adding such a store is an error.
        public static let xml = StoreType(rawValue: "XML")
    }

    /// The coordinator that the store was added to.
    open internal(set) weak var persistentStoreCoordinator: NSPersistentStoreCoordinator?
    /// The name of the model's configuration whose entities are in the store.
    open internal(set) var configurationName: String
    /// What the store was added with.
    open internal(set) var options: [AnyHashable: Any]?
    /// Where the store is.
    open var url: URL?
    /// The store's identity, the same for its whole life.
    open var identifier: String! = UUID().uuidString { didSet { anchor.identifier = identifier ?? "" } }
    /// The identity, as IDs hold it.
    private(set) lazy var anchor = StoreAnchor(store: self)
    /// The kind of store, as its metadata says it.
    open var type: String { "" }
    /// Whether the store refuses changes.
    open var isReadOnly: Bool
    /// What the store knows about itself, `NSStoreType` and `NSStoreUUID` among it.
    open var metadata: [String: Any]! = [:]

    /// Makes a store that is not open yet.
    public init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName: String?,
        at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        self.persistentStoreCoordinator = root
        self.configurationName = configurationName ?? "PF_DEFAULT_CONFIGURATION_NAME"
        self.url = url
        self.options = options
        self.isReadOnly = (options?[NSReadOnlyPersistentStoreOption] as? NSNumber)?.boolValue ?? false
    }

    /// What ``StoreMaking`` calls, for a class that is known at run time only.
    @_silgen_name("stratus_store_init")
    convenience init(
        _madeFor root: NSPersistentStoreCoordinator?, named name: String?, at url: URL,
        options: [AnyHashable: Any]?
    ) {
        self.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
    }

    /// Opens the store and reads its metadata.
    ///
    /// - Throws: an error for a store that cannot be opened; adding it fails with it.
    open func loadMetadata() throws {}
    /// Reads what the store holds, where it is read as a whole.
    func readContents() throws {}

    /// What a store at an address knows about itself, read without opening it. A class of the app's own overrides it;
    /// this one reads SQLite stores.
    ///
    /// - Throws: `CocoaError` with code 134080 where there is no store.
    open class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
    }

    /// Changes what a store at an address knows about itself. A class of the app's own overrides it; this one writes
    /// SQLite stores.
    ///
    /// - Throws: `CocoaError` with code 134080 where there is no store.
    open class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        try NSPersistentStoreCoordinator.setMetadata(metadata, type: .sqlite, at: url)
    }

    /// The class that migrates stores of this class: ``NSMigrationManager``.
    open class func migrationManagerClass() -> AnyClass { NSMigrationManager.self }
    /// The store is in use from now.
    open func didAdd(to coordinator: NSPersistentStoreCoordinator) {}
    /// The store is about to be taken away.
    open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}

    // MARK: What a coordinator asks of a store. The types of the answers are in the files beside this one.

    /// Whether objects of the entity are in this store.
    func holds(_ entity: NSEntityDescription) -> Bool {
        guard let model = persistentStoreCoordinator?.managedObjectModel,
            let entities = model.entities(forConfigurationName: configurationName)
        else { return false }
        return entities.contains { $0 === entity }
    }

    /// Hands out the objects that a fetch finds, in order.
    ///
    /// - Parameter withRows: whether the rows are wanted, or only the IDs.
    /// - Parameter generation: a state of the store to read instead of the newest.
    func fetch(
        _ fetch: StoreFetch, withRows: Bool, generation: StoreGeneration?, each: (FetchedRow) throws -> Void
    ) throws {
        throw CoreDataError.unsupportedRequest("fetch", type).cocoa
    }

    /// The IDs of the objects that a fetch finds, in order.
    func objectIDs(_ fetch: StoreFetch, generation: StoreGeneration?) throws -> [NSManagedObjectID] {
        var objectIDs: [NSManagedObjectID] = []
        try self.fetch(fetch, withRows: false, generation: generation) { row in
            objectIDs.append(
                NSManagedObjectID(reference: row.reference, layout: row.layout, anchor: row.anchor))
        }
        return objectIDs
    }

    /// The number of objects that a fetch finds; its limit and offset count.
    func count(_ fetch: StoreFetch, generation: StoreGeneration?) throws -> Int {
        var count = 0
        try self.fetch(fetch, withRows: false, generation: generation) { _ in count += 1 }
        return count
    }

    /// The dictionaries that a fetch finds.
    func dictionaries(
        _ fetch: StoreFetch, _ columns: StoreColumns, generation: StoreGeneration?
    ) throws -> [[String: Any]] {
        throw CoreDataError.unsupportedRequest("fetch of dictionaries", type).cocoa
    }

    /// The row of an object; nil when it is gone.
    func row(of objectID: NSManagedObjectID, generation: StoreGeneration?) throws -> FetchedRow? {
        throw CoreDataError.unsupportedRequest("read", type).cocoa
    }

    /// What a to-many relationship leads to, in order where it has one.
    func destinations(
        of relationship: NSRelationshipDescription, from objectID: NSManagedObjectID,
        generation: StoreGeneration?
    ) throws -> [NSManagedObjectID] {
        throw CoreDataError.unsupportedRequest("relationship", type).cocoa
    }

    /// Keys for new objects, which nothing else gets; one for each entity in the list.
    func newReferences(for layouts: [EntityLayout]) throws -> [NSManagedObjectID.Reference] {
        throw CoreDataError.unsupportedRequest("insert", type).cocoa
    }

    /// Permanent IDs for new objects.
    ///
    /// - Parameter context: the context that asks, for stores of the app's own.
    func newObjectIDs(
        for objects: [(NSManagedObjectID, EntityLayout)], from context: NSManagedObjectContext?
    ) throws -> [NSManagedObjectID] {
        zip(objects, try newReferences(for: objects.map(\.1))).map { object, reference in
            NSManagedObjectID(reference: reference, entity: object.1.entity, store: self)
        }
    }

    /// Writes the changes in one transaction: all or nothing, on disk when it returns.
    ///
    /// - Parameter context: the context that saves, for stores of the app's own that ask its objects.
    /// - Throws: ``StoreConflicts`` where rows have changed meanwhile or values are not unique.
    func save(_ changes: StoreChanges, from context: NSManagedObjectContext?) throws -> StoreSaveResult {
        throw CoreDataError.unsupportedRequest("save", type).cocoa
    }

    /// Writes the changes as far as they can be taken back: the first half of a save to several stores.
    ///
    /// - Throws: what ``save(_:from:)`` throws; nothing is left to be taken back then.
    func beginSave(_ changes: StoreChanges, from context: NSManagedObjectContext?) throws -> any OpenSave {
        throw CoreDataError.unsupportedRequest("save", type).cocoa
    }

    /// Whether metadata was set that a save has to write.
    var hasUnsavedMetadata: Bool { false }

    /// Writes the metadata where it was set since it was written last; stores of the app's own write theirs themselves.
    func saveMetadata() throws {}

    /// Does a batch insert, update or delete, or reads the history.
    func execute(
        _ request: NSPersistentStoreRequest, in context: NSManagedObjectContext?
    ) throws -> NSPersistentStoreResult {
        throw CoreDataError.unsupportedRequest("\(Swift.type(of: request))", type).cocoa
    }

    /// The position that the store's history has reached; nil where it keeps none.
    func currentTransactionNumber() throws -> Int64? { nil }

    /// Fixes what is read from now on until it is released: a query generation.
    func openGeneration() throws -> StoreGeneration? { nil }

    /// Announces that the store was changed, where its options ask for that.
    func announceChange() {
        let asked = options?[NSPersistentStoreRemoteChangeNotificationPostOptionKey] as? NSNumber
        guard asked?.boolValue == true, let coordinator = persistentStoreCoordinator else { return }
        var info: [AnyHashable: Any] = [NSStoreUUIDKey: identifier ?? ""]
        info[NSPersistentStoreURLKey] = url
        info[NSPersistentHistoryTokenKey] = coordinator.currentPersistentHistoryToken(fromStores: [self])
        NotificationCenter.default.post(
            name: .NSPersistentStoreRemoteChange, object: coordinator, userInfo: info)
    }
}

/// A state of a store that is kept readable while others write.
class StoreGeneration {}
