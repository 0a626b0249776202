import ArgumentParser
import RecordWire
import SchemaLanguage

/// `stratus schema validate`
struct SchemaValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Check files in the schema language.",
        discussion: """
            Each mistake is told with its line and column, and with what was expected. A folder stands for all .ckdb \
            files in it. The exit code is 1 when a file is not valid.

            EXAMPLES
              stratus schema validate schema.ckdb
              stratus schema validate CloudKit/ --json
            """,
        aliases: ["validate-schema"])

    @Argument(help: ArgumentHelp("Files, or folders.", valueName: "path"))
    var paths: [String] = []

    @Option(name: .long, help: ArgumentHelp("A file; cktool's way of naming it.", valueName: "file"))
    var file: [String] = []

    @Option(
        name: [.customLong("container-id"), .customLong("container"), .customLong("environment")],
        help: .hidden)
    var unused: [String] = []

    @OptionGroup var ignored: IgnoredOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !(paths + file).isEmpty else {
            throw ValidationError("Name a file: stratus schema validate FILE")
        }
    }

    func run() throws {
        var results: [(path: String, error: SchemaTextError?)] = []
        for path in try SchemaFile.paths(paths + file) {
            let file = try SchemaFile(path: path)
            do {
                _ = try file.document()
                results.append((path, nil))
            } catch {
                results.append((path, error))
            }
        }
        output.json ? printJSON(results) : printText(results)
        if results.contains(where: { $0.error != nil }) { throw ExitCode(Failure.failureCode) }
    }

    private func printText(_ results: [(path: String, error: SchemaTextError?)]) {
        let console = Console.standard
        for (path, error) in results {
            guard let error else {
                console.line("✓ \(path): Schema is valid.")
                continue
            }
            console.line("✗ \(path): Schema is not valid.\n\(SchemaFile.text(error, path: path))\n")
        }
        guard results.count > 1 else { return }
        let valid = results.count { $0.error == nil }
        console.note("\(valid) of \(counted(results.count, "file")) \(valid == 1 ? "is" : "are") valid.")
    }

    private func printJSON(_ results: [(path: String, error: SchemaTextError?)]) {
        let json = JSONWriter.text { writer in
            writer.beginArray()
            for (path, error) in results {
                writer.beginObject()
                writer.member("path", path)
                writer.member("valid", error == nil)
                writer.key("errors")
                writer.beginArray()
                for problem in error?.errors ?? [] {
                    writer.beginObject()
                    writer.member("line", problem.line)
                    writer.member("column", problem.column)
                    writer.member("code", problem.code)
                    writer.member("message", problem.message)
                    writer.member("found", problem.found)
                    writer.member("expected", problem.expected)
                    writer.member("remedy", problem.remedy)
                    writer.endObject()
                }
                writer.endArray()
                writer.endObject()
            }
            writer.endArray()
        }
        Console.standard.line(json: json)
    }
}
