import CoreDataTesting
import StratusCoreData
import Testing

@Suite struct TemporaryStoreTests {
    private func model() -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        let course = NSEntityDescription()
        course.name = "Course"
        let title = NSAttributeDescription()
        title.name = "title"
        title.attributeType = .stringAttributeType
        let lessons = NSRelationshipDescription()
        lessons.name = "lessons"
        let lesson = NSEntityDescription()
        lesson.name = "Lesson"
        let owner = NSRelationshipDescription()
        owner.name = "course"
        owner.maxCount = 1
        owner.destinationEntity = course
        lessons.destinationEntity = lesson
        lessons.inverseRelationship = owner
        owner.inverseRelationship = lessons
        course.properties = [title, lessons]
        lesson.properties = [owner]
        course.indexes = [
            NSFetchIndexDescription(
                name: "byTitle",
                elements: [NSFetchIndexElementDescription(property: title, collationType: .binary)])
        ]
        model.entities = [course, lesson]
        return model
    }

    @Test(arguments: [false, true]) func aFetchIsSeenAndItsPlanUsesTheIndex(isInMemory: Bool) throws {
        let store = try TemporaryStore(model: model(), isInMemory: isInMemory)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Course")
        request.predicate = NSPredicate(format: "title == %@", "Swift")
        let statements = try store.statements {
            try store.context.runAndWait { _ = try store.context.fetch(request) }
        }
        let select = try #require(statements.first { $0.sql.contains("ZCOURSE") })
        #expect(!select.sql.contains("Swift"), "Values are bound, not written into the text.")
        #expect(try store.queryPlan(of: select).contains { $0.contains("Z_Course_byTitle") })
        try store.finish()
    }

    @Test func objectsThatPointAtEachOtherAreNoLeak() throws {
        let store = try TemporaryStore(model: model())
        try store.context.runAndWait {
            let course = NSEntityDescription.insertNewObject(forEntityName: "Course", into: store.context)
            let lesson = NSEntityDescription.insertNewObject(forEntityName: "Lesson", into: store.context)
            lesson.setValue(course, forKey: "course")
            #expect((course.value(forKey: "lessons") as? NSSet)?.count == 1)
            try store.context.save()
        }
        try store.finish()
    }

    @Test func anObjectThatSomebodyKeepsIsNamed() throws {
        let store = try TemporaryStore(model: model())
        var kept: NSManagedObject?
        store.context.runAndWait {
            kept = NSEntityDescription.insertNewObject(forEntityName: "Course", into: store.context)
        }
        let error = #expect(throws: LeakError.self) { try store.finish() }
        #expect(error?.leaks.contains { $0.contains("Course") } == true)
        #expect(kept != nil)
    }
}
