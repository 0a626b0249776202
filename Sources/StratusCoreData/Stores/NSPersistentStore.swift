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
    package private(set) lazy var anchor = StoreAnchor(store: self)
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
    /// - Throws: never unless overridden; with what an override throws, adding the store fails.
    open func loadMetadata() throws {}

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

    // MARK: For the coordinator. What else it asks of a store is in ``GraphStore``.

    /// Whether objects of the entity are in this store.
    func holds(_ entity: NSEntityDescription) -> Bool {
        guard let model = persistentStoreCoordinator?.managedObjectModel,
            let entities = model.entities(forConfigurationName: configurationName)
        else { return false }
        return entities.contains { $0 === entity }
    }

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
