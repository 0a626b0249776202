import CoreData

/// The app's stack, as Xcode's template has it.
public struct PersistenceController {
    public let container: NSPersistentContainer

    public init(inMemory: Bool = false) {
        guard let url = Bundle.module.url(forResource: "Trips", withExtension: "momd"),
            let model = NSManagedObjectModel(contentsOf: url)
        else { fatalError("The model is missing.") }
        container = NSPersistentContainer(name: "Trips", managedObjectModel: model)
        if inMemory {
            container.persistentStoreDescriptions.first?.url = URL(fileURLWithPath: "/dev/null")
        }
        container.loadPersistentStores(completionHandler: { _, error in
            if let error = error as NSError? {
                fatalError("Unresolved error \(error), \(error.userInfo)")
            }
        })
        container.viewContext.automaticallyMergesChangesFromParent = true
    }
}
