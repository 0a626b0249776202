// Keys that belong to no single file here.

/// The names of the variables in the value expressions of a mapping model: the manager, as in `$manager`.
public let NSMigrationManagerKey = "manager"
/// The object that is migrated, as in `$source`.
public let NSMigrationSourceObjectKey = "source"
/// The new object, as in `$destination`.
public let NSMigrationDestinationObjectKey = "destination"
/// The mapping of the entity, as in `$entityMapping`.
public let NSMigrationEntityMappingKey = "entityMapping"
/// The mapping of the property, as in `$propertyMapping`.
public let NSMigrationPropertyMappingKey = "propertyMapping"
/// The policy, as in `$entityPolicy`.
public let NSMigrationEntityPolicyKey = "entityPolicy"

/// `Set` of classes that a binary store may hold; such stores are not offered here.
public let NSBinaryStoreSecureDecodingClasses = "NSBinaryStoreSecureDecodingClasses"
/// `NSNumber`: lets a binary store hold any class; such stores are not offered here.
public let NSBinaryStoreInsecureDecodingCompatibilityOption =
    "NSBinaryStoreInsecureDecodingCompatibilityOption"
/// `NSNumber`: checks an XML store against its DTD; such stores are not offered here.
public let NSValidateXMLStoreOption = "NSValidateXMLStoreOption"
/// The checksum of the model's version in a store's metadata.
public let NSPersistentStoreModelVersionChecksumKey = "NSStoreModelVersionChecksumKey"
/// The oldest system that reads the store, in its metadata; not written here.
public let NSPersistentStoreOSCompatibility = "NSPersistentStoreOSCompatibility"

/// The key of refreshed IDs in a notification.
public let NSRefreshedObjectIDsKey = NSManagedObjectContext.NotificationKey.refreshedObjectIDs.rawValue
/// The key of invalidated IDs in a notification.
public let NSInvalidatedObjectIDsKey = NSManagedObjectContext.NotificationKey.invalidatedObjectIDs.rawValue
/// The key of the query generation in a did-save notification.
public let NSManagedObjectContextQueryGenerationKey =
    NSManagedObjectContext.NotificationKey.queryGeneration.rawValue

/// What an asynchronous fetch calls at its end.
public typealias NSPersistentStoreAsynchronousFetchResultCompletionBlock = (
    NSAsynchronousFetchResult<any NSFetchRequestResult>
) -> Void
