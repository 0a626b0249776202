/// What the graph asks of a store: the seam between objects and the place where they are kept.
///
/// ``NSAtomicStore`` and ``NSIncrementalStore`` answer for the stores of apps, and the SQLite store for Apple's files. A
/// coordinator has stores of this kind only, and calls all of it under its lock.
package protocol GraphStore: NSPersistentStore {
    /// Reads what the store holds, where it is read as a whole. Called once, after `loadMetadata()`.
    func readContents() throws

    // MARK: Reading

    /// Hands out the objects that a fetch finds, in order.
    ///
    /// - Parameters:
    ///   - withRows: whether the rows are wanted, or only the IDs.
    ///   - generation: a state of the store to read instead of the newest.
    /// - Throws: what `each` throws, `CocoaError` for a fetch that the store cannot answer.
    func fetch(
        _ fetch: StoreFetch, withRows: Bool, generation: (any StoreGeneration)?,
        each: (FetchedRow) throws -> Void
    ) throws

    /// The IDs of the objects that a fetch finds, in order.
    func objectIDs(_ fetch: StoreFetch, generation: (any StoreGeneration)?) throws -> [NSManagedObjectID]

    /// The number of objects that a fetch finds; its limit and offset count.
    func count(_ fetch: StoreFetch, generation: (any StoreGeneration)?) throws -> Int

    /// The dictionaries that a fetch finds.
    func dictionaries(
        _ fetch: StoreFetch, _ columns: StoreColumns, generation: (any StoreGeneration)?
    ) throws -> [[String: Any]]

    /// Refuses columns that ``dictionaries(_:_:generation:)`` refuses, where others evaluate them.
    func check(_ fetch: StoreFetch, _ columns: StoreColumns) throws

    /// The row of an object; nil when it is gone.
    func row(of objectID: NSManagedObjectID, generation: (any StoreGeneration)?) throws -> FetchedRow?

    /// What a to-many relationship leads to, in order where it has one.
    func destinations(
        of relationship: NSRelationshipDescription, from objectID: NSManagedObjectID,
        generation: (any StoreGeneration)?
    ) throws -> [NSManagedObjectID]

    /// Fixes what is read from now on until it is released; nil where the store cannot.
    func openGeneration() throws -> (any StoreGeneration)?

    // MARK: Writing

    /// Permanent IDs for new objects, one for each, which nothing else gets.
    ///
    /// - Parameter context: the context that asks, for stores of the app's own.
    func newObjectIDs(
        for objects: [(NSManagedObjectID, EntityLayout)], from context: NSManagedObjectContext?
    ) throws -> [NSManagedObjectID]

    /// Writes the changes in one transaction: all or nothing, on disk when it returns.
    ///
    /// - Parameter context: the context that saves, for stores of the app's own that ask its objects.
    /// - Throws: ``StoreConflicts`` where rows have changed meanwhile or values are not unique.
    func save(_ changes: StoreChanges, from context: NSManagedObjectContext?) throws -> StoreSaveResult

    /// Writes the changes as far as they can be taken back: the first half of a save to several stores.
    ///
    /// - Throws: what ``save(_:from:)`` throws; nothing is left to be taken back then.
    func beginSave(_ changes: StoreChanges, from context: NSManagedObjectContext?) throws -> any OpenSave

    /// Whether metadata was set that a save has to write.
    var hasUnsavedMetadata: Bool { get }

    /// Writes the metadata where it was set since it was written last; stores of the app's own write theirs themselves.
    func saveMetadata() throws

    // MARK: Requests of other kinds

    /// Does a batch insert, update or delete, or reads the history.
    ///
    /// - Throws: `CocoaError` 134091 where the store has no such request.
    func execute(
        _ request: NSPersistentStoreRequest, in context: NSManagedObjectContext?
    ) throws -> NSPersistentStoreResult

    /// The position that the store's history has reached; nil where it keeps none.
    func currentTransactionNumber() throws -> Int64?
}

/// A state of a store that is kept readable while others write, until it is released.
package protocol StoreGeneration: AnyObject {}

// What a store need not have: a whole to read, generations, a history, metadata of its own, requests in bulk.
extension GraphStore {
    package func readContents() throws {}

    package func objectIDs(_ fetch: StoreFetch, generation: (any StoreGeneration)?) throws
        -> [NSManagedObjectID]
    {
        var objectIDs: [NSManagedObjectID] = []
        try self.fetch(fetch, withRows: false, generation: generation) { row in
            objectIDs.append(
                NSManagedObjectID(reference: row.reference, layout: row.layout, anchor: row.anchor))
        }
        return objectIDs
    }

    package func count(_ fetch: StoreFetch, generation: (any StoreGeneration)?) throws -> Int {
        var count = 0
        try self.fetch(fetch, withRows: false, generation: generation) { _ in count += 1 }
        return count
    }

    package func check(_ fetch: StoreFetch, _ columns: StoreColumns) throws {}

    package func openGeneration() throws -> (any StoreGeneration)? { nil }

    package func save(_ changes: StoreChanges, from context: NSManagedObjectContext?) throws
        -> StoreSaveResult
    {
        try beginSave(changes, from: context).commit()
    }

    package var hasUnsavedMetadata: Bool { false }

    package func saveMetadata() throws {}

    package func execute(
        _ request: NSPersistentStoreRequest, in context: NSManagedObjectContext?
    ) throws -> NSPersistentStoreResult {
        throw CoreDataError.unsupportedRequest("\(Swift.type(of: request))", type).cocoa
    }

    package func currentTransactionNumber() throws -> Int64? { nil }
}
