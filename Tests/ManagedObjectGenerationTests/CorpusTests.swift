import Foundation
import TestSeeds
import Testing

@testable import ManagedObjectGeneration

/// Code as apps for Apple's platforms have it, ported and compiled against the module of this package.
///
/// Each section of the files in `Corpus` is a snippet: `//// ` and its title, `//// left: ` and a part of the remark
/// where it is left for a person.
@Suite struct CorpusTests {
    struct Snippet: Sendable {
        var name: String
        var text: String
        /// What the remark says; nil where the result has to compile.
        var left: String?
    }

    static func snippets() throws -> [Snippet] {
        let folder = Checkout.file("Tests/ManagedObjectGenerationTests/Corpus")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().flatMap { file in
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            var snippets: [Snippet] = []
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                if line.hasPrefix("//// left: ") {
                    snippets[snippets.count - 1].left = String(line.dropFirst("//// left: ".count))
                } else if line.hasPrefix("//// ") {
                    let number = String(snippets.count + 1000).dropFirst()
                    snippets.append(
                        Snippet(name: file.replacing(".txt", with: "\(number).swift"), text: ""))
                }
                if !snippets.isEmpty { snippets[snippets.count - 1].text += line + "\n" }
            }
            return snippets
        }
    }

    @Test func everySnippetIsPortedOrLeftWithAReason() throws {
        let snippets = try Self.snippets()
        #expect(snippets.count >= 200)
        for snippet in snippets {
            let result = SourcePorter.port(snippet.text, path: snippet.name)
            if let left = snippet.left {
                #expect(
                    result.remarks.contains { $0.message.contains(left) }, "\(snippet.text)\(result.remarks)")
                #expect(result.remarks.allSatisfy { $0.line != nil && $0.path == snippet.name })
            } else {
                #expect(result.remarks.isEmpty, "\(snippet.text)")
            }
            let again = SourcePorter.port(result.text, path: snippet.name)
            #expect(again.changes.isEmpty, "A second run changes it again: \(result.text)")
        }
    }

    /// One run of the compiler for all of them, in the language mode that such code has.
    @Test func portedSnippetsCompile() throws {
        let compiler = try SwiftCompiler()
        defer { compiler.remove() }
        var files = [PortingSupport.fileName]
        try compiler.write(PortingSupport.fileName, PortingSupport.text)
        for snippet in try Self.snippets() where snippet.left == nil {
            try compiler.write(snippet.name, SourcePorter.port(snippet.text, path: snippet.name).text)
            files.append(snippet.name)
        }
        let built = try compiler.run(
            "swiftc",
            ["-typecheck", "-parse-as-library", "-swift-version", "5", "-module-name", "Corpus"]
                + (try Self.moduleOptions()) + files)
        #expect(built.status == 0, "\(built.output)")
    }

    /// Where the modules of this build are.
    static func moduleOptions() throws -> [String] {
        let build = Checkout.file(".build/debug")
        let maps = [
            Checkout.file("Sources/CZlib"), Checkout.file("Sources/CStratusSQLite"),
            build.appending(path: "CObjectRuntime.build"),
        ]
        return ["-I", build.appending(path: "Modules").path]
            + maps.map { $0.appending(path: "module.modulemap").path }
            .filter { FileManager.default.fileExists(atPath: $0) }
            .flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
    }

    /// The lifetimes of what selectors did: with the observer, until it is removed, with the timer.
    @Test(arguments: ["5", "6"]) func closuresLiveAsLongAsSelectors(version: String) throws {
        let compiler = try SwiftCompiler()
        defer { compiler.remove() }
        try compiler.write(PortingSupport.fileName, PortingSupport.text)
        try compiler.write("main.swift", Self.lifetimes)
        let built = try compiler.run(
            "swiftc", ["-swift-version", version, "main.swift", PortingSupport.fileName, "-o", "program"])
        #expect(built.status == 0 && !built.output.contains("warning"), "\(built.output)")
        let ran = try compiler.run("./program", [])
        #expect(
            ran.output == """
                ["a", "plain"]
                ["a", "plain", "a"]
                3
                true
                ["later", "plain", "plain"] false

                """)
    }

    private static let lifetimes = """
        import Foundation
        final class Box: NSObject {
            var log: [String] = []
            func note(_ notification: Notification) { log.append(notification.name.rawValue) }
            func plain() { log.append("plain") }
            deinit { NotificationCenter.default.removeObservers(of: self) }
        }
        let center = NotificationCenter.default
        let a = Notification.Name("a"), b = Notification.Name("b")
        var box: Box? = Box()
        let sender = NSObject()
        center.addObserver(box!, name: a, object: nil) { $0.note($1) }
        center.addObserver(box!, name: b, object: sender) { target, _ in target.plain() }
        center.post(name: a, object: nil)
        center.post(name: b, object: nil)
        center.post(name: b, object: sender)
        print(box!.log)
        center.removeObservers(of: box!, name: b, object: sender)
        center.post(name: b, object: sender)
        center.post(name: a, object: sender)
        print(box!.log)
        center.removeObservers(of: box!)
        center.post(name: a, object: nil)
        print(box!.log.count)
        center.addObserver(box!, name: a, object: nil) { $0.note($1) }
        weak var gone = box
        box = nil
        print(gone == nil)
        center.post(name: a, object: nil)
        let kept = Box()
        let timer = Timer.scheduledTimer(timeInterval: 0.01, target: kept, repeats: true) { target, timer in
            target.plain()
            if target.log.filter({ $0 == "plain" }).count == 2 { timer.invalidate() }
        }
        kept.perform(named: "plain", afterDelay: 0.01) { $0.log.append("late") }
        NSObject.cancelPreviousPerformRequests(withTarget: kept, named: "plain")
        kept.perform(named: "plain", afterDelay: 0.05) { $0.log.append("later") }
        RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.5))
        print(kept.log.sorted(), timer.isValid)
        """
}
