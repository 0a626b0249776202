import Foundation
import StratusCoreData
import Testing

/// Hooks belong to the thread that sets them, and a test that sets them takes them back.
@Suite struct LifeCycleTests {
    @Test(arguments: StoreKind.allCases) func awakesOnceAndKeepsDefaultsOutOfUndo(_ kind: StoreKind) throws {
        defer { Course.hooks.clear() }
        Course.hooks.awakeFromInsert = { $0.setPrimitiveValue(7, forKey: "credits") }
        try GraphStack(kind).run { context in
            context.undoManager = UndoManager()
            let course = context.make("A")
            #expect(course.credits == 7)
            context.processPendingChanges()
            context.undo()
            #expect(context.insertedObjects.isEmpty)
            context.redo()
            #expect(context.insertedObjects == [course])
            #expect(course.calls.filter { $0 == "awakeFromInsert" }.count == 1)
            #expect(course.title == "A")
            try context.save()
            let other = Course(entity: course.entity, insertInto: nil)
            #expect(other.calls.isEmpty)
            context.insert(other)
            #expect(other.calls == ["awakeFromInsert"])
            context.delete(other)
        }
    }

    @Test(arguments: StoreKind.allCases) func awakesFromFetchQuietly(_ kind: StoreKind) throws {
        defer { Course.hooks.clear() }
        let stack = try GraphStack(kind)
        let id = try stack.seed()
        Course.hooks.awakeFromFetch = { course in
            course.setValue("awake", forKey: "secret")
            course.setValue(3, forKey: "credits")
        }
        try stack.run { context in
            let course: Course = try context.get(id)
            #expect(course.isFault && course.calls.isEmpty)
            #expect(course.title == "Swift")
            #expect(course.calls == ["awakeFromFetch"])
            #expect(course.value(forKey: "secret") as? String == "awake")
            #expect(!course.hasChanges && !context.hasChanges && course.changedValues().isEmpty)
            context.refresh(course, mergeChanges: false)
            #expect(
                course.calls == [
                    "awakeFromFetch", "willTurnIntoFault", "didTurnIntoFault", "awakeFromSnapshot 32",
                ])
        }
    }

    @Test(arguments: StoreKind.allCases) func callsSaveHooksUntilNothingChanges(_ kind: StoreKind) throws {
        defer { Course.hooks.clear() }
        Course.hooks.willSave = { course in if course.credits < 3 { course.credits += 1 } }
        try GraphStack(kind).run { context in
            let course = context.make("A")
            try context.save()
            #expect(course.credits == 3)
            #expect(
                course.calls == [
                    "awakeFromInsert", "willSave", "willSave", "willSave", "willSave", "didSave",
                ])
            #expect(!context.hasChanges)
            Course.hooks.willSave = { $0.rating += 1 }
            course.title = "B"
            #expect(code { try context.save() } == 134_060)
            Course.hooks.willSave = { $0.setPrimitiveValue("primitive", forKey: "title") }
            course.calls = []
            try context.save()
            #expect(course.calls == ["willSave", "didSave"])
            context.refresh(course, mergeChanges: false)
            #expect(course.title == "primitive")
        }
    }

    @Test(arguments: StoreKind.allCases) func tellsObjectsThatOthersHooksChange(_ kind: StoreKind) throws {
        defer { Course.hooks.clear() }
        try GraphStack(kind).run { context in
            let first = context.make("A")
            let second = context.make("B")
            Course.hooks.willSave = { course in
                if course === second, first.credits == 0 { first.credits = 1 }
                if course === first, second.credits == 0 { second.credits = 1 }
            }
            try context.save()
            // Whichever came first was changed by the other one later, and is told again.
            #expect(first.calls.filter { $0 == "willSave" }.count >= 2)
            #expect(first.credits == 1 && second.credits == 1)
        }
    }

    @Test(arguments: StoreKind.allCases) func didSaveDirtiesAgain(_ kind: StoreKind) throws {
        defer { Course.hooks.clear() }
        Course.hooks.didSave = { course in if course.credits == 0, !course.isDeleted { course.credits = 9 } }
        try GraphStack(kind).run { context in
            let course = context.make("A")
            try context.save()
            #expect(context.hasChanges && course.isUpdated)
            try context.save()
            #expect(!context.hasChanges)
            context.refresh(course, mergeChanges: false)
            #expect(course.credits == 9)
            course.calls = []
            context.delete(course)
            try context.save()
            #expect(course.calls.first == "prepareForDeletion")
            #expect(course.calls.contains("willSave deleted") && course.calls.last == "didSave")
            #expect(course.managedObjectContext == nil)
        }
    }

    @Test(arguments: StoreKind.allCases) func preparesForDeletionWithRelationships(_ kind: StoreKind) throws {
        defer { Course.hooks.clear() }
        let stack = try GraphStack(kind)
        let id = try stack.seed(lessons: 2)
        try stack.run { context in
            var seen = -1
            Course.hooks.prepareForDeletion = { course in
                seen = course.lessons.count
                // A delete inside is no endless loop.
                course.managedObjectContext?.delete(course)
            }
            let course: Course = try context.get(id)
            context.delete(course)
            #expect(seen == 2)
            context.processPendingChanges()
            #expect(context.deletedObjects.count == 3)
            try context.save()
            #expect(try context.count(for: NSFetchRequest<Lesson>(entityName: "Lesson")) == 0)
        }
    }

    @Test(arguments: StoreKind.allCases) func validatesAndTakesTheBetterValue(_ kind: StoreKind) throws {
        defer { Course.hooks.clear() }
        Course.hooks.validateTitle = { title in
            if title == "bad" { throw CocoaError(CocoaError.Code(rawValue: 1_550)) }
            return title?.uppercased()
        }
        try GraphStack(kind).run { context in
            let course = context.make("swift")
            try context.save()
            #expect(course.title == "SWIFT")
            context.refresh(course, mergeChanges: false)
            #expect(course.title == "SWIFT")
            course.title = "bad"
            #expect(code { try context.save() } == 1_550)
            #expect(context.hasChanges)
            context.rollback()
            #expect(course.title == "SWIFT" && !context.hasChanges)
        }
    }
}
