/// How a container opens a store.
///
/// Unchecked sendable because it has settable properties, as Apple's: set them before the stores are loaded.
open class NSPersistentStoreDescription: NSObject, NSCopying, @unchecked Sendable {
    /// Where the store is. `/dev/null` with a SQLite store is one in memory.
    open var url: URL?
    /// The kind of store, SQLite unless said otherwise.
    open var type: String = NSSQLiteStoreType
    /// The configuration of the model whose entities are in the store.
    open var configuration: String?
    /// Whether the container adds the store in the background.
    open var shouldAddStoreAsynchronously = false
    /// Where an ``NSPersistentCloudKitContainer`` is to mirror the store; nil keeps it local.
    open var cloudKitContainerOptions: NSPersistentCloudKitContainerOptions?
    /// The options for the coordinator.
    open private(set) var options: [String: NSObject] = [
        NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true),
        NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
    ]

    /// A store in memory is made without an address.
    public convenience override init() { self.init(url: URL(fileURLWithPath: "/dev/null")) }

    /// A SQLite store at an address.
    public init(url: URL) {
        self.url = url
        super.init()
    }

    /// Sets an option for the coordinator; nil takes it away.
    open func setOption(_ option: NSObject?, forKey key: String) { options[key] = option }

    /// Whether the store refuses changes.
    open var isReadOnly: Bool {
        get { flag(NSReadOnlyPersistentStoreOption) }
        set { setFlag(NSReadOnlyPersistentStoreOption, newValue) }
    }
    /// Whether an older store is migrated when it is added.
    open var shouldMigrateStoreAutomatically: Bool {
        get { flag(NSMigratePersistentStoresAutomaticallyOption) }
        set { setFlag(NSMigratePersistentStoresAutomaticallyOption, newValue) }
    }
    /// Whether the mapping for a migration is inferred.
    open var shouldInferMappingModelAutomatically: Bool {
        get { flag(NSInferMappingModelAutomaticallyOption) }
        set { setFlag(NSInferMappingModelAutomaticallyOption, newValue) }
    }
    /// Seconds to wait for a lock of another process.
    open var timeout: TimeInterval {
        get { (options[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 240 }
        set { setOption(NSNumber(value: newValue), forKey: NSPersistentStoreTimeoutOption) }
    }
    /// SQLite's settings by name.
    open var sqlitePragmas: [String: NSObject] {
        options[NSSQLitePragmasOption] as? [String: NSObject] ?? [:]
    }

    /// Sets one of SQLite's settings; nil takes it away.
    open func setValue(_ value: NSObject?, forPragmaNamed name: String) {
        var pragmas = sqlitePragmas
        pragmas[name] = value
        options[NSSQLitePragmasOption] = pragmas as NSDictionary
    }

    private func flag(_ key: String) -> Bool { (options[key] as? NSNumber)?.boolValue ?? false }

    private func setFlag(_ key: String, _ value: Bool) { setOption(NSNumber(value: value), forKey: key) }

    /// A description that can be changed by itself.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentStoreDescription(url: url ?? URL(fileURLWithPath: "/dev/null"))
        copy.url = url
        copy.type = type
        copy.configuration = configuration
        copy.shouldAddStoreAsynchronously = shouldAddStoreAsynchronously
        copy.options = options
        copy.cloudKitContainerOptions = cloudKitContainerOptions
        return copy
    }
}
