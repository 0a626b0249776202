import Foundation
import Testing

@testable import ManagedObjectGeneration

/// Generated classes, accessors and models, compiled and run.
@Suite struct GenerationTests {
    @Test(arguments: [
        ["-Onone"], ["-O"], ["-O", "-wmo"], ["-default-isolation", "MainActor"], ["-swift-version", "5"],
    ])
    func modelLayerRuns(options: [String]) throws {
        let compiler = try SwiftCompiler()
        defer { compiler.remove() }
        // Where a module is isolated to the main actor, managed classes have to leave it, as on Apple's platforms.
        let isolation = options.contains("MainActor") ? "nonisolated " : ""
        let sources = ["Lesson.swift": ModelFixtures.lesson, "Person.swift": ModelFixtures.person]
            .mapValues { $0.replacingOccurrences(of: "public class", with: isolation + "public class") }
        let model = try ModelFixtures.file()
        let output = ObjectGenerator.generate(
            .init(
                module: "School", sources: sources.map { SourceFile(path: $0.key, text: $0.value) },
                models: [model]))
        #expect(output.diagnostics.map(\.description) == [])
        try compiler.write("Classes.swift", output.classes)
        try compiler.write("Accessors.swift", output.accessors)
        try compiler.write("main.swift", ModelFixtures.main)
        for (name, text) in sources { try compiler.write(name, text) }
        let files = sources.keys.sorted() + ["Classes.swift", "Accessors.swift", "main.swift"]
        let built = try compiler.run(
            "swiftc",
            ["-swift-version", "6", "-I", ".", "-module-name", "School", "CoreData.o", "-o", "program"]
                + options + files)
        try #require(built.status == 0, "\(built.output)")
        #expect(!built.output.contains("warning"), "\(built.output)")
        let ran = try compiler.run("./program", [])
        let contents = ModelFixtures.contents.utf8.count
        #expect(
            ran.output == """
                7 Swift! ["a", "b"] nil Optional(https://example.org)
                ["add lessons", "insert lessons 2", "replace all lessons", "add set students"] true
                Ada 2 ["add courses"]
                name title course
                nil Seminar true
                Person initial A
                My Courses Courses ["Courses", "Courses 2 \\"\\\\(x)\\""] [\(contents), 3]
                School ["Course=Course", "Lesson=Lesson", "Person=Person", "Seminar=Seminar"]

                """)
    }

    @Test func typesAreThoseOfXcode() throws {
        let output = ObjectGenerator.generate(
            .init(
                module: "School", sources: [SourceFile(path: "Lesson.swift", text: ModelFixtures.lesson)],
                models: [try ModelFixtures.file()]))
        for line in [
            "public var rating: NSNumber?", "public var isOpen: Bool", "public var ends: TimeInterval",
            "public var fee: NSDecimalNumber?", "public var extra: NSObject?",
            "public var lessons: NSOrderedSet?",
            "public var students: NSSet?", "public class Seminar: Course", "public var room: UUID?",
            "public func addToStudents(_ value: Person)", "extension Course: Identifiable {}",
        ] {
            #expect(output.classes.contains(line), "\(line)")
        }
        #expect(!output.classes.contains("extension Seminar: Identifiable"))
        #expect(!output.classes.contains("class Person"))
    }

    @Test func aTargetWithoutCoreDataGetsEmptyFiles() {
        let output = ObjectGenerator.generate(
            .init(module: "Plain", sources: [SourceFile(path: "a.swift", text: "struct A { var b = 1 }")]))
        #expect(output.diagnostics.isEmpty)
        #expect(!output.classes.contains("import") && !output.accessors.contains("import"))
    }

    @Test(arguments: [
        ("class A: NSManagedObject { @NSManaged var a: Missing? }", "'Missing' was not found"),
        ("private class A: NSManagedObject { @NSManaged var a: Int }", "'A' is private to its file"),
        (
            "private enum K { case a }\nclass A: NSManagedObject { @NSManaged private var a: K }",
            "'K' is private"
        ),
        (
            "class A: NSManagedObject { @NSManaged var a: (Int) -> Void }",
            "its type (function) is not supported"
        ),
        ("class A<T>: NSManagedObject { @NSManaged var a: Int }", "its class is generic"),
        ("class A: NSManagedObject { @NSManaged func explode(_ a: Int) }", "none of Core Data's methods"),
        (
            "typealias X = Y\ntypealias Y = X\nclass A: NSManagedObject { @NSManaged var a: X }",
            "refers to itself"
        ),
        ("struct G<T> { struct I {} }\nclass A: NSManagedObject { @NSManaged var a: G<Int>.I }", "generic"),
        ("extension Elsewhere { @NSManaged var a: Int }", "the class 'Elsewhere' was not found"),
    ])
    func whatHasNoCertainNameIsSaid(source: String, message: String) throws {
        let file = SourceFile(path: "Folder/A.swift", text: "import CoreData\n" + source)
        let output = ObjectGenerator.generate(.init(module: "M", sources: [file]))
        let diagnostic = try #require(output.diagnostics.first)
        #expect(diagnostic.severity == .error)
        #expect(diagnostic.message.contains(message), "\(diagnostic)")
        let line = source.split(separator: "\n").count + 1
        #expect(diagnostic.description.hasPrefix("Folder/A.swift:\(line):1: error: "))
    }

    @Test func modelAndSourceHaveToAgree() throws {
        let both = SourceFile(path: "Course.swift", text: "class Course: NSManagedObject {}")
        let output = ObjectGenerator.generate(
            .init(module: "School", sources: [both], models: [try ModelFixtures.file()]))
        let messages = output.diagnostics.map(\.description)
        #expect(
            messages.contains {
                $0.hasPrefix("Course.swift:1:1: error: the model 'My Courses' generates the class")
            })
        #expect(messages.contains { $0.contains("the entity 'Lesson' has Codegen Category/Extension") })
    }

    @Test func typesOfOtherModulesAreFound() throws {
        let source = SourceFile(
            path: "A.swift",
            text: "import Kinds\nclass A: NSManagedObject { @NSManaged var a: Room.Door?, b: Kinds.Room }")
        let kinds = SourceFile(path: "Kinds.swift", text: "public struct Room { public enum Door {} }")
        let output = ObjectGenerator.generate(
            .init(module: "M", sources: [source], dependencies: [("Kinds", [kinds])]))
        #expect(output.diagnostics.isEmpty)
        #expect(output.accessors.contains("$s1M1AC1a5Kinds4RoomV4DoorOSgvg"))
        #expect(output.accessors.contains("$s1M1AC1b5Kinds4RoomVvs"))
        #expect(output.accessors.contains("import Kinds"))
        // Its model may be in yet another module.
        #expect(output.classes.contains("classes[\"A\"] = A.self"))
    }

    /// The classes that the generated code tells the run time, as it writes them.
    private func registered(
        _ sources: [String: String], dependencies: [(String, String)] = [], models: [ModelFile] = []
    ) -> [String] {
        let output = ObjectGenerator.generate(
            .init(
                module: "M", sources: sources.map { SourceFile(path: $0.key, text: $0.value) },
                models: models,
                dependencies: dependencies.map { ($0.0, [SourceFile(path: "D.swift", text: $0.1)]) }))
        return output.classes.split(separator: "\n").map { $0.drop { $0 == " " } }
            .filter { $0.hasPrefix("classes[") || $0.hasSuffix("(DEBUG)") }
            .map { $0.replacingOccurrences(of: "classes", with: "") }
    }

    /// The model may be in another target, or made by hand: nothing here names the class.
    @Test func classesWithoutManagedMembersAreRegistered() {
        let base = "import CoreData\nopen class Base: NSManagedObject { @NSManaged var a: Int }"
        let sources = [
            "Base.swift": base,
            "Note.swift": """
            @objc(Note)
            final class Note: Base { override func awakeFromInsert() {} }
            // class Commented: Base {}
            class Plain: Other {}
            class `default`: Note {}
            """,
            "Other.swift": "class Other {}\nfunc f() { class Local: Base {} }\nprivate class Hidden: Base {}",
        ]
        #expect(
            registered(sources) == [
                "[\"Base\"] = Base.self", "[\"Note\"] = Note.self", "[\"default\"] = `default`.self",
            ])
    }

    @Test func objectiveCNamesAreRegistered() {
        let source = """
            import CoreData
            typealias Parent = NSManagedObject
            @objc(DBNote) class Note: NSManagedObject {}
            enum Models {
                #if canImport(ObjectiveC)
                @objc(Page)
                #endif
                class Page: NSManagedObject {}
                class Unnamed: NSManagedObject {}
                class NSManagedObject {}
            }
            class Alias: Parent {}
            """
        // Inside `Models` the name means another class.
        #expect(
            registered(["A.swift": source]) == [
                "[\"Alias\"] = Alias.self", "[\"DBNote\"] = Note.self", "[\"Note\"] = Note.self",
            ])
        let renamed = source.replacingOccurrences(of: "    class NSManagedObject {}\n", with: "")
        #expect(registered(["A.swift": renamed]).contains("[\"Page\"] = Models.Page.self"))
    }

    @Test func classesOfEveryBranchAndOfOtherModulesAreRegistered() {
        let source = """
            import Kinds
            #if DEBUG
            class Note: Root {}
            #else
            class Note: Kinds.Root {}
            #endif
            """
        #expect(
            registered(
                ["A.swift": source],
                dependencies: [("Kinds", "import CoreData\nopen class Root: NSManagedObject {}")]) == [
                    "#if !(DEBUG)", "[\"Note\"] = Note.self", "#if (DEBUG)", "[\"Note\"] = Note.self",
                ])
    }
}
