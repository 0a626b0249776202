import Foundation
import StratusCoreData
import TestSupport

/// Makes stores of random models, by random changes in several saves.
struct RandomStore {
    private var random: Random
    let model = NSManagedObjectModel()
    private var depths: [Int] = []

    init(seed: Seed) {
        random = seed.random
        makeEntities()
        for number in 0..<random.int(0...7) { makeRelationship(number) }
    }

    private mutating func makeEntities() {
        for number in 0..<random.int(1...6) {
            let parent = number > 0 && random.oneIn(2) ? random.int(0...(number - 1)) : nil
            depths.append(parent.map { depths[$0] + 1 } ?? 0)
            let entity = model.addEntity(
                "E\(random.oneIn(2) ? "a" : "B")\(number)", parent: parent.map { model.entities[$0] })
            // Siblings share names, so that columns clash; parents and children do not.
            for letter in ["a", "b", "B", "c", "d"] where random.oneIn(2) {
                let attribute = entity.addAttribute("d\(depths[number])\(letter)", type())
                if attribute.type == .binaryData, random.oneIn(2) {
                    attribute.allowsExternalBinaryDataStorage = true
                }
            }
        }
    }

    private mutating func type() -> NSAttributeDescription.AttributeType {
        random.pick(
            [
                .integer16, .integer32, .integer64, .boolean, .double, .float, .decimal, .string, .date,
                .binaryData,
                .uuid, .uri, .transformable,
            ], else: .string)
    }

    private mutating func entity() -> NSEntityDescription {
        random.pick(model.entities, else: model.entities[0])
    }

    private mutating func makeRelationship(_ number: Int) {
        let (first, second) = (entity(), entity())
        let there = add("r\(number)", from: first, to: second)
        switch random.int(0...6) {
        case 0: break
        case 1 where first === second: there.setInverse(there)
        default: there.setInverse(add("i\(number)", from: second, to: first))
        }
        if there.inverseRelationship === there { there.isOrdered = false }
    }

    private mutating func add(
        _ name: String, from first: NSEntityDescription, to second: NSEntityDescription
    ) -> NSRelationshipDescription {
        random.oneIn(2)
            ? first.addToOne(name, second) : first.addToMany(name, second, isOrdered: random.oneIn(2))
    }

    // MARK: Objects

    /// Fills a new store.
    mutating func write(_ url: URL) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        for _ in 0..<random.int(1...4) {
            try context.runAndWait {
                try change(context)
                try context.save()
                if random.oneIn(2) { context.reset() }
            }
        }
        try coordinator.remove(store)
    }

    private mutating func change(_ context: NSManagedObjectContext) throws {
        var objects: [NSManagedObject] = []
        for entity in model.entities where entity.superentity == nil {
            objects += try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity.name ?? ""))
        }
        for _ in 0..<random.int(0...12) {
            objects.append(
                NSEntityDescription.insertNewObject(forEntityName: entity().name ?? "", into: context))
        }
        for object in objects where random.oneIn(2) {
            for attribute in object.entity.attributesByName.values.sorted(by: { $0.name < $1.name })
            where random.oneIn(2) {
                object.setValue(value(attribute), forKey: attribute.name)
            }
            for relationship in object.entity.relationshipsByName.values.sorted(by: { $0.name < $1.name })
            where random.oneIn(2) {
                object.setValue(destinations(relationship, objects), forKey: relationship.name)
            }
        }
        // Without an inverse, what led to a deleted object leads nowhere, as the rules have it.
        let relationships = model.entities.flatMap { $0.relationshipsByName.values }
        guard relationships.allSatisfy({ $0.inverseRelationship != nil }) else { return }
        for object in objects where random.oneIn(8) { context.delete(object) }
    }

    private mutating func destinations(
        _ relationship: NSRelationshipDescription, _ objects: [NSManagedObject]
    ) -> Any? {
        let fitting = objects.filter { object in
            relationship.destinationEntity.map { object.entity.isKindOf(entity: $0) } ?? false
        }
        guard relationship.isToMany else {
            return random.oneIn(4) ? nil : fitting.randomElement(using: &random)
        }
        let some = fitting.filter { _ in random.oneIn(3) }.shuffled(using: &random)
        return relationship.isOrdered ? NSOrderedSet(array: some) : Set(some)
    }

    private mutating func value(_ attribute: NSAttributeDescription) -> Any? {
        let number = Int64(bitPattern: random.next()) >> Int64(random.int(0...63))
        switch attribute.type {
        case .integer16: return Int(Int16(truncatingIfNeeded: number))
        case .integer32: return Int(Int32(truncatingIfNeeded: number))
        case .integer64: return number
        case .boolean: return random.oneIn(2)
        case .double: return Double(number) / 7
        case .float: return Float(number) / 7
        case .decimal:
            return NSDecimalNumber(mantissa: UInt64(random.int(0...999_999)), exponent: -3, isNegative: false)
        case .string: return random.text(["a", "é", "\u{301}", "🇺🇳", "'", "\u{0}", "日"], 0...8)
        case .date: return Date(timeIntervalSinceReferenceDate: Double(number % 1_000_000) / 4)
        case .binaryData: return Data(repeating: 7, count: random.oneIn(4) ? 200_000 : random.int(0...50))
        case .uuid: return UUID()
        case .uri: return URL(string: "https://example.org/\(number)?a=%20b")
        case .transformable: return ["a", number] as NSArray
        default: return nil
        }
    }
}
