import Foundation
import Predicates
import StratusCoreData
import Testing

/// What other people's suites expect of the graph, and what once was otherwise here.
@Suite struct BehaviourTests {
    // MARK: Undo

    /// What a delete dropped comes back with it, also after a refresh.
    @Test(arguments: StoreKind.allCases) func aRefreshKeepsWhatADeleteDropped(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let id = try stack.seed("Swift", lessons: 1)
        try stack.run { context in
            context.undoManager = UndoManager()
            let course: Course = try context.get(id)
            let new = Lesson(title: "new", number: 9, in: context)
            new.course = course
            context.processPendingChanges()
            context.delete(course)
            context.processPendingChanges()
            context.refreshAllObjects()
            context.undo()
            #expect(new.course === course && course.lessons.count == 2 && course.lessons.contains(new))
            try context.save()
            #expect(course.lessons.count == 2)
        }
    }

    /// As https://github.com/alemar11/CoreDataPlus expects (test_FaultAndMaterialize).
    @Test(arguments: StoreKind.allCases) func aNewObjectBecomesAFaultAndKeepsItsValues(_ kind: StoreKind)
        throws
    {
        let stack = try GraphStack(kind)
        try stack.run { context in
            let course = Course(context: context)
            course.title = "New"
            let lesson = Lesson(context: context)
            lesson.course = course
            for _ in 0..<2 {
                context.refresh(course, mergeChanges: false)
                #expect(course.isFault && course.isInserted)
                #expect(course.title == "New" && course.lessons == [lesson])
                #expect(!course.isFault)
            }
            context.refresh(course, mergeChanges: true)
            #expect(!course.isFault)
            context.refresh(course, mergeChanges: false)
            try context.save()
            #expect(course.title == "New" && lesson.course === course)
        }
    }

    /// Undoing reads lists that were never read; what it leaves must not depend on the order.
    @Test(arguments: StoreKind.allCases) func redoAfterARefresh(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let id = try stack.seed()
        try stack.run { context in
            context.undoManager = UndoManager()
            let course: Course = try context.get(id)
            let lesson = Lesson(context: context)
            context.processPendingChanges()
            lesson.course = course
            try context.save()
            context.refresh(course, mergeChanges: false)
            context.undo()
            #expect(lesson.course == nil && course.lessons.isEmpty)
            context.redo()
            #expect(lesson.course === course && course.lessons == [lesson])
        }
    }

    /// A delete that is followed again, since a merge may bring new objects, is nothing to undo.
    @Test(arguments: StoreKind.allCases) func aMergeRegistersNoUndo(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let id = try stack.seed()
        try stack.run { context in
            let manager = UndoManager()
            context.undoManager = manager
            let course: Course = try context.get(id)
            let tag = Tag(context: context)
            course.tags = [tag]
            try context.save()
            context.delete(course)
            context.processPendingChanges()
            manager.removeAllActions()
            let other = stack.another()
            try other.performAndWait {
                let saved = Observed(NSManagedObjectContext.didSaveObjectsNotification, other)
                try other.get(id, as: Course.self).credits = 7
                try other.save()
                let notification = try #require(saved.all.first)
                context.mergeChanges(fromContextDidSave: notification)
            }
            #expect(course.isDeleted && tag.courses.isEmpty && !manager.canUndo)
        }
    }

    // MARK: Deletes

    @Test func aSecondDeleteCallsTheHookAgain() throws {
        try GraphStack(.memory).run { context in
            let course = context.make("A")
            try context.save()
            context.delete(course)
            context.delete(course)
            #expect(course.calls.filter { $0 == "prepareForDeletion" }.count == 2)
            try context.save()
            #expect(try context.titles().isEmpty)
        }
    }

    /// An object that others deleted says so, and stays with its context, which has nothing to save.
    @Test(arguments: StoreKind.allCases) func aMergedDeleteLeavesADeletedObject(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let id = try stack.seed()
        try stack.run { context in
            let course: Course = try context.get(id)
            let spare = context.make("spare")
            try context.save()
            course.title = "changed here"
            let merged = Observed(NSManagedObjectContext.didMergeChangesObjectIDsNotification, context)
            let other = stack.another()
            try other.runAndWait {
                let saved = Observed(NSManagedObjectContext.didSaveObjectsNotification, other)
                other.delete(other.object(with: id))
                try other.get(spare.objectID, as: Course.self).credits = 4
                try other.save()
                let notification = try #require(saved.all.first)
                context.mergeChanges(fromContextDidSave: notification)
            }
            #expect(course.isDeleted && course.managedObjectContext === context)
            #expect(!context.hasChanges && context.deletedObjects.isEmpty)
            #expect(context.registeredObject(for: id) == nil)
            let info = try #require(merged.all.first?.userInfo)
            #expect(info[NSDeletedObjectIDsKey] as? Set<NSManagedObjectID> == [id])
            #expect(info[NSUpdatedObjectIDsKey] as? Set<NSManagedObjectID> == [spare.objectID])
            let key = NSManagedObjectContext.NotificationKey.refreshedObjectIDs.rawValue
            #expect(info[key] as? Set<NSManagedObjectID> == [spare.objectID])
            try context.save()
            #expect(try context.titles() == ["spare"])
        }
    }

    // MARK: Values

    @Test func aCapitalLetterFindsTheProperty() throws {
        try GraphStack(.memory).run { context in
            let course = context.make("A")
            course.setValue("B", forKey: "Title")
            #expect(course.title == "B" && course.value(forKey: "Title") as? String == "B")
            #expect(course.value(forKeyPath: "Title") as? String == "B")
        }
    }

    @Test(arguments: StoreKind.allCases) func primitiveWritesAreSavedAndNotListed(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let id = try stack.seed()
        try stack.run { context in
            let course: Course = try context.get(id)
            course.setPrimitiveValue("B", forKey: "title")
            #expect(course.changedValues().isEmpty)
            course.credits = 3
            #expect(Set(course.changedValues().keys) == ["credits"])
            try context.save()
            context.reset()
            #expect(try context.titles() == ["B"])
            let again: Course = try context.get(id)
            again.willChangeValue(forKey: "title")
            again.setPrimitiveValue("C", forKey: "title")
            again.didChangeValue(forKey: "title")
            #expect(again.changedValues()["title"] as? String == "C")
        }
    }

    @Test func nothingOfANewObjectIsCommitted() throws {
        try GraphStack(.memory).run { context in
            let course = context.make("A")
            #expect(course.committedValues(forKeys: nil).isEmpty)
            #expect(course.committedValues(forKeys: ["title"]).isEmpty)
            try context.save()
            #expect(course.committedValues(forKeys: ["title", "start"])["start"] is NSNull)
        }
    }

    @Test func aResetMakesFaultsAndNamesThem() throws {
        let stack = try GraphStack(.memory)
        try stack.run { context in
            let course = context.make("A")
            try context.save()
            let id = course.objectID
            let changed = Observed(NSManagedObjectContext.didChangeObjectsNotification, context)
            context.reset()
            #expect(course.isFault && course.managedObjectContext == nil)
            #expect(changed.all.last?.userInfo?[NSInvalidatedAllObjectsKey] as? [NSManagedObjectID] == [id])
        }
    }

    // MARK: Validation

    /// A to-many relationship has a value, if an empty one; its minimum alone says how many objects it needs.
    @Test func aRequiredToManyWithoutMinimumMayBeEmpty() throws {
        let model = GraphModel.make { $0["Course"]?.relationshipsByName["tags"]?.isOptional = false }
        try GraphStack(.memory, model: model).run { context in
            _ = context.make("A")
            try context.save()
            #expect(try context.titles() == ["A"])
        }
    }

    @Test func errorsNameThePredicate() throws {
        let model = GraphModel.make { entities in
            entities["Course"]?.attributesByName["title"]?.setValidationPredicates(
                [NSPredicate(format: "length > 3")], withValidationWarnings: ["too short"])
        }
        try GraphStack(.memory, model: model).run { context in
            _ = context.make("A")
            let error = #expect(throws: CocoaError.self) { try context.save() }
            let predicate = error?.userInfo[NSValidationPredicateErrorKey] as? NSPredicate
            #expect(predicate?.tree?.description == "length > 3")
        }
    }

    // MARK: Fetched properties

    @Test(arguments: StoreKind.allCases) func fetchedPropertiesReadTheirSource(_ kind: StoreKind) throws {
        let model = GraphModel.make { entities in
            guard let course = entities["Course"] else { return }
            let property = NSFetchedPropertyDescription()
            property.name = "namesakes"
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Course")
            request.entity = course
            request.predicate = NSPredicate(
                format: "title == $FETCH_SOURCE.title AND teacher.name == $FETCH_SOURCE.teacher.name")
            property.fetchRequest = request
            course.properties += [property]
        }
        try GraphStack(kind, model: model).run { context in
            let teacher = Teacher(context: context)
            teacher.name = "Ada"
            let courses = ["A", "A", "B"].map(context.make)
            for course in courses { course.teacher = teacher }
            #expect((courses[0].value(forKey: "namesakes") as? [Course])?.count == 2)
            try context.save()
            #expect((courses[0].value(forKey: "namesakes") as? [Course])?.count == 2)
            #expect((courses[2].value(forKey: "namesakes") as? [Course])?.count == 1)
        }
    }
}
