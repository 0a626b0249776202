import Foundation
import StratusCoreData
import Testing

@Suite struct UndoTests {
    private func stack(_ kind: StoreKind) throws -> GraphStack {
        let stack = try GraphStack(kind)
        stack.context.performAndWait { stack.context.undoManager = UndoManager() }
        return stack
    }

    @Test(arguments: StoreKind.allCases) func undoesChangesOneEventAtATime(_ kind: StoreKind) throws {
        let stack = try stack(kind)
        let id = try stack.seed()
        try stack.run { context in
            let manager = try #require(context.undoManager)
            #expect(!manager.canUndo)
            let course: Course = try context.get(id)
            course.title = "B"
            course.title = "C"
            #expect(manager.canUndo)
            course.credits = 3
            context.processPendingChanges()
            context.undo()
            #expect(course.credits == 0 && course.title == "C")
            context.undo()
            #expect(course.title == "Swift" && !course.hasChanges && !context.hasChanges)
            #expect(!manager.canUndo && manager.canRedo)
            manager.redo()
            manager.redo()
            #expect(course.title == "C" && course.credits == 3 && course.isUpdated)
            course.title = "D"
            manager.undo()
            #expect(course.title == "C")
            manager.undo()
            manager.undo()
            #expect(course.title == "Swift")
            try context.save()
            #expect(try context.titles() == ["Swift"])
        }
    }

    @Test(arguments: StoreKind.allCases) func undoesWhatAChildSaved(_ kind: StoreKind) throws {
        let stack = try stack(kind)
        let (a, b) = (try stack.seed("A", lessons: 2), try stack.seed("B"))
        let child = stack.child()
        try child.performAndWait {
            // Leaves the course without a look at its lessons, here or in the parent.
            let lessons = try child.fetch(NSFetchRequest<Lesson>(entityName: "Lesson"))
            try #require(lessons.first).course = nil
            try child.save()
            child.delete(try child.get(a, as: Course.self))
            child.delete(try child.get(b))
            try child.save()
        }
        try stack.run { context in
            let course: Course = try context.get(a)
            let request = NSFetchRequest<Lesson>(entityName: "Lesson")
            #expect(course.isDeleted && context.deletedObjects.count == 3)
            #expect(try context.count(for: request) == 1)
            // What is undone is saved already, so it is written again.
            try context.save()
            context.undo()
            #expect(try context.titles() == ["A", "B"])
            #expect(course.lessons.count == 1 && course.lessons.first?.course === course)
            context.undo()
            #expect(course.lessons.count == 2 && course.lessons.allSatisfy { $0.course === course })
            #expect(try context.fetch(request).allSatisfy { $0.course === course })
            try context.save()
            context.reset()
            #expect(try context.get(a, as: Course.self).lessons.count == 2)
        }
    }

    @Test(arguments: StoreKind.allCases) func undoesInsertionsAndDeletions(_ kind: StoreKind) throws {
        let stack = try stack(kind)
        let id = try stack.seed(lessons: 2)
        try stack.run { context in
            let new = context.make("New")
            new.addToLessons(Lesson(title: "N", number: 1, in: context))
            context.undo()
            #expect(context.insertedObjects.isEmpty && !context.hasChanges)
            #expect(try context.titles() == ["Swift"])
            context.redo()
            #expect(try context.titles() == ["New", "Swift"])
            #expect(new.lessons.count == 1 && new.lessons.first?.course === new)
            let course: Course = try context.get(id)
            context.delete(course)
            context.processPendingChanges()
            #expect(context.deletedObjects.count == 3)
            context.undo()
            #expect(!course.isDeleted && course.lessons.count == 2 && context.deletedObjects.isEmpty)
            #expect(course.lessons.allSatisfy { $0.course === course })
            context.redo()
            #expect(context.deletedObjects.count == 3)
            context.undo()
            try context.save()
            #expect(try context.titles() == ["New", "Swift"])
        }
    }

    @Test(arguments: StoreKind.allCases) func undoesRelationships(_ kind: StoreKind) throws {
        let stack = try stack(kind)
        let id = try stack.seed(lessons: 2)
        let other = try stack.seed("Other")
        try stack.run { context in
            let course: Course = try context.get(id)
            let second: Course = try context.get(other)
            let lesson = try #require(course.lessons.first)
            lesson.course = second
            context.undo()
            #expect(course.lessons.count == 2 && second.lessons.isEmpty && lesson.course === course)
            context.redo()
            #expect(course.lessons.count == 1 && second.lessons == [lesson] && lesson.course === second)
            try context.save()
            context.undo()
            #expect(course.lessons.count == 2 && second.lessons.isEmpty && lesson.course === course)
            #expect(lesson.isUpdated)
            try context.save()
            context.refreshAllObjects()
            #expect(course.lessons.count == 2 && second.lessons.isEmpty && lesson.course === course)
        }
    }

    @Test(arguments: StoreKind.allCases) func undoesWhatWasSaved(_ kind: StoreKind) throws {
        let stack = try stack(kind)
        let id = try stack.seed(lessons: 2)
        try stack.run { context in
            let new = context.make("New")
            try context.save()
            context.undo()
            #expect(new.isDeleted)
            try context.save()
            #expect(try context.titles() == ["Swift"])
            context.redo()
            #expect(new.isInserted && new.title == "New")
            try context.save()
            #expect(try context.titles() == ["New", "Swift"])
            let course: Course = try context.get(id)
            context.delete(course)
            try context.save()
            #expect(try context.titles() == ["New"])
            context.undo()
            #expect(course.isInserted && course.title == "Swift" && course.lessons.count == 2)
            try context.save()
            let check = stack.another()
            try check.performAndWait { () throws in
                #expect(try check.titles() == ["New", "Swift"])
                let request = NSFetchRequest<Lesson>(entityName: "Lesson")
                #expect(try check.fetch(request).allSatisfy { $0.course?.title == "Swift" })
                #expect(try check.count(for: request) == 2)
            }
        }
    }

    @Test(arguments: StoreKind.allCases) func groups(_ kind: StoreKind) throws {
        let stack = try stack(kind)
        try stack.run { context in
            let manager = try #require(context.undoManager)
            let course = context.make("A")
            context.processPendingChanges()
            manager.beginUndoGrouping()
            course.title = "B"
            context.processPendingChanges()
            course.title = "C"
            manager.endUndoGrouping()
            manager.undo()
            #expect(course.title == "A" && course.isInserted)
            manager.redo()
            #expect(course.title == "C")
            context.processPendingChanges()
            manager.disableUndoRegistration()
            course.credits = 9
            context.processPendingChanges()
            manager.enableUndoRegistration()
            manager.undo()
            #expect(course.title == "A" && course.credits == 9)
            context.rollback()
            #expect(!manager.canUndo && !context.hasChanges)
            manager.levelsOfUndo = 2
            let other = context.make("1")
            for number in 2...4 {
                context.processPendingChanges()
                other.title = "\(number)"
            }
            for _ in 0..<5 { context.undo() }
            #expect(other.title == "2")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aDeleteRedoneAfterARefreshAndSavedComesBackWithItsLists(_ kind: StoreKind) throws {
        let stack = try stack(kind)
        try stack.run { context in
            let course = context.make("Swift")
            let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
            course.mutableSetValue(forKey: "tags").add(tag)
            try context.save()
            context.undoManager?.removeAllActions()
            context.delete(course)
            context.processPendingChanges()
            context.undo()
            context.refreshAllObjects()
            context.redo()
            try context.save()
            context.undo()
            #expect(course.value(forKey: "tags") as? NSSet == NSSet(object: tag))
            #expect(tag.value(forKey: "courses") as? NSSet == NSSet(object: course))
            try context.save()
            #expect(try context.titles(NSPredicate(format: "tags.@count == 1")) == ["Swift"])
        }
    }
}
