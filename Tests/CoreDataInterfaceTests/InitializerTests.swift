import CoreData
import Testing

/// Initializers on classes that are known at run time only.
@Suite struct InitializerTests {
    static func make<T: NSManagedObject>(_ type: T.Type, _ context: NSManagedObjectContext) -> T {
        T(context: context)
    }

    static func makeLoose<T: NSManagedObject>(_ entity: NSEntityDescription) -> T {
        T(entity: entity, insertInto: nil)
    }

    @Test func genericCodeMakesObjects() throws {
        let context = try People.context()
        context.performAndWait {
            let person = Self.make(Person.self, context)
            #expect(person.notes == ["new", "own initializer"] && person.isInserted)
            let loose: Person = Self.makeLoose(Person.entity())
            #expect(loose.notes == ["new", "own initializer"] && loose.managedObjectContext == nil)
            let type: NSManagedObject.Type = Person.self
            let found = type.init(context: context)
            #expect((found as? Person)?.notes.count == 2)
            #expect(type.init(entity: Person.entity(), insertInto: nil) is Person)
            #expect(Person.inserted(into: context).isInserted)
            #expect(Person.init(context:)(context).managedObjectContext === context)
            context.reset()
            #expect(context.registeredObjects.isEmpty)
        }
    }

    @Test func ownInitializersAreEnough() throws {
        let context = try People.context()
        context.performAndWait {
            let visitor = Visitor(greeting: "Hello", in: context)
            #expect(visitor.greeting == "Hello" && context.insertedObjects == [visitor])
        }
    }

    @Test func objectsThatWereMadeByGenericCodeAreReleased() throws {
        let context = try People.context()
        nonisolated(unsafe) weak var gone: Person?
        context.performAndWait {
            let loose: Person = Self.makeLoose(Person.entity())
            gone = loose
        }
        #expect(gone == nil)
    }

    final class Journal: NSManagedObjectContext, @unchecked Sendable {
        var saves = 0
        override func save() throws {
            saves += 1
            try super.save()
        }
    }
    class Archive: NSPersistentContainer, @unchecked Sendable {
        class func standard() -> Self { Self(name: "Archive", managedObjectModel: People.model()) }
    }
    final class Reader: NSPersistentStoreCoordinator, @unchecked Sendable {}

    static func stack<C: NSManagedObjectContext, P: NSPersistentStoreCoordinator>(
        _ context: C.Type, _ coordinator: P.Type
    ) -> C {
        let made = C(concurrencyType: .privateQueueConcurrencyType)
        made.persistentStoreCoordinator = P(managedObjectModel: People.model())
        return made
    }

    @Test func contextsCoordinatorsAndContainersAreMadeByTheirClass() throws {
        let context = Self.stack(Journal.self, Reader.self)
        #expect(type(of: context) == Journal.self && context.persistentStoreCoordinator is Reader)
        let type: NSManagedObjectContext.Type = Journal.self
        #expect(type.init(concurrencyType: .mainQueueConcurrencyType) is Journal)
        #expect(Archive.standard().name == "Archive")
        let container: NSPersistentContainer.Type = Archive.self
        #expect(container.init(name: "A", managedObjectModel: People.model()) is Archive)
    }
}

extension NSManagedObject {
    class func inserted(into context: NSManagedObjectContext) -> Self { self.init(context: context) }
}
