import CoreData

/// The stack of a thousand apps.
final class Stack {
    static let bundle = Bundle.module

    static let model: NSManagedObjectModel = {
        guard let url = Bundle.module.url(forResource: "Library", withExtension: "momd"),
            let model = NSManagedObjectModel(contentsOf: url)
        else { preconditionFailure("the model is not in the bundle") }
        return model
    }()

    let container: NSPersistentContainer

    init(url: URL) throws {
        container = NSPersistentContainer(name: "Library", managedObjectModel: Stack.model)
        let description = NSPersistentStoreDescription(url: url)
        description.type = NSSQLiteStoreType
        description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
        container.persistentStoreDescriptions = [description]
        var failure: Error?
        container.loadPersistentStores { _, error in failure = error }
        if let failure = failure { throw failure }
        container.viewContext.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    }
}
