import DataModel
import Foundation
import ManagedObjectGeneration
import ModelTestSupport
import TestSupport
import Testing

@testable import StratusCoreData

/// What the build plugin writes into a `.momd`, read as apps read it.
@Suite("Compiled models")
struct ModelBundleTests {
    private let directory = FileManager.default.temporaryDirectory.appending(
        path: "momd-\(UUID().uuidString)")

    /// Writes a model with those versions as the plugin does.
    private func compile(_ versions: [(name: String, contents: String)], current: String) throws -> URL {
        let text = try #require(versions.first { $0.name == current }?.contents)
        let model = ModelFile(
            name: "Library", path: "Library.xcdatamodeld",
            versions: versions.map { .init(name: $0.name, contents: $0.contents) }, currentVersion: current,
            document: try ModelDocument(xml: Data(text.utf8)))
        let bundle = ModelBundle(model, module: "App")
        #expect(bundle.diagnostics.isEmpty)
        let momd = directory.appending(path: "Library.momd")
        try FileManager.default.createDirectory(at: momd, withIntermediateDirectories: true)
        for (name, data) in bundle.files { try data.write(to: momd.appending(path: name)) }
        return momd
    }

    private static let versions = (1...4).map { number in
        let name = number == 1 ? "Library" : "Library \(number)"
        let title = number < 3 ? "title" : "name"
        let renaming = number == 3 ? " elementID=\"title\"" : ""
        let pages =
            number < 2 ? "" : "<attribute name=\"pages\" optional=\"YES\" attributeType=\"Integer 32\"/>"
        let shelf =
            number < 4
            ? ""
            : """
            <relationship name="shelf" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Shelf"
                inverseName="books" inverseEntity="Shelf"/>
            """
        let shelves =
            number < 4
            ? ""
            : """
            <entity name="Shelf" representedClassName=".Shelf"><relationship name="books" optional="YES" toMany="YES"
                deletionRule="Nullify" destinationEntity="Book" inverseName="shelf" inverseEntity="Book"/></entity>
            """
        return (
            name: name,
            contents: """
            <?xml version="1.0" encoding="UTF-8"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Book" representedClassName="Book">
            <attribute name="\(title)" optional="YES" attributeType="String"\(renaming)/>\(pages)\(shelf)
            </entity>\(shelves)
            </model>
            """
        )
    }

    @Test("Each version is a .mom that reads back equal to its source, and the list says which is current")
    func contents() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let momd = try compile(Self.versions, current: "Library 3")
        let names = try FileManager.default.contentsOfDirectory(atPath: momd.path).sorted()
        #expect(
            names == ["Library 2.mom", "Library 3.mom", "Library 4.mom", "Library.mom", "VersionInfo.plist"])
        let list =
            try PropertyListSerialization.propertyList(
                from: Data(contentsOf: momd.appending(path: "VersionInfo.plist")), format: nil)
            as? [String: Any]
        #expect(list?["NSManagedObjectModel_CurrentVersionName"] as? String == "Library 3")
        let hashes = try #require(list?["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]])
        for version in Self.versions {
            let read = try NSManagedObjectModel(readingFrom: momd.appending(path: version.name + ".mom"))
            var document = try ModelDocument(xml: Data(version.contents.utf8))
            for index in document.entities.indices {
                document.entities[index].className = document.entities[index].className(inModule: "App")
            }
            #expect(read == NSManagedObjectModel(document: document))
            #expect(hashes[version.name] == read.entityVersionHashesByName)
        }
        let current = try #require(NSManagedObjectModel(contentsOf: momd))
        #expect(current.entityVersionHashesByName == hashes["Library 3"])
        let bundle = try #require(Bundle(path: directory.path))
        #expect(NSManagedObjectModel.mergedModel(from: [bundle]) == current)
        let old: [String: Any] = [NSStoreModelVersionHashesKey: hashes["Library"] ?? [:]]
        let found = NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: old)
        #expect(found?.entityVersionHashesByName == hashes["Library"])
    }

    @Test("The hashes of files are those of descriptions", arguments: Seed.some(60))
    func hashesAgree(seed: Seed) throws {
        var source = RandomModel(seed: seed.value, isXML: false)
        let document = try source.model()
        let model = NSManagedObjectModel(document: document)
        #expect(document.entityVersionHashes == model.entityVersionHashesByName)
    }

    /// Opens a store and does something in its context.
    private func open(
        _ store: URL, _ model: NSManagedObjectModel, _ body: (NSManagedObjectContext) throws -> Void
    ) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let added = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: store, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.runAndWait { try body(context) }
        try coordinator.remove(added)
    }

    @Test("A progressive migrator in the usual style walks from the oldest version to the newest")
    func progressive() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let momd = try compile(Self.versions, current: "Library 4")
        let store = directory.appending(path: "Library.sqlite")
        let oldest = try #require(NSManagedObjectModel(contentsOf: momd.appending(path: "Library.mom")))
        try open(store, oldest) { context in
            for title in ["Emma", "Ulysses"] {
                NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
                    .setValue(title, forKey: "title")
            }
            try context.save()
        }
        let newest = try #require(NSManagedObjectModel(contentsOf: momd))
        let migrator = ProgressiveMigrator(momd: momd)
        #expect(try migrator.migrate(store, to: newest) == ["Library 2", "Library 3", "Library 4"])
        #expect(try migrator.migrate(store, to: newest) == [])
        try open(store, newest) { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            let books = try context.fetch(request)
            #expect(books.map { $0.value(forKey: "name") as? String } == ["Emma", "Ulysses"])
            NSEntityDescription.insertNewObject(forEntityName: "Shelf", into: context)
                .setValue(NSSet(array: books), forKey: "books")
            try context.save()
        }
    }

    @Test("A version that cannot be read is left out and named")
    func damaged() throws {
        let text = Self.versions[0].contents
        let model = ModelFile(
            name: "Library", path: "Library.xcdatamodeld",
            versions: [
                .init(name: "Library", contents: text), .init(name: "Broken", contents: "<model><entity"),
            ],
            currentVersion: "Library", document: try ModelDocument(xml: Data(text.utf8)))
        let bundle = ModelBundle(model, module: "App")
        #expect(bundle.files.keys.sorted() == ["Library.mom", "VersionInfo.plist"])
        #expect(
            bundle.diagnostics.map(\.message).first?.contains("'Broken' is left out of Library.momd") == true)
    }
}
