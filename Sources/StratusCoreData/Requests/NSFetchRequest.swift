/// A description of the objects to fetch: which entity, which of them, in which order, how many.
///
/// The generic parameter is what the results are: a class of managed objects, `NSManagedObjectID`,
/// `NSDictionary` or `NSNumber`, fitting ``AnyFetchRequest/resultType``. It has no constraint, since without
/// Objective-C `NSFetchRequest<NSFetchRequestResult>`, which much code says, could not fulfil it.
open class NSFetchRequest<ResultType>: AnyFetchRequest {
    /// Makes a request without an entity.
    public override init() { super.init() }

    /// Makes a request for an entity by its name, which is looked up in the context's model when it is fetched.
    public init(entityName: String) {
        super.init()
        self.entityName = entityName
    }

    /// Makes a request that asks the same as another one, with results of another type.
    ///
    /// It takes the place of `request as! NSFetchRequest<NSFetchRequestResult>`, which ends the program here: without
    /// Objective-C, a generic class of one type is not one of another, whatever the types are. Most calls need neither:
    /// `count(for:)`, `execute(_:)`, ``NSBatchDeleteRequest`` and `NSPersistentHistoryChangeRequest` take requests of
    /// every result type.
    public convenience init(_ request: AnyFetchRequest) {
        self.init()
        request.copyValues(to: self)
    }

    /// Fetches in the context whose `perform` runs on the current thread.
    ///
    /// - Throws: `CocoaError` where there is no such context, and what `NSManagedObjectContext.fetch(_:)` throws.
    open func execute() throws -> [ResultType] {
        guard let context = NSManagedObjectContext.current else { throw CoreDataError.noContextHere.cocoa }
        return try context.fetch(self)
    }

    override func makeEmptyCopy() -> AnyFetchRequest { NSFetchRequest<ResultType>() }
}

/// What all fetch requests have, whatever they give; a generic class cannot be named without its parameter.
open class AnyFetchRequest: NSPersistentStoreRequest, NSCopying {
    /// The name of the entity.
    open internal(set) var entityName: String? {
        get { ownEntityName ?? entity?.name }
        set { ownEntityName = newValue }
    }
    private var ownEntityName: String?
    /// The entity.
    open var entity: NSEntityDescription?
    /// Which objects; nil for all.
    open var predicate: NSPredicate?
    /// In which order; nil for any.
    open var sortDescriptors: [NSSortDescriptor]?
    /// The most results, 0 for all.
    open var fetchLimit = 0
    /// How many of the first results are left out.
    open var fetchOffset = 0
    /// How many rows are read at a time, 0 for all at once.
    open var fetchBatchSize = 0
    /// What the results are.
    open var resultType: NSFetchRequestResultType = .managedObjectResultType
    /// Whether objects of entities that inherit from ``entity`` are found too.
    open var includesSubentities = true
    /// Whether rows are read along with the IDs.
    open var includesPropertyValues = true
    /// Whether objects stay faults, their rows waiting in memory.
    open var returnsObjectsAsFaults = true
    /// Whether unsaved changes of the context count.
    open var includesPendingChanges = true
    /// Whether objects that the context has already get the store's values.
    open var shouldRefreshRefetchedObjects = false
    /// Which properties are read: names, ``NSPropertyDescription`` or ``NSExpressionDescription``.
    open var propertiesToFetch: [Any]?
    /// Whether equal dictionaries are given once.
    open var returnsDistinctResults = false
    /// Properties by which dictionaries are grouped.
    open var propertiesToGroupBy: [Any]?
    /// Which groups.
    open var havingPredicate: NSPredicate?
    /// Relationships whose objects are fetched along.
    open var relationshipKeyPathsForPrefetching: [String]?

    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    func makeEmptyCopy() -> AnyFetchRequest { AnyFetchRequest() }

    /// A request that asks the same, and can be changed by itself.
    open func copy(with zone: NSZone? = nil) -> Any { copied() }

    func copied() -> AnyFetchRequest {
        let copy = makeEmptyCopy()
        copyValues(to: copy)
        return copy
    }

    /// Makes another request ask the same.
    func copyValues(to copy: AnyFetchRequest) {
        copy.affectedStores = affectedStores
        copy.ownEntityName = ownEntityName
        copy.entity = entity
        copy.predicate = predicate
        copy.sortDescriptors = sortDescriptors
        copy.fetchLimit = fetchLimit
        copy.fetchOffset = fetchOffset
        copy.fetchBatchSize = fetchBatchSize
        copy.resultType = resultType
        copy.includesSubentities = includesSubentities
        copy.includesPropertyValues = includesPropertyValues
        copy.returnsObjectsAsFaults = returnsObjectsAsFaults
        copy.includesPendingChanges = includesPendingChanges
        copy.shouldRefreshRefetchedObjects = shouldRefreshRefetchedObjects
        copy.propertiesToFetch = propertiesToFetch
        copy.returnsDistinctResults = returnsDistinctResults
        copy.propertiesToGroupBy = propertiesToGroupBy
        copy.havingPredicate = havingPredicate
        copy.relationshipKeyPathsForPrefetching = relationshipKeyPathsForPrefetching
    }
}
