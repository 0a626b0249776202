/// A scratch pad of managed objects: they are fetched into it, changed in it, and saved from it.
///
/// It has a queue of its own; it and its objects are used inside `perform` or `performAndWait` only. A context of the
/// main queue may also be used directly on the main thread.
/// Unchecked sendable: the queue is what makes it safe, as on Apple's platforms; ``checksConcurrency`` finds uses
/// on another one.
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
    /// Which queue the context has.
    open var concurrencyType: NSManagedObjectContextConcurrencyType { queueType }
    let queueType: NSManagedObjectContextConcurrencyType
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
    /// A name for debugging, which the history and messages have as well.
    open var name: String?
    /// Who makes the changes, for the history.
    open var transactionAuthor: String?
    /// The app's own notes.
    open var userInfo: NSMutableDictionary { notes }
    private let notes = NSMutableDictionary()
    /// What happens when a save conflicts with changes made elsewhere: an error unless set.
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
        didSet { registry.retainsObjects = retainsRegisteredObjects }
    }
    /// Seconds for which a row counts as current once it was read; a negative number means always.
    open var stalenessInterval: TimeInterval = -1
    /// Whether an object whose row has vanished becomes empty and deleted, instead of stopping the program.
    open var shouldDeleteInaccessibleFaults = true
    /// The generation of the store that the context reads, nil for the newest.
    open var queryGenerationToken: NSQueryGenerationToken? { pinnedToken }
    var pinnedToken: NSQueryGenerationToken?
    /// The objects that ``detectConflicts(for:)`` was called with since the last save.
    var checkedObjects: [NSManagedObject] = []

    var generation: StoreGenerations?
    private(set) var registry = ObjectRegistry()
    /// The stores that new objects are to be saved to, where the app chose them.
    var assignedStores: [NSManagedObjectID: NSPersistentStore] = [:]
    /// What was not saved yet, and what the event under way has changed.
    let pending = PendingChanges()
    /// How often ``verify()`` was called.
    var verifications = 0
    /// Deleted objects with other sides that could not be read, and why not; the next save tries again.
    var unfollowedDeletes: [(object: NSManagedObject, error: any Error)] = []
    /// The objects that are new, changed or to be deleted; some may have stopped being so.
    var changed: [NSManagedObject] { pending.objects }
    /// Set while changes are processed, undone or merged.
    var activity: Activity = []
    /// Watched objects whose values were replaced by what is going on; nil where nothing of the kind is.
    var replaced: [NSManagedObject]?
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

    /// Makes a context with a queue of its own, or the main one. The oldest kind, which has no queue, gets one too.
    public init(concurrencyType type: NSManagedObjectContextConcurrencyType) {
        queueType = type
        if type == .mainQueueConcurrencyType {
            queue = .main
            queueLabel = "the main queue"
        } else {
            let label = "stratus.coredata.context"
            queue = DispatchQueue(label: label)
            queueLabel = "a private queue"
        }
        super.init()
        registry.context = self
        if type == .mainQueueConcurrencyType {
            _ = Self.mainKey
        } else {
            queue.setSpecific(key: Self.queueKey, value: ObjectIdentifier(self))
        }
    }

    /// Makes a context with a private queue.
    public convenience override init() { self.init(concurrencyType: .privateQueueConcurrencyType) }

    /// What ``ContextMaking`` calls, for a class that is known at run time only.
    @_silgen_name("stratus_context_init")
    convenience init(_madeWith type: NSManagedObjectContextConcurrencyType) {
        self.init(concurrencyType: type)
    }

    deinit {
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
        // Objects hold the registry: what it keeps alive would keep itself alive.
        registry.retainsObjects = false
        // Objects that outlive their context keep no others alive.
        for object in registry.all { object.letGo() }
        for object in changed { object.letGo() }
        // Their marks would keep another context, which they are inserted into, from listing them.
        pending.reset()
    }

    /// Whether the caller is where this context may be used.
    var isOnItsQueue: Bool {
        if queueType == .mainQueueConcurrencyType {
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
        registry.retainsObjects = retainsRegisteredObjects
    }

    /// Reports an error of a method that has no way to throw it.
    func report(_ error: any Error, _ doing: String) {
        lastError = error
        CoreDataLog.report("Core Data met an error while \(doing): \(error)")
    }

    /// Does work that reads values, which have no way to say that they cannot be read.
    ///
    /// - Returns: the last error that was met meanwhile.
    func errorOfReading(_ work: () throws -> Void) rethrows -> (any Error)? {
        let before = lastError
        lastError = nil
        defer { lastError = lastError ?? before }
        try work()
        return lastError
    }

    open override var description: String { "<NSManagedObjectContext \(name ?? queueLabel)>" }

    // MARK: Work on the queue

    /// Runs work on the context's queue, later; its changes are processed when it ends.
    open func perform(_ block: @escaping @Sendable () -> Void) { queue.async { self.asEvent(block) } }

    /// Runs work on the context's queue, and waits for it.
    @preconcurrency
    open func performAndWait(_ block: @Sendable () -> Void) { runAndWait(block) }

    // MARK: Objects

    /// The number of objects that a request would find.
    ///
    /// - Throws: what `fetch(_:)` throws.
    open func count(for request: AnyFetchRequest) throws -> Int { try countObjects(request) }

    /// The objects that the context knows, fetched or made.
    open var registeredObjects: Set<NSManagedObject> {
        Set(registry.all.filter { $0.managedObjectContext === self })
    }
    /// The new objects that the next save writes.
    open var insertedObjects: Set<NSManagedObject> {
        Set(changed.filter { $0.isInserted && !$0.isDeleted })
    }
    /// The saved objects that have changed since.
    open var updatedObjects: Set<NSManagedObject> { Set(changed.filter(\.isUpdated)) }
    /// The objects that the next save deletes.
    open var deletedObjects: Set<NSManagedObject> { Set(changed.filter(\.isDeleted)) }
    /// Whether the next save has something to write.
    open var hasChanges: Bool { changed.contains(where: \.hasChanges) }

    /// The object of an ID, as a fault where it is not known yet. Its row may not exist.
    open func object(with objectID: NSManagedObjectID) -> NSManagedObject { knownObjectOrFault(objectID) }

    /// The object of an ID if the context knows it.
    open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
        adoptPermanentIDs()
        return registry.object(objectID)
    }

    /// The object of an ID, with its row read.
    ///
    /// - Throws: `CocoaError` 133000 where there is no such row, and what reading it throws.
    open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        try readObject(objectID)
    }

    /// Registers an object that was made without a context, as a new one.
    open func insert(_ object: NSManagedObject) {
        adopt(object)
        verify()
    }

    /// Marks an object for deletion. Its relationships are followed when changes are processed; a new object is
    /// only dropped.
    open func delete(_ object: NSManagedObject) {
        markDeleted(object)
        verify()
    }

    /// Says in which store a new object is to be saved, where several hold its entity.
    open func assign(_ object: Any, to store: NSPersistentStore) {
        if let object = object as? NSManagedObject { assignedStores[object.objectID] = store }
    }

    /// Gives new objects their permanent IDs before they are saved.
    ///
    /// - Throws: what the store throws, or `CocoaError` 134060 where no store holds an object's entity.
    open func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
        defer { verify() }
        try assignPermanentIDs(to: objects)
        tellListeners { $0.contextDidSave() }
    }

    /// Decides about an object whose row has vanished: whether it becomes empty and deleted, instead of stopping the
    /// program. Answers ``shouldDeleteInaccessibleFaults`` unless overridden.
    open func shouldHandleInaccessibleFault(
        _ fault: NSManagedObject, for oid: NSManagedObjectID,
        triggeredByProperty property: NSPropertyDescription?
    ) -> Bool {
        shouldDeleteInaccessibleFaults
    }

    // MARK: Changes

    /// Ends an event: follows deletes, records what can be undone, and posts what changed.
    ///
    /// Called by fetches and saves, at the end of `perform`, and by the main queue after each turn.
    open func processPendingChanges() {
        endEvent()
        verify()
    }

    /// Writes the changes of this context to the store, or to the parent context.
    ///
    /// All or nothing, also over several stores: a conflict or a failure to write leaves all of them as they were, and
    /// the save can be tried again. Only a failure in the moment in which they commit, one after the other, can leave
    /// some saved and others not. The error is then 134040; another save writes the rest. When it returns from a context
    /// without a parent, the changes are on disk, and so is the metadata that was set on the stores, also where no object
    /// has changed.
    /// - Throws: `CocoaError`: 1550 to 1690 where an object is not valid (1560 lists several in `NSDetailedErrors`),
    ///   133020 where the store has changed meanwhile, 133021 where values are not unique, 134030 and
    ///   others where the store cannot write.
    open func save() throws {
        ConcurrencyCheck.check(self)
        defer { verify() }
        try CurrentContext.run(self) {
            if !checkedObjects.isEmpty { try checkForConflicts() }
            try saveHere()
        }
    }

    /// Reads an object again when it is next used.
    ///
    /// - Parameters:
    ///   - object: one of the context's objects.
    ///   - flag: whether unsaved changes are put on top of the new row, or are lost.
    open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
        reread(object, keepingChanges: flag)
        verify()
    }

    /// Reads all objects again when they are next used, keeping unsaved changes.
    open func refreshAllObjects() {
        rereadAll()
        verify()
    }

    /// Forgets all objects and all changes.
    open func reset() {
        forgetAll()
        verify()
    }

    /// Discards all unsaved changes.
    open func rollback() {
        takeChangesBack()
        verify()
    }

    /// Undoes the last event.
    open func undo() {
        processPendingChanges()
        undoManager?.undo()
        verify()
    }

    /// Redoes what was undone last.
    open func redo() {
        processPendingChanges()
        undoManager?.redo()
        verify()
    }

    /// Makes the next save check whether an object was changed elsewhere since it was read, even if this context has
    /// not changed it. Objects with changes are looked at anyway.
    open func detectConflicts(for object: NSManagedObject) {
        if !checkedObjects.contains(where: { $0 === object }) { checkedObjects.append(object) }
    }

    /// Takes over what another context saved: its did-save notification, of objects or of IDs.
    open func mergeChanges(fromContextDidSave notification: Notification) {
        guard let info = notification.userInfo else { return }
        merge(RemoteChanges(info))
        verify()
    }

    /// Takes over, in each of the contexts, what was saved elsewhere: sets or arrays of IDs, or of their URIs.
    open class func mergeChanges(
        fromRemoteContextSave changes: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
    ) {
        let changes = RemoteChanges(changes)
        for context in contexts {
            context.performAndWait {
                context.merge(changes)
                context.verify()
            }
        }
    }

    // MARK: Requests

    /// Executes a request of any kind: batch requests, history requests, asynchronous fetches.
    ///
    /// - Throws: `CocoaError` for what the request asks that cannot be done.
    @discardableResult
    open func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        defer { verify() }
        return try run(request)
    }

    /// Pins the context to a state of the stores; nil lets it read the newest.
    ///
    /// A save, a merge and a reset move the pin on.
    /// - Throws: `CocoaError` where a store cannot be pinned.
    open func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws { try pin(to: generation) }

    /// Key-value observing, which Linux lacks: never called. Here so that an override compiles.
    open func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [String: Any]?,
        context: UnsafeMutableRawPointer?
    ) {}

    // MARK: Names of before 2014

    /// Makes a context with a private queue.
    @available(*, deprecated, message: "Use init(concurrencyType:).")
    open class func new() -> Self { self.init(concurrencyType: .privateQueueConcurrencyType) }

    /// The context's queue takes the place of this lock: use ``perform(_:)``. Does nothing.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    open func lock() {}
    /// The counterpart of ``lock()``.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    open func unlock() {}
    /// Answers true; see ``lock()``.
    @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:).")
    open func tryLock() -> Bool { true }
}
