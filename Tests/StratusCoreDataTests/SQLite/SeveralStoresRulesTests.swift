import Foundation
import TestSupport
import Testing

@testable import StratusCoreData

/// What an app meets that keeps objects of one entity in several stores.
@Suite struct SeveralStoresRulesTests {
    private static func model() -> NSManagedObjectModel {
        let box = entity("Box", [attribute("name", .stringAttributeType)])
        let item = entity(
            "Item",
            [
                attribute("n", .integer64AttributeType),
                attribute("blob", .transformableAttributeType) {
                    $0.valueTransformerName = "NSSecureUnarchiveFromData"
                },
            ])
        item.subentities = [entity("Special")]
        func pair(_ name: String, _ back: String, many: Bool, ordered: Bool = false) {
            let (there, here) = (
                relationship(name, many: true, ordered: ordered), relationship(back, many: many)
            )
            join(there, of: box, here, of: item)
            box.properties += [there]
            item.properties += [here]
        }
        pair("items", "box", many: false)
        pair("shared", "sharing", many: true)
        pair("list", "lists", many: true, ordered: true)
        let loose = relationship("loose", many: true)
        loose.destinationEntity = item
        box.properties += [loose]
        return StratusCoreDataTests.model([box, item])
    }

    private static func context(
        _ kinds: [NSPersistentStore.StoreType], options: [AnyHashable: Any]? = nil
    ) throws -> (NSManagedObjectContext, TemporaryDirectory) {
        let folder = try TemporaryDirectory()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
        for (place, kind) in kinds.enumerated() {
            try coordinator.addPersistentStore(
                type: kind, at: folder.url.appendingPathComponent("\(place).store"), options: options)
        }
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return (context, folder)
    }

    @discardableResult
    private static func make(
        _ name: String, _ place: Int, _ context: NSManagedObjectContext, _ values: [String: Any] = [:]
    ) throws -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
        let stores = try #require(context.persistentStoreCoordinator).persistentStores
        context.assign(object, to: stores[place % stores.count])
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    /// The key of an object of another store is that of another object here.
    @Test(arguments: ["items", "shared", "loose", "list"])
    func aRelationshipIntoAnotherStoreIsRefused(_ key: String) throws {
        let (context, folder) = try Self.context([.sqlite, .inMemory])
        defer { withExtendedLifetime(folder) {} }
        try context.runAndWait {
            let box = try Self.make("Box", 0, context)
            try Self.make("Item", 0, context, ["n": 1])
            let item = try Self.make("Item", 1, context, ["n": 2])
            try context.save()
            let isOrdered = box.entity.relationshipsByName[key]?.isOrdered == true
            box.setValue(isOrdered ? NSOrderedSet(array: [item]) : NSSet(array: [item]), forKey: key)
            for _ in 0..<2 { #expect(code { try context.save() } == 133_010) }
            context.rollback()
            context.refreshAllObjects()
            #expect(box.objectIDs(forRelationshipNamed: key).isEmpty)
        }
    }

    @Test(arguments: [
        NSPersistentHistoryResultType.transactionsAndChanges, .transactionsOnly, .count, .objectIDs,
        .changesOnly,
    ]) func aPageOfTheHistoryIsOneOfAllStores(_ type: NSPersistentHistoryResultType) throws {
        let (context, folder) = try Self.context(
            [.sqlite, .sqlite], options: [NSPersistentHistoryTrackingKey: true])
        defer { withExtendedLifetime(folder) {} }
        try context.runAndWait {
            for n in 0..<6 {
                context.transactionAuthor = "\(n)"
                try Self.make("Item", n, context, ["n": n])
                try context.save()
            }
            func ask(_ fetch: AnyFetchRequest?, inSpan: Bool) throws -> Any? {
                let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
                let matching = fetch.map { NSPersistentHistoryChangeRequest.fetchHistory(withFetch: $0) }
                let chosen = inSpan ? matching ?? request : request
                if !inSpan { chosen.fetchRequest = fetch }
                chosen.resultType = type
                return (try context.execute(chosen) as? NSPersistentHistoryResult)?.result
            }
            let whole = try ask(nil, inSpan: false)
            for inSpan in [false, true] {
                let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
                fetch.fetchLimit = 3
                fetch.fetchOffset = 1
                let found = try ask(fetch, inSpan: inSpan)
                switch type {
                case .count: #expect(found as? Int == 3)
                case .objectIDs: #expect((found as? [NSManagedObjectID])?.count == 3)
                case .changesOnly: #expect((found as? [NSPersistentHistoryChange])?.count == 3)
                default:
                    let authors = (whole as? [NSPersistentHistoryTransaction])?.map(\.author)
                    let some = (found as? [NSPersistentHistoryTransaction])?.map(\.author)
                    #expect(some == authors.map { Array($0[1..<4]) })
                }
                #expect(fetch.fetchLimit == 3 && fetch.fetchOffset == 1)
            }
        }
    }

    @Test func sectionsOverSeveralStoresFollowChanges() throws {
        let (context, folder) = try Self.context([.sqlite, .sqlite])
        defer { withExtendedLifetime(folder) {} }
        context.automaticallyMergesChangesFromParent = true
        let controller = try context.runAndWait {
            let boxes = try [0, 1].map { try Self.make("Box", $0, context, ["name": $0 == 0 ? "b" : "a"]) }
            for n in 0..<6 { try Self.make("Item", n, context, ["n": n, "box": boxes[n % 2]]) }
            try context.save()
            context.reset()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            request.sortDescriptors = ["box.name", "n"].map { NSSortDescriptor(key: $0, ascending: true) }
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "box.name",
                cacheName: nil)
            try controller.performFetch()
            return controller
        }
        let sections = { () -> [String] in
            context.runAndWait {
                (controller.sections ?? []).map { section -> String in
                    let numbers = section.objects?.compactMap {
                        ($0 as? NSManagedObject)?.value(forKey: "n") as? Int
                    }
                    return "\(section.name) \(numbers ?? [])"
                }
            }
        }
        #expect(sections() == ["a [1, 3, 5]", "b [0, 2, 4]"])
        context.runAndWait { controller.delegate = Following.shared }
        let other = NSManagedObjectContext(.privateQueue)
        other.persistentStoreCoordinator = context.persistentStoreCoordinator
        try other.runAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            request.predicate = NSPredicate(format: "n IN {0, 1}")
            for item in try other.fetch(request) {
                let n = item.value(forKey: "n") as? Int ?? 0
                item.setValue(n + 10, forKey: "n")
                (item.value(forKey: "box") as? NSManagedObject)?.setValue(n == 1 ? "z" : "y", forKey: "name")
            }
            try other.save()
        }
        #expect(sections() == ["y [2, 4, 10]", "z [3, 5, 11]"])
    }

    private final class Following: NSFetchedResultsControllerDelegate {
        nonisolated(unsafe) static let shared = Following()
        func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}
    }

    @Test(arguments: [1, 2]) func dictionariesHaveIDsObjectsAndTransformables(_ count: Int) throws {
        let (context, folder) = try Self.context([.sqlite, .inMemory].suffix(count))
        defer { withExtendedLifetime(folder) {} }
        try context.runAndWait {
            let boxes = try [0, 1].map { try Self.make("Box", $0, context, ["name": "\($0)"]) }
            for n in 0..<4 {
                try Self.make("Item", n, context, ["n": n, "box": boxes[n % 2], "blob": ["half": n / 2]])
            }
            try context.save()
            let request = NSFetchRequest<NSDictionary>(entityName: "Item")
            request.resultType = .dictionaryResultType
            request.sortDescriptors = [NSSortDescriptor(key: "n", ascending: false)]
            request.fetchLimit = 3
            let itself = NSExpressionDescription()
            itself.name = "itself"
            itself.expression = Predicates.NSExpression.expressionForEvaluatedObject()
            itself.expressionResultType = .objectIDAttributeType
            request.propertiesToFetch = [itself, "objectID", "box", "blob"]
            let rows = try context.fetch(request)
            func value(_ row: NSDictionary, _ key: String, _ name: String) -> Any? {
                (row[key] as? NSManagedObjectID).flatMap { context.object(with: $0).value(forKey: name) }
            }
            for key in ["itself", "objectID"] {
                #expect(rows.map { value($0, key, "n") as? Int } == [3, 2, 1])
            }
            #expect(rows.map { value($0, "box", "name") as? String } == ["1", "0", "1"])
            #expect(rows.map { ($0["blob"] as? [String: Int])?["half"] } == [1, 1, 0])
            request.propertiesToFetch = ["blob"]
            request.sortDescriptors = nil
            request.fetchLimit = 0
            request.returnsDistinctResults = true
            #expect(try context.fetch(request).count == 2)
        }
    }

    @Test func statisticsOfAPinnedContextAreThoseOfItsState() throws {
        let (context, folder) = try Self.context([.sqlite, .sqlite])
        defer { withExtendedLifetime(folder) {} }
        let request = NSFetchRequest<NSDictionary>(entityName: "Item")
        request.resultType = .dictionaryResultType
        let sum = NSExpressionDescription()
        sum.name = "sum"
        sum.expression = Predicates.NSExpression(format: "sum:(n)")
        request.propertiesToFetch = [sum]
        try context.runAndWait {
            for n in 1...2 { try Self.make("Item", n, context, ["n": n]) }
            try context.save()
            try context.setQueryGenerationFrom(.current)
            #expect(try context.fetch(request).first?["sum"] as? Int == 3)
        }
        let other = NSManagedObjectContext(.privateQueue)
        other.persistentStoreCoordinator = context.persistentStoreCoordinator
        try other.runAndWait {
            for n in 3...4 { try Self.make("Item", n, other, ["n": n]) }
            try other.save()
        }
        try context.runAndWait {
            #expect(try context.fetch(request).first?["sum"] as? Int == 3)
            request.affectedStores = context.persistentStoreCoordinator?.persistentStores.prefix(1).map { $0 }
            #expect(try context.fetch(request).first?["sum"] as? Int == 2)
            try context.setQueryGenerationFrom(nil)
            #expect(try context.fetch(request).first?["sum"] as? Int == 6)
        }
    }

    @Test func aBatchDeleteOfIDsOfSeveralEntitiesDeletesNoneOrAll() throws {
        let (context, folder) = try Self.context([.sqlite, .inMemory])
        defer { withExtendedLifetime(folder) {} }
        try context.runAndWait {
            let items = try (0..<4).map { try Self.make($0 < 2 ? "Special" : "Item", $0, context, ["n": $0]) }
            let box = try Self.make("Box", 0, context)
            try context.save()
            let mixed = NSBatchDeleteRequest(objectIDs: (items + [box]).map(\.objectID))
            #expect(code { _ = try context.execute(mixed) } == 134_060)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            #expect(try context.count(for: request) == 4)
            // Entities of one family, the inheriting one first.
            let family = NSBatchDeleteRequest(objectIDs: items.prefix(3).map(\.objectID))
            family.resultType = .resultTypeCount
            #expect(try (context.execute(family) as? NSBatchDeleteResult)?.result as? Int == 3)
            #expect(try context.count(for: request) == 1)
        }
    }
}
