import Foundation
import StratusCoreData
import Testing

/// Values that have to be unique, and those that are not.
@Suite struct ConstraintTests {
    private static let kinds: [StoreKind] = [.sqlite, .memory]

    private func stack(_ kind: StoreKind) throws -> GraphStack {
        try GraphStack(kind, model: GraphModel.make { $0["Tag"]?.uniquenessConstraints = [["name"]] })
    }

    /// A saved tag on a saved course, and a new tag of the same name on a new course.
    private func conflict(_ context: NSManagedObjectContext) throws -> (old: Tag, new: Tag) {
        let old = Tag(context: context)
        old.name = "swift"
        context.make("old").tags = [old]
        try context.save()
        let new = Tag(context: context)
        new.name = "swift"
        context.make("new").tags = [new]
        return (old, new)
    }

    private func tags(_ context: NSManagedObjectContext) throws -> [Tag] {
        try context.fetch(NSFetchRequest<Tag>(entityName: "Tag"))
    }

    @Test(arguments: kinds) func failsWithTheConflict(_ kind: StoreKind) throws {
        try stack(kind).run { context in
            let (old, new) = try conflict(context)
            do {
                try context.save()
                Issue.record("The save met no conflict.")
            } catch let error as CocoaError {
                #expect(error.errorCode == 133_021)
                let list = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict]
                let conflict = try #require(list?.first)
                #expect(
                    conflict.constraint == ["name"] && conflict.constraintValues["name"] as? String == "swift"
                )
                #expect(conflict.databaseObject === old && conflict.conflictingObjects == [new])
                #expect(conflict.databaseSnapshot?["name"] as? String == "swift")
            }
            #expect(new.isInserted && context.hasChanges)
            new.name = "other"
            try context.save()
            #expect(try tags(context).count == 2)
        }
    }

    @Test(
        arguments: kinds,
        [
            NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType,
            .mergeByPropertyObjectTrumpMergePolicyType,
            .overwriteMergePolicyType, .rollbackMergePolicyType,
        ])
    func settlesByPolicy(_ kind: StoreKind, _ type: NSMergePolicyType) throws {
        let stack = try stack(kind)
        try stack.run { context in
            _ = try conflict(context)
            context.mergePolicy = NSMergePolicy(merge: type)
            try context.save()
            #expect(!context.hasChanges)
            let left = try tags(context)
            #expect(left.count == 1 && left.first?.name == "swift")
        }
        let check = stack.another()
        try check.performAndWait { () throws in
            let left = try tags(check)
            #expect(left.count == 1)
            let keepsNew =
                type == .mergeByPropertyObjectTrumpMergePolicyType || type == .overwriteMergePolicyType
            #expect(left.first?.courses.contains { $0.title == "new" } == keepsNew)
            #expect(try check.titles() == ["new", "old"])
        }
    }

    @Test(arguments: kinds) func settlesDuplicatesOfOneSave(_ kind: StoreKind) throws {
        try stack(kind).run { context in
            for _ in 0..<5 { Tag(context: context).name = "same" }
            Tag(context: context).name = "other"
            #expect(code { try context.save() } == 133_021)
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.save()
            #expect(Set(try tags(context).map(\.name)) == ["same", "other"])
            #expect(try tags(context).count == 2 && !context.hasChanges)
            // No value is no equal value.
            for _ in 0..<3 { _ = Tag(context: context) }
            try context.save()
            #expect(try tags(context).count == 5)
        }
    }

    @Test(arguments: kinds) func settlesAnUpdateThatMeetsAnother(_ kind: StoreKind) throws {
        try stack(kind).run { context in
            let first = Tag(context: context)
            first.name = "a"
            let second = Tag(context: context)
            second.name = "b"
            try context.save()
            // A swap is no conflict in the end, whatever order the rows are written in.
            second.name = "a"
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.save()
            #expect(try tags(context).map(\.name) == ["a"] && !context.hasChanges)
        }
    }

    // MARK: What only needs a real store

    @Test(arguments: kinds) func fetchedPropertiesFetch(_ kind: StoreKind) throws {
        let model = GraphModel.make { entities in
            guard let teacher = entities["Teacher"] else { return }
            let property = NSFetchedPropertyDescription()
            property.name = "hardCourses"
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Course")
            request.entity = entities["Course"]
            request.predicate = NSPredicate(format: "teacher == $FETCH_SOURCE AND credits > 3")
            property.fetchRequest = request
            teacher.properties += [property]
        }
        try GraphStack(kind, model: model).run { context in
            let teacher = Teacher(context: context)
            for credits in 1...6 {
                let course = context.make("\(credits)")
                course.credits = Int16(credits)
                course.teacher = teacher
            }
            Course(context: context).credits = 9
            #expect((teacher.value(forKey: "hardCourses") as? [Course])?.count == 3)
            try context.save()
            #expect((teacher.value(forKey: "hardCourses") as? [Course])?.count == 3)
        }
    }

    @Test(arguments: kinds) func fetchesLater(_ kind: StoreKind) async throws {
        let stack = try GraphStack(kind)
        _ = try stack.seed("A")
        let context = stack.context
        let titles: [String] = await withCheckedContinuation { continuation in
            context.perform {
                let request = NSAsynchronousFetchRequest(
                    fetchRequest: NSFetchRequest<Course>(entityName: "Course")
                ) {
                    continuation.resume(returning: $0.finalResult?.compactMap(\.title) ?? [])
                }
                do { try context.execute(request) } catch { continuation.resume(returning: ["\(error)"]) }
            }
        }
        #expect(titles == ["A"])
    }
}
