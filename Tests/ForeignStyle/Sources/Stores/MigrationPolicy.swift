import CoreData

/// A policy of the app's own for one entity.
final class TitleCasePolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        let made = manager.destinationInstances(
            forEntityMappingName: mapping.name, sourceInstances: [sInstance])
        for object in made {
            let title = object.value(forKey: "title") as? String
            object.setValue(title?.capitalized, forKey: "title")
        }
    }
}

func renamed(_ source: URL, to destination: URL, model: NSManagedObjectModel) throws {
    let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: model, destinationModel: model)
    for entity in mapping.entityMappings where entity.sourceEntityName == "Book" {
        entity.entityMigrationPolicyClassName = NSStringFromClass(TitleCasePolicy.self)
        entity.mappingType = .customEntityMappingType
    }
    let manager = NSMigrationManager(sourceModel: model, destinationModel: model)
    try manager.migrateStore(
        from: source, sourceType: NSSQLiteStoreType, options: nil, with: mapping,
        toDestinationURL: destination,
        destinationType: NSSQLiteStoreType, destinationOptions: nil)
}
