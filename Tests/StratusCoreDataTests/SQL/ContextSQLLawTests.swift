import Foundation
import TestSupport
import Testing

@testable import StratusCoreData

/// What the store finds is what evaluation over the managed objects themselves finds.
@Suite struct ContextSQLLawTests {
    @Test("A fetch answers as its predicate does over the objects", arguments: Seed.some(20))
    func sameAnswers(_ seed: Seed) throws {
        var random = seed.random
        let law = try LawStore(&random, size: random.int(1...12))
        let folder = try TemporaryDirectory()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: law.law.model)
        try coordinator.addPersistentStore(
            type: .sqlite, at: folder.url.appendingPathComponent("law.sqlite"))
        let store = try #require(coordinator.graphStores.first)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let predicates = RandomPredicate(random, law)
        try context.runAndWait {
            let objects = try insert(law, context)
            try context.save()
            // What is compared are values that were read from the file.
            context.refreshAllObjects()
            try check(objects, law, store, predicates)
        }
    }

    private func insert(_ law: LawStore, _ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        var made: [NSManagedObjectID: NSManagedObject] = [:]
        let objects = law.objects.map { object in
            let copy = NSManagedObject(entity: object.entity, insertInto: context)
            made[object.objectID] = copy
            return copy
        }
        for (object, copy) in zip(law.objects, objects) {
            for (key, value) in object.values {
                switch value {
                case let other as LawObject: copy.setValue(made[other.objectID], forKey: key)
                case let others as [LawObject]:
                    let all = others.compactMap { made[$0.objectID] }
                    let isOrdered = object.entity.relationshipsByName[key]?.isOrdered == true
                    copy.setValue(isOrdered ? NSOrderedSet(array: all) : NSSet(array: all), forKey: key)
                // The transformable attribute has nothing to compare.
                case _ where key == "blob": break
                default: copy.setValue(value, forKey: key)
                }
            }
        }
        return objects
    }

    private func check(
        _ objects: [NSManagedObject], _ law: LawStore, _ store: any GraphStore, _ made: RandomPredicate
    ) throws {
        var predicates = made
        var same = 0
        for _ in 0..<300 {
            let name = predicates.random.pick(["Thing", "Thing", "Book", "Person", "Tag"], else: "Thing")
            let entity = law.law.entity(name)
            let tree = predicates.predicate(on: entity, depth: 3)
            // Each evaluation has a time of its own.
            if "\(tree)".contains("now()") { continue }
            let family = objects.filter { $0.entity.isKindOf(entity: entity) }
            guard let expected = try? family.filter({ try tree.evaluate(on: $0) }).map(\.objectID) else {
                continue
            }
            var found: [NSManagedObjectID.Reference] = []
            do {
                let fetch = StoreFetch(entity: entity, predicate: tree)
                try store.fetch(fetch, withRows: false, generation: nil) { found.append($0.reference) }
            } catch let error as CocoaError where error.code.rawValue == 134060 { continue }
            #expect(Set(found) == Set(expected.map(\.reference)), "\(name): \(tree)")
            same += 1
        }
        #expect(same > 200)
    }
}
