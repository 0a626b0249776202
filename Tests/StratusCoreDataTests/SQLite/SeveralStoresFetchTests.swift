import Foundation
import TestSupport
import Testing

@testable import StratusCoreData

/// The same objects twice: all in one store, and spread over several.
private final class Spread {
    let directory: TemporaryDirectory
    /// All in one store.
    let one: NSManagedObjectContext
    /// Spread over several stores.
    let several: NSManagedObjectContext

    init(_ random: inout Random, _ kinds: [NSPersistentStore.StoreType], size: Int) throws {
        directory = try TemporaryDirectory()
        one = try Self.context(directory, [.inMemory], "one")
        several = try Self.context(directory, kinds, "several")
        let seed = random.next()
        for context in [one, several] {
            var random = Random(seed: seed)
            try context.runAndWait {
                try Self.fill(context, &random, size)
                try context.save()
                context.reset()
            }
        }
    }

    static func model() -> NSManagedObjectModel {
        let item = entity(
            "Item",
            [
                attribute("n", .integer64AttributeType), attribute("kind", .stringAttributeType),
                attribute("price", .doubleAttributeType), attribute("small", .integer16AttributeType),
                attribute("flag", .booleanAttributeType), attribute("amount", .decimalAttributeType),
                attribute("date", .dateAttributeType), attribute("weight", .floatAttributeType),
            ])
        let box = entity("Box", [attribute("name", .stringAttributeType)])
        let special = entity("Special", [attribute("extra", .stringAttributeType)])
        item.subentities = [special]
        let inside = relationship("box")
        let items = relationship("items", many: true)
        join(inside, of: item, items, of: box)
        item.properties += [inside]
        box.properties += [items]
        let (parts, whole) = (relationship("parts", many: true), relationship("whole"))
        join(parts, of: item, whole, of: item)
        item.properties += [parts, whole]
        return StratusCoreDataTests.model([item, box])
    }

    private static func context(
        _ directory: TemporaryDirectory, _ kinds: [NSPersistentStore.StoreType], _ name: String
    ) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
        for (place, kind) in kinds.enumerated() {
            try coordinator.addPersistentStore(
                type: kind, at: directory.url.appendingPathComponent("\(name)-\(place).store"))
        }
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// Boxes with what is in them, each box in one of the stores.
    private static func fill(_ context: NSManagedObjectContext, _ random: inout Random, _ size: Int) throws {
        let stores = try #require(context.persistentStoreCoordinator).persistentStores
        var number = 0
        func place(_ object: NSManagedObject, _ choice: Int) {
            context.assign(object, to: stores[choice % stores.count])
        }
        for _ in 0..<max(1, size / 4) {
            let choice = random.int(0...11)
            let box: NSManagedObject? =
                random.oneIn(4)
                ? nil : NSEntityDescription.insertNewObject(forEntityName: "Box", into: context)
            if let box {
                place(box, choice)
                box.setValue(random.pick(["a", "b", "B", "é", "z"], else: "a"), forKey: "name")
            }
            var last: NSManagedObject?
            for _ in 0..<random.int(0...7) {
                let name = random.oneIn(4) ? "Special" : "Item"
                let item = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
                place(item, choice)
                number += 1
                item.setValue(number, forKey: "n")
                item.setValue(box, forKey: "box")
                if random.oneIn(2) { item.setValue(last, forKey: "whole") }
                last = item
                func set(_ key: String, _ value: Any) {
                    if !random.oneIn(5) { item.setValue(value, forKey: key) }
                }
                set("kind", random.pick(["x", "X", "y", "é", "e\u{301}"], else: "x"))
                // Quarters, whose sums are exact in any order.
                set("price", Double(random.int(-20...90)) / 4)
                set("small", random.int(-3...3))
                set("flag", random.oneIn(2))
                set("amount", Decimal(random.int(-50...500)) / 100)
                set("date", Date(timeIntervalSinceReferenceDate: Double(random.int(0...4))))
                set("weight", Float(random.int(0...9)) / 4)
            }
        }
    }
}

/// Requests that have one answer only, whichever store the objects are in.
private struct RandomRequest {
    var random: Random

    private static let computed: [(String, NSAttributeType)] = [
        ("price * 2", .undefinedAttributeType), ("small + 1", .integer64AttributeType),
        ("parts.@count", .undefinedAttributeType), ("uppercase(kind)", .stringAttributeType),
        ("parts.@max.price", .doubleAttributeType), ("max:(parts.small)", .undefinedAttributeType),
        ("box.items.@count", .integer32AttributeType),
    ]
    private static let statistics: [(String, NSAttributeType)] = [
        ("sum:(price)", .undefinedAttributeType), ("sum:(price)", .doubleAttributeType),
        ("sum:(small)", .integer16AttributeType), ("sum:(n)", .undefinedAttributeType),
        ("sum:(amount)", .decimalAttributeType), ("sum:(weight)", .floatAttributeType),
        ("sum:(small)", .stringAttributeType), ("sum:(flag)", .undefinedAttributeType),
        ("count:(n)", .undefinedAttributeType), ("count:(price)", .integer32AttributeType),
        ("count:(SELF)", .undefinedAttributeType), ("@count", .undefinedAttributeType),
        ("min:(kind)", .undefinedAttributeType), ("max:(kind)", .stringAttributeType),
        ("min:(price)", .undefinedAttributeType), ("max:(date)", .dateAttributeType),
        ("max:(date)", .undefinedAttributeType), ("min:(flag)", .undefinedAttributeType),
        ("max:(amount)", .undefinedAttributeType), ("average:(small)", .undefinedAttributeType),
        ("average:(price)", .doubleAttributeType), ("average:(small)", .integer64AttributeType),
        ("max:(box.name)", .undefinedAttributeType), ("sum:(parts.@count)", .undefinedAttributeType),
        ("sum:(small * 2)", .undefinedAttributeType), ("max:(n) - min:(n)", .undefinedAttributeType),
        ("median:(small)", .undefinedAttributeType), ("abs:(sum:(small))", .undefinedAttributeType),
        ("@sum.price", .undefinedAttributeType), ("@max.box.name", .undefinedAttributeType),
    ]
    private static let sorts = [
        "kind", "price", "small", "flag", "amount", "date", "box.name", "parts.@count", "whole.kind", "n",
    ]

    mutating func some(_ choices: [String], _ count: ClosedRange<Int>) -> [String] {
        Array(choices.shuffled(using: &random).prefix(random.int(count)))
    }

    private mutating func expressions(
        _ choices: [(String, NSAttributeType)], _ count: ClosedRange<Int>
    ) -> [NSExpressionDescription] {
        choices.shuffled(using: &random).prefix(random.int(count)).enumerated().map { place, choice in
            let description = NSExpressionDescription()
            description.name = "c\(place)"
            description.expression = Predicates.NSExpression(format: choice.0)
            description.expressionResultType = choice.1
            return description
        }
    }

    private mutating func order(_ keys: [String]) -> [NSSortDescriptor] {
        keys.map { key in
            let selector = key == "kind" && random.oneIn(3) ? "caseInsensitiveCompare:" : nil
            return NSSortDescriptor(
                key: key, ascending: random.oneIn(2), selector: selector.map { Selector($0) })
        }
    }

    /// A request for objects, IDs or a number.
    mutating func plain<Result>(_ type: Result.Type) -> NSFetchRequest<Result> {
        let request = NSFetchRequest<Result>(entityName: random.oneIn(5) ? "Special" : "Item")
        request.includesSubentities = !random.oneIn(5)
        switch random.int(0...3) {
        case 0: request.predicate = NSPredicate(format: "n < %d", random.int(0...30))
        case 1: request.predicate = NSPredicate(format: "box.name != 'a' OR parts.@count > 0")
        default: break
        }
        request.sortDescriptors = order(some(Self.sorts, 0...2) + ["n"])
        request.fetchLimit = random.oneIn(3) ? 0 : random.oneIn(10) ? .max : random.int(1...9)
        request.fetchOffset = random.oneIn(2) ? 0 : random.int(0...9)
        return request
    }

    mutating func dictionaries() -> NSFetchRequest<NSDictionary> {
        let request = plain(NSDictionary.self)
        request.resultType = .dictionaryResultType
        switch random.int(0...3) {
        case 0:
            request.propertiesToFetch =
                some(["n", "kind", "price", "flag", "box.name", "date", "amount", "weight"], 1...4)
                + expressions(Self.computed, 0...3)
        case 1:
            let columns = some(["kind", "small", "flag", "box.name", "date"], 1...3)
            request.propertiesToFetch = columns
            request.returnsDistinctResults = true
            request.sortDescriptors = columns.map { NSSortDescriptor(key: $0, ascending: random.oneIn(2)) }
        case 2:
            request.propertiesToFetch = expressions(Self.statistics, 1...5)
            request.sortDescriptors = nil
            request.fetchLimit = random.oneIn(4) ? 1 : 0
            request.fetchOffset = random.oneIn(8) ? 1 : 0
        default: groups(request)
        }
        return request
    }

    private mutating func groups(_ request: NSFetchRequest<NSDictionary>) {
        let keys = some(["kind", "small", "flag", "box.name", "date"], 1...2)
        let statistics = expressions(Self.statistics, 0...4)
        request.propertiesToFetch = some(keys, 0...2) + statistics
        if request.propertiesToFetch?.isEmpty == true { request.propertiesToFetch = keys }
        request.propertiesToGroupBy = keys
        let named = statistics.isEmpty || random.oneIn(2) ? [] : ["c0"]
        request.sortDescriptors = (named + keys).map { NSSortDescriptor(key: $0, ascending: random.oneIn(2)) }
        if random.oneIn(6) { request.sortDescriptors = nil }
        switch random.int(0...5) {
        case 0: request.havingPredicate = NSPredicate(format: "count:(n) >= 2")
        case 1: request.havingPredicate = NSPredicate(format: "sum:(price) > 3 OR max:(small) == nil")
        case 2 where !statistics.isEmpty: request.havingPredicate = NSPredicate(format: "$c0 != nil")
        case 3 where !statistics.isEmpty: request.havingPredicate = NSPredicate(format: "c0 != nil")
        case 4: request.havingPredicate = NSPredicate(format: "\(keys[0]) != nil")
        default: break
        }
    }
}

/// Fetches over several stores answer as one store with all objects does.
@Suite struct SeveralStoresFetchTests {
    static let kinds: [[NSPersistentStore.StoreType]] = [
        [.sqlite, .sqlite], [.inMemory, .sqlite], [.sqlite, .inMemory, .inMemory],
    ]

    @Test("Dictionaries, groups and statistics are those of one store", arguments: Seed.some(12))
    func dictionaries(_ seed: Seed) throws {
        var random = seed.random
        let spread = try Spread(&random, random.pick(Self.kinds, else: []), size: random.int(1...30))
        var requests = RandomRequest(random: random)
        var answered = 0
        for _ in 0..<80 {
            let request = requests.dictionaries()
            let expected = Self.answer(spread.one, request)
            let found = Self.answer(spread.several, request)
            #expect(found == expected, "\(request) \(Self.text(request))")
            if expected.first?.hasPrefix("error") != true { answered += 1 }
        }
        #expect(answered > 60)
    }

    private static func text(_ request: NSFetchRequest<NSDictionary>) -> String {
        let columns = (request.propertiesToFetch ?? []).map { column in
            (column as? NSExpressionDescription).map { "\($0.name): \($0.expression.map { "\($0)" } ?? "")" }
                ?? "\(column)"
        }
        return "\(columns) by \(request.propertiesToGroupBy ?? []) having \(request.havingPredicate as Any)"
    }

    /// The rows as texts, types of numbers included; or what went wrong.
    private static func answer(
        _ context: NSManagedObjectContext, _ request: NSFetchRequest<NSDictionary>
    ) -> [String] {
        do {
            return try context.runAndWait { try context.fetch(request) }.map { row in
                let entries = (row as? [String: Any] ?? [:]).map { key, value -> String in
                    let type = (value as? NSNumber).map { String(cString: $0.objCType) } ?? ""
                    return "\(key): \(value) \(Swift.type(of: value)) \(type)"
                }
                return entries.sorted().joined(separator: ", ")
            }
        } catch { return ["error: \(error.localizedDescription)"] }
    }

    @Test("Objects, IDs and numbers are those of one store", arguments: Seed.some(12))
    func objects(_ seed: Seed) throws {
        var random = seed.random
        let spread = try Spread(&random, random.pick(Self.kinds, else: []), size: random.int(1...30))
        var requests = RandomRequest(random: random)
        for round in 0..<60 {
            let request = requests.plain(NSManagedObject.self)
            let answers = try [spread.one, spread.several].map { context in
                try context.runAndWait { try Self.numbers(context, request) }
            }
            #expect(answers[0] == answers[1], "\(request)")
            // Unsaved changes count too, and decide about the order.
            guard round == 30 else { continue }
            for context in [spread.one, spread.several] {
                try context.runAndWait { () throws in
                    let all = NSFetchRequest<NSManagedObject>(entityName: "Item")
                    all.predicate = NSPredicate(format: "n IN {1, 3, 4}")
                    for item in try context.fetch(all) { item.setValue(5.5, forKey: "price") }
                }
            }
        }
    }

    /// What a request finds, as objects, as IDs, and counted.
    private static func numbers(
        _ context: NSManagedObjectContext, _ request: NSFetchRequest<NSManagedObject>
    ) throws -> [[Int]] {
        let number = { (object: NSManagedObject) in object.value(forKey: "n") as? Int ?? -1 }
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: request.entityName ?? "")
        ids.resultType = .managedObjectIDResultType
        ids.predicate = request.predicate
        ids.sortDescriptors = request.sortDescriptors
        ids.fetchLimit = request.fetchLimit
        ids.fetchOffset = request.fetchOffset
        ids.includesSubentities = request.includesSubentities
        return [
            try context.fetch(request).map(number),
            try context.fetch(ids).map { number(try context.existingObject(with: $0)) },
            [try context.count(for: request)],
        ]
    }

    // MARK: One of each

    /// Items 0, 2, 4 in one store and 1, 3, 5 in the other.
    private static func halves(_ kinds: [NSPersistentStore.StoreType]) throws -> (
        NSManagedObjectContext, TemporaryDirectory
    ) {
        _ = DictionaryStore.registered
        let directory = try TemporaryDirectory()
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: model([
                entity(
                    "Item",
                    [attribute("n", .integer64AttributeType), attribute("kind", .stringAttributeType)])
            ]))
        for (place, kind) in kinds.enumerated() {
            try coordinator.addPersistentStore(
                type: kind, at: directory.url.appendingPathComponent("\(place).store"))
        }
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.runAndWait {
            for n in 0..<6 {
                let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
                item.setValue(n, forKey: "n")
                item.setValue(n < 3 ? "x" : "y", forKey: "kind")
                context.assign(item, to: coordinator.persistentStores[n % 2])
            }
            try context.save()
        }
        return (context, directory)
    }

    static let pairs: [[NSPersistentStore.StoreType]] = [
        [.sqlite, .sqlite], [.sqlite, .inMemory], [.sqlite, DictionaryStore.storeType],
    ]

    @Test(arguments: pairs) func aPageOfDictionariesIsOneOfAllStores(_ kinds: [NSPersistentStore.StoreType])
        throws
    {
        let (context, directory) = try Self.halves(kinds)
        defer { withExtendedLifetime(directory) {} }
        let request = NSFetchRequest<NSDictionary>(entityName: "Item")
        request.resultType = .dictionaryResultType
        request.sortDescriptors = [NSSortDescriptor(key: "n", ascending: true)]
        request.propertiesToFetch = ["kind", "n"]
        func page(_ offset: Int, _ limit: Int) throws -> [Int?] {
            request.fetchOffset = offset
            request.fetchLimit = limit
            return try context.runAndWait { try context.fetch(request) }.map { $0["n"] as? Int }
        }
        #expect(try page(0, 3) == [0, 1, 2])
        #expect(try page(2, 2) == [2, 3])
        #expect(try page(4, .max) == [4, 5])
        #expect(try page(9, 1) == [])
        // The order may be of something that is not fetched.
        request.propertiesToFetch = ["kind"]
        request.sortDescriptors = [NSSortDescriptor(key: "n", ascending: false)]
        request.fetchOffset = 2
        request.fetchLimit = 2
        let kinds = try context.runAndWait { try context.fetch(request) }.map { $0["kind"] as? String }
        #expect(kinds == ["y", "x"])
    }

    @Test(arguments: pairs) func statisticsAreOverAllStores(_ kinds: [NSPersistentStore.StoreType]) throws {
        let (context, directory) = try Self.halves(kinds)
        defer { withExtendedLifetime(directory) {} }
        let sum = NSExpressionDescription()
        sum.name = "sum"
        sum.expression = Predicates.NSExpression(format: "sum:(n)")
        let request = NSFetchRequest<NSDictionary>(entityName: "Item")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = [sum]
        func rows() throws -> [String] {
            try context.runAndWait { try context.fetch(request) }.map {
                "\($0["kind"] as? String ?? "") \($0["sum"] as? Int ?? -1)"
            }
        }
        #expect(try rows() == [" 15"])
        request.propertiesToFetch = ["kind", sum]
        request.propertiesToGroupBy = ["kind"]
        #expect(try rows() == ["x 3", "y 12"])
        request.havingPredicate = NSPredicate(format: "$sum > 3")
        #expect(try rows() == ["y 12"])
        request.havingPredicate = nil
        request.fetchLimit = 1
        #expect(try rows() == ["x 3"])
        request.propertiesToGroupBy = nil
        request.fetchLimit = 0
        request.propertiesToFetch = ["kind"]
        request.returnsDistinctResults = true
        request.sortDescriptors = [NSSortDescriptor(key: "kind", ascending: true)]
        #expect(try rows() == ["x -1", "y -1"])
        request.propertiesToFetch = ["kind", sum]
        #expect(code { _ = try rows() } == 134_060)
    }

    @Test(arguments: [NSBatchDeleteRequestResultType.resultTypeCount, .resultTypeObjectIDs])
    func aBatchDeleteWithALimitDeletesThatMany(_ type: NSBatchDeleteRequestResultType) throws {
        let (context, directory) = try Self.halves([.sqlite, .inMemory])
        defer { withExtendedLifetime(directory) {} }
        try context.runAndWait {
            let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Item")
            fetch.sortDescriptors = [NSSortDescriptor(key: "n", ascending: true)]
            fetch.fetchOffset = 1
            fetch.fetchLimit = 3
            let request = NSBatchDeleteRequest(fetchRequest: fetch)
            request.resultType = type
            let result = try (context.execute(request) as? NSBatchDeleteResult)?.result
            #expect(result as? Int == 3 || (result as? [NSManagedObjectID])?.count == 3)
            let all = NSFetchRequest<NSManagedObject>(entityName: "Item")
            all.sortDescriptors = fetch.sortDescriptors
            #expect(try context.fetch(all).map { $0.value(forKey: "n") as? Int } == [0, 4, 5])
            fetch.fetchOffset = 7
            _ = try context.execute(request)
            #expect(try context.count(for: all) == 3)
        }
    }

    @Test func aBatchInsertGoesToAStoreThatCanBeChanged() throws {
        let directory = try TemporaryDirectory()
        let items = { model([entity("Item", [attribute("n", .integer64AttributeType)])]) }
        let url = directory.url.appendingPathComponent("shipped.sqlite")
        let maker = NSPersistentStoreCoordinator(managedObjectModel: items())
        try maker.remove(try maker.addPersistentStore(type: .sqlite, at: url))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: items())
        try coordinator.addPersistentStore(
            type: .sqlite, at: url, options: [NSReadOnlyPersistentStoreOption: true])
        try coordinator.addPersistentStore(
            type: .sqlite, at: directory.url.appendingPathComponent("own.sqlite"))
        let context = NSManagedObjectContext(.privateQueue)
        context.persistentStoreCoordinator = coordinator
        try context.runAndWait {
            _ = try context.execute(NSBatchInsertRequest(entityName: "Item", objects: [["n": 1], ["n": 2]]))
            #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Item")) == 2)
        }
    }
}
