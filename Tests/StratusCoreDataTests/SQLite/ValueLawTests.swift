import Foundation
import SQLiteAccess
import TestSupport
import Testing

@testable import CoreDataSQLiteStore
@testable import StratusCoreData

/// Random models, and random values for their attributes.
struct RandomStore {
    var random: Random
    static let types: [NSAttributeType] = [
        .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .decimalAttributeType,
        .doubleAttributeType, .floatAttributeType, .stringAttributeType, .booleanAttributeType,
        .dateAttributeType,
        .binaryDataAttributeType, .UUIDAttributeType, .URIAttributeType, .transformableAttributeType,
    ]

    mutating func model() -> NSManagedObjectModel {
        let count = random.int(1...4)
        let entities = (0..<count).map { index in
            entity(
                "E\(index)", attributes(prefix: "a"),
                subentities: random.oneIn(2) ? [entity("S\(index)", attributes(prefix: "b"))] : [])
        }
        for (index, owner) in entities.enumerated() {
            let other = random.pick(entities, else: owner)
            let (there, back) = (
                relationship("to\(index)", many: random.oneIn(2), ordered: random.oneIn(3)),
                relationship("from\(index)", many: random.oneIn(2), ordered: random.oneIn(3))
            )
            // A to-many relationship without inverse has its key in the other row, which can have one owner only.
            if there.isToMany || random.oneIn(2) {
                join(there, of: owner, back, of: other)
            } else {
                there.destinationEntity = other
            }
            owner.properties += [there]
            if there.inverseRelationship != nil { other.properties += [back] }
        }
        return StratusCoreDataTests.model(entities)
    }

    private mutating func attributes(prefix: String) -> [NSPropertyDescription] {
        (0..<random.int(1...8)).map { index in
            let type = random.pick(Self.types, else: .stringAttributeType)
            return attribute("\(prefix)\(index)", type) {
                $0.allowsExternalBinaryDataStorage = type == .binaryDataAttributeType && index % 2 == 0
            }
        }
    }

    /// A value that a column keeps exactly.
    mutating func value(_ type: NSAttributeType) -> Any? {
        if random.oneIn(4) { return nil }
        switch type {
        case .integer16AttributeType: return random.pick([.min, .max, 0, Int16(random.int(-9...9))], else: 0)
        case .integer32AttributeType:
            return random.pick([.min, .max, 0, Int32(random.int(-99...99))], else: 0)
        case .integer64AttributeType:
            return random.pick([.min, .max, 0, Int64(random.int(-999...999))], else: 0)
        case .booleanAttributeType: return random.oneIn(2)
        case .doubleAttributeType:
            return random.pick(
                [0.1, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity, 1e15, 3], else: 0)
        case .floatAttributeType: return random.pick([Float(0.5), 3, .greatestFiniteMagnitude, 0.1], else: 0)
        case .decimalAttributeType:
            return random.pick(
                [
                    Decimal(string: "0.1") ?? 0, Decimal(Int64.max), Decimal(-12),
                    Decimal(string: "12345.678901") ?? 0,
                ], else: 0)
        case .stringAttributeType:
            return random.pick(
                ["", "a", "Grüße", "e\u{301}", "👩‍👩‍👧", "nul\u{0}inside", String(repeating: "x", count: 5_000)],
                else: "")
        case .dateAttributeType:
            return Date(
                timeIntervalSinceReferenceDate: random.pick(
                    [0, -1, 0.25, 1e9, -6e10, 123_456_789.125], else: 0))
        case .binaryDataAttributeType:
            return random.pick([Data(), Data([0, 1, 2]), Data(repeating: 7, count: 200_000)], else: Data())
        case .UUIDAttributeType: return UUID()
        case .URIAttributeType: return URL(string: "https://example.org/\(random.int(0...99))?q=%20#x")
        case .transformableAttributeType:
            return random.pick([["a", "b"], ["k": [1, 2]], "text", [Data([1])]] as [Any], else: "")
        default: return nil
        }
    }
}

@Suite("What is saved is read again")
struct ValueLawTests {
    @Test(arguments: Seed.some(12)) func anyModelAndValues(_ seed: Seed) throws {
        var maker = RandomStore(random: seed.random)
        let bench = try StoreBench(maker.model(), options: [NSPersistentHistoryTrackingKey: true])
        var expected: [NSManagedObjectID: [String: NSObject]] = [:]
        for _ in 0..<6 {
            let context = bench.context()
            try context.runAndWait {
                try edit(context, &maker, bench.model)
                try context.save()
                for object in context.registeredObjects where !object.isDeleted {
                    expected[object.objectID] = Self.values(object)
                }
                let all = try Self.all(context, bench.model)
                let alive = Set(all.map(\.objectID))
                expected = expected.filter { alive.contains($0.key) }
                for object in all { expected[object.objectID] = Self.values(object) }
            }
            let fresh = bench.context()
            try fresh.runAndWait {
                let all = try Self.all(fresh, bench.model)
                #expect(all.count == expected.count)
                for object in all {
                    let (now, then) = (Self.values(object), expected[object.objectID])
                    #expect(now == then, "\(object.objectID)")
                }
            }
        }
        #expect(try bench.isWhole())
        for table in try bench.store.opened().layout.tables {
            let name = table.root.name ?? ""
            #expect(
                try bench.number("SELECT IFNULL(max(Z_PK), 0) FROM \(table.sqlName)")
                    <= bench.number("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = '\(name)'"))
        }
        try bench.close()
        #expect(try FilesOnDisk.names(bench) == FilesOnDisk.named(bench, bench.model))
    }

    private func edit(
        _ context: NSManagedObjectContext, _ maker: inout RandomStore, _ model: NSManagedObjectModel
    ) throws {
        var objects = try Self.all(context, model)
        for _ in 0..<maker.random.int(1...15) {
            let entity = maker.random.pick(model.entities, else: NSEntityDescription())
            objects.append(NSManagedObject(entity: entity, insertInto: context))
        }
        for object in objects where maker.random.oneIn(2) {
            for (name, attribute) in object.entity.attributesByName.sorted(by: { $0.key < $1.key })
            where maker.random.oneIn(2) {
                object.setValue(maker.value(attribute.attributeType), forKey: name)
            }
            for (name, relationship) in object.entity.relationshipsByName.sorted(by: { $0.key < $1.key })
            where maker.random.oneIn(2) {
                let candidates = objects.filter {
                    $0.entity.isKindOf(entity: relationship.destinationEntity ?? NSEntityDescription())
                }
                if relationship.isToMany {
                    let some = candidates.filter { _ in maker.random.oneIn(3) }.shuffled(using: &maker.random)
                    let value: Any = relationship.isOrdered ? NSOrderedSet(array: some) : NSSet(array: some)
                    object.setValue(value, forKey: name)
                } else {
                    object.setValue(candidates.randomElement(using: &maker.random), forKey: name)
                }
            }
        }
        // An object that was never saved would leave those that lead to it without an end.
        for object in objects where maker.random.oneIn(12) && !object.isInserted { context.delete(object) }
    }

    static func all(_ context: NSManagedObjectContext, _ model: NSManagedObjectModel) throws
        -> [NSManagedObject]
    {
        try model.entities.filter { $0.superentity == nil }.flatMap {
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: $0.name ?? ""))
        }
    }

    /// The values of an object in a form that can be compared: objects by their IDs.
    static func values(_ object: NSManagedObject) -> [String: NSObject] {
        var result: [String: NSObject] = [:]
        for property in object.entity.properties {
            switch object.value(forKey: property.name) {
            case let other as NSManagedObject: result[property.name] = other.objectID
            case let set as NSOrderedSet:
                result[property.name] = NSArray(
                    array: set.array.compactMap { ($0 as? NSManagedObject)?.objectID })
            case let set as NSSet:
                result[property.name] = NSSet(
                    array: set.allObjects.compactMap { ($0 as? NSManagedObject)?.objectID })
            case let set as Set<NSManagedObject>: result[property.name] = NSSet(array: set.map(\.objectID))
            case let value?: result[property.name] = NSString(string: "\(Self.text(value))")
            case nil: break
            }
        }
        return result
    }

    private static func text(_ value: Any) -> String {
        switch value {
        case let data as Data: "\(data.count) \(data.hashValue)"
        case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
        case let text as String: text.unicodeScalars.map { String($0.value) }.joined(separator: " ")
        case let list as [Any]: list.map(Self.text).joined(separator: ",")
        case let entries as [String: Any]:
            entries.map { "\($0.key)=\(Self.text($0.value))" }.sorted().joined(separator: ",")
        default: "\(value)"
        }
    }
}

/// The files of large values.
enum FilesOnDisk {
    static func folder(_ bench: StoreBench) -> String {
        bench.directory.path + "/.Test_SUPPORT/_EXTERNAL_DATA"
    }

    static func names(_ bench: StoreBench) throws -> Set<String> {
        Set((try? FileManager.default.contentsOfDirectory(atPath: folder(bench))) ?? [])
    }

    /// The files that rows name.
    static func named(_ bench: StoreBench, _ model: NSManagedObjectModel) throws -> Set<String> {
        var result: Set<String> = []
        let layout = try LayoutBuilder.layout(model, configuration: nil)
        for table in layout.tables {
            for column in table.columns where column.type == "BLOB" {
                let rows = try bench.sql(
                    "SELECT substr(\(column.name), 2, 36) FROM \(table.sqlName) WHERE length(\(column.name)) = 38 AND substr(\(column.name), 1, 1) = x'02'"
                )
                for row in rows {
                    if case .blob(let data)? = row.first {
                        result.insert(String(decoding: data, as: UTF8.self))
                    }
                }
            }
        }
        return result
    }
}
