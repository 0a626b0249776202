import Foundation
import StratusCoreData
import Testing

@Suite struct DeleteTests {
    @Test(arguments: StoreKind.allCases) func cascadesAndNullifiesAtTheEndOfTheEvent(_ kind: StoreKind) throws
    {
        let stack = try GraphStack(kind)
        let id = try stack.seed(lessons: 2)
        try stack.run { context in
            let course: Course = try context.get(id)
            let tag = Tag(context: context)
            course.tags = [tag]
            try context.save()
            let lessons = course.lessons
            context.delete(course)
            #expect(course.isDeleted && lessons.allSatisfy { !$0.isDeleted } && tag.courses == [course])
            let observed = Observed(NSManagedObjectContext.didChangeObjectsNotification, context)
            context.processPendingChanges()
            #expect(lessons.allSatisfy(\.isDeleted) && tag.courses.isEmpty)
            #expect(
                observed.objects(NSDeletedObjectsKey) == Set(lessons.map { $0 as NSManagedObject } + [course])
            )
            #expect(observed.objects(NSUpdatedObjectsKey) == [tag])
            let saved = Observed(NSManagedObjectContext.didSaveObjectsNotification, context)
            try context.save()
            #expect(saved.objects(NSDeletedObjectsKey).count == 3)
            #expect(try context.titles().isEmpty)
            #expect(context.deletedObjects.isEmpty && !context.hasChanges)
        }
    }

    @Test(arguments: StoreKind.allCases) func propagatesAtTheSaveWhereAsked(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let id = try stack.seed(lessons: 2)
        try stack.run { context in
            context.propagatesDeletesAtEndOfEvent = false
            let course: Course = try context.get(id)
            let lessons = course.lessons
            context.delete(course)
            context.processPendingChanges()
            #expect(lessons.allSatisfy { !$0.isDeleted })
            try context.save()
            #expect(try context.count(for: NSFetchRequest<Lesson>(entityName: "Lesson")) == 0)
        }
    }

    @Test(arguments: StoreKind.allCases) func deniesWhileThereIsAnother(_ kind: StoreKind) throws {
        try GraphStack(kind).run { context in
            let teacher = Teacher(context: context)
            let course = context.make("A")
            course.teacher = teacher
            try context.save()
            context.delete(teacher)
            #expect(code { try context.save() } == 1_600)
            #expect(teacher.isDeleted && context.hasChanges)
            context.rollback()
            #expect(!teacher.isDeleted && teacher.courses == [course])
            context.delete(teacher)
            context.delete(course)
            try context.save()
            #expect(try context.titles().isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases) func cascadesInACycle(_ kind: StoreKind) throws {
        try GraphStack(kind).run { context in
            let first = context.make("A")
            let second = context.make("B")
            let third = context.make("C")
            second.previous = first
            third.previous = second
            first.previous = third
            try context.save()
            context.delete(second)
            try context.save()
            #expect(try context.titles().isEmpty)
            #expect(context.registeredObjects.isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases) func forgetsNewObjects(_ kind: StoreKind) throws {
        try GraphStack(kind).run { context in
            let course = context.make("A")
            let lesson = Lesson(title: "L", number: 1, in: context)
            lesson.course = course
            context.delete(lesson)
            let observed = Observed(NSManagedObjectContext.didChangeObjectsNotification, context)
            context.processPendingChanges()
            #expect(
                observed.objects(NSInsertedObjectsKey) == [course]
                    && observed.objects(NSDeletedObjectsKey).isEmpty)
            #expect(course.lessons.isEmpty && lesson.managedObjectContext == nil && !lesson.isDeleted)
            #expect(context.deletedObjects.isEmpty && context.insertedObjects == [course])
            context.delete(course)
            context.processPendingChanges()
            #expect(observed.objects(NSDeletedObjectsKey, at: 1) == [course])
            #expect(!context.hasChanges)
            try context.save()
        }
    }

    @Test(arguments: StoreKind.allCases) func leavesOthersAloneWithoutAction(_ kind: StoreKind) throws {
        let model = GraphModel.make {
            $0["Course"]?.relationshipsByName["lessons"]?.deleteRule = .noActionDeleteRule
        }
        let stack = try GraphStack(kind, model: model)
        let id = try stack.seed(lessons: 1)
        try stack.run { context in
            let course: Course = try context.get(id)
            let lesson = try #require(course.lessons.first)
            context.delete(course)
            context.processPendingChanges()
            #expect(lesson.course === course && !lesson.hasChanges)
            try context.save()
            #expect(try context.count(for: NSFetchRequest<Lesson>(entityName: "Lesson")) == 1)
        }
    }

    @Test(arguments: StoreKind.allCases) func takesADeleteBackByInserting(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let id = try stack.seed()
        try stack.run { context in
            let course: Course = try context.get(id)
            context.delete(course)
            context.insert(course)
            try context.save()
            #expect(try context.titles() == ["Swift"])
        }
    }
}
