import ArgumentParser
import RecordWire
import SchemaLanguage

/// `stratus schema validate`
struct SchemaValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Check files in the schema language.",
        discussion: """
            Each mistake is reported with its line and column, and with what was expected. A folder means all .ckdb \
            files in it and in the folders below, without hidden ones; each file has a line as it is read, and \
            the last line counts them. The exit code is 1 when a file is not valid. Comments are ignored: no command \
            keeps them.

            EXAMPLES
              stratus schema validate schema.ckdb
              stratus schema validate CloudKit/ --json
              git show HEAD:schema.ckdb | stratus schema validate -
            """,
        aliases: ["validate-schema"])

    @Argument(help: ArgumentHelp("Files, or folders; - is standard input.", valueName: "path"))
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
        let named = paths + file
        let files = try SchemaFile.paths(named)
        var results: [SchemaFileResult] = []
        for path in files {
            let result: SchemaFileResult
            do {
                result = try SchemaFileResult(path: path)
            } catch let failure as Failure where files.count > 1 {
                // One file that cannot be read keeps nobody from hearing of the others.
                result = SchemaFileResult(path: path, outcome: .unreadable(failure))
            }
            results.append(result)
            if !output.json { Console.standard.line(result.text) }
        }
        let valid = results.count(where: \.isValid)
        if output.json {
            Console.standard.line(json: JSONWriter.text { $0.results(results) })
        } else if files.count > 1 || files != named {
            Console.standard.note(
                "\(Format.grouped(valid)) of \(counted(results.count, "file")) \(valid == 1 ? "is" : "are") valid."
            )
        }
        if valid < results.count { throw ExitCode(Failure.failureCode) }
    }
}
