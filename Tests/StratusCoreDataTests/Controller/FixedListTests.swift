import Foundation
import Testing

@testable import StratusCoreData

/// Controllers of what are no objects.
@Suite struct FixedListTests {
    private final class Noting: NSFetchedResultsControllerDelegate {
        var calls = 0
        func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
            calls += 1
        }
    }

    private func seed(_ context: NSManagedObjectContext) throws {
        for (title, credits) in [("A", 1), ("B", 2), ("C", 1), ("A", 3)] {
            let course = context.make(title)
            course.credits = Int16(credits)
        }
        try context.save()
    }

    private func request(_ properties: [Any]) -> NSFetchRequest<NSDictionary> {
        let request = NSFetchRequest<NSDictionary>(entityName: "Course")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = properties
        request.sortDescriptors = [
            NSSortDescriptor(key: "title", ascending: true),
            NSSortDescriptor(key: "credits", ascending: true),
        ]
        return request
    }

    @Test(arguments: [StoreKind.sqlite, .memory]) func listsDictionaries(_ kind: StoreKind) throws {
        try GraphStack(kind).run { context in
            try seed(context)
            let controller = NSFetchedResultsController(
                fetchRequest: request(["title"]), managedObjectContext: context, sectionNameKeyPath: nil,
                cacheName: nil)
            let delegate = Noting()
            controller.delegate = delegate
            #expect(controller.fetchedObjects == nil && controller.sections == nil)
            try controller.performFetch()
            #expect(controller.fetchedObjects?.map { $0["title"] as? String } == ["A", "A", "B", "C"])
            #expect(controller.sections?.map(\.numberOfObjects) == [4])
            #expect(controller.object(at: IndexPath(item: 2, section: 0)) == ["title": "B"])
            #expect(controller.indexPath(forObject: ["title": "C"]) == IndexPath(item: 3, section: 0))
            #expect(controller.indexPath(forObject: ["title": "D"]) == nil)
            // No changes are followed; another fetch sees them.
            _ = context.make("D")
            try context.save()
            #expect(controller.fetchedObjects?.count == 4 && delegate.calls == 0)
            try controller.performFetch()
            #expect(controller.fetchedObjects?.count == 5 && delegate.calls == 0)
        }
    }

    @Test func listsDistinctAndGroupedRowsInSections() throws {
        try GraphStack(.sqlite).run { context in
            try seed(context)
            let distinct = request(["title"])
            distinct.returnsDistinctResults = true
            distinct.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
            let titles = NSFetchedResultsController(
                fetchRequest: distinct, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: "c"
            )
            try titles.performFetch()
            #expect(titles.fetchedObjects == [["title": "C"], ["title": "B"], ["title": "A"]])
            let divided = NSFetchedResultsController(
                fetchRequest: request(["title", "credits"]), managedObjectContext: context,
                sectionNameKeyPath: "credits", cacheName: nil)
            try divided.performFetch()
            // By title: A 1, A 3, B 2, C 1. A section is never split.
            #expect(divided.sections?.map(\.name) == ["1", "3", "2"])
            #expect(divided.sections?.map(\.numberOfObjects) == [2, 1, 1])
            #expect(
                divided.sections?[0].objects?.count == 2 && divided.sectionIndexTitles == ["1", "3", "2"])
            #expect(divided.fetchedObjects?.map { $0["title"] as? String } == ["A", "C", "A", "B"])
            #expect(divided.object(at: IndexPath(item: 1, section: 0))["title"] as? String == "C")
            let sum = NSExpressionDescription()
            sum.name = "sum"
            sum.expression = Predicates.NSExpression(format: "sum:(credits)")
            sum.expressionResultType = .integer64AttributeType
            let grouped = request(["title", sum])
            grouped.propertiesToGroupBy = ["title"]
            grouped.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            let sums = NSFetchedResultsController(
                fetchRequest: grouped, managedObjectContext: context, sectionNameKeyPath: "sum",
                cacheName: nil)
            try sums.performFetch()
            #expect(sums.sections?.map(\.name) == ["4", "2", "1"])
        }
    }

    /// Code that says what results are in one of the other two ways.
    @Test func listsDictionariesOfAnyType() throws {
        try GraphStack(.sqlite).run { context in
            try seed(context)
            let swift = NSFetchRequest<[String: Any]>(entityName: "Course")
            let any = NSFetchRequest<any NSFetchRequestResult>(entityName: "Course")
            for request in [swift, any] as [AnyFetchRequest] {
                request.resultType = .dictionaryResultType
                request.propertiesToFetch = ["title"]
                request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
            }
            let first = NSFetchedResultsController(
                fetchRequest: swift, managedObjectContext: context, sectionNameKeyPath: "title",
                cacheName: nil)
            try first.performFetch()
            #expect(first.fetchedObjects?.map { $0["title"] as? String } == ["C", "B", "A", "A"])
            #expect(first.indexPath(forObject: ["title": "B"]) == IndexPath(item: 0, section: 1))
            let second = NSFetchedResultsController(
                fetchRequest: any, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
            try second.performFetch()
            #expect((second.fetchedObjects?.last as? NSDictionary)?["title"] as? String == "A")
            // The same request for objects again: the list follows changes again.
            any.resultType = .managedObjectResultType
            any.propertiesToFetch = nil
            let delegate = Noting()
            second.delegate = delegate
            try second.performFetch()
            _ = context.make("D")
            context.processPendingChanges()
            #expect(second.fetchedObjects?.count == 5 && delegate.calls == 1)
        }
    }

    @Test func listsIDsAndSaysWhatItCannotList() throws {
        try GraphStack(.sqlite).run { context in
            try seed(context)
            let request = NSFetchRequest<NSManagedObjectID>(entityName: "Course")
            request.resultType = .managedObjectIDResultType
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            func controller(_ key: String? = nil) -> NSFetchedResultsController<NSManagedObjectID> {
                NSFetchedResultsController(
                    fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: key,
                    cacheName: nil)
            }
            let plain = controller()
            try plain.performFetch()
            let first = try #require(plain.fetchedObjects?.first)
            #expect(plain.fetchedObjects?.count == 4 && plain.indexPath(forObject: first)?.item == 0)
            #expect(code { try controller("title").performFetch() } == 134_060)
            request.resultType = .countResultType
            #expect(code { try plain.performFetch() } == 134_060)
            // A request that failed leaves the list as it was.
            #expect(plain.fetchedObjects?.count == 4)
            let dictionaries = NSFetchedResultsController(
                fetchRequest: self.request(["title"]), managedObjectContext: context,
                sectionNameKeyPath: "credits", cacheName: nil)
            #expect(code { try dictionaries.performFetch() } == 134_060 && dictionaries.sections == nil)
            // The type of the controller and that of the results differ.
            let strangers = NSFetchRequest<Course>(entityName: "Course")
            strangers.resultType = .dictionaryResultType
            strangers.sortDescriptors = request.sortDescriptors
            let wrong = NSFetchedResultsController(
                fetchRequest: strangers, managedObjectContext: context, sectionNameKeyPath: nil,
                cacheName: nil)
            #expect(code { try wrong.performFetch() } == 134_060)
        }
    }
}
