import CoreData

/// The options of a store as they were in 2012, when iCloud had documents.
func oldOptions(in container: URL) -> [AnyHashable: Any] {
    [
        NSMigratePersistentStoresAutomaticallyOption: true,
        NSInferMappingModelAutomaticallyOption: true,
        NSPersistentStoreUbiquitousContentNameKey: "Library",
        NSPersistentStoreUbiquitousContentURLKey: container,
        NSBinaryStoreInsecureDecodingCompatibilityOption: true,
        NSSQLitePragmasOption: ["journal_mode": "WAL"],
    ]
}

func transition(_ userInfo: [AnyHashable: Any]) -> String? {
    guard let number = userInfo[NSPersistentStoreUbiquitousTransitionTypeKey] as? NSNumber,
        let type = NSPersistentStoreUbiquitousTransitionType(rawValue: number.uintValue)
    else { return nil }
    switch type {
    case .accountAdded: return "added"
    case .accountRemoved: return "removed"
    case .contentRemoved: return "content removed"
    case .initialImportCompleted: return "imported"
    @unknown default: return nil
    }
}
