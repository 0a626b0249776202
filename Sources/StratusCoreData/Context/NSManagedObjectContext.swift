/// A scratch pad of managed objects: they are fetched into it, changed in it, and saved from it.
///
/// It has a queue of its own; it and its objects are used inside `perform` or `performAndWait` only. A context of the
/// main queue may also be used directly on the main thread.
/// Unchecked sendable: the queue is what makes it safe, as on Apple's platforms; ``checksConcurrency`` finds uses
/// on another one.
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
    /// Which queue a context has.
    public struct ConcurrencyType: RawRepresentable, Hashable, Sendable {
        /// Apple's number.
        public let rawValue: UInt
        /// Takes Apple's number.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// A queue of its own.
        public static let privateQueue = ConcurrencyType(rawValue: 1)
        /// The main queue.
        public static let mainQueue = ConcurrencyType(rawValue: 2)
        /// The older spelling.
        public static let privateQueueConcurrencyType = privateQueue
        /// The older spelling.
        public static let mainQueueConcurrencyType = mainQueue
        /// The oldest kind: whatever queue its maker has. Treated as a queue of its own.
        public static let confinementConcurrencyType = ConcurrencyType(rawValue: 0)
    }

    /// Which queue the context has.
    public let concurrencyType: ConcurrencyType
    let queue: DispatchQueue
    let queueLabel: String

    /// Where the context's objects come from and are saved to, unless it has a ``parent``.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { parent?.persistentStoreCoordinator ?? ownCoordinator }
        set {
            ownCoordinator = newValue
            listen()
        }
    }
    var ownCoordinator: NSPersistentStoreCoordinator?
    /// The context that this one's objects come from and are saved to.
    open var parent: NSManagedObjectContext? { didSet { listen() } }

    /// Records changes, so that they can be undone; nil unless set.
    open var undoManager: UndoManager? {
        willSet { if undoManager !== newValue { processPendingChanges() } }
        didSet {
            if oldValue !== undoManager { oldValue?.client = nil }
            undoManager?.client = self
        }
    }
    /// For the developer's eyes; also in the history and in messages.
    open var name: String?
    /// Who makes the changes, for the history.
    open var transactionAuthor: String?
    /// The app's own notes.
    public let userInfo = NSMutableDictionary()
    /// What happens when a save meets changes of others: an error unless set.
    open var mergePolicy: Any = NSErrorMergePolicy
    /// Whether changes that others save to the parent or the store are taken over.
    ///
    /// Those of other processes are, where the store was added with a history and
    /// ``NSPersistentStoreRemoteChangeNotificationPostOptionKey``.
    open var automaticallyMergesChangesFromParent = false { didSet { listen() } }
    /// Whether deletes reach other objects when changes are processed (true) or at the save.
    open var propagatesDeletesAtEndOfEvent = true
    /// Whether objects stay alive while the context does.
    open var retainsRegisteredObjects = false {
        didSet { retained = retainsRegisteredObjects ? registry.all : [] }
    }
    /// Seconds for which a row read once is taken for current; a negative number for always.
    open var stalenessInterval: TimeInterval = -1
    /// Whether an object whose row has vanished becomes empty and deleted, instead of stopping the program.
    open var shouldDeleteInaccessibleFaults = true
    /// The generation of the store that the context reads, nil for the newest.
    public internal(set) var queryGenerationToken: NSQueryGenerationToken?

    var generation: StoreGenerations?
    private(set) var registry = ObjectRegistry()
    /// The stores that new objects are to be saved to, where the app chose them.
    var assignedStores: [NSManagedObjectID: NSPersistentStore] = [:]
    var retained: [NSManagedObject] = []
    /// The objects that are new, changed or to be deleted; some may have stopped being so.
    var changed: [NSManagedObject] = []
    /// The objects that something happened to since changes were last processed.
    var eventObjects: [NSManagedObject] = []
    /// Set while changes are processed, undone or merged.
    var activity: Activity = []
    var observers: [any NSObjectProtocol] = []
    /// How many permanent IDs had been given when this context looked last.
    var idsAdopted = 0
    /// Called with the changes of each event before the notification; the fetched results controllers of the
    /// context.
    var eventListeners: [WeakEventListener] = []
    /// The last error that a method without `throws` met.
    public internal(set) var lastError: (any Error)?

    struct Activity: OptionSet {
        let rawValue: Int
        static let processing = Activity(rawValue: 1)
        static let undoing = Activity(rawValue: 2)
        static let saving = Activity(rawValue: 4)
        static let scheduled = Activity(rawValue: 8)
        static let merging = Activity(rawValue: 16)
    }

    private static let queueKey = DispatchSpecificKey<ObjectIdentifier>()
    /// Marks the main queue, once.
    private static let mainKey: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Makes a context with a queue of its own, or the main one.
    public init(_ type: ConcurrencyType) {
        concurrencyType = type
        if type == .mainQueue {
            queue = .main
            queueLabel = "the main queue"
        } else {
            let label = "stratus.coredata.context"
            queue = DispatchQueue(label: label)
            queueLabel = "a private queue"
        }
        super.init()
        registry.context = self
        if type == .mainQueue { _ = Self.mainKey }
        if type != .mainQueue { queue.setSpecific(key: Self.queueKey, value: ObjectIdentifier(self)) }
    }

    /// Makes a context; the older spelling.
    public convenience init(concurrencyType: ConcurrencyType) { self.init(concurrencyType) }

    /// Makes a context with a private queue.
    public convenience override init() { self.init(.privateQueue) }

    deinit {
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
        // Objects that outlive their context keep no others alive.
        for object in registry.all { object.letGo() }
        for object in changed { object.letGo() }
    }

    /// Whether the caller is where this context may be used.
    var isOnItsQueue: Bool {
        if concurrencyType == .mainQueue {
            // In a program that called `dispatchMain`, the main queue has no thread of its own.
            return Thread.isMainThread || CurrentContext.stack.contains { $0 === self }
                || DispatchQueue.getSpecific(key: Self.mainKey) == true
        }
        return DispatchQueue.getSpecific(key: Self.queueKey) == ObjectIdentifier(self)
            || CurrentContext.stack.contains { $0 === self }
    }

    /// The coordinator at the end of the chain of parents.
    var coordinatorOfChain: NSPersistentStoreCoordinator? {
        var context = self
        while let parent = context.parent { context = parent }
        return context.ownCoordinator
    }

    /// Forgets which objects the context has.
    func clearRegistry() {
        registry = ObjectRegistry()
        registry.context = self
    }

    /// Tells of an error of a method that has no way to throw it.
    func report(_ error: any Error, _ doing: String) {
        lastError = error
        CoreDataLog.report("Core Data met an error while \(doing): \(error)")
    }

    open override var description: String { "<NSManagedObjectContext \(name ?? queueLabel)>" }
}
