import Foundation
import StratusCoreData
import Testing

/// Saves that meet what others have saved.
@Suite struct ConflictTests {
    private static let policies: [NSMergePolicyType] = [
        .mergeByPropertyStoreTrumpMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType,
        .overwriteMergePolicyType, .rollbackMergePolicyType,
    ]

    /// A course that both sides have changed: the title on both, credits here, the rating there.
    private func conflict(_ stack: GraphStack) throws -> Course {
        let id = try stack.seed("A")
        let course = try stack.run { context in
            let course: Course = try context.get(id)
            course.title = "mine"
            course.credits = 1
            return course
        }
        let other = stack.another()
        try other.performAndWait {
            let course: Course = try other.get(id)
            course.title = "theirs"
            course.rating = 2
            try other.save()
        }
        return course
    }

    @Test(arguments: StoreKind.allCases) func failsUnlessToldOtherwise(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let course = try conflict(stack)
        try stack.run { context in
            do {
                try context.save()
                Issue.record("The save met no conflict.")
            } catch let error as CocoaError {
                #expect(error.errorCode == 133_020)
                let list = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
                let conflict = try #require(list?.first)
                #expect(list?.count == 1 && conflict.sourceObject === course)
                #expect(
                    conflict.newVersionNumber > conflict.oldVersionNumber && conflict.oldVersionNumber > 0)
                #expect(conflict.objectSnapshot?["title"] as? String == "A")
                #expect(conflict.cachedSnapshot?["title"] as? String == "theirs")
                #expect(
                    conflict.cachedSnapshot?["lessons"] == nil
                        && conflict.cachedSnapshot?["teacher"] is NSNull)
                #expect(conflict.persistedSnapshot == nil)
            }
            #expect(course.title == "mine" && course.isUpdated)
            context.refresh(course, mergeChanges: true)
            try context.save()
            #expect(course.title == "mine" && course.rating == 2)
        }
    }

    /// Others than this coordinator's contexts write to the store itself.
    @Test func conflictsWithOtherCoordinatorsAreOnesWithTheStore() throws {
        let stack = try GraphStack(.sqlite)
        let id = try stack.seed("A")
        let others = try GraphStack(.sqlite, at: stack.url)
        try stack.run { context in
            let course: Course = try context.get(id)
            course.title = "mine"
            try others.run { other in
                let same = try #require(
                    others.coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation()))
                try other.get(same, as: Course.self).title = "theirs"
                try other.save()
            }
            let error = #expect(throws: CocoaError.self) { try context.save() }
            let list = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
            let conflict = try #require(list?.first)
            #expect(conflict.cachedSnapshot?["title"] as? String == "A")
            #expect(conflict.persistedSnapshot?["title"] as? String == "theirs")
        }
    }

    @Test(arguments: StoreKind.allCases, policies) func settlesByPolicy(
        _ kind: StoreKind, _ type: NSMergePolicyType
    ) throws {
        let stack = try GraphStack(kind)
        let course = try conflict(stack)
        try stack.run { context in
            context.mergePolicy = NSMergePolicy(merge: type)
            try context.save()
            let expected: (String, Int16, Double) =
                switch type {
                case .mergeByPropertyStoreTrumpMergePolicyType: ("theirs", 1, 2)
                case .mergeByPropertyObjectTrumpMergePolicyType: ("mine", 1, 2)
                case .overwriteMergePolicyType: ("mine", 1, 0)
                default: ("theirs", 0, 2)
                }
            for _ in 0..<2 {
                #expect(
                    course.title == expected.0 && course.credits == expected.1 && course.rating == expected.2)
                #expect(!course.hasChanges && !context.hasChanges)
                context.refresh(course, mergeChanges: false)
            }
        }
    }

    @Test(arguments: StoreKind.allCases, policies) func keepsInversesWhereRelationshipsConflict(
        _ kind: StoreKind, _ type: NSMergePolicyType
    ) throws {
        let stack = try GraphStack(kind)
        let ids = try ["A", "B", "C"].map { try stack.seed($0, lessons: $0 == "A" ? 1 : 0) }
        let (lesson, courses) = try stack.run { context in
            let courses = try ids.map { try context.get($0, as: Course.self) }
            let lesson = try #require(courses[0].lessons.first)
            lesson.course = courses[1]
            #expect(courses.map(\.lessons.count) == [0, 1, 0])
            return (lesson, courses)
        }
        let other = stack.another()
        try other.runAndWait {
            try other.get(lesson.objectID, as: Lesson.self).course = try other.get(ids[2], as: Course.self)
            try other.save()
        }
        try stack.run { context in
            context.mergePolicy = NSMergePolicy(merge: type)
            try context.save()
            let wins = type == .mergeByPropertyObjectTrumpMergePolicyType || type == .overwriteMergePolicyType
            #expect(lesson.course === courses[wins ? 1 : 2])
            #expect(courses[wins ? 1 : 2].lessons == [lesson])
            #expect(courses[wins ? 2 : 1].lessons.isEmpty && courses[0].lessons.isEmpty)
            context.refreshAllObjects()
            #expect(lesson.course === courses[wins ? 1 : 2])
            #expect(courses.map(\.lessons.count) == (wins ? [0, 1, 0] : [0, 0, 1]))
        }
    }

    @Test(arguments: StoreKind.allCases, policies) func settlesDeletesThere(
        _ kind: StoreKind, _ type: NSMergePolicyType
    ) throws {
        let stack = try GraphStack(kind)
        let id = try stack.seed("A")
        let course = try stack.run { context in
            let course: Course = try context.get(id)
            course.title = "mine"
            return course
        }
        let other = stack.another()
        try other.performAndWait {
            other.delete(try other.get(id))
            try other.save()
        }
        try stack.run { context in
            #expect(code { try context.save() } == 133_020)
            context.mergePolicy = NSMergePolicy(merge: type)
            try context.save()
            let wins = type == .mergeByPropertyObjectTrumpMergePolicyType || type == .overwriteMergePolicyType
            #expect(!context.hasChanges)
            #expect(try context.titles() == (wins ? ["mine"] : []))
            #expect((course.managedObjectContext != nil) == wins)
        }
    }

    @Test(arguments: StoreKind.allCases, policies) func settlesDeletesHere(
        _ kind: StoreKind, _ type: NSMergePolicyType
    ) throws {
        let stack = try GraphStack(kind)
        let id = try stack.seed("A")
        try stack.run { context in
            let course: Course = try context.get(id)
            _ = course.title
            context.delete(course)
        }
        let other = stack.another()
        try other.performAndWait {
            try other.get(id, as: Course.self).title = "theirs"
            try other.save()
        }
        try stack.run { context in
            #expect(code { try context.save() } == 133_020)
            context.mergePolicy = NSMergePolicy(merge: type)
            try context.save()
            let wins = type == .mergeByPropertyObjectTrumpMergePolicyType || type == .overwriteMergePolicyType
            #expect(try context.titles() == (wins ? [] : ["theirs"]))
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: StoreKind.allCases) func asksPoliciesOfTheApp(_ kind: StoreKind) throws {
        final class Joined: NSMergePolicy, @unchecked Sendable {
            override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
                let titles = list.map {
                    "\($0.sourceObject["title"] ?? "") & \($0.cachedSnapshot?["title"] ?? "")"
                }
                try super.resolve(optimisticLockingConflicts: list)
                for (conflict, title) in zip(list, titles) { conflict.sourceObject["title"] = title }
            }
        }
        let stack = try GraphStack(kind)
        let course = try conflict(stack)
        try stack.run { context in
            context.mergePolicy = Joined(merge: .mergeByPropertyObjectTrumpMergePolicyType)
            try context.save()
            context.refresh(course, mergeChanges: false)
            #expect(course.title == "mine & theirs" && course.rating == 2)
        }
    }

    @Test(arguments: StoreKind.allCases) func bothDeleteTheSame(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let id = try stack.seed("A")
        try stack.run { context in
            let course: Course = try context.get(id)
            _ = course.title
            context.delete(course)
        }
        let other = stack.another()
        try other.performAndWait {
            other.delete(try other.get(id))
            try other.save()
        }
        try stack.run { context in
            try context.save()
            #expect(!context.hasChanges)
        }
    }
}
