import Foundation
import StratusCoreData
import Testing

/// Key-Value Coding, primitive values, what changed, and what never fires a fault.
@Suite struct ValueTests {
    @Test(arguments: StoreKind.allCases) func readsAndWritesByKey(_ kind: StoreKind) throws {
        try GraphStack(kind).run { context in
            let course = context.make("Swift")
            course.setValue(5, forKey: "credits")
            course.setValue(Optional<Double>.some(4.5) as Any, forKey: "rating")
            course.setValue(NSDecimalNumber(string: "9.99"), forKey: "price")
            #expect(course.value(forKey: "credits") as? Int == 5)
            #expect(course.value(forKey: "credits") as? NSNumber == 5)
            #expect(course["rating"] as? Double == 4.5)
            #expect(course.price == NSDecimalNumber(string: "9.99"))
            course["title"] = "Objective-C"
            #expect(course.title == "Objective-C")
            course.setValuesForKeys(["title": NSNull(), "credits": 2])
            #expect(course.title == nil && course.credits == 2)
            let values = course.dictionaryWithValues(forKeys: ["title", "credits"])
            #expect(values["title"] is NSNull && values["credits"] as? Int == 2)
            let teacher = Teacher(context: context)
            teacher.name = "Ada"
            course.setValue(teacher, forKey: "teacher")
            #expect(course.value(forKeyPath: "teacher.name") as? String == "Ada")
            course.setValue("Grace", forKeyPath: "teacher.name")
            #expect(teacher.name == "Grace")
            #expect(teacher.value(forKeyPath: "courses.@count") as? Int == 1)
            course.setValue(nil, forKey: "teacher")
            #expect(teacher.courses.isEmpty)
            #expect(course.value(forKey: "objectID") as? NSManagedObjectID == course.objectID)
        }
    }

    @Test(arguments: StoreKind.allCases) func tellsWhatChanged(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let id = try stack.seed(lessons: 1)
        try stack.run { context in
            let course: Course = try context.get(id)
            course.title = "Swift"
            #expect(course.hasChanges && course.isUpdated)
            #expect(course.changedValues().isEmpty && !course.hasPersistentChangedValues)
            course.setValue("x", forKey: "secret")
            #expect(course.changedValues().isEmpty)
            course.title = nil
            course.credits = 4
            #expect(Set(course.changedValues().keys) == ["title", "credits"])
            #expect(course.changedValues()["title"] is NSNull)
            #expect(course.changedValuesForCurrentEvent()["title"] as? String == "Swift")
            #expect(course.changedValuesForCurrentEvent()["secret"] == nil)
            let committed = course.committedValues(forKeys: ["title", "credits", "teacher", "lessons"])
            #expect(committed["title"] as? String == "Swift" && committed["credits"] as? Int == 0)
            #expect(committed["teacher"] is NSNull && (committed["lessons"] as? NSSet)?.count == 1)
            let observed = Observed(NSManagedObjectContext.didChangeObjectsNotification, context)
            context.processPendingChanges()
            #expect(observed.objects(NSUpdatedObjectsKey) == [course])
            #expect(course.changedValuesForCurrentEvent().isEmpty)
            course.title = "C"
            #expect(course.changedValuesForCurrentEvent()["title"] is NSNull)
            let lesson = Lesson(title: "new", number: 2, in: context)
            course.addToLessons(lesson)
            #expect((course.changedValues()["lessons"] as? NSSet)?.count == 2)
            #expect((course.committedValues(forKeys: ["lessons"])["lessons"] as? NSSet)?.count == 1)
            try context.save()
            #expect(course.changedValues().isEmpty && lesson.changedValues().isEmpty)
            #expect((course.committedValues(forKeys: nil)["lessons"] as? NSSet)?.count == 2)
        }
    }

    @Test(arguments: StoreKind.allCases) func handlersSeeTheEventsChanges(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let id = try stack.seed()
        try stack.run { context in
            let course: Course = try context.get(id)
            course.credits = 1
            nonisolated(unsafe) var old: [Any?] = []
            nonisolated(unsafe) let seen = course
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
            ) { _ in
                old.append(seen.changedValuesForCurrentEvent()["credits"])
                // A change inside is another event, whose old value is this one's new one.
                if old.count == 1 { seen.credits = 2 }
            }
            context.processPendingChanges()
            context.processPendingChanges()
            NotificationCenter.default.removeObserver(token)
            #expect(old.map { $0 as? Int } == [0, 1])
            #expect(course.changedValuesForCurrentEvent().isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases) func primitiveValuesAreNotNoticed(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let id = try stack.seed()
        try stack.run { context in
            let course: Course = try context.get(id)
            course.setPrimitiveValue("silent", forKey: "title")
            #expect(!course.hasChanges && !context.hasChanges)
            #expect(course.primitiveValue(forKey: "title") as? String == "silent")
            let teacher = Teacher(context: context)
            course.setPrimitiveValue(teacher, forKey: "teacher")
            #expect(course.teacher === teacher && teacher.courses.isEmpty)
            course.willChangeValue(forKey: "title")
            course.setPrimitiveValue("loud", forKey: "title")
            course.didChangeValue(forKey: "title")
            #expect(course.isUpdated && course.changedValues()["title"] as? String == "loud")
        }
    }

    @Test(arguments: StoreKind.allCases) func someQuestionsFireNoFault(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let id = try stack.seed(lessons: 1)
        try stack.run { context in
            let course: Course = try context.get(id)
            let same: Course = try context.get(id)
            #expect(course.isEqual(same) && course.hash == same.hash && course === same)
            #expect(course.description.contains("fault"))
            #expect(course.managedObjectContext === context && course.entity.name == "Course")
            #expect(course.objectID == id && !course.isInserted && !course.isUpdated && !course.isDeleted)
            #expect(course.faultingState != 0 && course.isFault && !course.hasChanges)
            #expect(course.hasFault(forRelationshipNamed: "lessons"))
            #expect(course.objectIDs(forRelationshipNamed: "lessons").count == 1)
            #expect(course.hasFault(forRelationshipNamed: "lessons"))
            #expect(course.calls.isEmpty && course.isFault)
            _ = course.credits
            #expect(!course.isFault && course.faultingState == 0 && course.calls == ["awakeFromFetch"])
            #expect(course.hasFault(forRelationshipNamed: "lessons"))
            let lesson = try #require(course.lessons.first)
            #expect(!course.hasFault(forRelationshipNamed: "lessons") && lesson.isFault)
            course.willAccessValue(forKey: nil)
        }
    }

    @Test(arguments: StoreKind.allCases) func missingRowsBecomeDeletedAndEmpty(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let id = try stack.seed()
        let other = stack.another()
        try stack.run { context in
            let course: Course = try context.get(id)
            try other.performAndWait {
                other.delete(try other.get(id))
                try other.save()
            }
            #expect(throws: CocoaError.self) { try context.existingObject(with: id) }
            #expect(course.title == nil && course.credits == 0 && course.lessons.isEmpty)
            #expect(course.isDeleted && !course.isFault)
            try context.save()
            #expect(try context.titles().isEmpty)
            #expect(context.registeredObject(for: id) == nil)
        }
    }

    @Test(arguments: StoreKind.allCases) func defaultsComeFromTheModel(_ kind: StoreKind) throws {
        try GraphStack(kind).run { context in
            let student = NSEntityDescription.insertNewObject(forEntityName: "Student", into: context)
            #expect(student.value(forKey: "year") as? Int == 1)
            #expect(type(of: student) == Person.self)
            #expect(student.changedValues()["name"] == nil)
        }
    }
}
