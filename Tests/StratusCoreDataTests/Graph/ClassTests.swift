import Foundation
import StratusCoreData
import Testing

/// Classes, initializers, typed requests and key paths, as users write them.
/// Of no entity of any model.
private final class Unmodelled: NSManagedObject, @unchecked Sendable {}

@Suite struct ClassTests {
    /// Layers ask any class for its name: `Self.entity().name ?? String(describing: Self.self)`.
    @Test(arguments: StoreKind.allCases) func aClassWithoutAnEntityHasOneOfNoModel(_ kind: StoreKind) throws {
        let classes: [NSManagedObject.Type] = [NSManagedObject.self, Unmodelled.self]
        for type in classes {
            let entity = type.entity()
            #expect(entity.name == String(describing: type) && entity === type.entity())
            #expect(type.fetchRequest().entityName == String(describing: type))
            try GraphStack(kind).run { context in
                #expect(throws: CocoaError.self) { try context.fetch(type.fetchRequest()) }
                let object = NSManagedObject(entity: entity, insertInto: context)
                #expect(object.entity === entity && object.isInserted)
                // A store of the app's own may take what no model has.
                guard kind != .dictionary else { return }
                #expect(throws: CocoaError.self) { try context.save() }
                #expect(throws: CocoaError.self) { try context.obtainPermanentIDs(for: [object]) }
                context.delete(object)
                try context.save()
            }
        }
    }

    @Test(arguments: StoreKind.allCases) func findsClassesByName(_ kind: StoreKind) throws {
        try GraphStack(kind).run { context in
            let made = NSEntityDescription.insertNewObject(forEntityName: "Course", into: context)
            #expect(type(of: made) == Course.self)
            let lesson = Lesson(context: context)
            #expect(lesson.entity.name == "Lesson" && lesson.wasMadeByDesignatedInit)
            #expect(Lesson(title: "a", number: 2, in: context).number == 2)
            let chapter = NSEntityDescription.insertNewObject(forEntityName: "Chapter", into: context)
            #expect(type(of: chapter) == NSManagedObject.self)
            #expect(Course.entity().name == "Course")
            #expect(Course.fetchRequest().entityName == "Course")
            let loose = Course(entity: Course.entity(), insertInto: nil)
            loose.title = "loose"
            #expect(loose.managedObjectContext == nil && loose.title == "loose" && !loose.isInserted)
            #expect(loose.objectID.isTemporaryID)
        }
    }

    @Test(arguments: StoreKind.allCases) func fetchesWhatTheRequestSays(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        let id = try stack.seed(lessons: 1)
        try stack.run { context in
            let typed: [Course] = try context.fetch(NSFetchRequest<Course>(entityName: "Course"))
            #expect(typed.count == 1 && typed.first?.title == "Swift")
            let any = NSFetchRequest<any NSFetchRequestResult>(entityName: "Course")
            #expect((try context.fetch(any) as? [Course])?.count == 1)
            any.resultType = .managedObjectIDResultType
            #expect(try context.fetch(any).first as? NSManagedObjectID == id)
            let objects = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Lesson"))
            #expect(objects.first is Lesson && (objects.first as? Lesson)?.wasMadeByDesignatedInit == true)
            let wrong = NSFetchRequest<Lesson>(entityName: "Course")
            #expect(code { _ = try context.fetch(wrong) } == 134_060)
            #expect(code { _ = try context.fetch(NSFetchRequest<Course>(entityName: "Corse")) } == 134_060)
            #expect(code { _ = try context.fetch(NSFetchRequest<Course>()) } == 134_060)
            let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Course")
            ids.resultType = .managedObjectIDResultType
            #expect(try context.fetch(ids) == [id])
            let number = NSFetchRequest<NSNumber>(entityName: "Course")
            number.resultType = .countResultType
            #expect(try context.fetch(number) == [1])
            #expect(try NSFetchRequest<Course>(entityName: "Course").execute().count == 1)
            let people = NSFetchRequest<Person>(entityName: "Person")
            _ = Teacher(context: context)
            #expect(try context.fetch(people).count == 1)
            people.includesSubentities = false
            #expect(try context.fetch(people).isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases) func sortsByKeyPaths(_ kind: StoreKind) throws {
        try GraphStack(kind).run { context in
            for (title, name) in [("A", "Zoe"), ("B", "Ada"), ("C", "Max")] {
                let teacher = Teacher(context: context)
                teacher.name = name
                context.make(title).teacher = teacher
            }
            try context.save()
            let request = NSFetchRequest<Course>(entityName: "Course")
            request.sortDescriptors = [NSSortDescriptor(keyPath: \Course.title, ascending: false)]
            #expect(try context.fetch(request).map(\.title) == ["C", "B", "A"])
            request.sortDescriptors = [NSSortDescriptor(keyPath: \Course.teacher?.name, ascending: true)]
            #expect(try context.fetch(request).map(\.title) == ["B", "C", "A"])
            request.sortDescriptors = [
                NSSortDescriptor(keyPath: \Course.price, ascending: true),
                NSSortDescriptor(keyPath: \Course.credits, ascending: true),
                NSSortDescriptor(keyPath: \Course.title, ascending: true),
            ]
            #expect(try context.fetch(request).map(\.title) == ["A", "B", "C"])
            request.sortDescriptors = [NSSortDescriptor(keyPath: \Course.calls, ascending: true)]
            #expect(code { _ = try context.fetch(request) } == 134_060)
        }
    }

    @Test(arguments: StoreKind.allCases) func identifiesObjects(_ kind: StoreKind) throws {
        let stack = try GraphStack(kind)
        try stack.run { context in
            let course = context.make("A")
            let temporary = course.objectID
            #expect(temporary.isTemporaryID && temporary.persistentStore == nil)
            #expect(temporary.uriRepresentation().absoluteString.hasPrefix("x-coredata:///Course/t"))
            try context.obtainPermanentIDs(for: [course])
            let permanent = course.objectID
            #expect(!permanent.isTemporaryID && course.isInserted)
            #expect(context.object(with: temporary) === course)
            #expect(context.registeredObject(for: permanent) === course)
            try context.save()
            #expect(course.objectID == permanent)
            let uri = permanent.uriRepresentation()
            #expect(uri.scheme == "x-coredata" && uri.pathComponents[1] == "Course")
            #expect(stack.coordinator.managedObjectID(forURIRepresentation: uri) == permanent)
            let other = stack.another()
            let found = try other.performAndWait { try other.get(permanent, as: Course.self).objectID }
            #expect(found == permanent && found.hash == permanent.hash && Set([found, permanent]).count == 1)
            #expect(found.entity.name == "Course" && found.persistentStore != nil)
        }
    }
}
