import DataModel
import Foundation
import TestSeeds
import Testing

@Suite struct FileTests {
    private func text(_ name: String) -> String { modelText("<entity name=\"\(name)\"/>") }

    private func plist(_ value: Any, _ format: PropertyListSerialization.PropertyListFormat) throws -> Data {
        try PropertyListSerialization.data(fromPropertyList: value, format: format, options: 0)
    }

    private func name(_ url: URL) throws -> String? {
        try ModelDocument(contentsOf: url).entities.first?.name
    }

    @Test("A folder of versions gives the one it names, in both forms of a property list")
    func current() throws {
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let folder = try TemporaryDirectory()
            try folder.write(text("One"), "M.xcdatamodeld/M.xcdatamodel/contents")
            try folder.write(text("Two"), "M.xcdatamodeld/M & 2.xcdatamodel/contents")
            let url = folder.url.appendingPathComponent("M.xcdatamodeld")
            for (version, entity) in [("M.xcdatamodel", "One"), ("M & 2.xcdatamodel", "Two")] {
                try folder.write(
                    plist(["other": ["a"], "_XCCurrentVersionName": version], format),
                    "M.xcdatamodeld/.xccurrentversion")
                #expect(try name(url) == entity)
            }
            let versions = try ModelVersions(contentsOf: url)
            #expect(versions.currentName == "M & 2" && versions.names == ["M", "M & 2"])
            #expect(try versions.document(named: "M").entities.map(\.name) == ["One"])
            #expect(throws: ModelDocumentError.self) { try versions.document(named: "Gone") }
        }
    }

    @Test("Without a name, or with one that is gone, the last version in natural order is current")
    func last() throws {
        let folder = try TemporaryDirectory()
        for number in [2, 10, 9] {
            try folder.write(text("E\(number)"), "M.xcdatamodeld/M \(number).xcdatamodel/contents")
        }
        let url = folder.url.appendingPathComponent("M.xcdatamodeld")
        #expect(try name(url) == "E10")
        try folder.write(
            "<plist><dict><key>_XCCurrentVersionName</key><string>Gone.xcdatamodel</string></dict></plist>",
            "M.xcdatamodeld/.xccurrentversion")
        #expect(try name(url) == "E10")
        try folder.write("damaged", "M.xcdatamodeld/.xccurrentversion")
        #expect(try ModelVersions(contentsOf: url).names == ["M 2", "M 9", "M 10"])
    }

    @Test(
        "A compiled folder gives the version of its VersionInfo, and a .mom, elements and contents file themselves"
    )
    func compiled() throws {
        let folder = try TemporaryDirectory()
        for entity in ["One", "Two"] {
            let model = ModelDocument(entities: [EntityDocument(name: entity)])
            try folder.write(model.archive(), "M.momd/\(entity).mom")
            try folder.write(model.archive(), "\(entity).xcdatamodel/elements")
        }
        try folder.write(
            plist(
                [
                    "NSManagedObjectModel_CurrentVersionName": "One",
                    "NSManagedObjectModel_VersionHashes": ["One": [:]],
                ],
                .binary), "M.momd/VersionInfo.plist")
        try folder.write("momv2$", "M.momd/One.omo")
        for (path, entity) in [
            ("M.momd", "One"), ("M.momd/Two.mom", "Two"), ("Two.xcdatamodel", "Two"),
            ("One.xcdatamodel/elements", "One"),
        ] {
            #expect(try name(folder.url.appendingPathComponent(path)) == entity)
        }
        let optimised = #expect(throws: ModelDocumentError.self) {
            try ModelDocument(contentsOf: folder.url.appendingPathComponent("M.momd/One.omo"))
        }
        #expect(optimised?.code == "NO_MODEL")
    }

    @Test("A place without a model is an error that names it")
    func missing() throws {
        let folder = try TemporaryDirectory()
        try folder.write("x", "Empty.xcdatamodel/layout")
        try folder.write(text("A"), "Deep.xcdatamodeld/A.xcdatamodel/B.xcdatamodel/C.xcdatamodel/contents")
        for (path, code) in [
            ("Gone.mom", "UNREADABLE_FILE"), ("Empty.xcdatamodel", "NO_MODEL"),
            ("Deep.xcdatamodeld", "NO_MODEL"),
        ] {
            let error = #expect(throws: ModelDocumentError.self) {
                try ModelDocument(contentsOf: folder.url.appendingPathComponent(path))
            }
            #expect(
                error?.code == code && error?.file?.hasPrefix(folder.url.path) == true,
                "\(path): \(String(describing: error))")
        }
        #expect(throws: ModelDocumentError.self) {
            try ModelVersions(contentsOf: folder.url.appendingPathComponent("Empty.xcdatamodel"))
        }
    }
}
