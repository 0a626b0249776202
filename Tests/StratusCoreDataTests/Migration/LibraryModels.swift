import Foundation
import TestSupport

@testable import StratusCoreData

/// A small model in versions, and stores of it.
enum LibraryModels {
    static func attribute(
        _ name: String, _ type: NSAttributeType, optional: Bool = true, value: Any? = nil,
        was identifier: String? = nil
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = optional
        attribute.defaultValue = value
        if let identifier { attribute.renamingIdentifier = identifier }
        return attribute
    }

    static func entity(_ name: String, _ properties: [NSPropertyDescription], was identifier: String? = nil)
        -> NSEntityDescription
    {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = properties
        if let identifier { entity.renamingIdentifier = identifier }
        return entity
    }

    static func model(_ entities: [NSEntityDescription]) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }

    /// Makes two relationships each other's inverse.
    static func relate(
        _ first: NSEntityDescription, _ name: String, many: Bool = false, ordered: Bool = false,
        to second: NSEntityDescription,
        _ inverse: String, many inverseMany: Bool = true, ordered inverseOrdered: Bool = false
    ) {
        let (one, other) = (NSRelationshipDescription(), NSRelationshipDescription())
        one.name = name
        one.maxCount = many ? 0 : 1
        one.isOrdered = ordered
        one.destinationEntity = second
        other.name = inverse
        other.maxCount = inverseMany ? 0 : 1
        other.isOrdered = inverseOrdered
        other.destinationEntity = first
        one.inverseRelationship = other
        other.inverseRelationship = one
        first.properties += [one]
        second.properties += [other]
    }

    /// Books with a title, pages and notes, by authors.
    static func first() -> NSManagedObjectModel {
        let book = entity(
            "Book",
            [
                attribute("title", .stringAttributeType), attribute("pages", .integer32AttributeType),
                attribute("notes", .stringAttributeType),
            ])
        let author = entity("Author", [attribute("name", .stringAttributeType)])
        relate(book, "author", to: author, "books")
        return model([book, author])
    }

    /// The title is called otherwise, notes are gone, there is a rating, and an entity before all others.
    static func second() -> NSManagedObjectModel {
        let book = entity(
            "Book",
            [
                attribute("name", .stringAttributeType, was: "title"),
                attribute("pages", .integer32AttributeType),
                attribute("rating", .integer16AttributeType, optional: false, value: 3),
            ])
        let author = entity("Author", [attribute("name", .stringAttributeType)])
        relate(book, "author", to: author, "books")
        return model([book, author, entity("Aisle", [attribute("number", .integer16AttributeType)])])
    }

    /// The title has its third name.
    static func third() -> NSManagedObjectModel {
        let model = second()
        let book = model.entitiesByName["Book"]
        book?.propertiesByName["name"]?.renamingIdentifier = "name"
        book?.propertiesByName["name"]?.name = "heading"
        return model
    }

    static func open(
        _ model: NSManagedObjectModel, _ url: URL, _ options: [AnyHashable: Any] = [:]
    ) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(type: .sqlite, at: url, options: options)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// Does something in a store and closes it.
    static func using<Value>(
        _ model: NSManagedObjectModel, _ url: URL, _ options: [AnyHashable: Any] = [:],
        _ body: (NSManagedObjectContext) throws -> Value
    ) throws -> Value {
        let context = try open(model, url, options)
        let result = Result { try context.runAndWait { try body(context) } }
        for store in context.persistentStoreCoordinator?.persistentStores ?? [] {
            try context.persistentStoreCoordinator?.remove(store)
        }
        return try result.get()
    }

    static var automatic: [AnyHashable: Any] {
        [
            NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true),
            NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
        ]
    }

    /// Makes a store of the first version with as many books, every tenth by another author.
    static func makeStore(_ url: URL, books: Int, _ options: [AnyHashable: Any] = [:]) throws {
        try using(first(), url, options) { context in
            var author: NSManagedObject?
            for number in 0..<books {
                if number % 10 == 0 {
                    author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
                    author?.setValue("Author \(number / 10)", forKey: "name")
                }
                let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                book.setValue("Title \(number)", forKey: "title")
                book.setValue(number, forKey: "pages")
                book.setValue(number % 2 == 0 ? "a note" : nil, forKey: "notes")
                book.setValue(author, forKey: "author")
            }
            try context.save()
        }
    }

    /// How many objects there are.
    static func count(
        _ entity: String, _ model: NSManagedObjectModel, _ url: URL, _ options: [AnyHashable: Any] = [:]
    ) throws -> Int {
        try using(model, url, options) {
            try $0.count(for: NSFetchRequest<NSManagedObject>(entityName: entity))
        }
    }

    static func fetch(_ entity: String, by key: String, _ context: NSManagedObjectContext) throws
        -> [NSManagedObject]
    {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
        return try context.fetch(request)
    }
}
