import Foundation
import StratusCoreData
import Testing

/// Taking over what another context saved.
@Suite struct MergeTests {
    /// Changes something in a second context, and hands its notification to the first.
    private func change(
        _ stack: GraphStack, by ids: Bool, _ work: (NSManagedObjectContext) throws -> Void
    ) throws {
        let other = stack.another()
        try other.runAndWait {
            let name =
                ids
                ? NSManagedObjectContext.didSaveObjectIDsNotification
                : NSManagedObjectContext.didSaveObjectsNotification
            let saved = Observed(name, other)
            try work(other)
            try other.save()
            let notification = try #require(saved.all.first)
            stack.context.runAndWait { stack.context.mergeChanges(fromContextDidSave: notification) }
        }
    }

    @Test(arguments: StoreKind.allCases, [true, false]) func takesOverAll(_ kind: StoreKind, _ ids: Bool)
        throws
    {
        let stack = try GraphStack(kind)
        let a = try stack.seed("A", lessons: 2)
        let b = try stack.seed("B")
        let (first, second) = try stack.run { context in
            #expect(try context.titles() == ["A", "B"])
            let first: Course = try context.get(a)
            #expect(first.lessons.count == 2)
            return (first, try context.get(b, as: Course.self))
        }
        let changed = Observed(NSManagedObjectContext.didChangeObjectsNotification, stack.context)
        let merged = Observed(NSManagedObjectContext.didMergeChangesObjectIDsNotification, stack.context)
        try change(stack, by: ids) { other in
            let course: Course = try other.get(a)
            course.title = "A2"
            course.addToLessons(Lesson(title: "new", number: 3, in: other))
            other.delete(try other.get(b))
            _ = other.make("C")
        }
        try stack.run { context in
            #expect(first.title == "A2" && first.lessons.count == 3 && !first.hasChanges)
            #expect(second.managedObjectContext == nil || second.isDeleted)
            #expect(!context.hasChanges)
            #expect(try context.titles() == ["A2", "C"])
            #expect(changed.all.count == 1)
            #expect(changed.objects(NSInsertedObjectsKey).count == 2)
            #expect(changed.objects(NSRefreshedObjectsKey) == [first])
            #expect(changed.objects(NSDeletedObjectsKey) == [second])
            let info = try #require(merged.all.first?.userInfo)
            #expect(info[NSDeletedObjectIDsKey] as? Set<NSManagedObjectID> == [b])
            #expect((info[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID>)?.count == 2)
        }
    }

    @Test(arguments: StoreKind.allCases) func keepsUnsavedChangesOnTop(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let id = try stack.seed("A", lessons: 1)
        let course = try stack.run { context in
            let course: Course = try context.get(id)
            course.title = "mine"
            course.addToLessons(Lesson(title: "mine", number: 2, in: context))
            return course
        }
        try change(stack, by: false) { other in
            let course: Course = try other.get(id)
            course.title = "theirs"
            course.credits = 5
            course.addToLessons(Lesson(title: "theirs", number: 3, in: other))
        }
        try stack.run { context in
            #expect(course.title == "mine" && course.credits == 5 && course.lessons.count == 3)
            // The merge is what the save is based on: no conflict.
            try context.save()
            context.refresh(course, mergeChanges: false)
            #expect(course.title == "mine" && course.credits == 5 && course.lessons.count == 3)
        }
    }

    /// What was led elsewhere here and to B there is in B's list once the change of this context is taken back.
    @Test(arguments: StoreKind.allCases) func takesBackToWhatWasMerged(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let a = try stack.seed("A", lessons: 1)
        let b = try stack.seed("B", lessons: 1)
        let (lesson, there) = try stack.run { context in
            let lesson = try #require(try context.get(a, as: Course.self).lessons.first)
            let there: Course = try context.get(b)
            #expect(there.lessons.count == 1)
            lesson.course = nil
            context.processPendingChanges()
            return (lesson, there)
        }
        let id = lesson.objectID
        try change(stack, by: false) { other in
            try other.get(id, as: Lesson.self).course = try other.get(b)
        }
        stack.context.runAndWait {
            #expect(lesson.course == nil && there.lessons.count == 1)
            stack.context.rollback()
            #expect(lesson.course === there && there.lessons.count == 2 && !stack.context.hasChanges)
        }
    }

    @Test(arguments: StoreKind.allCases) func deletesMeetChanges(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let a = try stack.seed("A")
        let b = try stack.seed("B")
        let lesson = try stack.run { context in
            try context.get(a, as: Course.self).title = "changed here"
            context.delete(try context.get(b))
            context.processPendingChanges()
            let lesson = Lesson(title: "L", number: 1, in: context)
            lesson.course = try context.get(a)
            return lesson
        }
        try change(stack, by: false) { other in
            other.delete(try other.get(a))
            try other.get(b, as: Course.self).title = "changed there"
        }
        try stack.run { context in
            #expect(context.registeredObject(for: a) == nil && context.updatedObjects.isEmpty)
            #expect(lesson.course == nil && lesson.isInserted)
            // The delete here is based on what was merged.
            try context.save()
            #expect(try context.titles().isEmpty)
            #expect(try context.count(for: NSFetchRequest<Lesson>(entityName: "Lesson")) == 1)
        }
    }

    @Test(arguments: StoreKind.allCases) func takesRemoteChangesByIDOrAddress(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let a = try stack.seed("A", lessons: 1)
        let b = try stack.seed("B")
        let (course, gone) = try stack.run { context in
            (try context.get(a, as: Course.self), try context.get(b, as: Course.self))
        }
        try stack.run { _ in _ = (course.title, gone.title, course.lessons.count) }
        let other = stack.another()
        try other.performAndWait {
            try other.get(a, as: Course.self).title = "A2"
            other.delete(try other.get(b))
            try other.save()
        }
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [
                NSUpdatedObjectsKey: [a.uriRepresentation()], NSDeletedObjectsKey: [b],
            ], into: [stack.context])
        try stack.run { context in
            #expect(course.title == "A2" && context.registeredObject(for: b) == nil)
            let lesson = try #require(course.lessons.first)
            let id = lesson.objectID
            NSManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [NSDeletedObjectsKey: [id]], into: [context])
            #expect(course.lessons.isEmpty && !course.hasChanges)
        }
    }

    @Test(arguments: StoreKind.allCases) func mergesAutomatically(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let id = try stack.seed("A")
        let course = try stack.run { context in
            context.automaticallyMergesChangesFromParent = true
            let course: Course = try context.get(id)
            #expect(course.title == "A")
            return course
        }
        let other = stack.another()
        try other.performAndWait {
            try other.get(id, as: Course.self).title = "B"
            try other.save()
        }
        try stack.run { context in
            #expect(course.title == "B")
            context.automaticallyMergesChangesFromParent = false
        }
        try other.performAndWait {
            try other.get(id, as: Course.self).title = "C"
            try other.save()
        }
        try stack.run { _ in #expect(course.title == "B") }
    }
}
