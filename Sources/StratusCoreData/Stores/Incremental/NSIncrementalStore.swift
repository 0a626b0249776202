/// A store of the app's own: a web service, a file format, a dictionary.
///
/// A subclass overrides ``NSPersistentStore/loadMetadata()``, ``execute(_:with:)``,
/// ``newValuesForObject(with:with:)``, ``newValue(forRelationship:forObjectWith:with:)`` and
/// ``obtainPermanentIDs(for:)``, and is registered with
/// ``NSPersistentStoreCoordinator/registerStoreClass(_:type:)``. `loadMetadata` sets ``NSPersistentStore/metadata``
/// with `NSStoreUUIDKey` and `NSStoreTypeKey`. All methods are called under the coordinator's lock.
///
/// Unchecked sendable as all stores are: used under the coordinator's lock.
open class NSIncrementalStore: NSPersistentStore, GraphStore, @unchecked Sendable {
    /// The identifier of a store that is made at an address; a new UUID unless overridden.
    open class func identifierForNewStore(at storeURL: URL) -> Any { UUID().uuidString }

    private let identifierUntilLoaded = UUID().uuidString

    open override var identifier: String! {
        get { metadata?[NSStoreUUIDKey] as? String ?? identifierUntilLoaded }
        set { metadata?[NSStoreUUIDKey] = newValue }
    }

    open override var type: String {
        metadata?[NSStoreTypeKey] as? String ?? options?[StoreTypeOption.key] as? String ?? ""
    }

    // MARK: What a subclass overrides

    /// Answers a fetch, or writes the changes of a save.
    ///
    /// - Parameters:
    ///   - request: an ``NSFetchRequest`` or an ``NSSaveChangesRequest``; other kinds too where an app sends them.
    ///   - context: the context that asks.
    /// - Returns: for a fetch an array of what its result type says: objects made by the context's
    ///   `object(with:)`, IDs, dictionaries or one `NSNumber`. For a save an empty array. For other requests an
    ///   ``NSPersistentStoreResult``.
    /// - Throws: `CocoaError` 134091 unless overridden; an override throws what the context's caller is to see. Nothing of a save
    ///   may be written then.
    open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws
        -> Any
    {
        throw CoreDataError.unsupportedRequest("\(Swift.type(of: request))", type).cocoa
    }

    /// The values of an object.
    ///
    /// - Throws: `CocoaError` 134091 unless overridden; an override throws `CocoaError` 133000 where there is no such object,
    ///   anything else for a failure.
    open func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        throw CoreDataError.unsupportedRequest("read", type).cocoa
    }

    /// Where a relationship leads: an array of IDs for a to-many one, in order where it has one, an ID or `NSNull`
    /// for a to-one.
    ///
    /// - Throws: `CocoaError` 134091 unless overridden, as suits a store without relationships.
    open func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        throw CoreDataError.unsupportedRequest("relationship", type).cocoa
    }

    /// IDs for new objects, one for each, made by ``newObjectID(for:referenceObject:)``.
    ///
    /// - Throws: `CocoaError` 134091 unless overridden, as suits a store that takes no new objects.
    open func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        throw CoreDataError.unsupportedRequest("insert", type).cocoa
    }

    /// Objects of the store came into a context.
    open func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}

    /// Objects of the store left a context.
    open func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}

    // MARK: What a subclass calls

    /// The ID of an object by what identifies it in the store: a text or a number; anything else counts by its
    /// description.
    open func newObjectID(for entity: NSEntityDescription, referenceObject data: Any) -> NSManagedObjectID {
        NSManagedObjectID(reference: .custom(CustomReference.text(data)), entity: entity, store: self)
    }

    /// What identifies an object in the store: the `String` or `NSNumber` that its ID was made with.
    open func referenceObject(for objectID: NSManagedObjectID) -> Any {
        guard case .custom(let text) = objectID.reference else { return NSNull() }
        return CustomReference.object(text)
    }

    // MARK: What the coordinator asks

    package func fetch(
        _ fetch: StoreFetch, withRows: Bool, generation: (any StoreGeneration)?,
        each: (FetchedRow) throws -> Void
    ) throws {
        try hand(
            out: try execute(fetch.request(withRows ? [] : .managedObjectIDResultType), with: asking()), each)
    }

    package func count(_ fetch: StoreFetch, generation: (any StoreGeneration)?) throws -> Int {
        let answer = try execute(fetch.request(.countResultType), with: asking())
        if let number = (answer as? [Any])?.first as? NSNumber ?? answer as? NSNumber {
            return number.intValue
        }
        throw wrongAnswer(answer, "one number")
    }

    package func dictionaries(
        _ fetch: StoreFetch, _ columns: StoreColumns, generation: (any StoreGeneration)?
    ) throws -> [[String: Any]] {
        let answer = try execute(fetch.request(columns), with: asking())
        guard let rows = answer as? [[String: Any]] else { throw wrongAnswer(answer, "dictionaries") }
        return rows
    }

    package func row(of objectID: NSManagedObjectID, generation: (any StoreGeneration)?) throws -> FetchedRow?
    {
        do {
            let snapshot = try snapshot(of: objectID)
            return FetchedRow(
                layout: objectID.entity.layout, reference: objectID.reference, snapshot: snapshot, store: self
            )
        } catch let error as CocoaError where error.errorCode == 133000 {
            return nil
        }
    }

    package func destinations(
        of relationship: NSRelationshipDescription, from objectID: NSManagedObjectID,
        generation: (any StoreGeneration)?
    ) throws -> [NSManagedObjectID] {
        let answer = try newValue(forRelationship: relationship, forObjectWith: objectID, with: asking())
        switch answer {
        case let list as [NSManagedObjectID]: return list
        case let set as NSSet: return set.allObjects.compactMap { $0 as? NSManagedObjectID }
        case let set as NSOrderedSet: return set.array.compactMap { $0 as? NSManagedObjectID }
        case is NSNull: return []
        default: throw wrongAnswer(answer, "an array of IDs for the relationship '\(relationship.name)'")
        }
    }

    package func newObjectIDs(
        for objects: [(NSManagedObjectID, EntityLayout)], from context: NSManagedObjectContext?
    ) throws -> [NSManagedObjectID] {
        let objectIDs = try obtainPermanentIDs(
            for: objects.map { objectID, layout in
                // A context below the one that asks may have the object alone; then one like it stands in.
                context?.registry.object(objectID)
                    ?? ObjectBirth.make(
                        layout.objectClass, layout: layout, objectID: objectID, isFault: false)
            })
        guard objectIDs.count == objects.count else {
            throw wrongAnswer(objectIDs, "\(objects.count) IDs for as many new objects")
        }
        return objectIDs
    }

    package func beginSave(
        _ changes: StoreChanges, from context: NSManagedObjectContext?
    ) throws -> any OpenSave {
        guard let context else { throw CoreDataError.noContextHere.cocoa }
        let save = IncrementalSave(self, changes, context)
        try save.check()
        return save
    }

    package func execute(
        _ request: NSPersistentStoreRequest, in context: NSManagedObjectContext?
    ) throws -> NSPersistentStoreResult {
        let answer: Any = try execute(request, with: context)
        guard let result = answer as? NSPersistentStoreResult else {
            throw wrongAnswer(answer, "an NSPersistentStoreResult")
        }
        return result
    }

    func wrongAnswer(_ answer: Any, _ wanted: String) -> CocoaError {
        CoreDataError(
            134060,
            "The store \(Swift.type(of: self)) answered with \(Swift.type(of: answer)), not with \(wanted).",
            remedy: "Correct the store's class."
        ).cocoa
    }
}
