import Foundation
import TestSupport
import Testing

@testable import StratusCoreData

/// An ordered relationship that several contexts change.
@Suite struct OrderMergeTests {
    /// Whatever both sides did, nothing that one of them added is lost, and nothing that one of them took away is back.
    @Test(arguments: Seed.some(20)) func keepsWhatBothSidesAdded(_ seed: Seed) {
        var random = seed.random
        for _ in 0..<200 {
            let base = Array(0..<random.int(0...6))
            func edited(_ added: [Int]) -> [Int] {
                var list = base.filter { _ in !random.oneIn(4) }
                if random.oneIn(3) { list.shuffle(using: &random) }
                for member in added { list.insert(member, at: random.int(0...list.count)) }
                return list
            }
            let ours = edited(Array(10..<random.int(10...13)))
            let theirs = edited(Array(20..<random.int(20...23)) + (random.oneIn(3) ? [12] : []))
            let merged = OrderMerge.merged(base: base, ours: ours, theirs: theirs)
            let wanted = Set(base).intersection(ours).intersection(theirs)
                .union(Set(ours).subtracting(base)).union(Set(theirs).subtracting(base))
            #expect(Set(merged) == wanted && merged.count == wanted.count)
            #expect(OrderMerge.merged(base: base, ours: base, theirs: theirs) == theirs)
            #expect(OrderMerge.merged(base: base, ours: ours, theirs: base) == ours)
            #expect(OrderMerge.merged(base: base, ours: ours, theirs: ours) == ours)
        }
    }

    @Test(arguments: [
        ([1], [1, 2], [1, 3], [1, 2, 3]), ([], [2], [3], [2, 3]), ([1, 2], [2, 1], [1, 2, 3], [2, 3, 1]),
        ([1, 2, 3], [1, 3, 4], [3, 2, 1], [3, 4, 1]), ([1, 2], [], [1, 2, 3], [3]),
    ])
    func placesAdditions(_ base: [Int], _ ours: [Int], _ theirs: [Int], _ wanted: [Int]) {
        #expect(OrderMerge.merged(base: base, ours: ours, theirs: theirs) == wanted)
    }

    private func chapter(_ name: String, _ context: NSManagedObjectContext) -> NSManagedObject {
        let chapter = NSEntityDescription.insertNewObject(forEntityName: "Chapter", into: context)
        chapter["name"] = name
        return chapter
    }

    private func names(_ course: Course) -> [String] {
        course.chapters.compactMap { ($0 as? NSManagedObject)?["name"] as? String }
    }

    private func add(_ name: String, to course: Course, _ context: NSManagedObjectContext) {
        course.mutableOrderedSetValue(forKey: "chapters").add(chapter(name, context))
    }

    /// A course with the chapters that are asked for, saved.
    private func seed(_ names: [String], _ stack: GraphStack) throws -> NSManagedObjectID {
        let other = stack.another("seed")
        return try other.performAndWait {
            let course = Course(context: other)
            for name in names { add(name, to: course, other) }
            try other.save()
            return course.objectID
        }
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func childAndParentBothAdd(_ kind: StoreKind, parentSaves: Bool) throws {
        let stack = try GraphStack(kind)
        let id = try seed(["a"], stack)
        let child = stack.child()
        let course: Course = try child.performAndWait {
            let course: Course = try child.get(id)
            add("b", to: course, child)
            return course
        }
        try stack.run { context in
            let mine: Course = try context.get(id)
            add("c", to: mine, context)
            if parentSaves { try context.save() }
        }
        try child.performAndWait { try child.save() }
        try stack.run { context in
            let mine: Course = try context.get(id)
            #expect(names(mine) == ["a", "b", "c"])
            #expect(mine.chapters.allSatisfy { ($0 as? NSManagedObject)?["course"] as? Course === mine })
            try context.save()
        }
        let other = stack.another()
        try other.performAndWait {
            let course: Course = try other.get(id)
            #expect(names(course) == ["a", "b", "c"])
        }
        child.runAndWait {
            child.refresh(course, mergeChanges: true)
            #expect(names(course) == ["a", "b", "c"])
        }
    }

    /// What the parent took away stays away, and what the child moved is moved.
    @Test(arguments: StoreKind.allCases) func childMovesWhileTheParentRemoves(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let id = try seed(["a", "b", "c"], stack)
        let child = stack.child()
        try child.performAndWait {
            let course: Course = try child.get(id)
            course.mutableOrderedSetValue(forKey: "chapters").moveObjects(at: IndexSet(integer: 2), to: 0)
            #expect(names(course) == ["c", "a", "b"])
        }
        try stack.run { context in
            let mine: Course = try context.get(id)
            mine.mutableOrderedSetValue(forKey: "chapters").removeObject(at: 0)
            add("d", to: mine, context)
        }
        try child.performAndWait { try child.save() }
        try stack.run { context in
            let mine: Course = try context.get(id)
            #expect(Set(names(mine)) == ["c", "b", "d"] && names(mine).first == "c")
            try context.save()
        }
    }

    /// What another context saved is merged under the unsaved changes of this one, and both are saved.
    @Test(arguments: StoreKind.allCases, [true, false])
    func mergedChangesKeepTheOrder(_ kind: StoreKind, isLookedAt: Bool) throws {
        let stack = try GraphStack(kind)
        let id = try seed(["a"], stack)
        let other = stack.another()
        let saved = Observed(.NSManagedObjectContextDidSave, other)
        try stack.run { context in
            let course: Course = try context.get(id)
            add("b", to: course, context)
        }
        for name in ["c", "d"] {
            try other.performAndWait {
                let course: Course = try other.get(id)
                add(name, to: course, other)
                try other.save()
            }
            let note = try #require(saved.all.last)
            try stack.run { context in
                context.mergeChanges(fromContextDidSave: note)
                if isLookedAt {
                    let course: Course = try context.get(id)
                    #expect(Set(names(course)).isSuperset(of: ["a", "b", name]) && names(course)[0] == "a")
                }
            }
        }
        try stack.run { context in
            let course: Course = try context.get(id)
            #expect((course.committedValues(forKeys: ["chapters"])["chapters"] as? NSOrderedSet)?.count == 3)
            try context.save()
            #expect(names(course) == ["a", "b", "c", "d"])
            context.refresh(course, mergeChanges: false)
            #expect(names(course) == ["a", "b", "c", "d"])
        }
        try other.performAndWait {
            let course: Course = try other.get(id)
            other.refresh(course, mergeChanges: false)
            #expect(names(course) == ["a", "b", "c", "d"])
        }
    }

    /// A merge policy settles the conflict of two lists without losing what either added.
    @Test(
        arguments: StoreKind.allCases, [NSMergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump])
    func policiesKeepBothAdditions(_ kind: StoreKind, _ policy: NSMergePolicy) throws {
        let stack = try GraphStack(kind)
        let id = try seed(["a"], stack)
        let other = stack.another()
        stack.context.mergePolicy = policy
        try stack.run { context in add("b", to: try context.get(id), context) }
        try other.performAndWait {
            add("c", to: try other.get(id), other)
            try other.save()
        }
        try stack.run { context in
            try context.save()
            let course: Course = try context.get(id)
            context.refresh(course, mergeChanges: false)
            #expect(Set(names(course)) == ["a", "b", "c"] && names(course).first == "a")
        }
    }

    /// An addition whose object others delete meanwhile is no part of the list.
    @Test(arguments: StoreKind.allCases) func deletedElsewhereAfterAMerge(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let id = try seed(["a", "b"], stack)
        let other = stack.another()
        let saved = Observed(.NSManagedObjectContextDidSave, other)
        try stack.run { context in add("c", to: try context.get(id), context) }
        for step in ["d", nil] {
            try other.performAndWait {
                let course: Course = try other.get(id)
                if let step {
                    add(step, to: course, other)
                } else {
                    other.delete(try #require(course.chapters.firstObject as? NSManagedObject))
                }
                try other.save()
            }
            let note = try #require(saved.all.last)
            try stack.run { context in context.mergeChanges(fromContextDidSave: note) }
        }
        try stack.run { context in
            try context.save()
            let course: Course = try context.get(id)
            #expect(names(course) == ["b", "c", "d"])
        }
    }
}
