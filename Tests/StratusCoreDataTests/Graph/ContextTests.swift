import Foundation
import StratusCoreData
import Synchronization
import Testing

/// Queues, notifications, refresh, reset, rollback, and what stays in memory.
@Suite struct ContextTests {
    @Test(arguments: StoreKind.allCases) func performsOnItsQueue(_ kind: StoreKind) async throws {
        let stack = try GraphStack(kind)
        let context = stack.context
        let title = try await context.perform {
            let course = context.make("A")
            try context.save()
            return course.title
        }
        #expect(title == "A")
        let count = await context.perform(schedule: .enqueued) { context.registeredObjects.count }
        #expect(count >= 0)
        await #expect(throws: CocoaError.self) {
            try await context.perform { throw CocoaError(.fileNoSuchFile) }
        }
        // Contexts that wait for each other on one thread do not wait for ever.
        let other = stack.another()
        let nested = context.performAndWait { other.performAndWait { context.performAndWait { 7 } } }
        #expect(nested == 7)
        await withCheckedContinuation { continuation in
            context.perform { continuation.resume() }
        }
    }

    // The check is a switch of the whole process: one case at a time.
    @Test(.serialized, arguments: StoreKind.allCases) func findsWrongQueues(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let messages = Mutex<[String]>([])
        NSManagedObjectContext.onConcurrencyViolation { message in
            if message.contains("guarded") { messages.withLock { $0.append(message) } }
        }
        defer {
            NSManagedObjectContext.checksConcurrency = false
            NSManagedObjectContext.onConcurrencyViolation(nil)
        }
        let course = try stack.run { context in
            context.name = "guarded"
            return context.make("A")
        }
        NSManagedObjectContext.checksConcurrency = true
        try stack.run { _ in _ = course.title }
        let inside = messages.withLock { $0.count }
        #expect(inside == 0)
        _ = course.title
        course.title = "B"
        _ = course.lessons
        #expect(throws: Never.self) { try stack.context.save() }
        NSManagedObjectContext.checksConcurrency = false
        let found = messages.withLock { $0 }
        #expect(found.count >= 3)
        #expect(found.first?.contains("Course") == true && found.first?.contains("queue") == true)
    }

    @Test(arguments: StoreKind.allCases) func tellsOfSaves(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let a = try stack.seed("A")
        let b = try stack.seed("B")
        try stack.run { context in
            let will = Observed(NSManagedObjectContext.willSaveObjectsNotification, context)
            let did = Observed(NSManagedObjectContext.didSaveObjectsNotification, context)
            let ids = Observed(.NSManagedObjectContextDidSaveObjectIDs, context)
            try context.save()
            #expect(will.all.isEmpty && did.all.isEmpty)
            let first: Course = try context.get(a)
            first.title = "A2"
            let second: Course = try context.get(b)
            context.delete(second)
            let new = context.make("C")
            try context.save()
            #expect(will.all.count == 1 && did.all.count == 1 && ids.all.count == 1)
            #expect(did.objects(NSInsertedObjectsKey) == [new])
            #expect(did.objects(NSUpdatedObjectsKey) == [first])
            #expect(did.objects(NSDeletedObjectsKey) == [second])
            let info = ids.all.first?.userInfo
            #expect(info?[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID> == [new.objectID])
            #expect(info?[NSDeletedObjectIDsKey] as? Set<NSManagedObjectID> == [b])
            #expect(!new.objectID.isTemporaryID)
        }
    }

    @Test(arguments: StoreKind.allCases) func fetchesAreSilent(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        _ = try stack.seed("A", lessons: 2)
        try stack.run { context in
            let changed = Observed(NSManagedObjectContext.didChangeObjectsNotification, context)
            for course in try context.fetch(NSFetchRequest<Course>(entityName: "Course")) {
                _ = (course.title, course.lessons.map(\.title))
            }
            context.processPendingChanges()
            #expect(changed.all.isEmpty && !context.hasChanges)
        }
    }

    @Test(arguments: StoreKind.allCases) func failedSavesChangeNothing(_ kind: StoreKind) throws {
        guard kind == .dictionary else { return }
        let stack = try GraphStack(kind)
        try stack.run { context in
            let course = context.make("A")
            stack.disk.failure = CocoaError(CocoaError.Code(rawValue: 134_030))
            #expect(code { try context.save() } == 134_030)
            #expect(course.isInserted && context.hasChanges)
            try context.save()
            #expect(!context.hasChanges)
            #expect(try context.titles() == ["A"])
        }
    }

    @Test(arguments: StoreKind.allCases) func refreshes(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let id = try stack.seed("A", lessons: 1)
        let other = stack.another()
        try stack.run { context in
            let course: Course = try context.get(id)
            _ = course.credits
            course.title = "mine"
            try other.performAndWait {
                let theirs: Course = try other.get(id)
                theirs.title = "theirs"
                theirs.credits = 4
                try other.save()
            }
            let changed = Observed(NSManagedObjectContext.didChangeObjectsNotification, context)
            context.refresh(course, mergeChanges: true)
            #expect(course.title == "mine" && course.credits == 4 && course.isUpdated)
            context.processPendingChanges()
            #expect(
                changed.objects(NSRefreshedObjectsKey).contains(course)
                    || changed.objects(NSUpdatedObjectsKey).contains(course))
            context.refresh(course, mergeChanges: false)
            #expect(course.isFault && !course.hasChanges && !context.hasChanges)
            #expect(course.title == "theirs")
            course.title = "again"
            #expect(course.isUpdated && context.hasChanges)
            context.refreshAllObjects()
            #expect(course.title == "again")
            try context.save()
            #expect(try context.titles() == ["again"])
        }
    }

    @Test(arguments: StoreKind.allCases) func rollsBack(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let id = try stack.seed("A", lessons: 2)
        let b = try stack.seed("B")
        try stack.run { context in
            let course: Course = try context.get(id)
            let other: Course = try context.get(b)
            let lesson = try #require(course.lessons.first)
            lesson.course = other
            course.title = "changed"
            course.setValue("x", forKey: "secret")
            let new = Lesson(title: "new", number: 9, in: context)
            new.course = course
            context.delete(other)
            context.processPendingChanges()
            #expect(lesson.isDeleted)
            context.rollback()
            #expect(!context.hasChanges && context.insertedObjects.isEmpty && context.deletedObjects.isEmpty)
            #expect(course.title == "A" && course.lessons.count == 2 && other.lessons.isEmpty)
            #expect(lesson.course === course && !lesson.isDeleted)
            #expect(course.value(forKey: "secret") == nil)
            #expect(new.managedObjectContext == nil && !new.isInserted)
            #expect(course.calls.contains("awakeFromSnapshot 16"))
            #expect(try context.titles() == ["A", "B"])
        }
    }

    @Test(arguments: StoreKind.allCases) func resets(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let id = try stack.seed("A")
        try stack.run { context in
            let course: Course = try context.get(id)
            course.title = "changed"
            let new = context.make("N")
            let changed = Observed(NSManagedObjectContext.didChangeObjectsNotification, context)
            context.reset()
            #expect(context.registeredObjects.isEmpty && !context.hasChanges)
            #expect(changed.all.first?.userInfo?[NSInvalidatedAllObjectsKey] != nil)
            #expect(course.managedObjectContext == nil && new.managedObjectContext == nil)
            #expect(try context.titles() == ["A"])
        }
    }

    // MARK: Memory

    private struct Weak {
        weak var object: NSManagedObject?
    }

    @Test(arguments: StoreKind.allCases) func keepsNothingAliveThatNobodyWants(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        var weak: [Weak] = []
        func note(_ objects: [NSManagedObject]) { weak = objects.map { Weak(object: $0) } }
        weak var gone: NSManagedObjectContext?
        // A context that goes takes its objects along, whatever they lead to.
        try { () throws in
            let context = stack.another()
            gone = context
            context.performAndWait { context.undoManager = UndoManager() }
            try context.runAndWait {
                let course = context.make("A")
                let lesson = Lesson(title: "L", number: 1, in: context)
                lesson.course = course
                course.tags = [Tag(context: context)]
                try context.save()
                course.title = "B"
                lesson.course = nil
                lesson.course = course
                context.processPendingChanges()
                note([course, lesson] + Array(course.tags))
            }
        }()
        #expect(gone == nil && weak.allSatisfy { $0.object == nil })
        // Objects that are rolled back, reset, or deleted lead nowhere.
        let ways: [(NSManagedObjectContext, Course) throws -> Void] = [
            { context, _ in context.rollback() }, { context, _ in context.reset() },
            { context, course in
                context.delete(course)
                try context.save()
            },
            { context, course in
                try context.save()
                context.delete(course)
                try context.save()
            },
        ]
        for way in ways {
            try stack.run { context in
                let course = context.make("A")
                course.following = [context.make("B"), context.make("C")]
                course.following.first?.previous = course
                note([course] + Array(course.following))
                try way(context, course)
            }
            #expect(weak.allSatisfy { $0.object == nil })
        }
        // Fetched objects go when nobody holds them; changed ones stay.
        let id = try stack.seed("Held")
        try stack.run { context in
            note([try context.get(id, as: Course.self)])
            #expect(weak.allSatisfy { $0.object == nil })
            try context.get(id, as: Course.self).title = "changed"
            #expect(context.hasChanges)
            try context.save()
            #expect(try context.titles() == ["A", "changed"])
            context.retainsRegisteredObjects = true
            note([try context.get(id, as: Course.self)])
            #expect(weak.allSatisfy { $0.object != nil })
            context.retainsRegisteredObjects = false
        }
        #expect(weak.allSatisfy { $0.object == nil })
        if kind == .dictionary {
            #expect(stack.disk.lock.withLock { stack.disk.registered.values.allSatisfy { $0 >= 0 } })
        }
    }
}
