import CoreData

/// The container that most apps with a cloud have.
final class Mirrored {
    let container: NSPersistentCloudKitContainer

    init(name: String, model: NSManagedObjectModel, url: URL) {
        container = NSPersistentCloudKitContainer(name: name, managedObjectModel: model)
        let description = NSPersistentStoreDescription(url: url)
        description.cloudKitContainerOptions = NSPersistentCloudKitContainerOptions(
            containerIdentifier: "iCloud.com.example")
        description.cloudKitContainerOptions?.databaseScope = .private
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        description.setOption(
            true as NSNumber, forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
        container.persistentStoreDescriptions = [description]
    }

    func load(then done: @escaping (Error?) -> Void) {
        container.loadPersistentStores { _, error in
            self.container.viewContext.automaticallyMergesChangesFromParent = true
            done(error)
        }
    }

    func lastEvent(_ notification: Notification) -> String? {
        let key = NSPersistentCloudKitContainer.eventNotificationUserInfoKey
        guard let event = notification.userInfo?[key] as? NSPersistentCloudKitContainer.Event else {
            return nil
        }
        switch event.type {
        case .setup: return "setup"
        case .import: return "import"
        case .export: return "export"
        @unknown default: return nil
        }
    }
}
