import Foundation
import SQLiteAccess
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
        #expect(SecureArchive.data([Decimal(3)], classes: classes) == nil)
        for _ in 0..<300 {
            var bytes = [UInt8](archive)
            for _ in 0..<random.int(1...3) {
                bytes[random.int(8...(bytes.count - 1))] = UInt8(random.int(0...255))
            }
            if random.oneIn(4) { bytes.removeLast(random.int(1...40)) }
            _ = SecureArchive.value(Data(bytes), classes: classes)
        }
    }
}
