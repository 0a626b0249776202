import Foundation
import StratusCoreData
import Testing

/// Values that an app gets from elsewhere and hands on, and that no attribute holds.
@Suite struct OddValueTests {
    private static func model() -> NSManagedObjectModel {
        let entity = NSEntityDescription()
        entity.name = "Count"
        entity.properties = [
            ("small", NSAttributeType.integer16AttributeType), ("middle", .integer32AttributeType),
            ("large", .integer64AttributeType),
        ].map { name, type in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.isOptional = true
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    @Test(arguments: StoreKind.allCases) func numbersOutOfRangeAreRefusedAtTheSave(_ kind: StoreKind) throws {
        try GraphStack(kind, model: Self.model()).run { context in
            let object = NSEntityDescription.insertNewObject(forEntityName: "Count", into: context)
            let numbers: [(Any, String, Int)] = [
                (40_000, "small", 1_610), (-40_000, "small", 1_620), (UInt64.max, "middle", 1_610),
                (1e30, "small", 1_610), (-Double.infinity, "middle", 1_620),
                (NSNumber(value: 1e12), "middle", 1_610),
            ]
            for (number, key, code) in numbers {
                object.setValue(number, forKey: key)
                var found: Int?
                do { try context.save() } catch { found = (error as NSError).code }
                #expect(found == code, "\(number)")
                object.setValue(1, forKey: key)
            }
            // What no integer is becomes one, as with NSNumber.
            for (number, whole) in [(Double.nan, 0), (1.5, 1), (-2.9, -2)] {
                object.setValue(number, forKey: "large")
                #expect(object.value(forKey: "large") as? Int == whole)
            }
            object.setValue(Decimal(string: "7.5"), forKey: "small")
            try context.save()
            context.reset()
            let read = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Count"))
            #expect(read.count == 1 && read.first?.value(forKey: "small") as? Int == 7)
        }
    }

    @Test(arguments: StoreKind.allCases) func newObjectsThatAreDeletedLeaveNothing(_ kind: StoreKind) throws {
        try GraphStack(kind).run { context in
            context.propagatesDeletesAtEndOfEvent = false
            let course = context.make("A")
            let (teacher, tag) = (Teacher(context: context), Tag(context: context))
            course.teacher = teacher
            course.tags = [tag]
            context.delete(teacher)
            context.delete(tag)
            try context.save()
            #expect(course.teacher == nil && course.tags.isEmpty)
        }
    }

    /// An observer that waits for its own queue, on which somebody asks the stores.
    @Test func observersOfStoresMayUseThem() throws {
        let stack = try GraphStack(.sqlite)
        let id = try stack.seed(lessons: 1)
        let queue = OperationQueue()
        let other = stack.another("observer")
        let told = DispatchSemaphore(value: 0)
        let center = NotificationCenter.default
        let observers = [
            NSNotification.Name.NSPersistentStoreCoordinatorStoresDidChange,
            .NSPersistentStoreCoordinatorWillRemoveStore,
        ].map { name in
            center.addObserver(forName: name, object: nil, queue: queue) { _ in
                other.performAndWait { _ = try? other.existingObject(with: id) }
                told.signal()
            }
        }
        defer { for observer in observers { center.removeObserver(observer) } }
        let done = DispatchSemaphore(value: 0)
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).sqlite")
        Thread.detachNewThread {
            let store = try? stack.coordinator.addPersistentStore(type: .sqlite, at: url)
            if let store { try? stack.coordinator.remove(store) }
            done.signal()
        }
        #expect(done.wait(timeout: .now() + 60) == .success)
        #expect(told.wait(timeout: .now() + 60) == .success)
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + end) }
    }

    @Test func batchesReachAllStoresOfAnEntity() throws {
        let model = Self.model()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let urls = (0..<2).map { _ in
            FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).sqlite")
        }
        defer {
            for store in coordinator.persistentStores { try? coordinator.remove(store) }
            for url in urls {
                for end in ["", "-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: url.path + end)
                }
            }
        }
        let stores = try urls.map { try coordinator.addPersistentStore(type: .sqlite, at: $0) }
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.runAndWait {
            for store in stores {
                for number in 0..<3 {
                    let object = NSEntityDescription.insertNewObject(forEntityName: "Count", into: context)
                    object.setValue(number, forKey: "small")
                    context.assign(object, to: store)
                }
            }
            try context.save()
            let update = NSBatchUpdateRequest(entityName: "Count")
            update.propertiesToUpdate = ["large": 9]
            update.resultType = .updatedObjectsCountResultType
            #expect((try context.execute(update) as? NSBatchUpdateResult)?.result as? Int == 6)
            let some = NSFetchRequest<any NSFetchRequestResult>(entityName: "Count")
            some.predicate = NSPredicate(format: "small > 0 AND large == 9")
            let delete = NSBatchDeleteRequest(fetchRequest: some)
            delete.resultType = .resultTypeObjectIDs
            let ids = (try context.execute(delete) as? NSBatchDeleteResult)?.result as? [NSManagedObjectID]
            #expect(ids?.count == 4)
            context.reset()
            #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Count")) == 2)
        }
    }
}
