import ArgumentParser
import Predicates
import RecordWire

/// `stratus predicate check`
struct PredicateCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Parse files of predicate format strings and show those that fail.",
        discussion: """
            A file has one format string on each line, bare or as a Swift string literal; blank lines, and lines that \
            begin with //, are skipped. Arguments (%@, %K, $name) may occur. The exit code is 1 when one \
            of them does not parse.

            EXAMPLES
              grep -rhoP 'NSPredicate\\(format: \\K"[^"]*"' Sources > predicates.txt
              stratus predicate check predicates.txt
            """)

    @Argument(help: ArgumentHelp("Files, or folders whose files are all taken.", valueName: "path"))
    var paths: [String]

    @OptionGroup var output: OutputOptions

    func run() throws {
        var checker = PredicateChecker()
        for path in paths { try checker.check(path: path) }
        for path in checker.passedOver {
            Console.standard.note("\(path) is not UTF-8 text; it was skipped.")
        }
        output.json ? printJSON(checker) : printText(checker)
        if !checker.problems.isEmpty { throw ExitCode(Failure.failureCode) }
    }

    private func printText(_ checker: PredicateChecker) {
        let console = Console.standard
        for problem in checker.problems {
            guard let error = problem.error else {
                console.line(
                    "\(problem.path):\(problem.line): This Swift string literal is broken.\n\(problem.text)\n"
                )
                continue
            }
            console.line("\(problem.path):\(problem.line):\(error.column): \(error.message)\n\(error.caret)")
            if let suggestion = error.suggestion { console.line("Did you mean \(suggestion)?") }
            console.line(error.remedy + "\n")
        }
        let parsed = checker.total - checker.problems.count
        console.line("\(Format.grouped(parsed)) parsed of \(Format.grouped(checker.total))")
    }

    private func printJSON(_ checker: PredicateChecker) {
        let json = JSONWriter.text { writer in
            writer.beginObject()
            writer.member("total", checker.total)
            writer.member("parsed", checker.total - checker.problems.count)
            writer.key("problems")
            writer.beginArray()
            for problem in checker.problems {
                writer.beginObject()
                writer.member("path", problem.path)
                writer.member("line", problem.line)
                writer.member("column", problem.error?.column)
                writer.member("format", problem.text)
                writer.member("code", problem.error?.code ?? "BAD_LITERAL")
                writer.member("message", problem.error?.message ?? "The Swift string literal is broken.")
                writer.member("suggestion", problem.error?.suggestion)
                writer.member("remedy", problem.error?.remedy)
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
        }
        Console.standard.line(json: json)
    }
}
