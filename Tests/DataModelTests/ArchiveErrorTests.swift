import Foundation
import ModelTestSupport
import TestSeeds
import Testing

@testable import DataModel

@Suite struct ArchiveErrorTests {
    @Test("An archive that goes in circles is an error")
    func circles() throws {
        var builder = ArchiveBuilder()
        let uid = builder.reserve()
        let text = builder.reserve()
        builder.fill(text, ["NSMutableString"], ["NS.string": .uid(text)])
        builder.fill(
            uid, ["NSEntityDescription", "NSObject"],
            [
                "NSEntityName": builder.string("A"), "NSSuperentity": .uid(uid),
                "NSVersionHashModifier": .uid(text),
            ])
        let entities = builder.dictionary([("A", .uid(uid))])
        let model = builder.object(["NSManagedObjectModel"], ["NSEntities": entities])
        let data = builder.encoded(root: model)
        let error = #expect(throws: ModelDocumentError.self) { try ModelDocument(archive: data) }
        #expect(
            error?.code == "INHERITANCE_CYCLE" && error?.file == "archive", "\(String(describing: error))")
    }

    @Test("A small archive cannot hold a huge predicate")
    func sharedPredicate() throws {
        var builder = ArchiveBuilder()
        var value = builder.object(["NSTruePredicate", "NSPredicate"], [:])
        for _ in 0..<38 {
            value = builder.object(
                ["NSCompoundPredicate", "NSPredicate"],
                ["NSCompoundPredicateType": .int(1), "NSSubpredicates": builder.array([value, value])])
        }
        let circle = builder.reserve()
        builder.fill(
            circle, ["NSCompoundPredicate"],
            ["NSCompoundPredicateType": .int(0), "NSSubpredicates": builder.array([.uid(circle)])])
        for root in [value, .uid(circle)] {
            let item = try #require(KeyedArchive(builder.encoded(root: root)).root)
            var reader = ArchivedPredicateReader()
            let error = #expect(throws: ModelDocumentError.self) { try reader.predicate(item) }
            #expect(error?.code == "TOO_LARGE")
        }
    }

    @Test("What cannot be inflated or is too large when inflated is an error")
    func inflation() throws {
        let zeros = try RawDeflate.deflate(Data(count: RawDeflate.maximumBytes + 1))
        #expect(zeros.count < 100_000)
        let error = #expect(throws: ModelDocumentError.self) { try ModelDocument(modelCache: zeros) }
        #expect(error?.code == "TOO_LARGE")
        let cut = try ModelDocument(entities: [EntityDocument(name: "A")]).modelCache().dropLast(3)
        #expect(throws: ModelDocumentError.self) { try ModelDocument(modelCache: Data(cut)) }
    }

    @Test("A model that cannot be archived is an error that names the element")
    func writing() throws {
        let twice = ModelDocument(entities: [EntityDocument(name: "A"), EntityDocument(name: "A")])
        let orphan = ModelDocument(entities: [EntityDocument(name: "A", parentName: "Gone")])
        let circle = ModelDocument(entities: [
            EntityDocument(name: "A", parentName: "B"), EntityDocument(name: "B", parentName: "A"),
        ])
        let attribute = AttributeDocument(name: "x", type: .decimal, defaultValue: .decimal(.nan))
        let number = ModelDocument(entities: [EntityDocument(name: "A", attributes: [attribute])])
        for (model, code) in [
            (twice, "DUPLICATE_NAME"), (orphan, "UNKNOWN_NAME"), (circle, "INHERITANCE_CYCLE"),
            (number, "NOT_EXPRESSIBLE"),
        ] {
            let error = #expect(throws: ModelDocumentError.self) { try model.archive() }
            #expect(error?.code == code && error?.element != nil, "\(String(describing: error))")
        }
    }
}

/// The property list reader and writer, with Foundation's as the judge.
@Suite struct BinaryPlistTests {
    private let seed = Seed.one.value

    @Test("Lists that Foundation wrote are read, and Foundation reads what is written")
    func foundation() throws {
        var random = Random(seed: seed)
        for _ in 0..<200 {
            let value = value(&random, depth: 3)
            let data = try PropertyListSerialization.data(
                fromPropertyList: ["root": value], format: .binary, options: 0)
            let list = try BinaryPlist(data)
            let ours = try PropertyListSerialization.propertyList(from: list.encoded(), format: nil)
            let same =
                (ours as? NSDictionary)
                == (try PropertyListSerialization.propertyList(from: data, format: nil) as? NSDictionary)
            #expect(same, "seed \(seed)")
            #expect(try BinaryPlist(list.encoded()).objects == list.objects, "seed \(seed)")
        }
    }

    private func value(_ random: inout Random, depth: Int) -> Any {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &random) {
        case 0: return Int64(bitPattern: random.next()) >> Int64.random(in: 0...63, using: &random)
        case 1: return Double.random(in: -1e9...1e9, using: &random)
        case 2: return Bool.random(using: &random)
        case 3:
            return String(
                repeating: Bool.random(using: &random) ? "a" : "é🇺🇳",
                count: Int.random(in: 0...40, using: &random))
        case 4: return Data(repeating: 7, count: Int.random(in: 0...300, using: &random))
        case 5:
            return Date(timeIntervalSinceReferenceDate: Double(Int.random(in: -9999...9999, using: &random)))
        case 6:
            return (0..<Int.random(in: 0...20, using: &random)).map { _ in value(&random, depth: depth - 1) }
        default:
            let keys = (0..<Int.random(in: 0...20, using: &random)).map { "k\($0)" }
            return Dictionary(uniqueKeysWithValues: keys.map { ($0, value(&random, depth: depth - 1)) })
        }
    }
}
