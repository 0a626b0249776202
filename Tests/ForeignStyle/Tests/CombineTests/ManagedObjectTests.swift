@preconcurrency import Combine
import CoreData
import Testing

@Suite struct ManagedObjectTests {
    private func context() throws -> NSManagedObjectContext {
        let name = NSAttributeDescription()
        (name.name, name.attributeType, name.isOptional) = ("name", .stringAttributeType, true)
        let entity = NSEntityDescription()
        (entity.name, entity.properties) = ("Item", [name])
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    @Test func `An object says before it changes that it will`() throws {
        let context = try context()
        try context.performAndWait {
            let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            var seen: [String?] = []
            // The value from before the change can be read while it is announced.
            let watching = item.objectWillChange.sink { [unowned item] in
                seen.append(item.primitiveValue(forKey: "name") as? String)
            }
            item.setValue("a", forKey: "name")
            item.setValue("b", forKey: "name")
            try context.save()
            #expect(seen == [nil, "a"])
            item.setValue("c", forKey: "name")
            context.refresh(item, mergeChanges: false)
            #expect(seen.count >= 4)
            #expect(item.value(forKey: "name") as? String == "b")
            watching.cancel()
            let count = seen.count
            item.setValue("d", forKey: "name")
            #expect(seen.count == count)
            #expect(item.objectWillChange === item.objectWillChange)
        }
    }

    @Test func `A publisher goes with its object`() throws {
        let context = try context()
        nonisolated(unsafe) weak var publisher: ObservableObjectPublisher?
        context.performAndWait {
            let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            publisher = item.objectWillChange
            context.delete(item)
            context.processPendingChanges()
            context.reset()
        }
        #expect(publisher == nil)
    }
}
