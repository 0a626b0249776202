/// A model, a coordinator, its stores and the contexts to work with: all that an app needs.
///
/// Unchecked sendable: immutable but for the descriptions, which are set before the stores are loaded.
open class NSPersistentContainer: NSObject, @unchecked Sendable {
    /// The name, which is the store's unless a description says otherwise.
    open var name: String { ownName }
    /// The context of the main queue.
    open var viewContext: NSManagedObjectContext { mainContext }
    /// The model.
    open var managedObjectModel: NSManagedObjectModel { model }
    /// The coordinator of the stores.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator { coordinator }
    private let ownName: String
    private let mainContext: NSManagedObjectContext
    private let model: NSManagedObjectModel
    private let coordinator: NSPersistentStoreCoordinator
    /// How the stores are opened. Set it before they are loaded.
    open var persistentStoreDescriptions: [NSPersistentStoreDescription]

    /// Makes a container for the model of that name: one that a generated class brings, or a file of the
    /// bundle or beside the program.
    ///
    /// A model that is not found stops the program with the places that were searched; look with
    /// ``NSManagedObjectModel/named(_:)`` where the name is data.
    public convenience init(name: String) {
        self.init(name: name, managedObjectModel: Self.model(named: name))
    }

    /// What ``ContainerMaking`` calls, for a class that is known at run time only.
    @_silgen_name("stratus_container_init")
    convenience init(_made name: String, of model: NSManagedObjectModel) {
        self.init(name: name, managedObjectModel: model)
    }

    static func model(named name: String) -> NSManagedObjectModel {
        do { return try NSManagedObjectModel.named(name) } catch { fatalError("\(error)") }
    }

    /// Makes a container for a model. The store is at `NAME.sqlite` in ``defaultDirectoryURL()`` unless a
    /// description says otherwise.
    public init(name: String, managedObjectModel model: NSManagedObjectModel) {
        ownName = name
        self.model = model
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        mainContext = NSManagedObjectContext(.mainQueue)
        mainContext.persistentStoreCoordinator = coordinator
        mainContext.name = "viewContext"
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
            if description.type == NSSQLiteStoreType, let url = description.url, !url.isNullDevice {
                Self.makeFolder(of: url)
            }
            persistentStoreCoordinator.addPersistentStore(with: description, completionHandler: block)
        }
    }

    /// Makes the folder of a store's file where it is missing.
    private static func makeFolder(of url: URL) {
        let folder = url.deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            // Opening the store fails then, with SQLite's reason; this one is nearer to the cause.
            CoreDataLog.report("The folder \(folder.path) of a store cannot be made: \(error)")
        }
    }

    /// Opens the stores, and waits for all of them.
    ///
    /// - Throws: `CocoaError`, or what a store class of the app's own throws, of the first store that could not be opened.
    public func loadPersistentStores() async throws {
        for description in persistentStoreDescriptions {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                if let url = description.url, !url.isNullDevice {
                    Self.makeFolder(of: url)
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
    public func performBackgroundTask<T>(
        _ block: @escaping (NSManagedObjectContext) throws -> T
    ) async rethrows -> T {
        let context = newBackgroundContext()
        // Called once, on the queue that guards all it touches, while the caller waits.
        nonisolated(unsafe) let work = block
        return try await context.perform { try work(context) }
    }
}
