extension NSPersistentStoreCoordinator {
    func migrateIfNeeded(
        _ c: NSPersistentStore.Type, configuration: String?, at url: URL, options: [AnyHashable: Any]
    ) throws {}
}
extension NSManagedObjectModel {
    static func named(_ name: String) throws -> NSManagedObjectModel { NSManagedObjectModel() }
}
