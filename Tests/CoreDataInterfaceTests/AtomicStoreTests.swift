import CoreData
import Testing

/// A store of the app's own, written as JSON.
final class JSONStore: NSAtomicStore, @unchecked Sendable {
    static let storeType = NSPersistentStore.StoreType(rawValue: "CoreDataInterfaceTests.JSON")
    nonisolated(unsafe) static var failsToSave = false

    private struct Row: Codable {
        var reference: String
        var name: String?
        var friends: [String]
    }

    override var type: String { Self.storeType.rawValue }

    override func load() throws {
        guard let url, let data = try? Data(contentsOf: url) else { return }
        let rows = try JSONDecoder().decode([Row].self, from: data)
        guard let entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName["Person"] else {
            return
        }
        var nodes: [String: NSAtomicStoreCacheNode] = [:]
        for row in rows {
            let node = NSAtomicStoreCacheNode(
                objectID: objectID(for: entity, withReferenceObject: row.reference))
            node.setValue(row.name, forKey: "name")
            nodes[row.reference] = node
        }
        for row in rows {
            nodes[row.reference]?.setValue(Set(row.friends.compactMap { nodes[$0] }), forKey: "friends")
        }
        addCacheNodes(Set(nodes.values))
    }

    override func save() throws {
        if Self.failsToSave { throw CocoaError(.fileWriteOutOfSpace) }
        guard let url else { return }
        let rows = cacheNodes().map { node in
            Row(
                reference: "\(referenceObject(for: node.objectID))",
                name: node.value(forKey: "name") as? String,
                friends: ((node.value(forKey: "friends") as? Set<NSAtomicStoreCacheNode>) ?? []).map {
                    "\(referenceObject(for: $0.objectID))"
                })
        }
        try JSONEncoder().encode(rows).write(to: url)
    }

    override func newReferenceObject(for managedObject: NSManagedObject) -> Any { UUID().uuidString }
}

@Suite(.serialized) struct AtomicStoreTests {
    private func context(_ url: URL) throws -> NSManagedObjectContext {
        NSPersistentStoreCoordinator.registerStoreClass(JSONStore.self, type: JSONStore.storeType)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: People.model())
        try coordinator.addPersistentStore(type: JSONStore.storeType, at: url)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    @Test func savesAndLoads() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("atomic-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        let first = try context(url)
        try first.performAndWait {
            let people = ["Ada", "Grace", "Edsger"].map { name in
                let person = Person(context: first)
                person.name = name
                return person
            }
            people[0].friends = [people[1], people[2]]
            try first.save()
            #expect(!people[0].objectID.isTemporaryID && !first.hasChanges)
            people[1].name = "Grace Hopper"
            first.delete(people[2])
            try first.save()
            #expect(people[0].friends == [people[1]])
        }
        let second = try context(url)
        try second.performAndWait {
            let request = NSFetchRequest<Person>(entityName: "Person")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
            #expect(try second.fetch(request).map(\.name) == ["Grace Hopper", "Ada"])
            request.predicate = NSPredicate(format: "ANY friends.name BEGINSWITH %@", "Grace")
            let found = try second.fetch(request)
            #expect(found.map(\.name) == ["Ada"] && found.first?.friends.first?.name == "Grace Hopper")
            #expect(try second.count(for: NSFetchRequest<Person>(entityName: "Person")) == 2)
            let friend = try #require(found.first?.friends.first)
            request.predicate = NSPredicate(format: "friends CONTAINS %@", friend)
            #expect(try second.fetch(request).map(\.name) == ["Ada"])
            let rows = NSFetchRequest<NSDictionary>(entityName: "Person")
            rows.resultType = .dictionaryResultType
            rows.propertiesToFetch = ["name"]
            rows.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            rows.fetchLimit = 1
            #expect(try second.fetch(rows) == [["name": "Ada"]])
            let longest = NSExpressionDescription()
            longest.name = "longest"
            longest.expression = NSExpression(format: "max:(name.length)")
            rows.propertiesToFetch = [longest]
            #expect(try second.fetch(rows) == [["longest": 12]])
        }
    }

    @Test func aFailedSaveChangesNothing() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("atomic-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        let context = try context(url)
        try context.performAndWait {
            let person = Person(context: context)
            person.name = "Ada"
            try context.save()
            person.name = "Grace"
            Person(context: context).name = "Edsger"
            JSONStore.failsToSave = true
            defer { JSONStore.failsToSave = false }
            #expect(throws: CocoaError.self) { try context.save() }
            let store = try #require(context.persistentStoreCoordinator?.persistentStores.first as? JSONStore)
            #expect(store.cacheNodes().map { $0.value(forKey: "name") as? String } == ["Ada"])
            #expect(store.cacheNode(for: person.objectID)?.value(forKey: "name") as? String == "Ada")
            JSONStore.failsToSave = false
            try context.save()
            #expect(store.cacheNodes().count == 2 && person.name == "Grace")
        }
    }

    @Test func twoContextsMeetConflicts() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("atomic-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        let first = try context(url)
        let second = NSManagedObjectContext(.privateQueue)
        second.persistentStoreCoordinator = first.persistentStoreCoordinator
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
            (first.object(with: id) as? Person)?.name = "Edsger"
            #expect { try first.save() } throws: { ($0 as NSError).code == NSManagedObjectMergeError }
        }
    }

    final class Forgetful: NSAtomicStore, @unchecked Sendable {}

    @Test func aClassWithoutLoadSaysSo() throws {
        let type = NSPersistentStore.StoreType(rawValue: "CoreDataInterfaceTests.Forgetful")
        NSPersistentStoreCoordinator.registerStoreClass(Forgetful.self, type: type)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: People.model())
        #expect {
            try coordinator.addPersistentStore(type: type, at: URL(fileURLWithPath: "/dev/null"))
        } throws: {
            ($0 as NSError).code == NSPersistentStoreOperationError
                && $0.localizedDescription.contains("load()")
        }
        #expect(coordinator.persistentStores.isEmpty)
    }
}
