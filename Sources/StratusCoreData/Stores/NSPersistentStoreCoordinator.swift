import Synchronization

/// Joins a model and the stores that hold its objects, for any number of contexts.
///
/// Unchecked sendable: a recursive lock guards everything that changes; stores are used under it only.
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
    /// The model; it can be changed no more.
    open var managedObjectModel: NSManagedObjectModel { model }
    let model: NSManagedObjectModel
    /// For the developer's eyes.
    open var name: String?
    private let mutex = CoordinatorLock()
    private var stores: [any GraphStore] = [] {
        didSet {
            ofTheApp.store(
                stores.contains { $0 is NSIncrementalStore || $0 is NSAtomicStore }, ordering: .releasing)
        }
    }
    private let ofTheApp = Atomic<Bool>(false)
    /// Whether one of the stores is of a class of the app, which wants to know who asks.
    var hasStoresOfTheApp: Bool { ofTheApp.load(ordering: .acquiring) }
    private var subscribers: [Subscriber] = []
    private let queue = DispatchQueue(label: "stratus.coredata.coordinator")
    private static let queueKey = DispatchSpecificKey<ObjectIdentifier>()

    struct Subscriber {
        weak var context: NSManagedObjectContext?
    }

    private static let storeClasses = Mutex<[String: NSPersistentStore.Type]>([:])

    /// Makes a coordinator without stores. The model can be changed no more afterwards.
    public init(managedObjectModel model: NSManagedObjectModel) {
        self.model = model
        super.init()
        queue.setSpecific(key: Self.queueKey, value: ObjectIdentifier(self))
        model.freezeForUse()
        ModelRegistry.register(model)
    }

    /// What ``CoordinatorMaking`` calls, for a class that is known at run time only.
    @_silgen_name("stratus_coordinator_init")
    convenience init(_madeFor model: NSManagedObjectModel) { self.init(managedObjectModel: model) }

    /// The stores.
    open var persistentStores: [NSPersistentStore] { graphStores.map { $0 } }
    /// The stores, as what is asked of them.
    var graphStores: [any GraphStore] { withLock { stores } }

    /// Does work while nobody else uses the stores. May be called inside itself.
    package func withLock<Result, Failure: Error>(_ work: () throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        try mutex.withLock(work)
    }

    /// Does work on the coordinator's queue, later, in the order of the calls.
    ///
    /// Nothing else happens on the coordinator meanwhile: contexts that fetch or save wait.
    open func perform(_ block: @escaping @Sendable () -> Void) {
        queue.async { self.withLock(block) }
    }

    /// Does work on the coordinator's queue, after what ``perform(_:)`` was given before, and waits for it.
    ///
    /// Nothing else happens on the coordinator meanwhile: contexts that fetch or save wait. May be called inside
    /// itself and inside `perform`.
    @preconcurrency
    open func performAndWait(_ block: @Sendable () -> Void) { runAndWait(block) }

    /// Does work as ``performAndWait(_:)`` does, and gives what it gives.
    @preconcurrency
    public func performAndWait<T>(_ block: @Sendable () throws -> T) rethrows -> T {
        try runAndWait(block)
    }

    /// As ``performAndWait(_:)``; the block may use what is not sendable, since nothing else runs until it ends.
    func runAndWait<T>(_ block: () throws -> T) rethrows -> T {
        if mutex.isHeldHere || DispatchQueue.getSpecific(key: Self.queueKey) == ObjectIdentifier(self) {
            return try withLock(block)
        }
        return try queue.sync { try withLock(block) }
    }

    // MARK: Kinds of stores

    /// Makes stores of a type be of a class of the app: a subclass of ``NSIncrementalStore``.
    open class func registerStoreClass(
        _ storeClass: NSPersistentStore.Type?, type: NSPersistentStore.StoreType
    ) {
        storeClasses.withLock { $0[type.rawValue] = storeClass }
    }

    /// The older spelling.
    open class func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {
        registerStoreClass(storeClass as? NSPersistentStore.Type, type: .init(rawValue: storeType))
    }

    /// The classes of the types that can be added.
    open class var registeredStoreTypes: [String: NSPersistentStore.Type] {
        storeClasses.withLock { $0 }.merging(SQLiteStoreClass.types) { registered, _ in registered }
    }

    // MARK: Adding and removing

    /// Opens a store, making or migrating it where needed.
    ///
    /// - Throws: `CocoaError`: 134000 for an unknown type, 134080 where the file cannot be opened, 134100 where
    ///   another model wrote it and it may not be migrated, 134110 to 134190 where a migration fails.
    @discardableResult
    open func addPersistentStore(
        type: NSPersistentStore.StoreType, configuration: String? = nil, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        guard let storeClass = Self.registeredStoreTypes[type.rawValue] else {
            if type == .sqlite || type == .inMemory { _ = try SQLiteStoreClass.required() }
            throw CoreDataError(
                134000, "There are no stores of the type '\(type.rawValue)' here.",
                remedy:
                    "Use one of: \(Self.registeredStoreTypes.keys.sorted().joined(separator: ", ")), or register a class."
            ).cocoa
        }
        if let configuration, managedObjectModel.entities(forConfigurationName: configuration) == nil {
            throw CoreDataError(
                134020, "The model has no configuration '\(configuration)'.",
                remedy: "It has: \(managedObjectModel.configurations.sorted().joined(separator: ", "))."
            ).cocoa
        }
        var options = options ?? [:]
        options[StoreTypeOption.key] = type.rawValue
        let store: any GraphStore = try withLock {
            if type == .sqlite, !url.isNullDevice, let open = stores.first(where: { $0.url == url }) {
                throw CoreDataError(
                    134080,
                    "The store at \(url.path) was added already, with the identifier \(open.identifier ?? "?").",
                    remedy: "Add each file once."
                ).cocoa
            }
            try migrateIfNeeded(storeClass, configuration: configuration, at: url, options: options)
            let made = storeClass.init(
                persistentStoreCoordinator: self, configurationName: configuration, at: url, options: options)
            guard let store = made as? any GraphStore else {
                throw CoreDataError(
                    134000, "The class \(storeClass) of the type '\(type.rawValue)' answers no requests.",
                    remedy: "Make it a subclass of NSIncrementalStore or NSAtomicStore."
                ).cocoa
            }
            try store.loadMetadata()
            try store.readContents()
            stores.append(store)
            store.didAdd(to: self)
            return store
        }
        // Not with the lock: an observer may wait for a context, or for its own queue.
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorStoresDidChange, object: self,
            userInfo: [NSAddedPersistentStoresKey: [store]])
        return store
    }

    /// Opens a store; the older spelling. Without an address it is one in memory.
    ///
    /// - Throws: what the newer spelling throws.
    @discardableResult
    open func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try addPersistentStore(
            type: .init(rawValue: storeType), configuration: configuration,
            at: storeURL ?? URL(fileURLWithPath: "/dev/null"), options: options)
    }

    /// Opens the store of a description, in the background where it says so.
    open func addPersistentStore(
        with storeDescription: NSPersistentStoreDescription,
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        // The description is not changed while the store is added, and the handler is called once.
        nonisolated(unsafe) let block = block
        let add: @Sendable () -> Void = {
            do {
                try self.addPersistentStore(
                    type: .init(rawValue: storeDescription.type),
                    configuration: storeDescription.configuration,
                    at: storeDescription.url ?? URL(fileURLWithPath: "/dev/null"),
                    options: storeDescription.options)
                block(storeDescription, nil)
            } catch {
                block(storeDescription, error)
            }
        }
        if storeDescription.shouldAddStoreAsynchronously { queue.async(execute: add) } else { add() }
    }

    /// Takes a store away. Objects of it that are in contexts can be read no more.
    ///
    /// - Throws: never; the signature is Apple's.
    open func remove(_ store: NSPersistentStore) throws {
        guard withLock({ stores.contains { $0 === store } }) else { return }
        // Neither is posted with the lock: an observer may wait for a context, or for its own queue. The object is the store,
        // not the coordinator as Apple's page has it: so do Apple's systems by the tests of
        // https://github.com/alemar11/CoreDataPlus (NotificationPayload_Tests.swift).
        NotificationCenter.default.post(name: .NSPersistentStoreCoordinatorWillRemoveStore, object: store)
        let isRemoved = withLock {
            guard stores.contains(where: { $0 === store }) else { return false }
            store.willRemove(from: self)
            stores.removeAll { $0 === store }
            return true
        }
        guard isRemoved else { return }
        NotificationCenter.default.post(
            name: .NSPersistentStoreCoordinatorStoresDidChange, object: self,
            userInfo: [NSRemovedPersistentStoresKey: [store]])
    }

    /// The store at an address.
    open func persistentStore(for url: URL) -> NSPersistentStore? {
        withLock { stores.first { $0.url?.standardizedFileURL == url.standardizedFileURL } }
    }

    /// Where a store is.
    open func url(for store: NSPersistentStore) -> URL { store.url ?? URL(fileURLWithPath: "/dev/null") }

    /// Says that a store is elsewhere now.
    @discardableResult
    open func setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
        withLock { store.url = url }
        return true
    }

    /// What a store knows about itself.
    open func metadata(for store: NSPersistentStore) -> [String: Any] { withLock { store.metadata ?? [:] } }

    /// Changes what a store knows about itself; written with the next save.
    open func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
        withLock { store.metadata = metadata ?? [:] }
    }

    // MARK: Files of stores

    /// What a store knows about itself, read without opening it.
    ///
    /// - Throws: `CocoaError` with code 134080 where there is no store.
    open class func metadataForPersistentStore(
        type: NSPersistentStore.StoreType, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] { try readMetadata(type, url) }

    /// What a store knows about itself; the older spelling.
    ///
    /// - Throws: what the newer spelling throws.
    open class func metadataForPersistentStore(
        ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
    ) throws -> [String: Any] {
        try metadataForPersistentStore(type: .init(rawValue: storeType), at: url, options: options)
    }

    /// Changes what a store knows about itself. What names its identity, type and model stays as it is.
    ///
    /// - Throws: `CocoaError`: 134080 where there is no store, 134030 for a value that a property list cannot hold.
    open class func setMetadata(
        _ metadata: [String: Any]?, type: NSPersistentStore.StoreType, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws { try writeMetadata(metadata, type, url, options) }

    /// Changes what a store knows about itself; the older spelling.
    ///
    /// - Throws: what the newer spelling throws.
    open class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) throws {
        try setMetadata(metadata, type: .init(rawValue: storeType), at: url, options: options)
    }

    /// Moves a store to another address: copies it, opens the copy, and takes the first away from the coordinator.
    ///
    /// The first store's files stay where they are, as on Apple's platforms. A store in memory becomes a file by it.
    /// - Throws: `CocoaError`: 134160 where there is a store at the address already, 134000 for another type.
    @discardableResult
    open func migratePersistentStore(
        _ store: NSPersistentStore, to url: URL, options: [AnyHashable: Any]? = nil,
        type: NSPersistentStore.StoreType
    ) throws -> NSPersistentStore { try move(store, to: url, options, type) }

    /// Moves a store to another address; the older spelling.
    ///
    /// - Throws: what the newer spelling throws.
    @discardableResult
    open func migratePersistentStore(
        _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]? = nil,
        withType storeType: String
    ) throws -> NSPersistentStore {
        try migratePersistentStore(store, to: URL, options: options, type: .init(rawValue: storeType))
    }

    /// Puts a copy of one store in another's place.
    ///
    /// The copy is made beside the other store and renamed over it, so that one of them is there whole at every moment.
    /// - Throws: `CocoaError`: 134080 where there is no store to copy, 134090 where the other one is in use.
    open func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL,
        sourceOptions: [AnyHashable: Any]? = nil, type: NSPersistentStore.StoreType
    ) throws { try replace(destinationURL, from: sourceURL, type) }

    /// Puts a copy of one store in another's place; the older spelling.
    ///
    /// - Throws: what the newer spelling throws.
    open func replacePersistentStore(
        at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
        withPersistentStoreFrom sourceURL: URL,
        sourceOptions: [AnyHashable: Any]? = nil, ofType storeType: String
    ) throws {
        try replacePersistentStore(
            at: destinationURL, destinationOptions: destinationOptions, withPersistentStoreFrom: sourceURL,
            sourceOptions: sourceOptions, type: .init(rawValue: storeType))
    }

    /// Removes all that is in a store: its database, its logs, and its large values.
    ///
    /// An empty file stays, as on Apple's systems, where apps and tests remove it themselves afterwards
    /// (https://github.com/alemar11/CoreDataPlus does); adding a store there makes a new one. A file that is not a store is
    /// destroyed only with ``NSPersistentStoreForceDestroyOption``. Where there is nothing, nothing happens. A link is
    /// followed, and stays.
    ///
    /// What is no regular file is never touched, forced or not: a device, a pipe, a folder. `/dev/null`, where stores in
    /// memory are, is an error as well, as on Apple's systems: code that destroys a store and then removes the file would
    /// remove the device.
    /// - Throws: `CocoaError`: 134090 where it is open in this coordinator, 134080 where there is no store, or what is there
    ///   is no regular file.
    open func destroyPersistentStore(
        at url: URL, type: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil
    ) throws { try destroy(url, type, options) }

    /// Removes all that is in a store; the older spelling.
    ///
    /// - Throws: what the newer spelling throws.
    open func destroyPersistentStore(
        at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
    ) throws {
        try destroyPersistentStore(at: url, type: .init(rawValue: storeType), options: options)
    }

    /// Does what deferred migration left: nothing, since all of it is done when a store is added.
    ///
    /// - Throws: never; the signature is Apple's.
    open func finishDeferredLightweightMigration() throws {}

    /// Does a part of what deferred migration left: nothing, since all of it is done when a store is added.
    ///
    /// - Throws: never; the signature is Apple's.
    open func finishDeferredLightweightMigrationTask() throws {}

    // MARK: IDs

    /// The ID of an address that ``NSManagedObjectID/uriRepresentation()`` gave; nil where no store has it.
    open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
        // A key of the app's own may have slashes.
        let parts = url.path(percentEncoded: true).split(separator: "/").map {
            $0.removingPercentEncoding ?? ""
        }
        guard url.scheme == "x-coredata", let host = url.host(percentEncoded: false), parts.count == 2,
            let entity = managedObjectModel.entitiesByName[parts[0]],
            let store = withLock({ stores.first { $0.identifier.lowercased() == host.lowercased() } })
        else { return nil }
        let key = parts[1]
        if key.hasPrefix("p"), let number = Int64(key.dropFirst()) {
            return NSManagedObjectID(reference: .row(number), entity: entity, store: store)
        }
        guard key.hasPrefix("c") else { return nil }
        return NSManagedObjectID(reference: .custom(String(key.dropFirst())), entity: entity, store: store)
    }

    /// The ID as this coordinator has it: that of another one on the same file has an entity of its own model.
    ///
    /// - Returns: nil where the store or the entity is not here.
    func own(_ objectID: NSManagedObjectID) -> NSManagedObjectID? {
        guard !objectID.isTemporary, objectID.entity.managedObjectModel !== managedObjectModel else {
            return objectID
        }
        guard let entity = managedObjectModel.entitiesByName[objectID.entityName],
            let store = graphStores.first(where: { $0.identifier == objectID.storeIdentifier })
        else { return nil }
        return NSManagedObjectID(reference: objectID.reference, entity: entity, store: store)
    }

    /// The ID of an address as text.
    open func managedObjectID(for string: String) -> NSManagedObjectID? {
        URL(string: string).flatMap(managedObjectID(forURIRepresentation:))
    }

    // MARK: Requests

    /// Executes a request of any kind for a context.
    ///
    /// - Returns: the results of a fetch as an array, and an ``NSPersistentStoreResult`` for the other kinds.
    /// - Throws: `CocoaError` 134091 for a request that no store serves, and the stores' errors.
    open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext) throws -> Any
    {
        if let fetch = request as? AnyFetchRequest { return try context.results(of: fetch) }
        return try executeOnStores(request, context)
    }

    /// The position that the histories of the stores have reached; nil where none keeps one.
    open func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? {
        historyToken(of: stores.map { $0.compactMap { $0 as? NSPersistentStore } })
    }

    // MARK: Names that Apple deprecated

    /// The coordinator's own lock takes the place of this one: use `performAndWait(_:)`. Does nothing.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    open func lock() {}
    /// The counterpart of ``lock()``.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    open func unlock() {}
    /// Answers true; see ``lock()``.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    open func tryLock() -> Bool { true }

    /// What a store knows about itself; the spelling of before 2015.
    ///
    /// - Throws: what the newer spelling throws.
    @available(*, deprecated, message: "Use metadataForPersistentStore(type:at:options:).")
    open class func metadataForPersistentStore(
        ofType storeType: String?, at url: URL
    ) throws -> [String: Any] {
        try metadataForPersistentStore(type: .init(rawValue: storeType ?? NSSQLiteStoreType), at: url)
    }

    /// What a store knows about itself; the spelling of 2005.
    ///
    /// - Throws: what the newer spelling throws.
    @available(*, deprecated, message: "Use metadataForPersistentStore(type:at:options:).")
    open class func metadataForPersistentStore(with url: URL) throws -> [AnyHashable: Any] {
        try metadataForPersistentStore(type: .sqlite, at: url)
    }

    /// Changes what a store knows about itself; the spelling of before 2015.
    ///
    /// - Throws: what the newer spelling throws.
    @available(*, deprecated, message: "Use setMetadata(_:type:at:options:).")
    open class func setMetadata(
        _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String?, at url: URL
    ) throws {
        try setMetadata(metadata, type: .init(rawValue: storeType ?? NSSQLiteStoreType), at: url)
    }

    /// What an external record says of its object: nothing, since none are written here.
    @available(*, deprecated, message: "Spotlight no longer uses external records.")
    open class func elementsDerived(fromExternalRecordAt fileURL: URL) -> [AnyHashable: Any] { [:] }

    /// Makes a store of external records, which are not written here.
    ///
    /// - Throws: `CocoaError` 134200, always.
    @available(*, deprecated, message: "Spotlight no longer uses external records.")
    open func importStore(
        withIdentifier storeIdentifier: String?, fromExternalRecordsDirectoryAt externalRecordsURL: URL,
        to destinationURL: URL, options: [AnyHashable: Any]? = nil, ofType storeType: String
    ) throws -> NSPersistentStore {
        throw CoreDataError(
            NSExternalRecordImportError, "External records are not read here.",
            remedy: "Copy the store itself, with replacePersistentStore."
        ).cocoa
    }

    /// Deletes a store; nothing of it is in iCloud here.
    ///
    /// - Throws: what `destroyPersistentStore` throws.
    @available(*, deprecated, message: "Use destroyPersistentStore(at:type:options:).")
    open class func removeUbiquitousContentAndPersistentStore(
        at storeURL: URL, options: [AnyHashable: Any]? = nil
    ) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
        try coordinator.destroyPersistentStore(at: storeURL, type: .sqlite, options: options)
    }

    // MARK: Contexts that take over what others save

    func subscribe(_ context: NSManagedObjectContext) {
        withLock {
            subscribers.removeAll { $0.context == nil || $0.context === context }
            subscribers.append(Subscriber(context: context))
        }
    }

    func unsubscribe(_ context: NSManagedObjectContext) {
        withLock { subscribers.removeAll { $0.context == nil || $0.context === context } }
    }

    /// Tells the subscribed contexts of a save, and posts the remote change notification where it is asked for.
    func announceSave(from context: NSManagedObjectContext?, _ saved: SavedObjects) {
        let changes = NSManagedObjectContext.RemoteChanges(
            inserted: saved.inserted.map(\.objectID),
            updated: saved.updated.map(\.objectID) + saved.derived,
            deleted: saved.deleted.map(\.objectID))
        let others = withLock { subscribers.compactMap(\.context).filter { $0 !== context } }
        for other in others { other.perform { [weak other] in other?.merge(changes) } }
        for store in graphStores { store.announceChange() }
    }

    /// Tells the subscribed contexts of what others committed to a store, and posts the remote change notification.
    package func announceRemote(_ changes: NSManagedObjectContext.RemoteChanges, in store: NSPersistentStore)
    {
        if !changes.isEmpty {
            let contexts = withLock { subscribers.compactMap(\.context) }
            for context in contexts { context.perform { [weak context] in context?.merge(changes) } }
        }
        store.announceChange()
    }
}

/// How a store learns which of the types that share a class it is.
package enum StoreTypeOption {
    /// The key in a store's options.
    package static let key = "stratus.storeType"
}
