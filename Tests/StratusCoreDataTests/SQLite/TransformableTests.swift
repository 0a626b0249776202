import Foundation
import SQLiteAccess
import Synchronization
import TestSupport
import Testing

@testable import StratusCoreData

@Suite("Transformable values")
struct TransformableTests {
    /// Makes text of a number, and back.
    final class NumberTransformer: ValueTransformer, @unchecked Sendable {
        override func transformedValue(_ value: Any?) -> Any? { (value as? Int).map { Data("\($0)".utf8) } }
        override func reverseTransformedValue(_ value: Any?) -> Any? {
            (value as? Data).flatMap { Int(String(decoding: $0, as: UTF8.self)) }
        }
    }

    private func bench(transformer: String? = nil) throws -> StoreBench {
        try StoreBench(
            model([
                entity(
                    "Item",
                    [
                        attribute("value", .transformableAttributeType) {
                            $0.valueTransformerName = transformer
                        }
                    ])
            ]))
    }

    @Test func transformersByName() throws {
        ValueTransformer.setValueTransformer(
            NumberTransformer(), forName: NSValueTransformerName("NumberTransformer"))
        let bench = try bench(transformer: "NumberTransformer")
        let context = bench.context()
        try context.runAndWait {
            let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            item.setValue(42, forKey: "value")
            try context.save()
            #expect(try bench.sql("SELECT hex(ZVALUE) FROM ZITEM") == [[.text("3432")]])
            let other = bench.context()
            try other.runAndWait {
                let again = try other.existingObject(with: item.objectID)
                #expect(again.value(forKey: "value") as? Int == 42)
            }
            // What cannot be made bytes of fails the save, and nothing else.
            item.setValue("text", forKey: "value")
            #expect(throws: CocoaError.self) { try context.save() }
        }
    }

    /// A transformer that knows how many of its kind there are.
    final class CountedTransformer: ValueTransformer, @unchecked Sendable {
        static let alive = Mutex(0)
        let mark: String
        init(mark: String) {
            self.mark = mark
            super.init()
            Self.alive.withLock { $0 += 1 }
        }
        deinit { Self.alive.withLock { $0 -= 1 } }
    }

    @Test func findsTransformersByName() throws {
        let name = NSValueTransformerName("CountedTransformer")
        do {
            let made = CountedTransformer(mark: "a")
            ValueTransformer.setValueTransformer(made, forName: name)
            for _ in 0..<100 {
                let found = try #require(ValueTransformer(forName: name))
                #expect(found === made && (found as? CountedTransformer)?.mark == "a")
                #expect(NumberTransformer(forName: name) == nil)
            }
            #expect(CountedTransformer.alive.withLock { $0 } == 1)
        }
        #expect(ValueTransformer.valueTransformerNames().contains(name))
        ValueTransformer.setValueTransformer(nil, forName: name)
        // Neither the lookups nor those that found nothing hold anything.
        #expect(CountedTransformer.alive.withLock { $0 } == 0)
        #expect(ValueTransformer(forName: name) == nil)
        #expect(ValueTransformer(forName: NSValueTransformerName(rawValue: "no such transformer")) == nil)
        let standard = try #require(ValueTransformer(forName: .secureUnarchiveFromDataTransformerName))
        #expect(standard is NSSecureUnarchiveFromDataTransformer)
        let data = try #require(standard.reverseTransformedValue(["a"]) as? Data)
        #expect(standard.transformedValue(data) as? [String] == ["a"])
    }

    @Test func bytesThatNobodyCanReadAreKept() throws {
        let bench = try bench()
        try bench.run(
            "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZVALUE) VALUES (1, 1, 1, x'00FF'), (2, 1, 1, 'text'), (3, 1, 1, 7), (4, NULL, 1, NULL)"
        )
        let context = bench.context()
        try context.performAndWait {
            let items = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item"))
                .sorted { $0.objectID.rowKey ?? 0 < $1.objectID.rowKey ?? 0 }
            #expect(items.count == 3)
            #expect(items[0].value(forKey: "value") as? Data == Data([0, 255]))
            #expect(items[1].value(forKey: "value") as? String == "text")
            #expect(items[2].value(forKey: "value") as? Int == 7)
        }
    }

    /// Damaged archives give a value or nothing; the program goes on.
    @Test(arguments: Seed.some(5)) func damagedArchives(_ seed: Seed) throws {
        var random = seed.random
        let value: [String: Any] = [
            "list": ["a", 1, 2.5, Date(), UUID()], "set": Set(["x"]), "url": URL(fileURLWithPath: "/a"),
            "n": 3,
        ]
        let classes = NSSecureUnarchiveFromDataTransformer.allowedTopLevelClasses
        let archive = try #require(SecureArchive.data(value, classes: classes))
        #expect(SecureArchive.value(archive, classes: classes) != nil)
        #expect(SecureArchive.data([Decimal.nan], classes: classes) == nil)
        for _ in 0..<300 {
            var bytes = [UInt8](archive)
            for _ in 0..<random.int(1...3) {
                bytes[random.int(8...(bytes.count - 1))] = UInt8(random.int(0...255))
            }
            if random.oneIn(4) { bytes.removeLast(random.int(1...40)) }
            _ = SecureArchive.value(Data(bytes), classes: classes)
        }
    }

    // MARK: Numbers stay what they are

    /// A value as text that distinguishes kinds of numbers, and texts by their bytes.
    private static func shape(_ value: Any?) -> String {
        switch value {
        case let number as NSDecimalNumber: "decimal \(number.decimalValue)"
        case let number as NSNumber:
            switch String(cString: number.objCType) {
            case "c": "\(number.boolValue)"
            case "f", "d": "real \(number.doubleValue.bitPattern)"
            case "Q": "int \(number.uint64Value)"
            default: "int \(number.int64Value)"
            }
        case let text as String: "text \(Array(text.utf8))"
        case let date as Date: "date \(date.timeIntervalSinceReferenceDate.bitPattern)"
        case let list as NSArray: "[\(list.map { shape($0) }.joined(separator: ", "))]"
        case let set as NSSet: "{\(set.map { shape($0) }.sorted().joined(separator: ", "))}"
        case let entries as NSDictionary:
            "<\(entries.map { "\(shape($0.key)): \(shape($0.value))" }.sorted().joined(separator: ", "))>"
        default: "\(value ?? "nil")"
        }
    }

    // Unsafe because `Any` is no `Sendable`; these are values.
    nonisolated(unsafe) static let values: [Any] = [
        [1, true], [true, 1, 2], [1.0, 1], [true, 1, 1.0, Decimal(1)] as [Any],
        [false, 0, 0.0, -0.0] as [Any],
        ["list": [1, 2, 3], "map": ["a": true]], ["a": 1, "b": 1.0, "c": true] as [String: Any],
        [[1], [true], [1.0], [[true], [1]]] as [Any],
        [UInt64.max, UInt64(Int64.max) + 1, Int64.max, Int64.min] as [Any],
        [UInt8(1), Int8(1), Int16(1), UInt32(1), true] as [Any], [Float(0.1), 0.1, Float(1), 1] as [Any],
        [Double.infinity, -Double.infinity, Double.greatestFiniteMagnitude, Double.leastNonzeroMagnitude],
        [Decimal(string: "0.1") ?? 0, 0.1, Decimal(string: "-12345678901234567890.12345") ?? 0] as [Any],
        ["\u{E9}", "e\u{301}"], ["1", 1, true, Data([1])] as [Any], [NSNull(), 0, false] as [Any],
        NSSet(array: [1, "1"]), [1: "a", 2: "b"],
        NSArray(array: [NSNumber(value: true), NSNumber(value: 1)]),
        [Date(timeIntervalSinceReferenceDate: 1), 1.0, 1] as [Any], true, 1, 1.0, UInt64.max, Decimal(1) / 3,
    ]

    @Test(arguments: values.indices) func numbersComeBackAsWhatTheyWere(_ place: Int) throws {
        let value = Self.values[place]
        let bench = try bench()
        let context = bench.context()
        try context.runAndWait {
            let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
            item.setValue(value, forKey: "value")
            try context.save()
            let other = bench.context()
            try other.runAndWait {
                let again = try other.existingObject(with: item.objectID).value(forKey: "value")
                #expect(Self.shape(again) == Self.shape(value))
            }
        }
        // Foundation's unarchiver reads it, but for a decimal, which it ends the program over.
        let classes = NSSecureUnarchiveFromDataTransformer.allowedTopLevelClasses
        let archive = try #require(SecureArchive.data(value, classes: classes))
        guard !Self.shape(value).contains("decimal") else { return }
        let foundation = try NSKeyedUnarchiver(forReadingFrom: archive)
        foundation.requiresSecureCoding = false
        #expect(
            Self.shape(foundation.decodeObject(forKey: NSKeyedArchiveRootObjectKey)) == Self.shape(value))
    }

    @Test(arguments: Seed.some(10)) func anyValueComesBackAsItWas(_ seed: Seed) throws {
        var random = seed.random
        func value(_ depth: Int) -> Any {
            switch random.int(0...(depth > 3 ? 5 : 7)) {
            case 0: return random.oneIn(2)
            case 1: return random.int(-1...2)
            case 2: return Double(random.int(-1...2))
            case 3: return Decimal(random.int(-1...2))
            case 4: return String(random.int(0...2))
            case 5: return Date(timeIntervalSinceReferenceDate: Double(random.int(0...2)))
            case 6: return (0..<random.int(0...5)).map { _ in value(depth + 1) }
            default:
                return Dictionary(
                    uniqueKeysWithValues: (0..<random.int(0...5)).map { ("\($0)", value(depth + 1)) })
            }
        }
        for _ in 0..<100 {
            let value = value(0)
            let archive = try #require(SecureArchive.data(value, classes: []))
            #expect(Self.shape(SecureArchive.value(archive, classes: [])) == Self.shape(value))
        }
    }

    /// Archives of Foundation's own archiver, which older versions wrote, and lists beside objects of the app.
    @Test func readsWhatFoundationWrote() throws {
        let value = NSArray(array: [1, 2.5, "a", NSArray(array: [3]), NSData(data: Data([1]))])
        let old = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: false)
        #expect(Self.shape(SecureArchive.value(old, classes: [])) == Self.shape(value))
        let index = NSIndexSet(index: 3)
        let classes: [AnyClass] = [NSArray.self, NSIndexSet.self]
        let mixed = try #require(
            SecureArchive.data([1, true, index, 1.0, index, Data([2])], classes: classes))
        let again = try #require(SecureArchive.value(mixed, classes: classes) as? NSArray)
        #expect(again[2] as? NSIndexSet == index && again[2] as AnyObject === again[4] as AnyObject)
        #expect(Self.shape([again[0], again[1], again[3]]) == Self.shape([1, true, 1.0]))
        #expect(again[5] as? Data == Data([2]))
    }
}
