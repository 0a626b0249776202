import Foundation
import TestSupport
import Testing

@testable import StratusCoreData

@Suite struct SnapshotTests {
    @Test("A delegate with the snapshot method gets nothing else")
    func snapshots() throws {
        let bench = try CourseBench()
        try bench.fill(courses: 1, chapters: 2, lessons: 2)
        let context = bench.context()
        try context.performAndWait {
            let controller = context.lessons()
            let delegate = SnapshotDelegate()
            controller.delegate = delegate
            try controller.performFetch()
            let lessons = try #require(controller.fetchedObjects)
            lessons[1].setValue("other", forKey: "title")
            let new = context.make(
                "LawLesson", ["number": 5, "chapter": lessons[0].value(forKey: "chapter") as Any])
            context.processPendingChanges()
            let first = try #require(delegate.snapshots.last)
            #expect(first.sectionIdentifiers as? [String] == ["Chapter 2", "Chapter 1"])
            #expect(first.numberOfItems == 5)
            #expect(first.numberOfItems(inSection: "Chapter 2") == 3)
            #expect(first.reloadedItemIdentifiers as? [NSManagedObjectID] == [lessons[1].objectID])
            let temporary = new.objectID
            #expect(first.index(ofItemIdentifier: temporary) == 2)
            try context.save()
            let second = try #require(delegate.snapshots.last)
            #expect(delegate.snapshots.count == 2)
            #expect(second.index(ofItemIdentifier: temporary) == NSNotFound)
            #expect(second.index(ofItemIdentifier: new.objectID) == 2)
            #expect(
                second.sectionIdentifier(forSectionContainingItemIdentifier: new.objectID) as? String
                    == "Chapter 2")
            #expect(
                second.itemIdentifiers as? [NSManagedObjectID] == controller.fetchedObjects?.map(\.objectID))
            #expect(first.index(ofItemIdentifier: temporary) == 2)
            #expect(delegate.others == 0)
        }
    }

    @Test("A delegate with the method for differences gets nothing else, where there are no sections")
    func differences() throws {
        let bench = try CourseBench()
        try bench.fill(courses: 1, chapters: 1, lessons: 4)
        let context = bench.context()
        try context.performAndWait {
            let controller = context.lessons(sections: nil, sort: ["number"])
            let delegate = DifferenceDelegate()
            controller.delegate = delegate
            try controller.performFetch()
            var shown = try #require(controller.fetchedObjects).map(\.objectID)
            for round in 0..<4 {
                let lessons = try #require(controller.fetchedObjects)
                lessons[round % 2].setValue(20 - round, forKey: "number")
                lessons[3].setValue("t\(round)", forKey: "title")
                if round == 2 { context.delete(lessons[1]) }
                _ = context.make("LawLesson", ["number": round])
                if round.isMultiple(of: 2) { try context.save() } else { context.processPendingChanges() }
                for difference in delegate.differences { shown = try #require(shown.applying(difference)) }
                delegate.differences = []
                #expect(shown == controller.fetchedObjects?.map(\.objectID))
            }
            #expect(delegate.others == 0)
            // With sections the same delegate gets single changes.
            let sectioned = context.lessons()
            sectioned.delegate = delegate
            try sectioned.performFetch()
            _ = context.make("LawLesson", ["number": 1])
            context.processPendingChanges()
            #expect(delegate.others == 3)
        }
    }

    @Test("The sequence begins with the list, and every difference leads from one snapshot to the next")
    func sequence() async throws {
        let bench = try CourseBench()
        try bench.fill(courses: 1, chapters: 2, lessons: 2)
        let context = bench.context()
        let stream = try context.performAndWait {
            let controller = context.lessons()
            try controller.performFetch()
            let stream = controller.snapshots()
            let lesson = try #require(controller.fetchedObjects?.first)
            lesson.setValue(3, forKey: "number")
            context.processPendingChanges()
            lesson.setValue("t", forKey: "title")
            _ = context.make("LawLesson", ["number": 1])
            try context.save()
            context.delete(lesson)
            try context.save()
            return stream
        }
        var snapshots: [FetchedResultsSnapshot] = []
        for await snapshot in stream { snapshots.append(snapshot) }
        #expect(snapshots.count == 5)
        #expect(snapshots.first?.changes == [])
        #expect(snapshots.map(\.count) == [4, 4, 5, 5, 4])
        for (before, after) in zip(snapshots, snapshots.dropFirst()) {
            var table = before.sections.map { ($0.name, $0.objectIDs) }
            Self.apply(after.changes, to: &table)
            #expect(table.map(\.0) == after.sections.map(\.name))
            #expect(table.map(\.1) == after.sections.map(\.objectIDs))
        }
        #expect(snapshots[2].objectIDs.filter(\.isTemporaryID).count == 1)
        #expect(snapshots[3].objectIDs.filter(\.isTemporaryID).isEmpty)
        let path = IndexPath(item: 0, section: 0)
        #expect(snapshots[4].objectID(at: path).flatMap { snapshots[4].indexPath(for: $0) } == path)
    }

    static func apply(_ changes: [FetchedResultsChange], to table: inout [(String, [NSManagedObjectID])]) {
        var leaving: Set<IndexPath> = []
        var arriving: [(IndexPath, NSManagedObjectID)] = []
        var gone: Set<Int> = []
        var come: [(Int, String)] = []
        for change in changes {
            switch change {
            case .deleteSection(let index, _): gone.insert(index)
            case .insertSection(let index, let name): come.append((index, name))
            case .delete(_, let path): leaving.insert(path)
            case .insert(let id, let path): arriving.append((path, id))
            case .move(let id, let old, let new, _):
                leaving.insert(old)
                arriving.append((new, id))
            case .update: break
            }
        }
        table = table.indices.filter { !gone.contains($0) }.map { section in
            let items = table[section].1.indices.filter {
                !leaving.contains(IndexPath(item: $0, section: section))
            }
            return (table[section].0, items.map { table[section].1[$0] })
        }
        for (index, name) in come { table.insert((name, []), at: index) }
        for (path, id) in arriving.sorted(by: { $0.0 < $1.0 }) {
            table[path.section].1.insert(id, at: path.item)
        }
    }
}

final class SnapshotDelegate: NSFetchedResultsControllerDelegate {
    var others = 0
    var snapshots: [NSDiffableDataSourceSnapshotReference] = []

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        others += 1
    }
    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        others += 1
    }
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
    ) { snapshots.append(snapshot) }
}

final class DifferenceDelegate: NSFetchedResultsControllerDelegate {
    var others = 0
    var differences: [CollectionDifference<NSManagedObjectID>] = []

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        others += 1
    }
    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        others += 1
    }
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) { others += 1 }
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) { differences.append(diff) }
}
