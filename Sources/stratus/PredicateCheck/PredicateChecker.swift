import Foundation
import Predicates

/// Parses files of predicates and keeps what is wrong with them.
struct PredicateChecker {
    /// A line that is not a predicate.
    struct Problem: Sendable {
        /// The file, and the line in it counted from 1.
        var path: String
        var line: Int
        /// The format string, or the line where there is none.
        var text: String
        /// What is wrong with it; nil where the string literal itself is broken.
        var error: PredicateFormatError?
    }

    /// How many format strings were read.
    private(set) var total = 0
    /// What is wrong, in the order of the files.
    private(set) var problems: [Problem] = []
    /// The files of folders that were passed over, because they are no UTF-8 text.
    private(set) var passedOver: [String] = []

    /// Checks a file, or all files of a folder.
    ///
    /// - Throws: a ``Failure`` when one cannot be read.
    mutating func check(path: String) throws {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw Failure.usage("There is no file or folder \(path).")
        }
        guard isDirectory.boolValue else { return try check(file: path, isNamed: true) }
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        let files = names.sorted().map { path + "/" + $0 }
        for file in files where !file.contains("/.") {
            guard FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory),
                !isDirectory.boolValue
            else { continue }
            try check(file: file, isNamed: false)
        }
    }

    private mutating func check(file path: String, isNamed: Bool) throws {
        guard let text = String(validating: try FileContents.read(path), as: UTF8.self) else {
            guard !isNamed else { throw Failure.usage("The file \(path) is not UTF-8 text.") }
            return passedOver.append(path)
        }
        check(text: text, path: path)
    }

    /// Checks the lines of a text.
    mutating func check(text: String, path: String) {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            guard let entry = PredicateLine(String(line)) else { continue }
            total += 1
            guard let format = entry.format else {
                problems.append(Problem(path: path, line: index + 1, text: String(line), error: nil))
                continue
            }
            do {
                _ = try PredicateTree(template: format)
            } catch {
                problems.append(Problem(path: path, line: index + 1, text: format, error: error))
            }
        }
    }
}
