import ArgumentParser
import Foundation
import RecordEngine
import TestSeeds
import Testing

@testable import stratus

/// What the command line does for people who mistype, or who work on a folder of their own.
@Suite struct CommandLineTests {
    @Test(arguments: [
        (["shema"], "stratus schema"), (["schema", "exprot"], "stratus schema export"),
        (["--json", "tokn", "create"], "stratus token"),
        (["schema", "export-shema"], "stratus schema export"),
        (["deploy"], "stratus schema deploy"), (["store", "chekc", "a.sqlite"], "stratus store check"),
        (["sreve", "--data", "x"], "stratus serve"), (["operator", "ad", "ada"], "stratus operator add"),
    ])
    func `A mistyped command is guessed`(arguments: [String], meant: String) throws {
        #expect(CommandSuggestion.command(for: arguments, of: Stratus.self)?.command == meant)
        let error = #expect(throws: (any Error).self) { try Stratus.parseAsRoot(arguments) }
        #expect(Stratus.exitCode(for: try #require(error)) == .validationFailure)
    }

    @Test(arguments: [
        ["schema", "export"], ["schema"], [], ["frobnicate"], ["query", "Palyer"],
        ["store", "inspect", "chekc"],
        // It is a command of several others.
        ["list"], ["--help"],
    ])
    func `Nothing is guessed where nothing is near`(arguments: [String]) {
        #expect(CommandSuggestion.command(for: arguments, of: Stratus.self) == nil)
    }

    @Test func `The suggestion stands behind the parser's own sentence`() throws {
        let arguments = ["schema", "exprot"]
        let error = try #require(#expect(throws: (any Error).self) { try Stratus.parseAsRoot(arguments) })
        let lines = try #require(CommandSuggestion.completing(Stratus.fullMessage(for: error), arguments))
            .split(separator: "\n")
        #expect(lines[0] == "Error: Unexpected argument 'exprot'. Did you mean 'stratus schema export'?")
        #expect(lines[1] == "Usage: stratus schema <subcommand>")
        // Another fault is not answered with a command.
        let other = ["schema", "--flag", "exprot"]
        let fault = try #require(#expect(throws: (any Error).self) { try Stratus.parseAsRoot(other) })
        #expect(CommandSuggestion.completing(Stratus.fullMessage(for: fault), other) == nil)
    }

    @Test(arguments: [
        ("abc", "abc", 0), ("abc", "acb", 1), ("", "abc", 3), ("abc", "ab", 1), ("kitten", "sitting", 3),
    ])
    func distances(first: String, second: String, distance: Int) {
        #expect(CommandSuggestion.distance(first, second) == distance)
        #expect(CommandSuggestion.distance(second, first) == distance)
    }

    // MARK: Hints

    @Test(arguments: [
        ("stratus doctor --repair", "stratus doctor --data /d --repair"),
        (
            "Run 'stratus doctor' on the data directory.",
            "Run 'stratus doctor --data /d' on the data directory."
        ),
        (
            "stratus schema import --file f --container c && stratus schema deploy --container c",
            "stratus schema import --data /d --file f --container c && stratus schema deploy --data /d --container c"
        ),
        ("stratus operator link ada", "stratus operator link --data /d ada"),
        ("'stratus token list' shows, 'stratus token create' makes", nil),
        ("stratus serve --data /other", "stratus serve --data /other"),
        ("stratus schema validate f.ckdb", "stratus schema validate f.ckdb"),
        ("stratus demo, stratus query Player", "stratus demo, stratus query Player"),
        ("Another stratus server is using it.", "Another stratus server is using it."), ("", ""),
    ])
    func `Commands in sentences name the folder`(sentence: String, completed: String?) {
        let wanted =
            completed ?? "'stratus token list --data /d' shows, 'stratus token create --data /d' makes"
        #expect(CommandHints(directory: "/d").completing(sentence) == wanted)
        #expect(CommandHints(directory: nil).completing(sentence) == sentence)
    }

    @Test(arguments: ["data", "./data", "data/", "./x/../data"])
    func `The default folder is not named`(directory: String) {
        #expect(CommandHints(directory: directory).directory == nil)
    }

    @Test(arguments: [
        ("/var/lib/stratus", "/var/lib/stratus"), ("it's my data", "'it'\\''s my data'"), ("", "''"),
    ])
    func `Folders are quoted for a shell`(text: String, quoted: String) {
        #expect(ShellWord.quoted(text) == quoted)
    }

    @Test func `Completed commands are read by the parser`() async throws {
        let hints = CommandHints(directory: "/some where")
        for text in [
            "stratus doctor --repair", "stratus user add ada", "stratus schema deploy --container c",
        ] {
            let words = hints.completing(text).replacing("'/some where'", with: "FOLDER").split(
                separator: " ")
            let command = try Stratus.parseAsRoot(
                words.dropFirst().map { $0 == "FOLDER" ? "/some where" : String($0) })
            #expect((command as? any DataCommand)?.data.data == "/some where")
        }
    }

    // MARK: The demo's size

    @Test func `A quick demo is small, and numbers that are given count`() throws {
        func size(_ arguments: String...) throws -> DemoSize { try DemoCommand.parse(arguments).size }
        #expect(try size() == DemoSize(players: 20_000, posts: 30_000, restaurants: 500))
        #expect(try size("--quick") == DemoSize(players: 1_000, posts: 1_500, restaurants: 50))
        #expect(try size("--quick", "--restaurants", "3").restaurants == 3)
        #expect(try size("--players", "100").posts == 150)
        #expect(try size("--players", "10000000").posts == 15_000_000)
        #expect(try size("--posts", "7").posts == 7)
        for wrong in [["--players", "0"], ["--posts", "-1"], ["--restaurants", "100001"]] {
            #expect(throws: (any Error).self) {
                try DemoCommand.parse(wrong.map { $0 == "-1" ? "--posts=-1" : $0 })
            }
        }
    }

    @Test func `A text without record types is not imported`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/empty.ckdb"
        try "DEFINE SCHEMA\n".write(toFile: file, atomically: true, encoding: .utf8)
        let command = try SchemaImportCommand.parse([
            "--file", file, "--container", "iCloud.com.example.none", "--data", directory.path,
        ])
        let failure = await #expect(throws: Failure.self) { try await command.run() }
        #expect(failure?.sentence.contains("has no record type") == true)
    }
}
