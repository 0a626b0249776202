extension NSManagedObjectContext {
    /// Posted by `processPendingChanges` when objects changed; the object is the context.
    public static let didChangeObjectsNotification = Notification.Name(
        "NSObjectsChangedInManagingContextNotification")
    /// Posted before a save.
    public static let willSaveObjectsNotification = Notification.Name(
        "NSManagingContextWillSaveChangesNotification")
    /// Posted after a save, with objects.
    public static let didSaveObjectsNotification = Notification.Name(
        "NSManagingContextDidSaveChangesNotification")
    /// Posted after a save, with object IDs.
    public static let didSaveObjectIDsNotification = Notification.Name(
        "NSManagedObjectContextDidSaveObjectIDsNotification")
    /// Posted after a merge, with object IDs.
    public static let didMergeChangesObjectIDsNotification = Notification.Name(
        "NSManagedObjectContextDidMergeChangesObjectIDsNotification")

    /// The keys of the notifications' `userInfo`.
    public enum NotificationKey: String, Sendable, CaseIterable {
        /// `Set<NSManagedObject>`
        case insertedObjects = "inserted"
        /// `Set<NSManagedObject>`
        case updatedObjects = "updated"
        /// `Set<NSManagedObject>`
        case deletedObjects = "deleted"
        /// `Set<NSManagedObject>`
        case refreshedObjects = "refreshed"
        /// `Set<NSManagedObject>`
        case invalidatedObjects = "invalidated"
        /// `[NSManagedObjectID]`: all objects of the context were forgotten.
        case invalidatedAllObjects = "invalidatedAll"
        /// ``NSQueryGenerationToken``
        case queryGeneration = "newQueryGeneration"
        /// `Set<NSManagedObjectID>`
        case insertedObjectIDs = "inserted_objectIDs"
        /// `Set<NSManagedObjectID>`
        case updatedObjectIDs = "updated_objectIDs"
        /// `Set<NSManagedObjectID>`
        case deletedObjectIDs = "deleted_objectIDs"
        /// `Set<NSManagedObjectID>`
        case refreshedObjectIDs = "refreshed_objectIDs"
        /// `Set<NSManagedObjectID>`
        case invalidatedObjectIDs = "invalidated_objectIDs"
    }
}

/// The key of inserted objects in a notification.
public let NSInsertedObjectsKey = NSManagedObjectContext.NotificationKey.insertedObjects.rawValue
/// The key of updated objects in a notification.
public let NSUpdatedObjectsKey = NSManagedObjectContext.NotificationKey.updatedObjects.rawValue
/// The key of deleted objects in a notification.
public let NSDeletedObjectsKey = NSManagedObjectContext.NotificationKey.deletedObjects.rawValue
/// The key of refreshed objects in a notification.
public let NSRefreshedObjectsKey = NSManagedObjectContext.NotificationKey.refreshedObjects.rawValue
/// The key of invalidated objects in a notification.
public let NSInvalidatedObjectsKey = NSManagedObjectContext.NotificationKey.invalidatedObjects.rawValue
/// The key that says that all objects were invalidated.
public let NSInvalidatedAllObjectsKey = NSManagedObjectContext.NotificationKey.invalidatedAllObjects.rawValue
/// The key of inserted IDs in a notification.
public let NSInsertedObjectIDsKey = NSManagedObjectContext.NotificationKey.insertedObjectIDs.rawValue
/// The key of updated IDs in a notification.
public let NSUpdatedObjectIDsKey = NSManagedObjectContext.NotificationKey.updatedObjectIDs.rawValue
/// The key of deleted IDs in a notification.
public let NSDeletedObjectIDsKey = NSManagedObjectContext.NotificationKey.deletedObjectIDs.rawValue

extension Notification.Name {
    /// Posted by `processPendingChanges` when objects of a context changed.
    public static let NSManagedObjectContextObjectsDidChange =
        NSManagedObjectContext.didChangeObjectsNotification
    /// Posted before a context saves.
    public static let NSManagedObjectContextWillSave = NSManagedObjectContext.willSaveObjectsNotification
    /// Posted after a context saved.
    public static let NSManagedObjectContextDidSave = NSManagedObjectContext.didSaveObjectsNotification
    /// Posted after a context saved, with IDs.
    public static let NSManagedObjectContextDidSaveObjectIDs =
        NSManagedObjectContext.didSaveObjectIDsNotification
    /// Posted after a context merged changes of others.
    public static let NSManagedObjectContextDidMergeChangesObjectIDs =
        NSManagedObjectContext.didMergeChangesObjectIDsNotification
    /// Posted before a coordinator's stores change.
    public static let NSPersistentStoreCoordinatorStoresWillChange = Notification.Name(
        "NSPersistentStoreCoordinatorStoresWillChangeNotification")
    /// Posted after a coordinator's stores changed.
    public static let NSPersistentStoreCoordinatorStoresDidChange = Notification.Name(
        "NSPersistentStoreCoordinatorStoresDidChangeNotification")
    /// Posted before a store is taken away.
    public static let NSPersistentStoreCoordinatorWillRemoveStore = Notification.Name(
        "NSPersistentStoreCoordinatorWillRemoveStoreNotification")
    /// Posted by a coordinator when a store was changed, by this process or another one, where the store's options ask
    /// for it.
    ///
    /// The keys `NSStoreUUIDKey`, `NSPersistentStoreURLKey` and `NSPersistentHistoryTokenKey` tell which store it is
    /// and what its history has reached. Several commits of others in short succession may be one notification.
    /// Posted on any thread.
    public static let NSPersistentStoreRemoteChange = Notification.Name(
        "NSPersistentStoreRemoteChangeNotification")
}

/// The key of added stores in a coordinator's notification.
public let NSAddedPersistentStoresKey = "added"
/// The key of removed stores in a coordinator's notification.
public let NSRemovedPersistentStoresKey = "removed"
/// The key of stores whose identifier changed in a coordinator's notification.
public let NSUUIDChangedPersistentStoresKey = "changedUUID"
/// The key of the store's address in a remote change notification.
public let NSPersistentStoreURLKey = "storeURL"
/// The key of the history token in a remote change notification.
public let NSPersistentHistoryTokenKey = "historyToken"
