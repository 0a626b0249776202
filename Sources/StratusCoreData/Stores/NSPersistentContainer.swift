/// A model, a coordinator, its stores and the contexts to work with: all that an app needs.
///
/// Unchecked sendable: immutable but for the descriptions, which are set before the stores are loaded.
open class NSPersistentContainer: NSObject, @unchecked Sendable {
    /// The name, which is the store's unless a description says otherwise.
    public let name: String
    /// The context of the main queue.
    public let viewContext: NSManagedObjectContext
    /// The model.
    public let managedObjectModel: NSManagedObjectModel
    /// The coordinator of the stores.
    public let persistentStoreCoordinator: NSPersistentStoreCoordinator
    /// How the stores are opened. Set it before they are loaded.
    open var persistentStoreDescriptions: [NSPersistentStoreDescription]

    /// Makes a container for the model of that name: one that a generated class brings, or a file of the
    /// bundle or beside the program.
    ///
    /// A model that is not found stops the program with the places that were searched; look with
    /// ``NSManagedObjectModel/named(_:)`` where the name is data.
    public convenience init(name: String) {
        do {
            self.init(name: name, managedObjectModel: try NSManagedObjectModel.named(name))
        } catch {
            fatalError("\(error)")
        }
    }

    /// Makes a container for a model. The store is at `NAME.sqlite` in ``defaultDirectoryURL()`` unless a
    /// description says otherwise.
    public init(name: String, managedObjectModel model: NSManagedObjectModel) {
        self.name = name
        managedObjectModel = model
        persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        viewContext = NSManagedObjectContext(.mainQueue)
        viewContext.persistentStoreCoordinator = persistentStoreCoordinator
        viewContext.name = "viewContext"
        let url = Self.defaultDirectoryURL().appendingPathComponent(name + ".sqlite")
        persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        super.init()
    }

    /// Where stores are unless a description says otherwise: `STRATUS_COREDATA_DIRECTORY`, or the user's folder
    /// for application data.
    open class func defaultDirectoryURL() -> URL {
        let environment = ProcessInfo.processInfo.environment
        if let folder = environment["STRATUS_COREDATA_DIRECTORY"] { return URL(fileURLWithPath: folder) }
        let base =
            environment["XDG_DATA_HOME"].map { URL(fileURLWithPath: $0) }
            ?? FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".local/share")
        return base.appendingPathComponent(ProcessInfo.processInfo.processName)
    }

    /// Opens the stores; the handler is called once for each description.
    open func loadPersistentStores(
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        for description in persistentStoreDescriptions {
            if description.type == NSSQLiteStoreType, let url = description.url, url.path != "/dev/null" {
                try? FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            }
            persistentStoreCoordinator.addPersistentStore(with: description, completionHandler: block)
        }
    }

    /// Opens the stores, and waits for all of them.
    ///
    /// - Throws: the first error that a store could not be opened for.
    public func loadPersistentStores() async throws {
        for description in persistentStoreDescriptions {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                if let url = description.url, url.path != "/dev/null" {
                    try? FileManager.default.createDirectory(
                        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                }
                persistentStoreCoordinator.addPersistentStore(with: description) { _, error in
                    if let error { continuation.resume(throwing: error) } else { continuation.resume() }
                }
            }
        }
    }

    /// A new context with a queue of its own.
    open func newBackgroundContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = persistentStoreCoordinator
        return context
    }

    /// Runs work in a new context on its queue, later.
    open func performBackgroundTask(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) {
        let context = newBackgroundContext()
        context.perform { block(context) }
    }

    /// Runs work in a new context on its queue, and gives what it gives.
    public func performBackgroundTask<Result, Failure: Error>(
        _ block: @escaping (NSManagedObjectContext) throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let context = newBackgroundContext()
        return try await context.perform { () throws(Failure) -> Result in try block(context) }
    }
}
