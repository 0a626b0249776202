// The keys of a store's options, with Apple's names.

/// `NSNumber`: migrate an older store when it is added.
public let NSMigratePersistentStoresAutomaticallyOption = "NSMigratePersistentStoresAutomaticallyOption"
/// `NSNumber`: infer the mapping for a migration.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// `NSNumber`: refuse changes.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// `NSNumber`: seconds to wait for a lock of another process.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// Dictionary of names and values: `journal_mode`, `synchronous` and so on.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// `NSNumber`: run SQLite's ANALYZE when the store is added.
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// `NSNumber`: run SQLite's VACUUM when the store is added.
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// `NSNumber`: keep a history of changes.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// `NSNumber`: post ``Foundation/NSNotification/Name/NSPersistentStoreRemoteChange`` for every change.
///
/// With ``NSPersistentHistoryTrackingKey`` set too, changes of other processes and of other coordinators are noticed,
/// and contexts that merge changes automatically take them over.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
    "NSPersistentStoreRemoteChangeNotificationOptionKey"
/// `NSNumber`: leave lightweight changes of the schema that take long for later.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
    "NSPersistentStoreDeferredLightweightMigrationOptionKey"
/// ``NSStagedMigrationManager``: how to migrate.
public let NSPersistentStoreStagedMigrationManagerOptionKey =
    "NSPersistentStoreStagedMigrationManagerOptionKey"
/// `NSNumber`: delete the file even where it cannot be opened.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
/// `NSNumber`: open a store whatever model wrote it.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// Kept for source compatibility; the file system's own protection applies.
public let NSPersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"
/// Kept for source compatibility.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSizeKey"

// The keys of a store's metadata.

/// The type of the store.
public let NSStoreTypeKey = "NSStoreType"
/// The identifier of the store.
public let NSStoreUUIDKey = "NSStoreUUID"
/// The hash of each entity.
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"
/// The identifiers of the model's version.
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"

// The older names of the store types.

/// A SQLite file.
public let NSSQLiteStoreType = "SQLite"
/// Not offered here.
public let NSBinaryStoreType = "Binary"
/// SQLite in memory.
public let NSInMemoryStoreType = "InMemory"
/// Not offered here.
public let NSXMLStoreType = "XML"
