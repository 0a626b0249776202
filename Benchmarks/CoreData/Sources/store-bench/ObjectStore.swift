import Foundation
import StratusCoreData

/// The class as the generator writes it.
final class PlayerObject: NSManagedObject {
    var number: Int64 {
        get { managedValue("number") }
        set { setManagedValue("number", newValue) }
    }
    var city: Int64 {
        get { managedValue("city") }
        set { setManagedValue("city", newValue) }
    }
    var level: Int64 {
        get { managedValue("level") }
        set { setManagedValue("level", newValue) }
    }
    var wins: Int64 {
        get { managedValue("wins") }
        set { setManagedValue("wins", newValue) }
    }
    var rating: Double {
        get { managedValue("rating") }
        set { setManagedValue("rating", newValue) }
    }
    var height: Double {
        get { managedValue("height") }
        set { setManagedValue("height", newValue) }
    }
    var joined: Date? {
        get { managedValue("joined") }
        set { setManagedValue("joined", newValue) }
    }
    var name: String? {
        get { managedValue("name") }
        set { setManagedValue("name", newValue) }
    }
    var club: String? {
        get { managedValue("club") }
        set { setManagedValue("club", newValue) }
    }
    var bio: String? {
        get { managedValue("bio") }
        set { setManagedValue("bio", newValue) }
    }
}

/// The same work through the object store.
final class ObjectStore {
    let container: NSPersistentContainer

    /// - Parameter cacheKiB: SQLite's page cache, the same for all three where they are compared; nil leaves the
    ///   store's own setting.
    init(_ path: String, indexed: Bool, cacheKiB: Int? = 64_000) throws {
        container = NSPersistentContainer(name: "Players", managedObjectModel: Self.model(indexed: indexed))
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: path))
        if let cacheKiB { description.setValue(NSNumber(value: -cacheKiB), forPragmaNamed: "cache_size") }
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { failure = $1 }
        if let failure { throw failure }
    }

    private static func model(indexed: Bool) -> NSManagedObjectModel {
        let entity = NSEntityDescription()
        entity.name = "Player"
        entity.setManagedObjectClass(PlayerObject.self)
        let types: [(String, NSAttributeType)] = [
            ("number", .integer64AttributeType), ("city", .integer64AttributeType),
            ("level", .integer64AttributeType), ("wins", .integer64AttributeType),
            ("rating", .doubleAttributeType),
            ("height", .doubleAttributeType), ("joined", .dateAttributeType), ("name", .stringAttributeType),
            ("club", .stringAttributeType), ("bio", .stringAttributeType),
        ]
        entity.properties = types.map { name, type in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            return attribute
        }
        if indexed {
            let attributes = entity.attributesByName
            entity.indexes = [
                NSFetchIndexDescription(
                    name: "byCityAndRating",
                    elements: ["city", "rating"].compactMap { attributes[$0] }.map {
                        NSFetchIndexElementDescription(property: $0, collationType: .binary)
                    })
            ]
        }
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    func insert(_ players: [Player]) throws {
        let context = container.newBackgroundContext()
        try context.performAndWait {
            for player in players {
                let object = PlayerObject(context: context)
                object.number = player.number
                object.city = player.city
                object.level = player.level
                object.wins = player.wins
                object.rating = player.rating
                object.height = player.height
                object.joined = player.joined
                object.name = player.name
                object.club = player.club
                object.bio = player.bio
            }
            try context.save()
        }
    }

    func inContext<Result>(_ work: (NSManagedObjectContext) throws -> Result) throws -> Result {
        let context = container.newBackgroundContext()
        return try context.performAndWait { try work(context) }
    }

    func readAll() throws -> Int64 {
        try inContext { context in
            let request = NSFetchRequest<PlayerObject>(entityName: "Player")
            return try context.fetch(request).reduce(0) { $0 + $1.wins }
        }
    }

    func readIDs() throws -> Int {
        try inContext { context in
            let request = NSFetchRequest<NSManagedObjectID>(entityName: "Player")
            request.resultType = .managedObjectIDResultType
            request.includesPropertyValues = false
            return try context.fetch(request).count
        }
    }

    func count() throws -> Int {
        try inContext { try $0.count(for: NSFetchRequest<PlayerObject>(entityName: "Player")) }
    }

    func page(city: Int64, in context: NSManagedObjectContext) throws -> Int64 {
        try context.performAndWait {
            let request = NSFetchRequest<PlayerObject>(entityName: "Player")
            request.predicate = NSPredicate(format: "city == %lld", city)
            request.sortDescriptors = [NSSortDescriptor(key: "rating", ascending: true)]
            request.fetchLimit = 50
            return try context.fetch(request).reduce(0) { $0 + $1.wins }
        }
    }

    /// Reads a long list batch by batch.
    func scroll(every step: Int) throws -> Int64 {
        try inContext { context in
            let request = NSFetchRequest<PlayerObject>(entityName: "Player")
            request.fetchBatchSize = 50
            var sum: Int64 = 0
            let results = try context.fetchInBatches(request)
            for place in stride(from: 0, to: results.count, by: step) { sum += results[place].wins }
            return sum
        }
    }
}
