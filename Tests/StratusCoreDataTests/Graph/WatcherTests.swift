import Foundation
import Testing

@testable @_spi(Companions) import StratusCoreData

/// What watchers of an object, which the companion package makes publishers of, can read when they are told.
@Suite struct WatcherTests {
    /// Reads the object whenever it is told of it, as a view's model does.
    private final class Reader: ManagedObjectWatcher, @unchecked Sendable {
        // Told on the queue of the object's context, which is the test's.
        weak var object: Course?
        private(set) var seen: [String] = []
        var isReading = true

        func managedObjectWillChange() {
            guard isReading, let object else { return }
            // Another object is read too: nothing of the store may be in the middle of something.
            let others = (try? object.managedObjectContext?.titles().count) ?? 0
            seen.append("\(object.title ?? "nil") \(object.lessons.count) of \(others)")
        }

        func clear() { seen = [] }
    }

    private func watch(_ course: Course) -> Reader {
        let reader = course.watcher { Reader() }
        reader.object = course
        return reader
    }

    @Test(arguments: StoreKind.allCases) func aMergeComesWithNewValues(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let id = try stack.seed("A", lessons: 1)
        let other = stack.another()
        let saved = Observed(.NSManagedObjectContextDidSave, other)
        try stack.run { context in
            let course: Course = try context.get(id)
            #expect(course.title == "A" && course.lessons.count == 1)
            let reader = watch(course)
            try other.runAndWait {
                let theirs: Course = try other.get(id)
                theirs.title = "B"
                theirs.addToLessons(Lesson(title: "2", number: 2, in: other))
                try other.save()
            }
            context.mergeChanges(fromContextDidSave: try #require(saved.all.first))
            #expect(reader.seen.contains("B 2 of 1") && !reader.seen.contains { $0.hasPrefix("A") })
            // What is set by hand is told before it is set.
            reader.clear()
            course.title = "C"
            #expect(reader.seen == ["B 2 of 1"])
        }
    }

    @Test(arguments: StoreKind.allCases) func refreshesAndRollbacksComeWithSavedValues(_ kind: StoreKind)
        throws
    {
        let stack = try GraphStack(kind)
        let id = try stack.seed("A")
        try stack.run { context in
            let course: Course = try context.get(id)
            let reader = watch(course)
            reader.isReading = false
            for keeps in [false, true] {
                course.title = "X"
                reader.isReading = true
                context.refresh(course, mergeChanges: keeps)
                reader.isReading = false
                #expect(reader.seen.last == (keeps ? "X 0 of 1" : "A 0 of 1"))
                reader.clear()
            }
            reader.isReading = true
            context.rollback()
            #expect(reader.seen.last == "A 0 of 1" && course.title == "A" && !context.hasChanges)
        }
    }

    @Test func aFetchThatRefreshesTellsWhenItIsDone() throws {
        let stack = try GraphStack(.sqlite)
        let id = try stack.seed("A")
        let other = stack.another()
        try stack.run { context in
            let course: Course = try context.get(id)
            #expect(course.title == "A")
            let reader = watch(course)
            try other.runAndWait {
                let theirs: Course = try other.get(id)
                theirs.title = "B"
                try other.save()
            }
            let request = NSFetchRequest<Course>(entityName: "Course")
            request.shouldRefreshRefetchedObjects = true
            _ = try context.fetch(request)
            #expect(reader.seen == ["B 0 of 1"])
        }
    }
}
