import DataModel
import Foundation
import ModelTestSupport
import TestSeeds
import Testing

/// Mapping models of files, as values.
@Suite("Mapping models")
struct MappingTests {
    private let older: ModelDocument
    private let newer: ModelDocument

    init() throws {
        older = try ModelDocument(xml: Data(MappingSamples.older.utf8))
        newer = try ModelDocument(xml: Data(MappingSamples.newer.utf8))
    }

    private func compile(_ text: String) throws -> MappingDocument {
        try MappingSource(xml: Data(text.utf8)).compiled(from: older, to: newer)
    }

    private func failure(_ text: String) -> ModelDocumentError? {
        do {
            _ = try compile(text)
            return nil
        } catch { return error as? ModelDocumentError }
    }

    @Test(
        "An xcmapping.xml is compiled in the order of its numbers, with expressions for what is left to Xcode"
    )
    func source() throws {
        let source = try MappingSource(
            xml: Data(MappingSamples.xml(titleExpression: MappingSamples.shout).utf8))
        #expect(source.sourceModelPath == "App/Shelf.xcdatamodeld/Shelf.xcdatamodel")
        #expect(source.destinationModelPath == "App/Shelf.xcdatamodeld/Shelf 2.xcdatamodel")
        let mapping = try source.compiled(from: older, to: newer)
        #expect(mapping.hasOwnHashes)
        #expect(
            mapping.entityMappings.map(\.name) == [
                "BookToBook", "AuthorToAuthor", "NovelToNovel", "Publisher",
            ])
        #expect(mapping.entityMappings.map(\.kind) == [.transform, .transform, .custom, .add])
        let book = mapping.entityMappings[0]
        #expect(book.sourceVersionHash == older.entityVersionHashes["Book"])
        #expect(book.destinationVersionHash == newer.entityVersionHashes["Book"])
        #expect(book.sourceVersionHash != book.destinationVersionHash)
        #expect(
            book.sourceExpression
                == "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"Book\", "
                + "\"pages < 15\"), $manager.sourceContext, NO)")
        #expect(
            book.attributeMappings.map(\.valueExpression) == [
                "FUNCTION($entityPolicy, \"shout:\", $source.title)", nil,
            ])
        #expect(
            book.relationshipMappings.map(\.valueExpression) == [
                "FUNCTION($manager, \"destinationInstancesForSourceRelationshipNamed:sourceInstances:\", \"author\", "
                    + "$source.author)",
                "FUNCTION($manager, \"destinationInstancesForEntityMappingNamed:sourceInstances:\", "
                    + "\"AuthorToAuthor\", $source.author)",
            ])
        let novel = mapping.entityMappings[2]
        #expect(novel.policyClassName == "NovelPolicy")
        // The title is inherited.
        #expect(novel.attributeMappings.map(\.name) == ["title", "size", "genre"])
        #expect(novel.attributeMappings.last?.valueExpression == "$source.genre")
        let added = mapping.entityMappings[3]
        #expect(added.sourceEntityName == nil && added.sourceExpression == nil)
        #expect(added.attributeMappings.map(\.valueExpression) == [nil])
    }

    @Test("What is compiled reads back equal, and equal mappings give equal bytes")
    func roundTrip() throws {
        let mapping = try compile(MappingSamples.xml(titleExpression: MappingSamples.shout))
        #expect(try MappingDocument(archive: mapping.archive()) == mapping)
        #expect(
            mapping.archive()
                == (try compile(MappingSamples.xml(titleExpression: MappingSamples.shout))).archive())
        var other = mapping
        other.hasOwnHashes = false
        other.entityMappings[0].userInfo = ["a": "1", "b": "2"]
        other.entityMappings[0].attributeMappings[0].userInfo = ["c": "3"]
        #expect(try MappingDocument(archive: other.archive()) == other)
    }

    @Test("The archive has the fields of Apple's, so that readers without ours find everything")
    func fields() throws {
        let mapping = try compile(MappingSamples.xml(titleExpression: MappingSamples.shout))
        let list =
            try PropertyListSerialization.propertyList(from: mapping.archive(), format: nil) as? [String: Any]
        var objects = try #require(list?["$objects"] as? [Any])
        for index in objects.indices {
            guard var fields = objects[index] as? [String: Any] else { continue }
            for key in fields.keys where key.hasPrefix("Stratus") { fields[key] = nil }
            objects[index] = fields
        }
        var stripped = try #require(list)
        stripped["$objects"] = objects
        let data = try PropertyListSerialization.data(fromPropertyList: stripped, format: .binary, options: 0)
        var read = try MappingDocument(archive: data)
        #expect(!read.hasOwnHashes)
        read.hasOwnHashes = true
        #expect(read == mapping)
    }

    @Test("A .cdm of another writer")
    func foreign() throws {
        let mapping = try MappingDocument(archive: MappingSamples.foreign)
        #expect(!mapping.hasOwnHashes)
        #expect(mapping.entityMappings.map(\.name) == ["BookToBook", "AuthorToAuthor"])
        let book = mapping.entityMappings[0]
        #expect(book.kind == .transform)
        #expect(book.sourceVersionHash == Data(repeating: 1, count: 32))
        #expect(book.destinationVersionHash == Data(repeating: 2, count: 32))
        #expect(
            book.sourceExpression
                == "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"Book\", "
                + "\"pages < 15\"), $manager.sourceContext, NO)")
        #expect(book.attributeMappings.map(\.valueExpression) == ["$source.title", nil])
        #expect(book.userInfo == ["note": "by hand"])
    }

    @Test("Errors name the file, the line and the mapping")
    func errors() throws {
        let text = MappingSamples.xml()
        let entity = try #require(
            failure(text.replacingOccurrences(of: ">Novel<", with: ">Poem<")))
        #expect(entity.code == "UNKNOWN_NAME" && entity.line != nil)
        #expect(entity.description.contains("'Poem'") && entity.description.contains("mapping 'PoemToPoem'"))
        let property = try #require(failure(text.replacingOccurrences(of: ">genre<", with: ">kind<")))
        #expect(property.description.contains("no property of 'Novel' named 'kind'"))
        let damaged = try #require(failure(MappingSamples.xml(titleExpression: "AAAA")))
        #expect(damaged.code == "MALFORMED_ARCHIVE")
        #expect(damaged.description.contains("mapping of 'title'"))
        #expect(failure("<model/>")?.code == "NO_MAPPING")
        #expect(failure("<database><object/></database>")?.code == "NO_MAPPING")
        #expect(failure("<database>")?.code == "MALFORMED_XML")
        #expect(throws: ModelDocumentError.self) { try MappingDocument(archive: Data()) }
        #expect(throws: ModelDocumentError.self) { try MappingDocument(archive: older.archive()) }
        let missing = URL(fileURLWithPath: "/nowhere/Map.xcmappingmodel")
        #expect(throws: ModelDocumentError.self) { try MappingSource(contentsOf: missing) }
    }

    @Test("Damaged files give an error of ours or a mapping", arguments: Seed.some(20))
    func damaged(seed: Seed) throws {
        var random = seed.random
        let text = [UInt8](MappingSamples.xml(titleExpression: MappingSamples.shout).utf8)
        let files: [(bytes: [UInt8], read: (Data) throws -> Void)] = [
            (text, { _ = try MappingSource(xml: $0).compiled(from: older, to: newer) }),
            ([UInt8](MappingSamples.foreign), { _ = try MappingDocument(archive: $0).archive() }),
            (
                [UInt8](try compile(MappingSamples.xml()).archive()),
                { _ = try MappingDocument(archive: $0).archive() }
            ),
        ]
        for file in files {
            for _ in 0..<60 {
                var bytes = file.bytes
                for _ in 0..<random.int(1...4) where !bytes.isEmpty {
                    let place = random.int(0...bytes.count - 1)
                    switch random.int(0...3) {
                    case 0: bytes[place] = UInt8(random.int(0...255))
                    case 1: bytes.removeSubrange(place..<min(bytes.count, place + random.int(1...12)))
                    case 2: bytes.insert(contentsOf: bytes[place...].prefix(random.int(1...12)), at: place)
                    default: if random.oneIn(4) { bytes.removeSubrange(place...) }
                    }
                }
                do {
                    try file.read(Data(bytes))
                } catch {
                    #expect(error is ModelDocumentError, "\(seed.testDescription): \(error)")
                }
            }
        }
    }
}
