/// What a batch insert answers.
public enum NSBatchInsertRequestResultType: UInt, Sendable {
    /// Whether it was done.
    case statusOnly = 0
    /// The IDs of the new objects.
    case objectIDs = 1
    /// Their number.
    case count = 2
}

/// Inserts rows without making objects of them.
///
/// Contexts hear nothing of it: merge the IDs with `NSManagedObjectContext.mergeChanges(fromRemoteContextSave:into:)`
/// or from the history.
open class NSBatchInsertRequest: NSPersistentStoreRequest {
    /// The name of the entity.
    open internal(set) var entityName: String
    /// The entity, where the request was made with one.
    open internal(set) var entity: NSEntityDescription?
    /// The values of each new object.
    open var objectsToInsert: [[String: Any]]?
    /// Fills in one object after the other; true ends.
    open var dictionaryHandler: ((NSMutableDictionary) -> Bool)?
    /// Fills in one object after the other; true ends.
    open var managedObjectHandler: ((NSManagedObject) -> Bool)?
    /// What is answered.
    open var resultType: NSBatchInsertRequestResultType = .statusOnly

    /// Inserts dictionaries of values.
    public init(entityName: String, objects: [[String: Any]]) {
        self.entityName = entityName
        self.entity = nil
        self.objectsToInsert = objects
    }

    /// Inserts dictionaries of values.
    public init(entity: NSEntityDescription, objects: [[String: Any]]) {
        self.entityName = entity.name ?? ""
        self.entity = entity
        self.objectsToInsert = objects
    }

    /// Inserts what the handler fills in, until it answers true.
    public init(entityName: String, dictionaryHandler: @escaping (NSMutableDictionary) -> Bool) {
        self.entityName = entityName
        self.entity = nil
        self.dictionaryHandler = dictionaryHandler
    }

    /// Inserts what the handler fills in, until it answers true.
    public init(entity: NSEntityDescription, dictionaryHandler: @escaping (NSMutableDictionary) -> Bool) {
        self.entityName = entity.name ?? ""
        self.entity = entity
        self.dictionaryHandler = dictionaryHandler
    }

    /// Inserts what the handler fills in, until it answers true.
    public init(entityName: String, managedObjectHandler: @escaping (NSManagedObject) -> Bool) {
        self.entityName = entityName
        self.entity = nil
        self.managedObjectHandler = managedObjectHandler
    }

    /// Inserts what the handler fills in, until it answers true.
    public init(entity: NSEntityDescription, managedObjectHandler: @escaping (NSManagedObject) -> Bool) {
        self.entityName = entity.name ?? ""
        self.entity = entity
        self.managedObjectHandler = managedObjectHandler
    }

    open override var requestType: NSPersistentStoreRequestType { .batchInsertRequestType }
}

extension NSBatchInsertRequest {
    /// The stored values of the next object that ``managedObjectHandler`` fills; nil once it says that there are no
    /// more, and where there is no such handler.
    ///
    /// `given` are the slots with a value: what the handler left empty does not empty a row that exists.
    package func valuesOfNextObject(_ layout: EntityLayout) -> (values: [PropertyValue], given: [Int])? {
        guard let managedObjectHandler else { return nil }
        let object = ObjectBirth.make(
            layout.objectClass, layout: layout, objectID: .temporary(layout.entity), isFault: false)
        guard !managedObjectHandler(object) else { return nil }
        let values = object.storedValues()
        return (values, values.indices.filter { !values[$0].isNull })
    }
}

/// What a batch insert did.
open class NSBatchInsertResult: NSPersistentStoreResult {
    /// `Bool`, `[NSManagedObjectID]` or `Int`, by ``resultType``.
    open internal(set) var result: Any?
    /// What was asked for.
    open internal(set) var resultType: NSBatchInsertRequestResultType = .statusOnly

    /// Makes an answer that says nothing.
    public override init() { super.init() }

    /// An answer.
    package init(result: Any?, resultType: NSBatchInsertRequestResultType) {
        self.result = result
        self.resultType = resultType
    }
}

/// What a batch update answers.
public enum NSBatchUpdateRequestResultType: UInt, Sendable {
    /// Whether it was done.
    case statusOnlyResultType = 0
    /// The IDs of the changed objects.
    case updatedObjectIDsResultType = 1
    /// Their number.
    case updatedObjectsCountResultType = 2
}

/// Changes rows without making objects of them.
open class NSBatchUpdateRequest: NSPersistentStoreRequest {
    /// The name of the entity.
    open internal(set) var entityName: String
    /// The entity, where the request was made with one.
    open internal(set) var entity: NSEntityDescription?
    /// Which objects; nil for all.
    open var predicate: NSPredicate?
    /// New values by property name or description: constants or `NSExpression`.
    open var propertiesToUpdate: [AnyHashable: Any]?
    /// Whether objects of entities that inherit are changed too.
    open var includesSubentities = true
    /// What is answered.
    open var resultType: NSBatchUpdateRequestResultType = .statusOnlyResultType

    /// Makes a request for an entity by name.
    public init(entityName: String) {
        self.entityName = entityName
        self.entity = nil
    }

    /// Makes a request for an entity.
    public init(entity: NSEntityDescription) {
        self.entityName = entity.name ?? ""
        self.entity = entity
    }

    open override var requestType: NSPersistentStoreRequestType { .batchUpdateRequestType }
}

/// What a batch update did.
open class NSBatchUpdateResult: NSPersistentStoreResult {
    /// `Bool`, `[NSManagedObjectID]` or `Int`, by ``resultType``.
    open internal(set) var result: Any?
    /// What was asked for.
    open internal(set) var resultType: NSBatchUpdateRequestResultType = .statusOnlyResultType

    /// Makes an answer that says nothing.
    public override init() { super.init() }

    /// An answer.
    package init(result: Any?, resultType: NSBatchUpdateRequestResultType) {
        self.result = result
        self.resultType = resultType
    }
}

/// What a batch delete answers.
public enum NSBatchDeleteRequestResultType: UInt, Sendable {
    /// Whether it was done.
    case resultTypeStatusOnly = 0
    /// The IDs of the deleted objects.
    case resultTypeObjectIDs = 1
    /// Their number.
    case resultTypeCount = 2
}

/// Deletes rows without making objects of them.
open class NSBatchDeleteRequest: NSPersistentStoreRequest {
    /// Which objects.
    open internal(set) var fetchRequest: AnyFetchRequest
    /// What is answered.
    open var resultType: NSBatchDeleteRequestResultType = .resultTypeStatusOnly
    /// The objects, where the request was made with their IDs.
    package let objectIDs: [NSManagedObjectID]?

    /// Deletes what a request finds.
    public init(fetchRequest: AnyFetchRequest) {
        self.fetchRequest = fetchRequest
        objectIDs = nil
    }

    /// Deletes objects, all of the same entity or of entities that inherit from one. Others fail when the request is executed,
    /// and nothing is deleted.
    public init(objectIDs: [NSManagedObjectID]) {
        self.objectIDs = objectIDs
        let request = NSFetchRequest<any NSFetchRequestResult>()
        var entity = objectIDs.first?.entity
        while let own = entity, !objectIDs.allSatisfy({ $0.entity.isKindOf(entity: own) }) {
            entity = own.superentity
        }
        request.entity = entity
        request.predicate = NSPredicate(format: "SELF IN %@", objectIDs)
        fetchRequest = request
    }

    open override var requestType: NSPersistentStoreRequestType { .batchDeleteRequestType }
}

/// What a batch delete did.
open class NSBatchDeleteResult: NSPersistentStoreResult {
    /// `Bool`, `[NSManagedObjectID]` or `Int`, by ``resultType``.
    open internal(set) var result: Any?
    /// What was asked for.
    open internal(set) var resultType: NSBatchDeleteRequestResultType = .resultTypeStatusOnly

    /// Makes an answer that says nothing.
    public override init() { super.init() }

    /// An answer.
    package init(result: Any?, resultType: NSBatchDeleteRequestResultType) {
        self.result = result
        self.resultType = resultType
    }
}
