import Foundation
import StratusCoreData
import Testing

/// Contexts below contexts.
@Suite struct ChildTests {
    @Test(arguments: StoreKind.allCases) func savesOneLevelUp(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let id = try stack.seed("A", lessons: 1)
        let child = stack.child()
        let grandchild = stack.child(of: child, "grandchild")
        let other = stack.another()
        let new = try grandchild.performAndWait {
            let course: Course = try grandchild.get(id)
            course.title = "B"
            let new = grandchild.make("New")
            new.addToLessons(Lesson(title: "N", number: 1, in: grandchild))
            new.teacher = Teacher(context: grandchild)
            #expect(try grandchild.titles() == ["B", "New"])
            try grandchild.save()
            #expect(!grandchild.hasChanges && new.objectID.isTemporaryID)
            return new
        }
        try child.runAndWait {
            #expect(child.insertedObjects.count == 3 && child.updatedObjects.count == 1)
            #expect(try child.titles() == ["B", "New"])
            let mine = try #require(child.object(with: new.objectID) as? Course)
            #expect(mine.lessons.count == 1 && mine.lessons.first?.course === mine && mine.teacher != nil)
        }
        try stack.run { context throws in #expect(try context.titles() == ["A"]) }
        try child.performAndWait { try child.save() }
        try other.performAndWait { () throws in #expect(try other.titles() == ["A"]) }
        try stack.run { context in
            #expect(try context.titles() == ["B", "New"])
            try context.save()
        }
        try other.performAndWait { () throws in #expect(try other.titles() == ["B", "New"]) }
        // The IDs reach every level, and no object is doubled.
        try grandchild.runAndWait {
            #expect(!new.objectID.isTemporaryID && !new.hasChanges)
            #expect(
                try grandchild.fetch(NSFetchRequest<Course>(entityName: "Course")).contains { $0 === new })
            #expect(grandchild.registeredObject(for: new.objectID) === new)
            #expect(new.lessons.count == 1 && new.lessons.first?.course === new)
            new.title = "Newer"
            new.addToLessons(Lesson(title: "O", number: 2, in: grandchild))
            try grandchild.save()
        }
        try child.performAndWait { try child.save() }
        try stack.run { try $0.save() }
        try other.performAndWait { () throws in
            other.reset()
            #expect(try other.titles() == ["B", "Newer"])
            #expect(try other.count(for: NSFetchRequest<Lesson>(entityName: "Lesson")) == 3)
        }
    }

    @Test(arguments: StoreKind.allCases) func seesWhatTheParentHasNotSaved(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let a = try stack.seed("A", lessons: 2)
        let b = try stack.seed("B")
        let child = stack.child()
        let made = try stack.run { context in
            let course: Course = try context.get(a)
            course.title = "Changed"
            course.removeFromLessons(try #require(course.lessons.first))
            context.delete(try context.get(b))
            return context.make("Made").objectID
        }
        try child.performAndWait {
            #expect(try child.titles() == ["Changed", "Made"])
            let course: Course = try child.get(a)
            #expect(course.title == "Changed" && course.lessons.count == 1)
            #expect(try child.get(made, as: Course.self).title == "Made")
            #expect(throws: CocoaError.self) { try child.existingObject(with: b) }
            #expect(try child.count(for: NSFetchRequest<Course>(entityName: "Course")) == 2)
            try child.get(made, as: Course.self).title = "Made twice"
            try child.save()
        }
        try stack.run { context in
            #expect(try context.titles() == ["Changed", "Made twice"])
            #expect(context.insertedObjects.count == 1)
            try context.save()
            #expect(try context.titles() == ["Changed", "Made twice"])
        }
    }

    @Test(arguments: StoreKind.allCases) func deletesThroughTheChain(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let id = try stack.seed("A", lessons: 2)
        let made = try stack.run { $0.make("Made").objectID }
        let child = stack.child()
        try child.performAndWait {
            child.delete(try child.get(id))
            child.delete(try child.get(made))
            try child.save()
            #expect(child.registeredObjects.filter { $0.isDeleted }.isEmpty)
        }
        try stack.run { context in
            #expect(context.deletedObjects.count == 3 && context.insertedObjects.isEmpty)
            try context.save()
            #expect(try context.titles().isEmpty)
            #expect(try context.count(for: NSFetchRequest<Lesson>(entityName: "Lesson")) == 0)
        }
    }

    @Test(arguments: StoreKind.allCases) func deletesNobodyWhoLeftBefore(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let (a, b) = (try stack.seed("A"), try stack.seed("B"))
        let lesson = try stack.run { context in
            let lesson = Lesson(title: "L", number: 1, in: context)
            try context.get(a, as: Course.self).addToLessons(lesson)
            return lesson
        }
        let child = stack.child()
        try child.runAndWait {
            let mine: Lesson = try child.get(lesson.objectID)
            mine.course = try child.get(b, as: Course.self)
            let course: Course = try child.get(a)
            // One that the parent never hears of.
            course.addToLessons(Lesson(title: "M", number: 2, in: child))
            child.delete(course)
            try child.save()
        }
        // The merge makes the delete be followed again.
        let other = stack.another()
        try other.performAndWait {
            let saved = Observed(NSManagedObjectContext.didSaveObjectsNotification, other)
            try other.get(a, as: Course.self).title = "A2"
            try other.save()
            let notification = try #require(saved.all.first)
            stack.context.runAndWait { stack.context.mergeChanges(fromContextDidSave: notification) }
        }
        try stack.run { context in
            #expect(lesson.managedObjectContext === context && !lesson.isDeleted)
            #expect(lesson.course?.objectID == b && context.deletedObjects.map(\.objectID) == [a])
            try context.save()
            #expect(try context.titles() == ["B"])
            #expect(try context.count(for: NSFetchRequest<Lesson>(entityName: "Lesson")) == 1)
        }
    }

    @Test(arguments: StoreKind.allCases) func childCanGoOnAfterItsParentSaved(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let child = stack.child()
        let course = try child.performAndWait {
            let course = child.make("A")
            try child.save()
            return course
        }
        try stack.run { try $0.save() }
        try child.runAndWait {
            child.refresh(course, mergeChanges: false)
            #expect(course.title == "A")
            child.delete(course)
            try child.save()
        }
        try stack.run { context in
            try context.save()
            #expect(try context.titles().isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases) func getsPermanentIDsFromTheRoot(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let child = stack.child()
        try child.performAndWait {
            let course = child.make("A")
            try child.obtainPermanentIDs(for: [course])
            #expect(!course.objectID.isTemporaryID)
            try child.save()
        }
        try stack.run { context in
            let course = try #require(context.insertedObjects.first)
            let id = course.objectID
            #expect(!id.isTemporaryID)
            try context.save()
            #expect(context.registeredObject(for: id) === course)
        }
    }

    @Test(arguments: StoreKind.allCases) func mergesItsParentsSaves(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let id = try stack.seed("A")
        let child = stack.child()
        child.performAndWait { child.automaticallyMergesChangesFromParent = true }
        let course = try child.performAndWait {
            let course: Course = try child.get(id)
            #expect(course.title == "A")
            return course
        }
        try stack.run { context in
            try context.get(id, as: Course.self).title = "B"
            try context.save()
        }
        child.runAndWait { #expect(course.title == "B" && !course.hasChanges) }
    }

    @Test(arguments: StoreKind.allCases) func validatesBeforeItSaves(_ kind: StoreKind) throws {
        let model = GraphModel.make { $0["Course"]?.attributesByName["title"]?.isOptional = false }
        let stack = try GraphStack(kind, model: model)
        let child = stack.child()
        child.performAndWait {
            _ = Course(context: child)
            #expect(code { try child.save() } == 1_570)
        }
        try stack.run { #expect(!$0.hasChanges) }
    }
}
