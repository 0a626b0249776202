import RecordWire
import SchemaLanguage

/// What came of reading one file with a schema's text.
struct SchemaFileResult {
    enum Outcome {
        case valid(SchemaDocument)
        case invalid(SchemaTextError)
        case unreadable(Failure)
    }

    /// The path as it was given, or found below a folder that was.
    var path: String
    var outcome: Outcome

    init(path: String, outcome: Outcome) {
        self.path = path
        self.outcome = outcome
    }

    /// Reads the file; `-` is standard input.
    ///
    /// - Throws: a ``Failure`` when there is none, or it is not text.
    init(path: String) throws {
        self.path = path
        let file = try SchemaFile(path: path)
        do {
            outcome = .valid(try file.document())
        } catch {
            outcome = .invalid(error)
        }
    }

    var isValid: Bool {
        if case .valid = outcome { true } else { false }
    }

    /// The mistakes of the text; none where it is valid or could not be read at all.
    var errors: [SchemaSyntaxError] {
        if case .invalid(let error) = outcome { error.errors } else { [] }
    }

    /// One line for a person, with every mistake and its position below it.
    var text: String {
        switch outcome {
        case .valid: "✓ \(path): Schema is valid."
        case .invalid(let error):
            "✗ \(path): Schema is not valid.\n\(SchemaFile.text(error, path: path))\n"
        case .unreadable(let failure): "✗ \(path): \(failure.sentence)"
        }
    }
}

extension JSONWriter {
    /// Writes what came of files as an array of objects.
    mutating func results(_ results: [SchemaFileResult]) {
        beginArray()
        for result in results {
            beginObject()
            member("path", result.path)
            member("valid", result.isValid)
            switch result.outcome {
            case .valid(let document): member("recordTypes", document.types.count)
            case .unreadable(let failure): member("reason", failure.sentence)
            case .invalid: break
            }
            key("errors")
            beginArray()
            for problem in result.errors { self.problem(problem) }
            endArray()
            endObject()
        }
        endArray()
    }

    private mutating func problem(_ problem: SchemaSyntaxError) {
        beginObject()
        member("line", problem.line)
        member("column", problem.column)
        member("code", problem.code)
        member("message", problem.message)
        member("found", problem.found)
        member("expected", problem.expected)
        member("remedy", problem.remedy)
        endObject()
    }
}
