internal import CoreDataSQLiteStore
public import Foundation
public import StratusCoreData

/// A store for one test: in a folder of its own, or in memory, with a look at its SQL and a check for leaks.
///
/// ```swift
/// let store = try TemporaryStore(model: model)
/// let plans = try store.statements { try load(from: store.context) }
/// …
/// try store.finish()
/// ```
///
/// Uses of objects on a wrong queue are found while a temporary store exists: the program then stops with the
/// object's and the queue's name.
public final class TemporaryStore {
    /// The container, with its store open.
    public let container: NSPersistentContainer
    /// The folder of the store's files, removed by ``finish()``.
    public let folder: URL
    private var contexts: [NSManagedObjectContext] = []

    /// Makes a store for a model.
    ///
    /// - Parameters:
    ///   - model: the model of the store.
    ///   - isInMemory: whether the store is in memory. Both kinds run the same SQL.
    ///   - configure: changes how the store is opened; history tracking, for example.
    /// - Throws: `CocoaError` where the folder cannot be made or the store cannot be opened.
    public init(
        model: NSManagedObjectModel, isInMemory: Bool = false,
        configure: (NSPersistentStoreDescription) -> Void = { _ in }
    ) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "stratus-store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        container = NSPersistentContainer(name: "Test", managedObjectModel: model)
        let url =
            isInMemory ? URL(fileURLWithPath: "/dev/null") : folder.appendingPathComponent("Test.sqlite")
        let description = NSPersistentStoreDescription(url: url)
        configure(description)
        container.persistentStoreDescriptions = [description]
        NSManagedObjectContext.checksConcurrency = true
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
    }

    /// Makes a store for the model of a name; see `NSPersistentContainer(name:)`.
    ///
    /// - Throws: `CocoaError` where the model is not found or the store cannot be made.
    public convenience init(modelNamed name: String, isInMemory: Bool = false) throws {
        try self.init(model: try NSManagedObjectModel.named(name), isInMemory: isInMemory)
    }

    // A leftover takes space, and nothing else.
    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A context with a queue of its own, the same at each use.
    public var context: NSManagedObjectContext { contexts.first ?? newContext() }

    /// A new context with a queue of its own.
    public func newContext() -> NSManagedObjectContext {
        let context = container.newBackgroundContext()
        contexts.append(context)
        return context
    }

    private var stores: [NSPersistentStore] { container.persistentStoreCoordinator.persistentStores }

    /// The statements that the stores ran while the work did.
    ///
    /// - Throws: what the work throws.
    public func statements(during work: () throws -> Void) throws -> [TracedStatement] {
        let trace = Trace()
        func observe(_ rest: ArraySlice<NSPersistentStore>) throws {
            guard let store = rest.first else { return try work() }
            try store.observing({ trace.append($0) }, { try observe(rest.dropFirst()) })
        }
        try observe(stores[...])
        return trace.statements
    }

    /// How SQLite finds the rows of a statement; `SEARCH … USING INDEX` is what one hopes for.
    ///
    /// - Throws: `CocoaError` where SQLite does not explain the statement, or the store is closed.
    public func queryPlan(of statement: TracedStatement) throws -> [String] {
        try stores.first?.queryPlan(of: statement.sql) ?? []
    }

    /// Closes the store and removes its files.
    ///
    /// Let go of contexts and objects before; then whatever is left was leaked.
    /// - Throws: ``LeakError`` that names unfinished statements, contexts and objects that are alive; `CocoaError` where the
    ///   folder cannot be removed.
    public func finish() throws {
        var leaks = stores.flatMap(\.unfinishedStatements).map { "The statement was not ended: \($0)" }
        let objects = contexts.flatMap { context in context.runAndWait { Watch.objects(of: context) } }
        let watches = contexts.map { Watch($0, name: "\($0)") }
        contexts = []
        container.viewContext.runAndWait { container.viewContext.reset() }
        for watch in watches + objects where watch.isAlive { leaks.append("Still alive: \(watch.name)") }
        for store in stores { try container.persistentStoreCoordinator.remove(store) }
        try FileManager.default.removeItem(at: folder)
        guard leaks.isEmpty else { throw LeakError(leaks: leaks) }
    }
}

/// A statement that a store ran.
public struct TracedStatement: Sendable, CustomStringConvertible {
    /// The text, with question marks for values.
    public let sql: String
    /// How long it took.
    public let duration: Duration

    /// The text and the time.
    public var description: String { "\(duration)  \(sql)" }
}

/// What a test left behind.
public struct LeakError: Error, CustomStringConvertible {
    /// One sentence for each statement, context and object.
    public let leaks: [String]

    /// All of them, a line each.
    public var description: String { leaks.joined(separator: "\n") }
}

/// The statements of a trace; filled by the thread that runs the work.
private final class Trace {
    private(set) var statements: [TracedStatement] = []

    func append(_ statement: ObservedStatement) {
        statements.append(TracedStatement(sql: statement.sql, duration: .nanoseconds(statement.nanoseconds)))
    }
}

/// Something that should be gone soon.
private final class Watch {
    private weak var object: AnyObject?
    let name: String

    init(_ object: AnyObject, name: String) {
        self.object = object
        self.name = name
    }

    var isAlive: Bool { object != nil }

    static func objects(of context: NSManagedObjectContext) -> [Watch] {
        context.liveObjects.map { Watch($0, name: "\(type(of: $0)) \($0.objectID)") }
    }
}
