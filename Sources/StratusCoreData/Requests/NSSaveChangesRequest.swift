/// The objects of a save, as a store of the app's own gets them.
open class NSSaveChangesRequest: NSPersistentStoreRequest {
    /// The new objects.
    open internal(set) var insertedObjects: Set<NSManagedObject>?
    /// The changed objects.
    open internal(set) var updatedObjects: Set<NSManagedObject>?
    /// The deleted objects.
    open internal(set) var deletedObjects: Set<NSManagedObject>?
    /// Objects that are only checked for changes of others; always nil here.
    open internal(set) var lockedObjects: Set<NSManagedObject>?

    /// Makes a request.
    public init(
        inserted insertedObjects: Set<NSManagedObject>?, updated updatedObjects: Set<NSManagedObject>?,
        deleted deletedObjects: Set<NSManagedObject>?, locked lockedObjects: Set<NSManagedObject>?
    ) {
        self.insertedObjects = insertedObjects
        self.updatedObjects = updatedObjects
        self.deletedObjects = deletedObjects
        self.lockedObjects = lockedObjects
    }

    open override var requestType: NSPersistentStoreRequestType { .saveRequestType }
}
