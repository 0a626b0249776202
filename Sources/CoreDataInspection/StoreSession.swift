internal import Foundation
internal import StratusCoreData

/// A store that is open twice: as plain SQL, and through Core Data.
final class StoreSession {
    let copy: ReadOnlyCopy
    let plain: PlainStore
    let model: StoreModel
    let context: NSManagedObjectContext
    private let coordinator: NSPersistentStoreCoordinator

    /// - Throws: ``InspectionError``, and what adding the store throws.
    init(_ url: URL, model file: URL? = nil) throws {
        copy = try ReadOnlyCopy(of: url)
        plain = try PlainStore(copy.url, original: url.path)
        model = try StoreModel(of: plain, file: file)
        // The app's classes are not in this program.
        for entity in model.model.entities { entity.managedObjectClassName = "NSManagedObject" }
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model.model)
        // Hashes of Apple's stores cannot be compared, and the model is the store's own.
        try coordinator.addPersistentStore(
            type: .sqlite, at: copy.url,
            options: [
                NSReadOnlyPersistentStoreOption: true, NSIgnorePersistentStoreVersioningOption: true,
                NSMigratePersistentStoresAutomaticallyOption: false,
            ])
        context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
    }

    func entity(named name: String) throws -> (PlainStore.Entity, NSEntityDescription) {
        guard let plainEntity = plain.entities.first(where: { $0.name == name }),
            let entity = model.model.entitiesByName[name]
        else {
            throw InspectionError(.noEntity(name, known: plain.entities.map(\.name)), path: plain.path)
        }
        return (plainEntity, entity)
    }

    func close() {
        context.runAndWait { context.reset() }
        // A copy was read, or a file without changes: there is nothing that could be lost.
        for store in coordinator.persistentStores { try? coordinator.remove(store) }
    }

    /// The primary key of an object: the number in the last part of its address.
    static func key(_ objectID: NSManagedObjectID) -> Int64? {
        let last = objectID.uriRepresentation().lastPathComponent
        return last.hasPrefix("p") ? Int64(last.dropFirst()) : nil
    }
}
