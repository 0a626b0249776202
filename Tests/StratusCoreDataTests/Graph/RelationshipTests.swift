import Foundation
import StratusCoreData
import TestSupport
import Testing

@Suite struct RelationshipTests {
    @Test(arguments: StoreKind.allCases) func keepsBothSides(_ kind: StoreKind) throws {
        try GraphStack(kind).run { context in
            let first = context.make("A")
            let second = context.make("B")
            let lesson = Lesson(title: "L", number: 1, in: context)
            lesson.course = first
            #expect(first.lessons == [lesson])
            second.addToLessons(lesson)
            #expect(first.lessons.isEmpty && lesson.course === second)
            second.lessons = []
            #expect(lesson.course == nil)
            first.mutableSetValue(forKey: "lessons").add(lesson)
            #expect(lesson.course === first && first.mutableSetValue(forKey: "lessons").count == 1)
            first.mutableSetValue(forKey: "lessons").removeAllObjects()
            #expect(lesson.course == nil && first.lessons.isEmpty)
            let tag = Tag(context: context)
            first.tags = [tag]
            tag.courses.insert(second)
            #expect(second.tags == [tag] && tag.courses == [first, second])
            first.tags = []
            #expect(tag.courses == [second])
        }
    }

    /// As accessors were written by hand before there were generated ones.
    @Test(arguments: StoreKind.allCases) func followsMutationsOfPrimitiveSets(_ kind: StoreKind) throws {
        try GraphStack(kind).run { context in
            let course = context.make("A")
            let lessons = (0..<3).map { Lesson(title: "L", number: $0, in: context) }
            func mutate(
                _ kind: NSKeyValueSetMutationKind, _ objects: [Lesson], _ change: (NSMutableSet) -> Void
            ) throws {
                let changed = Set<AnyHashable>(objects)
                course.willChangeValue(forKey: "lessons", withSetMutation: kind, using: changed)
                change(try #require(course.primitiveValue(forKey: "lessons") as? NSMutableSet))
                course.didChangeValue(forKey: "lessons", withSetMutation: kind, using: changed)
            }
            try mutate(.union, lessons) { $0.addObjects(from: lessons) }
            #expect(course.lessons.count == 3 && lessons.allSatisfy { $0.course === course })
            try mutate(.minus, [lessons[0]]) { $0.remove(lessons[0]) }
            #expect(lessons[0].course == nil && course.lessons.count == 2)
            try mutate(.intersect, [lessons[0], lessons[1]]) { $0.intersect([lessons[0], lessons[1]]) }
            #expect(course.lessons == [lessons[1]] && lessons[2].course == nil)
            try mutate(.set, [lessons[0], lessons[2]]) { $0.setSet([lessons[0], lessons[2]]) }
            #expect(course.lessons == [lessons[0], lessons[2]] && lessons[1].course == nil)
            try context.save()
            context.refresh(course, mergeChanges: false)
            #expect(course.lessons == [lessons[0], lessons[2]])
        }
    }

    @Test(arguments: StoreKind.allCases) func movesOneToOnePartners(_ kind: StoreKind) throws {
        try GraphStack(kind).run { context in
            let first = Teacher(context: context)
            let second = Teacher(context: context)
            let desk = Desk(context: context)
            let other = Desk(context: context)
            first.desk = desk
            second.desk = other
            #expect(desk.owner === first)
            second.desk = desk
            #expect(first.desk == nil && desk.owner === second && other.owner == nil)
            desk.owner = first
            #expect(first.desk === desk && second.desk == nil)
            try context.save()
            for object in context.registeredObjects { context.refresh(object, mergeChanges: false) }
            #expect(first.desk === desk && desk.owner === first && second.desk == nil && other.owner == nil)
        }
    }

    @Test(arguments: StoreKind.allCases) func relatesAnEntityToItself(_ kind: StoreKind) throws {
        try GraphStack(kind).run { context in
            let first = context.make("A")
            let second = context.make("B")
            second.previous = first
            first.previous = first
            #expect(first.following == [first, second])
            first.previous = second
            #expect(first.following == [second] && second.following == [first])
            try context.save()
            context.refresh(first, mergeChanges: false)
            context.refresh(second, mergeChanges: false)
            #expect(first.following == [second] && first.previous === second)
        }
    }

    @Test(arguments: StoreKind.allCases) func keepsOrder(_ kind: StoreKind) throws {
        try GraphStack(kind).run { context in
            let course = context.make("A")
            let names = ["one", "two", "three", "four"]
            let chapters = names.map { name -> NSManagedObject in
                let chapter = NSEntityDescription.insertNewObject(forEntityName: "Chapter", into: context)
                chapter.setValue(name, forKey: "name")
                return chapter
            }
            func order() -> [String] {
                course.chapters.compactMap { ($0 as? NSManagedObject)?["name"] as? String }
            }
            course.chapters = NSOrderedSet(array: [chapters[0], chapters[1], chapters[2]])
            chapters[3].setValue(course, forKey: "course")
            #expect(order() == names)
            try context.save()
            context.refresh(course, mergeChanges: false)
            #expect(order() == names)
            let list = course.mutableOrderedSetValue(forKey: "chapters")
            list.exchangeObject(at: 0, withObjectAt: 3)
            #expect(order() == ["four", "two", "three", "one"])
            list.moveObjects(at: IndexSet(integer: 3), to: 0)
            #expect(order() == ["one", "four", "two", "three"])
            list.removeObject(at: 1)
            #expect(order() == ["one", "two", "three"] && chapters[3]["course"] == nil)
            list.insert(chapters[3], at: 1)
            #expect(course.changedValues()["chapters"] != nil)
            try context.save()
            context.refresh(course, mergeChanges: false)
            #expect(order() == ["one", "four", "two", "three"])
            course.insertManagedObject("chapters", chapters[2], at: 0)
            course.removeManagedObject("chapters", at: 3)
            try context.save()
            #expect(Set(order()) == Set(["one", "four", "two"]) || order().count == 3)
        }
    }

    @Test(arguments: StoreKind.allCases) func needsNoInverse(_ kind: StoreKind) throws {
        try GraphStack(kind).run { context in
            let course = context.make("A")
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            note["subject"] = course
            note["seeAlso"] = NSSet(array: [course])
            try context.save()
            context.refresh(note, mergeChanges: false)
            #expect(note["subject"] as? Course === course)
            #expect((note["seeAlso"] as? NSSet)?.count == 1)
            note["seeAlso"] = NSSet()
            try context.save()
            context.refresh(note, mergeChanges: false)
            #expect((note["seeAlso"] as? NSSet)?.count == 0)
            context.delete(course)
            try context.save()
            context.refresh(note, mergeChanges: false)
            // Nobody told the note; what it leads to is gone.
            #expect((note["subject"] as? Course)?.title == nil)
        }
    }

    @Test(arguments: StoreKind.allCases) func changesUnreadRelationships(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let id = try stack.seed(lessons: 3)
        let other = try stack.seed("Other", lessons: 1)
        try stack.run { context in
            let lessons = try context.fetch(NSFetchRequest<Lesson>(entityName: "Lesson"))
            let moved = try #require(lessons.first { $0.title == "Swift 1" })
            moved.course = try context.get(other)
            let course: Course = try context.get(id)
            #expect(course.hasFault(forRelationshipNamed: "lessons"))
            #expect(course.lessons.count == 2 && !course.lessons.contains(moved))
            #expect(try context.get(other, as: Course.self).lessons.count == 2)
            try context.save()
            #expect(course.lessons.count == 2)
            context.refresh(course, mergeChanges: false)
            #expect(course.lessons.count == 2)
        }
    }

    /// Adding one by one costs the same for each object, however many there are.
    @Test(arguments: StoreKind.allCases) func addsManyObjectsInLinearTime(_ kind: StoreKind) throws {
        try GraphStack(kind).run { context in
            func time(_ count: Int, _ add: (Course, Lesson) -> Void) -> Double {
                let course = context.make("A")
                let lessons = (0..<count).map { _ in Lesson(context: context) }
                context.processPendingChanges()
                let seconds = processorSeconds { for lesson in lessons { add(course, lesson) } }
                #expect(course.lessons.count == count)
                return seconds
            }
            let ways: [(Course, Lesson) -> Void] = [
                { $0.addToLessons($1) }, { $1.course = $0 },
                { $0.mutableSetValue(forKey: "lessons").add($1) },
            ]
            for way in ways {
                _ = time(100, way)
                let few = time(2_000, way)
                let many = time(20_000, way)
                // Ten times the objects; a quadratic way would take a hundred times as long.
                #expect(many < few * 40 + 0.05, "2,000 took \(few) s, 20,000 took \(many) s")
            }
            context.reset()
        }
    }
}
