import Foundation
import Predicates
import StratusCoreData
import Testing

/// Fetches see what is not saved yet.
@Suite struct FetchPendingTests {
    @Test(arguments: StoreKind.allCases) func seesInsertedUpdatedAndDeleted(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let a = try stack.seed("A")
        let b = try stack.seed("B")
        _ = try stack.seed("C")
        try stack.run { context in
            try context.get(a, as: Course.self).title = "Z"
            context.delete(try context.get(b))
            let new = context.make("D")
            #expect(try context.titles() == ["C", "D", "Z"])
            #expect(try context.titles(NSPredicate(format: "title >= %@", "D")) == ["D", "Z"])
            #expect(try context.titles(NSPredicate(format: "title == %@", "A")).isEmpty)
            let request = NSFetchRequest<Course>(entityName: "Course")
            #expect(try context.count(for: request) == 3)
            request.includesPendingChanges = false
            #expect(try context.count(for: request) == 3)
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            // The store finds and orders; known objects keep their values.
            #expect(try context.fetch(request).map { $0.title ?? "" } == ["Z", "B", "C"])
            let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Course")
            ids.resultType = .managedObjectIDResultType
            #expect(Set(try context.fetch(ids)).contains(new.objectID))
            #expect(try !context.fetch(ids).contains(b))
        }
    }

    @Test(arguments: StoreKind.allCases) func limitsAfterMerging(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        for title in ["B", "D", "F", "H"] { _ = try stack.seed(title) }
        try stack.run { context in
            for title in ["A", "E", "I"] { _ = context.make(title) }
            let all = try context.fetch(NSFetchRequest<Course>(entityName: "Course"))
            context.delete(try #require(all.first { $0.title == "D" }))
            try #require(all.first { $0.title == "H" }).title = "C"
            let expected = ["A", "B", "C", "E", "F", "I"]
            for offset in 0...7 {
                for limit in 0...7 {
                    for ascending in [true, false] {
                        let request = NSFetchRequest<Course>(entityName: "Course")
                        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: ascending)]
                        request.fetchOffset = offset
                        request.fetchLimit = limit
                        let order = ascending ? expected : expected.reversed()
                        let rest = order.dropFirst(offset)
                        let wanted = Array(limit > 0 ? rest.prefix(limit) : rest)
                        #expect(try context.fetch(request).map { $0.title ?? "" } == wanted)
                        #expect(try context.count(for: request) == wanted.count)
                    }
                }
            }
        }
    }

    @Test(arguments: StoreKind.allCases) func followsPathsThroughChangedObjects(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let id = try stack.seed("Swift", lessons: 2)
        _ = try stack.seed("Other", lessons: 1)
        try stack.run { context in
            func lessons(_ format: String, _ arguments: Any?...) throws -> Int {
                let request = NSFetchRequest<Lesson>(entityName: "Lesson")
                request.predicate = NSPredicate(
                    format: format, argumentArray: arguments.map { $0 ?? NSNull() })
                request.sortDescriptors = [NSSortDescriptor(key: "course.title", ascending: true)]
                #expect(try context.count(for: request) == context.fetch(request).count)
                return try context.fetch(request).count
            }
            let course: Course = try context.get(id)
            #expect(try lessons("course.title == %@", "Swift") == 2)
            course.title = "Renamed"
            #expect(try lessons("course.title == %@", "Swift") == 0)
            #expect(try lessons("course.title == %@", "Renamed") == 2)
            #expect(try lessons("course == %@", course) == 2)
            let lesson = try #require(course.lessons.first)
            lesson.course = nil
            #expect(try lessons("course == %@", course) == 1)
            #expect(try lessons("course == nil") == 1)
            #expect(try context.titles(NSPredicate(format: "lessons.@count == 1")) == ["Other", "Renamed"])
            #expect(try context.titles(NSPredicate(format: "ANY lessons.number == 0")).count >= 1)
        }
    }

    @Test(arguments: StoreKind.allCases) func predicatesKeepToTheirObject(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        try stack.run { context in
            let course = context.make("A")
            course.addToLessons(Lesson(title: "L", number: 1, in: context))
            let request = NSFetchRequest<Lesson>(entityName: "Lesson")
            request.predicate = NSPredicate(format: "course == %@", course)
            let many = NSFetchRequest<Course>(entityName: "Course")
            many.predicate = NSPredicate(format: "SELF IN %@", [course])
            #expect(try context.fetch(request).count == 1)
            #expect(try context.fetch(many).count == 1)
            // The same predicates, once the object has another ID.
            try context.save()
            #expect(try context.fetch(request).count == 1)
            #expect(try context.fetch(many).count == 1)
        }
    }

    @Test(arguments: StoreKind.allCases) func refreshesOnlyWhereAsked(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let id = try stack.seed()
        let other = stack.another()
        try stack.run { context in
            let course: Course = try context.get(id)
            #expect(course.title == "Swift")
            try other.performAndWait {
                try other.get(id, as: Course.self).title = "New"
                try other.save()
            }
            let request = NSFetchRequest<Course>(entityName: "Course")
            #expect(try context.fetch(request).first?.title == "Swift")
            if kind != .dictionary {
                request.shouldRefreshRefetchedObjects = true
                #expect(try context.fetch(request).first?.title == "New")
            }
            context.refresh(course, mergeChanges: true)
            #expect(course.title == "New")
        }
    }
}
