extension NSPersistentStoreCoordinator { func migrateIfNeeded(_ c: NSPersistentStore.Type, configuration: String?, at url: URL, options: [AnyHashable: Any]) throws {} }
