import TestSeeds
import Testing

@testable import ManagedObjectGeneration

/// Reading and rewriting source.
@Suite struct SourceTests {
    private func scan(_ text: String) -> FileDeclarations {
        SourceScanner.scan(path: "Test.swift", bytes: Array(text.utf8))
    }

    @Test func onlyDeclarationsCount() {
        let file = scan(
            #"""
            // class A {}
            /* class B { /* class C {} */ } */
            let s = "class D { \(f("class E }")) }", t = #"class F " {"#
            let m = """
                class G {
                """
            let r = /class "H" {/
            let x = #/ class I { /#
            func f(in class: Int, extension e: Int) { class Local { @NSManaged var no: Int } }
            class Real { let k = a.extension; var c: [() -> Void] = [{ struct No {} }] }
            extension Real.Inner: P where Self: Q { struct Yes {} }
            let half = 4 / 2; let other = 6 / 3
            enum Last { case `class`, `struct`(class: Int) }
            """#)
        #expect(
            file.types.map { ($0.head.context + [$0.head.name]).joined(separator: ".") } == [
                "Real", "Real.Inner.Yes", "Last",
            ])
        #expect(file.members.isEmpty)
    }

    @Test func conditionsAreKept() {
        let file = scan(
            """
            #if os(Linux) // here
            #if DEBUG && canImport(X)
            import X
            #endif
            class A { @NSManaged var a: Int }
            #elseif swift(>=6)
            class B { @NSManaged var b: Int }
            #else
            class C { @NSManaged var c: Int }
            #endif
            class D { @NSManaged var d: Int }
            """)
        #expect(file.imports.map(\.conditions) == [["(os(Linux))", "(DEBUG && canImport(X))"]])
        #expect(
            file.members.map { $0.head.conditions } == [
                ["(os(Linux))"], ["!(os(Linux)) && (swift(>=6))"], ["!(os(Linux)) && !(swift(>=6))"], [],
            ])
    }

    @Test(arguments: Seed.some(1)) func damagedSourceDoesNotStopTheScanner(seed: Seed) {
        var random = seed.random
        let bytes = Array((Fixtures.everyType + Fixtures.extensions).utf8)
        for _ in 0..<100 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                let at = Int.random(in: 0..<damaged.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: damaged.remove(at: at)
                case 1: damaged[at] = Array("{}()[]<>\"#/*@:.,\\\n `".utf8).randomElement(using: &random) ?? 0
                default: damaged.removeSubrange(at..<min(at + 30, damaged.count))
                }
            }
            let file = SourceScanner.scan(path: "Test.swift", bytes: damaged)
            #expect(file.members.count <= 400)
            let text = String(decoding: damaged, as: UTF8.self)
            _ = SourcePorter.port(text, path: "Test.swift")
            _ = ObjectGenerator.generate(
                .init(module: "M", sources: [SourceFile(path: "Test.swift", text: text)]))
        }
    }

    @Test func objectiveCGoesAway() {
        let source = """
            import CoreData
            @objc(Course)
            public class Course: NSManagedObject {
                @objc @NSManaged public var title: String?
                @objc(addLessonsObject:)
                @NSManaged public func addToLessons(_ value: Lesson)
                let a = #keyPath(Course.teacher.name), b = #keyPath(title)
                let text = "@objc #keyPath(Course.a)" // @objc
                #if canImport(ObjectiveC)
                @objc func kept() {}
                #endif
                let s = #selector(kept)
            }
            """
        let result = SourcePorter.port(source, path: "Course.swift")
        #expect(
            result.text == """
                import CoreData
                public class Course: NSManagedObject {
                    @NSManaged public var title: String?
                    @NSManaged public func addToLessons(_ value: Lesson)
                    let a = "teacher.name", b = "title"
                    let text = "@objc #keyPath(Course.a)" // @objc
                    #if canImport(ObjectiveC)
                    @objc func kept() {}
                    #endif
                    let s = #selector(kept)
                }
                """)
        #expect(result.changes.map(\.line) == [2, 4, 5, 7])
        #expect(result.changes.map(\.new.count) == [0, 1, 0, 1])
        #expect(result.remarks.map(\.line) == [12])
        #expect(SourcePorter.port(result.text, path: "Course.swift").changes.isEmpty)
    }

    /// Modules of Apple's platforms stay for them; what they brought along is imported.
    @Test func importsAreThoseOfLinux() {
        let model = SourcePorter.port(
            """
            import Foundation
            @testable import ObjectiveC

            final class Model: ObservableObject {
                @Published var names: [String] = []
                let session: URLSession
            }
            """, path: "Model.swift")
        #expect(
            model.text == """
                import Foundation
                #if canImport(ObjectiveC)
                @testable import ObjectiveC
                #endif
                #if canImport(FoundationNetworking)
                import FoundationNetworking
                #endif
                #if canImport(Combine)
                import Combine
                #endif

                final class Model: ObservableObject {
                    @Published var names: [String] = []
                    let session: URLSession
                }
                """)
        #expect(model.remarks.isEmpty)
        #expect(SourcePorter.port(model.text, path: "Model.swift").changes.isEmpty)
        let screen = SourcePorter.port(
            "import UIKit\n\nlet pool = autoreleasepool { 1 }\n", path: "Screen.swift")
        #expect(
            screen.text == """
                #if canImport(UIKit)
                import UIKit
                #else
                import Foundation
                #endif
                #if canImport(FoundationGaps)
                import \("FoundationGaps")
                #endif

                let pool = autoreleasepool { 1 }

                """)
        #expect(screen.remarks.map(\.line) == [1])
        #expect(SourcePorter.port(screen.text, path: "Screen.swift").changes.isEmpty)
        for text in [
            "import CloudKit\nfinal class Model: ObservableObject { let session = URLSession.shared }\n",
            "import Foundation\nenum App { static let x = \"URLSession autoreleasepool\" }\n",
            "import Foundation\nstruct URLSession {}\nlet session = URLSession()\n",
            "import Foundation\nfunc autoreleasepool() {}\nfunc run() { autoreleasepool() }\n",
            "#if canImport(UIKit)\nimport UIKit\n#endif\nimport Foundation\n",
        ] {
            #expect(SourcePorter.port(text, path: "Left.swift").changes.isEmpty, "\(text)")
        }
    }
}
