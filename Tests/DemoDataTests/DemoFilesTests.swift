import Foundation
import TestSeeds
import Testing

@testable import DemoData

/// The demo's folder, and what is said about one that is not as it should be.
@Suite struct DemoFilesTests {
    private func copy(_ change: (URL) throws -> Void) throws -> DemoFilesError? {
        let directory = try TemporaryDirectory()
        let folder = directory.url.appending(path: "demo")
        try FileManager.default.copyItem(at: URL(fileURLWithPath: demoFolder), to: folder)
        try change(folder)
        do {
            _ = try DemoFiles(folder: folder.path)
            return nil
        } catch let error as DemoFilesError {
            return error
        }
    }

    private func replace(_ text: String, with other: String, in file: URL) throws {
        let before = try String(contentsOf: file, encoding: .utf8)
        let after = before.replacing(text, with: other, maxReplacements: 1)
        #expect(after != before, "\(file.lastPathComponent) has no '\(text)'")
        try after.write(to: file, atomically: true, encoding: .utf8)
    }

    @Test func aCopyIsAsGood() throws {
        #expect(try copy { _ in } == nil)
        #expect(DemoFiles.isFolder(demoFolder))
        #expect(!DemoFiles.isFolder(demoFolder + "/pictures"))
    }

    @Test(arguments: [
        "cities.json", "names.json", "dishes.json", "sentences/german.json", "pictures/coffee-1.png",
    ]) func aMissingFileIsNamed(_ name: String) throws {
        let error = try #require(
            try copy { try FileManager.default.removeItem(at: $0.appending(path: name)) })
        #expect(error.code == "DEMO_FILE_UNREADABLE")
        #expect(error.message.contains("/\(name) "))
        #expect(error.remedy.contains("Examples/Demo"))
    }

    @Test(arguments: [
        "cities.json", "names.json", "dishes.json", "sentences/french.json", "pictures/fish-2.png",
    ])
    func aFileOfSomethingElseIsNamed(_ name: String) throws {
        for bytes in [Data("{".utf8), Data("[1]".utf8), Data(count: DemoFiles.largestFile + 1)] {
            let error = try #require(try copy { try bytes.write(to: $0.appending(path: name)) })
            #expect(error.code == "DEMO_FILE_WRONG")
            #expect(error.message.contains("/\(name) "))
        }
        let error = try copy { folder in
            let file = folder.appending(path: name)
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        }
        #expect(error?.code == "DEMO_FILE_WRONG")
    }

    /// What is wrong inside of a file: a text, what it becomes, and what is said of it.
    @Test(arguments: [
        ("cities.json", #""phone": "+1 212", "#, "", "at [0], there is no 'phone'"),
        ("cities.json", "40.7128", "140", "on the globe"),
        ("cities.json", #""names": "english""#, #""names": "klingon""#, "there is no 'klingon'"),
        ("cities.json", #""sentences": "english""#, #""sentences": "../names""#, "word of letters"),
        ("names.json", #""Chinedu""#, #""""#, "at 'african', 'given' has"),
        ("names.json", #""gap": " ""#, #""gap": 3"#, "at african/gap, there is a value of another type"),
        ("sentences/german.json", "{year}", "{day}", "none of city, year, n, given, family"),
        ("sentences/german.json", "{year}", "{year", "none of city, year, n, given, family"),
        ("sentences/german.json", "190", "0", "'textLength'"),
        ("sentences/german.json", #""Brauhaus""#, #""Imbiss""#, "there is no 'Imbiss'"),
        ("dishes.json", #"["fish"]"#, "[]", "has no dish"),
        ("dishes.json", #"["fish"]"#, #"["../cities"]"#, "word of letters"),
    ]) func aWrongValueIsNamed(_ file: String, _ text: String, _ other: String, _ said: String) throws {
        let error = try #require(
            try copy { try replace(text, with: other, in: $0.appending(path: file)) })
        #expect(error.code == "DEMO_FILE_WRONG")
        #expect(error.message.contains(said), "\(error)")
    }
}
