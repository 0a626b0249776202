import Foundation
import RecordWire

/// The rows that could not be imported: shown, and kept in a file where one is wanted.
struct ImportProblems {
    private static let shownProblems = 10

    private let console: Console
    private let file: FileHandle?
    private let hint: String
    /// How many there were in this run.
    private(set) var count = 0

    /// Opens the report.
    ///
    /// - Parameters:
    ///   - path: the report file; nil for none.
    ///   - appends: whether an interrupted import goes on, whose report stays.
    init(console: Console, path: String?, appends: Bool) throws {
        self.console = console
        hint = path.map { "All of them are in \($0)." } ?? "Add --errors FILE to see all of them."
        guard let path else {
            file = nil
            return
        }
        if !appends || !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        guard let handle = FileHandle(forWritingAtPath: path) else {
            throw Failure.usage("The report \(path) cannot be written.")
        }
        try handle.seekToEnd()
        file = handle
    }

    /// Notes a row.
    mutating func add(line: Int, _ reason: String) throws {
        count += 1
        if count <= Self.shownProblems { console.note("line \(line): \(reason)") }
        if count == Self.shownProblems + 1 { console.note("More lines fail. \(hint)") }
        guard let file else { return }
        let json = JSONWriter.text { writer in
            writer.beginObject()
            writer.member("line", line)
            writer.member("reason", reason)
            writer.endObject()
        }
        try file.write(contentsOf: Data(json) + Data("\n".utf8))
    }
}
