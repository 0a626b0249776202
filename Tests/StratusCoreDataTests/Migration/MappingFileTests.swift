import DataModel
import Foundation
import ManagedObjectGeneration
import ModelTestSupport
import TestSupport
import Testing

@testable import StratusCoreData

/// Gives novels a note of their own, and shouts for all.
private final class NovelPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        let pages = sInstance.value(forKey: "pages") as? Int ?? 0
        manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance]).first?
            .setValue("\(pages) pages", forKey: "size")
    }
}

/// Mapping models of files, found and used as apps do.
@Suite("Files of mapping models")
struct MappingFileTests {
    private let directory: TemporaryDirectory
    private let older: NSManagedObjectModel
    private let newer: NSManagedObjectModel

    init() throws {
        NSEntityMigrationPolicy.register(NovelPolicy.self, named: "Shelves.NovelPolicy")
        directory = try TemporaryDirectory()
        older = NSManagedObjectModel(
            document: try ModelDocument(xml: Data(MappingSamples.older.utf8)))
        newer = NSManagedObjectModel(
            document: try ModelDocument(xml: Data(MappingSamples.newer.utf8)))
    }

    private func url(_ name: String) -> URL {
        URL(fileURLWithPath: directory.path).appendingPathComponent(name)
    }

    private func write(_ data: Data, _ name: String) throws {
        try FileManager.default.createDirectory(
            at: url(name).deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url(name))
    }

    private var bundle: Bundle { get throws { try #require(Bundle(path: directory.path)) } }

    private var models: [ModelFile] {
        get throws {
            [
                ModelFile(
                    name: "Shelf", path: "Shelf.xcdatamodeld",
                    versions: [
                        .init(name: "Shelf", contents: MappingSamples.older),
                        .init(name: "Shelf 2", contents: MappingSamples.newer),
                    ], currentVersion: "Shelf 2",
                    document: try ModelDocument(xml: Data(MappingSamples.newer.utf8)))
            ]
        }
    }

    /// Compiles a mapping model as the plugin does; gives what it said.
    private func compile(_ xml: String, as name: String = "Map") throws -> [GeneratorDiagnostic] {
        try write(Data(xml.utf8), "Sources/\(name).xcmappingmodel/xcmapping.xml")
        let compiled = MappingModelFile(contentsOf: url("Sources/\(name).xcmappingmodel"))
            .compiled(with: try models, module: "Shelves") { $0 == "NovelPolicy" }
        try write(compiled.data, name + ".cdm")
        return compiled.diagnostics
    }

    /// Two books of an author, one of which is long, and a novel.
    private func makeStore(_ file: URL) throws {
        try LibraryModels.using(older, file) { context in
            func make(_ entity: String, _ values: [String: Any]) -> NSManagedObject {
                let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
                for (key, value) in values { object.setValue(value, forKey: key) }
                return object
            }
            let author = make("Author", ["name": "Woolf"])
            _ = make("Book", ["title": "Essay", "pages": 10, "author": author])
            _ = make("Book", ["title": "Diary", "pages": 500, "author": author])
            _ = make("Novel", ["title": "Orlando", "pages": 300, "genre": "Satire", "author": author])
            try context.save()
        }
    }

    private func check(_ file: URL) throws {
        try LibraryModels.using(newer, file) { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            let books = try context.fetch(request)
            #expect(books.map { $0.value(forKey: "title") as? String } == ["Essay", "Orlando"])
            #expect(books.map { $0.value(forKey: "size") as? String } == [nil, "300 pages"])
            #expect(books.map(\.entity.name) == ["Book", "Novel"])
            let author = try #require(
                try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author")).first)
            #expect(books.allSatisfy { $0.value(forKey: "author") as? NSManagedObject === author })
            #expect((author.value(forKey: "firsts") as? NSSet)?.count == 2)
        }
    }

    @Test("What the plugin compiles is found by its two versions, and no other")
    func compiled() throws {
        #expect(try compile(MappingSamples.xml()).isEmpty)
        let found = try #require(
            NSMappingModel(from: [try bundle], forSourceModel: older, destinationModel: newer))
        #expect(
            found.entityMappings.map(\.name) == ["BookToBook", "AuthorToAuthor", "NovelToNovel", "Publisher"])
        #expect(
            found.entityMappingsByName["NovelToNovel"]?.entityMigrationPolicyClassName
                == "Shelves.NovelPolicy")
        #expect(
            found.entityMappingsByName["BookToBook"]?.sourceEntityVersionHash
                == older.entitiesByName["Book"]?.versionHash)
        #expect(NSMappingModel(from: [try bundle], forSourceModel: newer, destinationModel: older) == nil)
        #expect(NSMappingModel(from: [try bundle], forSourceModel: older, destinationModel: older) == nil)
        let read = try #require(NSMappingModel(contentsOf: url("Map.cdm")))
        #expect(read.entityMappings.count == 4)
        #expect(NSMappingModel(contentsOf: url("None.cdm")) == nil)
        #expect(NSMappingModel(contentsOf: nil) == nil)
    }

    @Test("A manager migrates by it")
    func migrates() throws {
        #expect(try compile(MappingSamples.xml()).isEmpty)
        try makeStore(url("Old.sqlite"))
        let mapping = try #require(
            NSMappingModel(from: [try bundle], forSourceModel: older, destinationModel: newer))
        let manager = NSMigrationManager(sourceModel: older, destinationModel: newer)
        try manager.migrateStore(
            from: url("Old.sqlite"), type: .sqlite, mapping: mapping, to: url("New.sqlite"), type: .sqlite)
        try check(url("New.sqlite"))
    }

    @Test("A progressive migrator takes the file where there is one, and infers the other steps")
    func progressive() throws {
        let third = MappingSamples.newer.replacingOccurrences(
            of: "<entity name=\"Publisher\">",
            with:
                "<entity name=\"Publisher\"><attribute name=\"city\" optional=\"YES\" attributeType=\"String\"/>"
        )
        let compiled = ModelBundle(
            ModelFile(
                name: "Shelf", path: "Shelf.xcdatamodeld",
                versions: try models[0].versions + [.init(name: "Shelf 3", contents: third)],
                currentVersion: "Shelf 3", document: try ModelDocument(xml: Data(third.utf8))),
            module: "Shelves")
        for (name, data) in compiled.files { try write(data, "Shelf.momd/" + name) }
        #expect(try compile(MappingSamples.xml()).isEmpty)
        try makeStore(url("Old.sqlite"))
        let last = try #require(NSManagedObjectModel(contentsOf: url("Shelf.momd")))
        let migrator = ProgressiveMigrator(momd: url("Shelf.momd"), bundles: [try bundle])
        #expect(try migrator.migrate(url("Old.sqlite"), to: last) == ["Shelf 2", "Shelf 3"])
        try LibraryModels.using(last, url("Old.sqlite")) { context in
            let novels = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Novel"))
            #expect(novels.map { $0.value(forKey: "size") as? String } == ["300 pages"])
        }
    }

    @Test("A source beside its models, and a source in a bundle")
    func sources() throws {
        try write(Data(MappingSamples.xml().utf8), "App/Mappings/Map.xcmappingmodel/xcmapping.xml")
        #expect(NSMappingModel(contentsOf: url("App/Mappings/Map.xcmappingmodel")) == nil)
        for (name, text) in [("Shelf", MappingSamples.older), ("Shelf 2", MappingSamples.newer)] {
            try write(Data(text.utf8), "App/Shelf.xcdatamodeld/\(name).xcdatamodel/contents")
        }
        let read = try #require(NSMappingModel(contentsOf: url("App/Mappings/Map.xcmappingmodel")))
        #expect(read.entityMappings.count == 4)
        let folder = try #require(Bundle(path: url("App/Mappings").path))
        let found = NSMappingModel(from: [folder], forSourceModel: older, destinationModel: newer)
        #expect(found?.entityMappings.count == 4)
        #expect(NSMappingModel(from: [folder], forSourceModel: newer, destinationModel: older) == nil)
    }

    @Test("A .cdm of another compiler fits by what it names; of two that fit none is taken")
    func foreign() throws {
        var document = try MappingSource(xml: Data(MappingSamples.xml().utf8)).compiled(
            from: ModelDocument(xml: Data(MappingSamples.older.utf8)),
            to: ModelDocument(xml: Data(MappingSamples.newer.utf8)))
        document.hasOwnHashes = false
        for index in document.entityMappings.indices {
            document.entityMappings[index].sourceVersionHash = Data([1])
            document.entityMappings[index].destinationVersionHash = Data([2])
        }
        try write(document.archive(), "Other.cdm")
        #expect(
            NSMappingModel(from: [try bundle], forSourceModel: older, destinationModel: newer)?.entityMappings
                .count == 4)
        #expect(NSMappingModel(from: [try bundle], forSourceModel: newer, destinationModel: older) == nil)
        // One that maps two of four entities is for other versions.
        try write(MappingSamples.foreign, "Part.cdm")
        #expect(NSMappingModel(from: [try bundle], forSourceModel: older, destinationModel: newer) != nil)
        try write(document.archive(), "Twin.cdm")
        #expect(NSMappingModel(from: [try bundle], forSourceModel: older, destinationModel: newer) == nil)
        // What the plugin compiled is told by its hashes.
        #expect(try compile(MappingSamples.xml()).isEmpty)
        #expect(NSMappingModel(from: [try bundle], forSourceModel: older, destinationModel: newer) != nil)
    }

    @Test("What cannot be compiled is a warning that says why, and no mapping")
    func damaged() throws {
        let diagnostics = try compile(
            MappingSamples.xml(source: "Elsewhere/Shop.xcdatamodeld/Shop.xcdatamodel"))
        #expect(diagnostics.map(\.severity) == [.warning])
        let message = try #require(diagnostics.first?.message)
        #expect(message.contains("Shop.xcdatamodel") && message.contains("Shelf/Shelf 2"))
        #expect(NSMappingModel(contentsOf: url("Map.cdm")) == nil)
        #expect(NSMappingModel(from: [try bundle], forSourceModel: older, destinationModel: newer) == nil)
    }
}
