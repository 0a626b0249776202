import CoreData
import Testing

/// What Apple's platforms let a subclass override.
@Suite struct OverrideTests {
    final class Spy: NSManagedObjectContext, @unchecked Sendable {
        // Used by one test, on the context's queue.
        var calls: [String] = []
        override func save() throws { calls.append("save"); try super.save() }
        override func delete(_ object: NSManagedObject) { calls.append("delete"); super.delete(object) }
        override func perform(_ block: @escaping @Sendable () -> Void) { super.perform(block) }
        override func performAndWait(_ block: @Sendable () -> Void) {
            calls.append("performAndWait"); super.performAndWait(block)
        }
        override func insert(_ object: NSManagedObject) { super.insert(object) }
        override func object(with objectID: NSManagedObjectID) -> NSManagedObject {
            super.object(with: objectID)
        }
        override func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
            try super.existingObject(with: objectID)
        }
        override func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
            super.registeredObject(for: objectID)
        }
        override func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
            super.refresh(object, mergeChanges: flag)
        }
        override func refreshAllObjects() { super.refreshAllObjects() }
        override func reset() { calls.append("reset"); super.reset() }
        override func rollback() { super.rollback() }
        override func undo() { super.undo() }
        override func redo() { super.redo() }
        override func processPendingChanges() { super.processPendingChanges() }
        override func detectConflicts(for object: NSManagedObject) { super.detectConflicts(for: object) }
        override func assign(_ object: Any, to store: NSPersistentStore) { super.assign(object, to: store) }
        override func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
            try super.obtainPermanentIDs(for: objects)
        }
        override func mergeChanges(fromContextDidSave notification: Notification) {
            super.mergeChanges(fromContextDidSave: notification)
        }
        override class func mergeChanges(
            fromRemoteContextSave changes: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
        ) { super.mergeChanges(fromRemoteContextSave: changes, into: contexts) }
        override func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
            try super.execute(request)
        }
        override func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
            try super.setQueryGenerationFrom(generation)
        }
        override func shouldHandleInaccessibleFault(
            _ fault: NSManagedObject, for oid: NSManagedObjectID,
            triggeredByProperty property: NSPropertyDescription?
        ) -> Bool { super.shouldHandleInaccessibleFault(fault, for: oid, triggeredByProperty: property) }
        override var insertedObjects: Set<NSManagedObject> { super.insertedObjects }
        override var updatedObjects: Set<NSManagedObject> { super.updatedObjects }
        override var deletedObjects: Set<NSManagedObject> { super.deletedObjects }
        override var registeredObjects: Set<NSManagedObject> { super.registeredObjects }
        override var hasChanges: Bool { super.hasChanges }
        override var concurrencyType: NSManagedObjectContextConcurrencyType { super.concurrencyType }
    }

    class Double: NSManagedObject {
        override var objectID: NSManagedObjectID { super.objectID }
        override var managedObjectContext: NSManagedObjectContext? { super.managedObjectContext }
        override var entity: NSEntityDescription { super.entity }
        override var isInserted: Bool { super.isInserted }
        override var isUpdated: Bool { super.isUpdated }
        override var isDeleted: Bool { super.isDeleted }
        override var hasChanges: Bool { super.hasChanges }
        override var isFault: Bool { super.isFault }
        override var faultingState: Int { super.faultingState }
        override var hasPersistentChangedValues: Bool { super.hasPersistentChangedValues }
        override class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { false }
        override func changedValues() -> [String: Any] { super.changedValues() }
        override func changedValuesForCurrentEvent() -> [String: Any] { super.changedValuesForCurrentEvent() }
        override func committedValues(forKeys keys: [String]?) -> [String: Any] {
            super.committedValues(forKeys: keys)
        }
        override func hasFault(forRelationshipNamed key: String) -> Bool {
            super.hasFault(forRelationshipNamed: key)
        }
        override func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
            super.objectIDs(forRelationshipNamed: key)
        }
        override func value(forKeyPath keyPath: String) -> Any? { super.value(forKeyPath: keyPath) }
        override func mutableSetValue(forKey key: String) -> NSMutableSet {
            super.mutableSetValue(forKey: key)
        }
        override func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
            super.dictionaryWithValues(forKeys: keys)
        }
    }

    final class Shelf: NSPersistentContainer, @unchecked Sendable {
        let spare = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        override var viewContext: NSManagedObjectContext { spare }
        override var name: String { "shelf" }
        override class func defaultDirectoryURL() -> URL { FileManager.default.temporaryDirectory }
    }

    final class Answer: NSBatchDeleteResult {
        override var result: Any? { [NSManagedObjectID]() }
        override var resultType: NSBatchDeleteRequestResultType { .resultTypeObjectIDs }
    }

    @Test func overridesAreCalled() throws {
        let context = Spy(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = try People.coordinator()
        try context.performAndWait {
            let person = Person(context: context)
            context.delete(person)
            try context.save()
            context.reset()
        }
        #expect(context.calls == ["delete", "save", "reset"])
        context.performAndWait { context.calls = [] }
        #expect(context.calls.isEmpty)
        let shelf = Shelf(name: "x", managedObjectModel: People.model())
        #expect(shelf.viewContext === shelf.spare && shelf.name == "shelf")
        #expect((Answer().result as? [NSManagedObjectID])?.isEmpty == true)
    }

    @Test func concurrencyTypeIsAnEnum() throws {
        func label(_ type: NSManagedObjectContextConcurrencyType) -> String {
            switch type {
            case .mainQueueConcurrencyType: "main"
            case .privateQueueConcurrencyType: "private"
            case .confinementConcurrencyType: "confinement"
            }
        }
        #expect(label(NSManagedObjectContext(.mainQueue).concurrencyType) == "main")
        #expect(
            label(NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType).concurrencyType)
                == "private")
        #expect(NSManagedObjectContextConcurrencyType(rawValue: 2) == .mainQueueConcurrencyType)
        #expect(NSManagedObjectContextConcurrencyType(rawValue: 7) == nil)
    }

    @Test func conflictsAreDetectedForUnchangedObjects() throws {
        let coordinator = try People.coordinator()
        let (first, second) = (NSManagedObjectContext(.privateQueue), NSManagedObjectContext(.privateQueue))
        first.persistentStoreCoordinator = coordinator
        second.persistentStoreCoordinator = coordinator
        let id = try first.performAndWait {
            let person = Person(context: first)
            person.name = "Ada"
            try first.save()
            first.userInfo["kept"] = person
            return person.objectID
        }
        try second.performAndWait {
            (try second.existingObject(with: id) as? Person)?.name = "Grace"
            try second.save()
        }
        first.performAndWait {
            let person = first.object(with: id)
            _ = person.value(forKey: "name")
            first.detectConflicts(for: person)
            #expect { try first.save() } throws: { ($0 as NSError).code == NSManagedObjectMergeError }
        }
    }
}
