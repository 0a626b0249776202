import Foundation
import Synchronization
import TestSupport
import Testing

@testable import StratusCoreData

/// What the build plugin would generate.
private enum TestClasses: BundledClasses {
    static var moduleName: String { "ModelFileTestsModule" }
    static var classes: [String: NSManagedObject.Type] { ["Leaf": Leaf.self] }
    static var keyPaths: [AnyKeyPath: String] { [:] }
}

private final class Leaf: NSManagedObject {}

private enum TestModel: BundledModel {
    static var name: String { "CompiledTree" }
    static var currentVersion: String { "Tree 2" }
    static var classes: any BundledClasses.Type { TestClasses.self }
    static var versions: [(name: String, contents: StaticString)] {
        [
            ("Tree", "<model><entity name=\"Leaf\" representedClassName=\".Leaf\"/></model>"),
            (
                "Tree 2",
                """
                <model><entity name="Leaf" representedClassName=".Leaf">
                <attribute name="size" attributeType="Integer 16" minValueString="2"/></entity></model>
                """
            ),
        ]
    }
}

@Suite("Models in files")
struct ModelFileTests {
    private let directory: TemporaryDirectory
    private let folder: URL

    init() throws {
        directory = try TemporaryDirectory()
        folder = URL(fileURLWithPath: directory.path)
    }

    private func write(_ text: String, _ path: String) throws {
        let url = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private func writeVersions() throws {
        try write("<model><entity name=\"A\"/></model>", "M.xcdatamodeld/M.xcdatamodel/contents")
        try write(
            "<model><entity name=\"A\"/><entity name=\"B\" parentEntity=\"A\"/></model>",
            "M.xcdatamodeld/M 2.xcdatamodel/contents")
        try write(
            "<plist><dict><key>_XCCurrentVersionName</key><string>M 2.xcdatamodel</string></dict></plist>",
            "M.xcdatamodeld/.xccurrentversion")
    }

    @Test("The current version of a folder is read")
    func currentVersion() throws {
        try writeVersions()
        let model = try #require(
            NSManagedObjectModel(contentsOf: folder.appendingPathComponent("M.xcdatamodeld")))
        #expect(Set(model.entitiesByName.keys) == ["A", "B"])
        #expect(model.entitiesByName["B"]?.superentity?.name == "A")
    }

    @Test("A model that cannot be read says where and why")
    func unreadable() throws {
        try write(
            "<model>\n<entity name=\"A\">\n<attribute name=\"x\" attributeType=\"Int\"/></entity></model>",
            "Bad.xcdatamodel/contents")
        let url = folder.appendingPathComponent("Bad.xcdatamodel")
        #expect(NSManagedObjectModel(contentsOf: url) == nil)
        do {
            _ = try NSManagedObjectModel(readingFrom: url)
            Issue.record("It was read.")
        } catch let error as CocoaError {
            #expect(error.localizedDescription.contains("Bad.xcdatamodel/contents:3"))
            #expect(error.localizedDescription.contains("attribute 'x'"))
            #expect(error.localizedDescription.contains("attributeType"))
        }
        #expect(NSManagedObjectModel(contentsOf: folder.appendingPathComponent("None.momd")) == nil)
    }

    @Test("Places are searched in order, for all kinds of models")
    func places() throws {
        try writeVersions()
        try write("<model/>", "App.resources/N.xcdatamodel/contents")
        let places = ModelPlaces(folders: [folder, folder.appendingPathComponent("App.resources")])
        #expect(places.model(named: "M")?.lastPathComponent == "M.xcdatamodeld")
        #expect(places.model(named: "N")?.lastPathComponent == "N.xcdatamodel")
        #expect(places.model(named: "O") == nil)
        #expect(places.models.map(\.lastPathComponent) == ["M.xcdatamodeld", "N.xcdatamodel"])
    }

    @Test("All versions of a bundle's models can be found by their hashes")
    func library() throws {
        try writeVersions()
        let bundle = try #require(Bundle(path: directory.path))
        let sources = ModelLibrary.sources(in: [bundle])
        #expect(sources.map(\.version) == ["M", "M 2"])
        #expect(sources.filter(\.isCurrent).map(\.version) == ["M 2"])
        let old = try sources[0].load()
        let found = ModelLibrary.model(versionHashes: old.entityVersionHashesByName, in: [bundle])
        #expect(found?.entities.count == 1)
        #expect(NSManagedObjectModel.mergedModel(from: [bundle])?.entities.count == 2)
        let metadata: [String: Any] = [NSStoreModelVersionHashesKey: old.entityVersionHashesByName]
        #expect(
            NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: metadata)?.entities.count == 1)
        let other: [String: Any] = [NSStoreModelVersionHashesKey: ["A": Data([1])]]
        #expect(NSManagedObjectModel.mergedModel(from: [bundle], forStoreMetadata: other) == nil)
    }

    @Test("A model that is compiled in is found by its name, with its module's classes")
    func compiled() throws {
        BundledModels.register(TestClasses.self)
        BundledModels.register(TestModel.self)
        let model = try NSManagedObjectModel.named("CompiledTree")
        let leaf = try #require(model.entitiesByName["Leaf"])
        #expect(leaf.managedObjectClassName == "ModelFileTestsModule.Leaf")
        #expect(ModelRegistry.objectClass(of: leaf) == Leaf.self)
        #expect(leaf.attributesByName["size"]?.bounds.minimum == 2)
        let old = try #require(ModelSource.versions(of: TestModel.self).first).load()
        let found = ModelLibrary.model(versionHashes: old.entityVersionHashesByName)
        #expect(found?.entitiesByName["Leaf"]?.attributesByName.isEmpty == true)
    }

    @Test("A class that no module has is said once, with what to do")
    func missingClass() {
        let said = Mutex<[String]>([])
        defer { CoreDataLog.setHandler { FileHandle.standardError.write(Data("CoreData: \($0)\n".utf8)) } }
        CoreDataLog.setHandler { message in said.withLock { $0.append(message) } }
        for _ in 0..<2 {
            let entity = NSEntityDescription()
            entity.name = "Gone"
            entity.managedObjectClassName = "ClassOfNoModule"
            let model = NSManagedObjectModel()
            model.entities = [entity]
            _ = NSPersistentStoreCoordinator(managedObjectModel: model)
        }
        let messages = said.withLock { $0 }.filter { $0.contains("'ClassOfNoModule'") }
        #expect(messages.count == 1)
        #expect(messages.first?.contains("ManagedObjectGenerator") == true)
    }

    @Test("A name without a model lists where it was looked for")
    func notFound() {
        do {
            _ = try NSManagedObjectModel.named("NoSuchModel")
            Issue.record("It was found.")
        } catch {
            let text = error.localizedDescription
            #expect(text.contains("NoSuchModel"))
            #expect(text.contains(Bundle.main.bundleURL.path))
            #expect(text.contains("/Resources"))
        }
    }
}
