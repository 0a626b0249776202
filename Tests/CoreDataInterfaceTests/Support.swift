import CoreData

/// A person, with a class as apps write them: overrides of what Apple's platforms let a subclass override.
class Person: NSManagedObject {
    var notes: [String] = ["new"]

    override init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
        notes.append("own initializer")
    }

    var name: String? {
        get { value(forKey: "name") as? String }
        set { setValue(newValue, forKey: "name") }
    }

    var friends: Set<Person> {
        get { (value(forKey: "friends") as? Set<Person>) ?? [] }
        set { setValue(newValue, forKey: "friends") }
    }
}

/// A class with an initializer of its own and without `init(entity:insertInto:)`.
class Visitor: NSManagedObject {
    let greeting: String

    init(greeting: String, in context: NSManagedObjectContext) {
        self.greeting = greeting
        super.init(
            entity: NSEntityDescription.entity(forEntityName: "Visitor", in: context) ?? Self.entity(),
            insertInto: context)
    }
}

enum People {
    static func model() -> NSManagedObjectModel {
        let person = entity("Person", Person.self)
        let name = NSAttributeDescription()
        name.name = "name"
        name.attributeType = .stringAttributeType
        let friends = NSRelationshipDescription()
        friends.name = "friends"
        friends.destinationEntity = person
        friends.maxCount = 0
        let friendOf = NSRelationshipDescription()
        friendOf.name = "friendOf"
        friendOf.destinationEntity = person
        friendOf.maxCount = 0
        friends.inverseRelationship = friendOf
        friendOf.inverseRelationship = friends
        person.properties = [name, friends, friendOf]
        person.uniquenessConstraints = [["name"]]
        let model = NSManagedObjectModel()
        model.entities = [person, entity("Visitor", Visitor.self)]
        return model
    }

    private static func entity(_ name: String, _ type: NSManagedObject.Type) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.setManagedObjectClass(type)
        return entity
    }

    static func coordinator() throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
        try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        return coordinator
    }

    static func context() throws -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = try coordinator()
        return context
    }
}
