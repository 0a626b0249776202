import Foundation
import TestSupport
import Testing

@testable import StratusCoreData

@Suite struct ControllerTests {
    @Test("Grouping by the chapter's name while sorting by its number keeps sections whole")
    func groupingByName() throws {
        let bench = try CourseBench()
        try bench.fill(courses: 2, chapters: 3, lessons: 2)
        let context = bench.context()
        try context.performAndWait {
            let controller = context.lessons("chapter.course.courseId = 1")
            #expect(controller.fetchedObjects == nil)
            #expect(controller.sections == nil)
            try controller.performFetch()
            #expect(text(controller) == "Chapter 3[0 1] Chapter 2[0 1] Chapter 1[0 1]")
            #expect(controller.sections?.first?.numberOfObjects == 2)
            #expect(controller.sectionIndexTitles == ["C"])
            #expect(controller.section(forSectionIndexTitle: "C", at: 0) == 0)
            // Two courses have chapters of the same names: still one section for each name.
            let both = context.lessons(sort: ["chapter.course.courseId", "chapter.number", "number"])
            try both.performFetch()
            #expect(text(both) == "Chapter 3[0 1 0 1] Chapter 2[0 1 0 1] Chapter 1[0 1 0 1]")
            #expect(both.fetchedObjects?.count == 12)
        }
    }

    @Test("A chapter that gets another name, number or course takes its lessons along")
    func relatedObjects() throws {
        let bench = try CourseBench()
        try bench.fill(courses: 2, chapters: 2, lessons: 2)
        let context = bench.context()
        try context.performAndWait {
            let delegate = try TableDelegate(context.lessons("chapter.course.courseId = 1"))
            let chapter = try #require(try context.all("LawChapter", "course.courseId = 1").first)
            chapter.setValue("Intro", forKey: "name")
            context.processPendingChanges()
            #expect(text(delegate.controller) == "Intro[0 1] Chapter 1[0 1]")
            #expect(delegate.log.prefix(2) == ["delete section 0 Chapter 2", "insert section 0 Intro"])
            chapter.setValue(7, forKey: "number")
            context.processPendingChanges()
            #expect(text(delegate.controller) == "Chapter 1[0 1] Intro[0 1]")
            let transactions = delegate.transactions
            chapter.setValue("of no interest", forKey: "note")
            context.processPendingChanges()
            #expect(delegate.transactions == transactions)
            let course = try #require(try context.all("LawCourse", "courseId = 0").first)
            course.setValue(1, forKey: "courseId")
            context.processPendingChanges()
            #expect(text(delegate.controller) == "Chapter 2[0 1] Chapter 1[0 0 1 1] Intro[0 1]")
            course.setValue(5, forKey: "courseId")
            try context.save()
            #expect(text(delegate.controller) == "Chapter 1[0 1] Intro[0 1]")
            #expect(delegate.problems == [])
        }
    }

    @Test("Calls come in Apple's order, with index paths of before and after")
    func callOrder() throws {
        let bench = try CourseBench()
        try bench.fill(courses: 1, chapters: 2, lessons: 3)
        let context = bench.context()
        try context.performAndWait {
            let delegate = try TableDelegate(context.lessons())
            let chapters = try context.all("LawChapter")
            let lessons = try #require(delegate.controller.fetchedObjects)
            context.delete(lessons[0])
            lessons[1].setValue("other", forKey: "title")
            lessons[4].setValue(9, forKey: "number")
            _ = context.make("LawLesson", ["number": 1, "chapter": chapters[1]])
            let third = context.make("LawChapter", ["number": 5, "name": "New"])
            _ = context.make("LawLesson", ["number": 0, "chapter": third])
            try context.save()
            #expect(
                delegate.log == [
                    "insert section 2 New", "delete 0.0 -", "insert - 1.1", "insert - 2.0", "move 1.1 1.3",
                    "update 0.1 0.0",
                ])
            #expect(delegate.transactions == 1)
            #expect(delegate.problems == [])
            // A section whose last object goes is deleted with it.
            context.delete(
                try #require((third.value(forKey: "lessons") as? NSSet)?.anyObject() as? NSManagedObject))
            context.processPendingChanges()
            #expect(delegate.log == ["delete section 2 New", "delete 2.0 -"])
            #expect(delegate.problems == [])
        }
    }

    @Test("Objects that start or stop to match are inserted and deleted, also in merges of unknown objects")
    func matching() throws {
        let bench = try CourseBench()
        try bench.fill(courses: 1, chapters: 1, lessons: 3)
        let main = bench.context()
        let other = bench.context()
        let delegate = try main.performAndWait {
            try TableDelegate(main.lessons("flag == YES", sections: nil))
        }
        #expect(main.runAndWait { delegate.table.items.count } == 1)
        try other.performAndWait {
            for lesson in try other.all("LawLesson") {
                lesson.setValue(!(lesson.value(forKey: "flag") as? Bool ?? false), forKey: "flag")
            }
            try other.save()
        }
        main.performAndWait {}
        main.runAndWait {
            #expect(text(delegate.controller) == "[1 2]")
            #expect(delegate.log == ["delete 0.0 -", "insert - 0.0", "insert - 0.1"])
            #expect(delegate.transactions == 1)
            #expect(delegate.problems == [])
        }
    }

    @Test("A related object that is unknown here moves lessons in when it changes elsewhere")
    func unknownRelated() throws {
        let bench = try CourseBench()
        try bench.fill(courses: 2, chapters: 1, lessons: 2)
        let main = bench.context()
        let other = bench.context()
        let delegate = try main.performAndWait {
            try TableDelegate(main.lessons("chapter.course.courseId = 5", sections: nil))
        }
        try other.performAndWait {
            try other.all("LawCourse").first?.setValue(5, forKey: "courseId")
            try other.save()
        }
        main.performAndWait {}
        main.runAndWait {
            #expect(text(delegate.controller) == "[0 1]")
            #expect(delegate.problems == [])
        }
    }

    @Test("A list of what a new object has goes on when that is saved")
    func newOwner() throws {
        let bench = try CourseBench()
        let main = bench.context()
        try main.runAndWait {
            let chapter = NSEntityDescription.insertNewObject(forEntityName: "LawChapter", into: main)
            let request = NSFetchRequest<NSManagedObject>(entityName: "LawLesson")
            request.predicate = NSPredicate(format: "chapter == %@", chapter)
            request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: main, sectionNameKeyPath: nil, cacheName: nil)
            let delegate = NotedCalls()
            controller.delegate = delegate
            try controller.performFetch()
            func lesson(_ number: Int) -> NSManagedObject {
                let lesson = NSEntityDescription.insertNewObject(forEntityName: "LawLesson", into: main)
                lesson.setValue(number, forKey: "number")
                lesson.setValue(chapter, forKey: "chapter")
                return lesson
            }
            let first = lesson(1)
            main.processPendingChanges()
            #expect(controller.fetchedObjects == [first])
            try main.save()
            first.setValue(5, forKey: "number")
            let second = lesson(2)
            main.processPendingChanges()
            #expect(controller.fetchedObjects == [second, first])
            #expect(!delegate.types.contains(.delete))
        }
    }

    @Test("Requests that cannot be listed say why")
    func errors() throws {
        let bench = try CourseBench()
        let context = bench.context()
        context.performAndWait {
            func message(_ controller: NSFetchedResultsController<NSManagedObject>) -> String {
                do {
                    try controller.performFetch()
                    return "no error"
                } catch {
                    let info = (error as? CocoaError)?.userInfo ?? [:]
                    let remedy = info[NSLocalizedRecoverySuggestionErrorKey] as? String ?? ""
                    return "\(info[NSLocalizedDescriptionKey] ?? "") \(remedy)"
                }
            }
            let unsorted = NSFetchRequest<NSManagedObject>(entityName: "LawLesson")
            let controller = NSFetchedResultsController(
                fetchRequest: unsorted, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil
            )
            #expect(message(controller).contains("sort descriptors"))
            #expect(message(context.lessons(sort: [])) == "no error")
            #expect(message(context.lessons(sort: ["nomber"])).contains("'nomber'"))
            #expect(message(context.lessons(sort: ["chapter.nam"])).contains("'nam' (in 'chapter.nam')"))
            #expect(message(context.lessons(sort: ["heading"])).contains("'heading' is transient"))
            #expect(message(context.lessons(sections: "chapter.nam")).contains("section name key path 'nam'"))
            #expect(message(context.lessons(sections: "chapter.lessons.title")).contains("'lessons'"))
            #expect(message(context.lessons(sections: "number.x")).contains("'number'"))
            #expect(message(context.lessons(sections: "heading")) == "no error")
            #expect(message(context.lessons(sections: "initial")) == "no error")
        }
    }

    @Test("Section names of numbers, Booleans, nothing, transient and computed keys")
    func sectionNames() throws {
        let bench = try CourseBench()
        let context = bench.context()
        try context.performAndWait {
            for number in 0..<4 {
                var values: [String: Any] = [
                    "number": number, "flag": number > 1, "rating": Double(number) / 2,
                ]
                if number > 0 { values["title"] = number == 1 ? "x1" : "y" }
                _ = context.make("LawLesson", values)
            }
            let expected = [
                "number": "0[0] 1[1] 2[2] 3[3]", "flag": "0[0 1] 1[2 3]", "title": "[0] x1[1] y[2 3]",
                "heading": "early[0 1 2] late[3]", "initial": "[0] x[1] y[2 3]", "chapter.name": "[0 1 2 3]",
                "rating": "0[0] 0.5[1] 1[2] 1.5[3]",
            ]
            for (key, names) in expected {
                let controller = context.lessons(sections: key, sort: ["number"])
                try controller.performFetch()
                #expect(text(controller) == names, "\(key)")
            }
        }
    }

    @Test("Refreshing gives updates; a reset gives nothing")
    func refreshAndReset() throws {
        let bench = try CourseBench()
        try bench.fill(courses: 1, chapters: 1, lessons: 2)
        let context = bench.context()
        try context.performAndWait {
            let delegate = try TableDelegate(context.lessons())
            let kept = try #require(delegate.controller.fetchedObjects)
            for lesson in kept { _ = lesson.value(forKey: "title") }
            context.refreshAllObjects()
            #expect(delegate.log == ["update 0.0 0.0", "update 0.1 0.1"])
            let transactions = delegate.transactions
            context.reset()
            _ = context.make("LawLesson", ["number": 1])
            context.processPendingChanges()
            #expect(delegate.transactions == transactions)
            try delegate.controller.performFetch()
            #expect(text(delegate.controller) == "[1] Chapter 1[0 1]")
        }
    }

    @Test("Unsaved changes wait where the request leaves them out")
    func withoutPending() throws {
        let bench = try CourseBench()
        try bench.fill(courses: 1, chapters: 1, lessons: 2)
        let context = bench.context()
        try context.performAndWait {
            let controller = context.lessons(sections: nil, sort: ["number"])
            controller.fetchRequest.includesPendingChanges = false
            let delegate = try TableDelegate(controller)
            let lessons = try context.all("LawLesson")
            _ = context.make("LawLesson", ["number": 7])
            context.delete(lessons[0])
            context.processPendingChanges()
            #expect(delegate.transactions == 0)
            try context.save()
            #expect(text(controller) == "[1 7]")
            #expect(delegate.transactions == 1)
            #expect(delegate.problems == [])
        }
    }

    @Test("A delegate may edit, save and fetch while it is told of changes")
    func meddling() throws {
        let bench = try CourseBench()
        try bench.fill(courses: 1, chapters: 2, lessons: 3)
        let context = bench.context()
        try context.performAndWait {
            let delegate = try TableDelegate(context.lessons())
            var rounds = 0
            delegate.meddle = { object in
                guard rounds < 6, let object = object as? NSManagedObject, !object.isDeleted else { return }
                rounds += 1
                object.setValue(10 + rounds, forKey: "number")
                _ = context.make("LawLesson", ["number": rounds])
                if rounds.isMultiple(of: 2) { try? context.save() } else { context.processPendingChanges() }
                _ = try? context.all("LawLesson")
            }
            try context.all("LawLesson")[0].setValue("x", forKey: "title")
            context.processPendingChanges()
            context.processPendingChanges()
            #expect(rounds == 6)
            #expect(delegate.problems == [])
            #expect(delegate.table == StrictTable(delegate.controller))
        }
    }

    @Test("The limit counts for the fetch only")
    func limit() throws {
        let bench = try CourseBench()
        try bench.fill(courses: 1, chapters: 1, lessons: 5)
        let context = bench.context()
        try context.performAndWait {
            let controller = context.lessons(sections: nil, sort: ["number"])
            controller.fetchRequest.fetchLimit = 2
            controller.fetchRequest.fetchOffset = 1
            let delegate = try TableDelegate(controller)
            #expect(text(controller) == "[1 2]")
            _ = context.make("LawLesson", ["number": 2])
            try context.save()
            #expect(text(controller) == "[1 2 2]")
            #expect(delegate.problems == [])
        }
    }

    @Test("Without a listener the list stays; a delegate that comes late hears of all that it missed")
    func lateDelegate() throws {
        let bench = try CourseBench()
        try bench.fill(courses: 1, chapters: 1, lessons: 2)
        let context = bench.context()
        try context.performAndWait {
            let controller = context.lessons()
            try controller.performFetch()
            _ = context.make("LawLesson", ["number": 8])
            context.processPendingChanges()
            #expect(text(controller) == "Chapter 1[0 1]")
            let delegate = try TableDelegate(context.lessons())
            let late = LateDelegate()
            controller.delegate = late
            _ = context.make("LawLesson", ["number": 9])
            context.processPendingChanges()
            #expect(late.inserted == 2)
            #expect(text(controller) == "[8 9] Chapter 1[0 1]")
            #expect(text(delegate.controller) == text(controller))
        }
    }

    @Test("Undo and redo of insertions, deletions and changes are followed")
    func undo() throws {
        let bench = try CourseBench()
        try bench.fill(courses: 1, chapters: 1, lessons: 3)
        let context = bench.context()
        try context.performAndWait {
            context.undoManager = UndoManager()
            let delegate = try TableDelegate(context.lessons())
            let lessons = try #require(delegate.controller.fetchedObjects)
            lessons[0].setValue(9, forKey: "number")
            context.processPendingChanges()
            context.delete(lessons[1])
            context.processPendingChanges()
            _ = context.make("LawLesson", ["number": 4])
            context.processPendingChanges()
            let states = ["[4] Chapter 1[2 9]", "Chapter 1[2 9]", "Chapter 1[1 2 9]", "Chapter 1[0 1 2]"]
            #expect(text(delegate.controller) == states[0])
            for state in states.dropFirst() {
                context.undo()
                #expect(text(delegate.controller) == state)
            }
            for state in states.reversed().dropFirst() {
                context.redo()
                #expect(text(delegate.controller) == state)
            }
            #expect(delegate.problems == [])
        }
    }

    @Test("A controller that is gone is called no more, and gives its objects back")
    func lifetime() throws {
        let bench = try CourseBench()
        try bench.fill(courses: 1, chapters: 1, lessons: 2)
        let context = bench.context()
        try context.performAndWait {
            var delegate: TableDelegate? = try TableDelegate(context.lessons())
            weak let controller = delegate?.controller
            weak let object = delegate?.table.items.first
            #expect(controller != nil)
            delegate = nil
            #expect(controller == nil)
            #expect(object == nil)
            _ = context.make("LawLesson", ["number": 8])
            context.processPendingChanges()
            #expect(context.eventListeners.isEmpty)
        }
    }
}

final class LateDelegate: NSFetchedResultsControllerDelegate {
    var inserted = 0

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) { if type == .insert { inserted += 1 } }
}

/// Notes what a delegate is called with.
private final class NotedCalls: NSFetchedResultsControllerDelegate {
    var types: [NSFetchedResultsChangeType] = []

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        types.append(type)
    }
}
