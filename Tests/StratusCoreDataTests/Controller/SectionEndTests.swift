import Foundation
import Testing

@testable import StratusCoreData

/// Sections that end or begin with an object's move, and lists without an order.
@Suite struct SectionEndTests {
    private final class Noting: NSFetchedResultsControllerDelegate {
        var calls: [String] = []

        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
            didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
            for type: NSFetchedResultsChangeType
        ) {
            let count = sectionInfo.objects?.count ?? -1
            calls.append(
                "section \(sectionInfo.name) \(type.rawValue): \(sectionInfo.numberOfObjects) \(count)")
        }

        func controller(
            _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
            at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
        ) {
            calls.append("object \(type.rawValue)")
        }
    }

    private func makeController(_ context: NSManagedObjectContext) -> NSFetchedResultsController<Course> {
        let request = NSFetchRequest<Course>(entityName: "Course")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        return NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "title", cacheName: nil)
    }

    @Test func aDeletedSectionHasNoObjects() throws {
        try GraphStack(.memory).run { context in
            let course = context.make("A")
            _ = context.make("B")
            let controller = makeController(context)
            let delegate = Noting()
            controller.delegate = delegate
            try controller.performFetch()
            context.delete(course)
            context.processPendingChanges()
            #expect(delegate.calls == ["section A 2: 0 0", "object 2"])
        }
    }

    /// "A move is reported when the changed attribute on the object is one of the sort descriptors used in the fetch
    /// request" (documentation of NSFetchedResultsControllerDelegate).
    @Test(arguments: [true, false]) func aMoveIntoANewSection(_ asApple: Bool) throws {
        try GraphStack(.memory).run { context in
            let course = context.make("A")
            _ = context.make("B")
            let controller = makeController(context)
            if !asApple { controller.movesAcrossChangedSections = false }
            let delegate = Noting()
            controller.delegate = delegate
            try controller.performFetch()
            course.title = "C"
            context.processPendingChanges()
            let sections = ["section A 2: 0 0", "section C 1: 1 1"]
            #expect(delegate.calls == sections + (asApple ? ["object 3"] : ["object 2", "object 1"]))
        }
    }

    @Test(arguments: StoreKind.allCases) func aListMayHaveNoOrder(_ kind: StoreKind) throws {
        try GraphStack(kind).run { context in
            _ = context.make("B")
            try context.save()
            let request = NSFetchRequest<Course>(entityName: "Course")
            request.sortDescriptors = []
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
            let delegate = Noting()
            controller.delegate = delegate
            try controller.performFetch()
            _ = context.make("A")
            try context.save()
            #expect(delegate.calls == ["object 1"])
            #expect(Set(controller.fetchedObjects?.map(\.title) ?? []) == ["A", "B"])
        }
    }
}
