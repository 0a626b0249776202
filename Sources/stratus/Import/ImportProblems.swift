import Foundation
import RecordImport
import RecordWire

/// The rows that could not be imported: shown, and kept in a file where one is wanted.
struct ImportProblems {
    private static let shownProblems = 10

    private let console: Console
    private let file: FileHandle?
    private let hint: String
    private let header: [String]?
    /// How many there were in this run.
    private(set) var count = 0

    /// Opens the report.
    ///
    /// - Parameters:
    ///   - path: the report file; nil for none.
    ///   - appends: whether an interrupted import goes on, whose report stays.
    ///   - header: the names of the cells; nil where rows are objects.
    init(console: Console, path: String?, appends: Bool, header: [String]? = nil) throws {
        self.console = console
        self.header = header
        hint = path.map { "All of them are in \($0)." } ?? "Add --errors FILE to see all of them."
        guard let path else {
            file = nil
            return
        }
        do {
            file = try OutputFile.open(path, appending: appends)
        } catch {
            throw Failure.usage("The report \(path) cannot be written.", remedy: error.remedy)
        }
    }

    /// Notes a row.
    mutating func add(_ problem: RowProblem) throws {
        count += 1
        if count <= Self.shownProblems { console.note("line \(problem.line): \(problem.reason)") }
        if count == Self.shownProblems + 1 { console.note("More lines fail. \(hint)") }
        guard let file else { return }
        let json = JSONWriter.text { writer in
            writer.beginObject()
            writer.member("line", problem.line)
            writer.member("reason", problem.reason)
            if let row = value(of: problem.row) {
                writer.key("row")
                writer.value(row)
            }
            writer.endObject()
        }
        try file.write(contentsOf: Data(json) + Data("\n".utf8))
    }

    /// The row as an object, or as a list of cells where they do not fit the heading; nil where it cannot be read.
    private func value(of row: ImportRow.Content) -> JSONValue? {
        switch row {
        case .malformed: return nil
        case .object(let object): return .object(object)
        case .cells(let cells):
            guard let header, header.count == cells.count else { return .array(cells.map(JSONValue.string)) }
            return .object(JSONObject(zip(header, cells).map { (key: $0, value: .string($1)) }))
        }
    }
}
