import Foundation
import SchemaLanguage

/// A file with a schema's text.
struct SchemaFile {
    /// The ending by which the files of a folder are known.
    private static let ending = ".ckdb"

    /// The path as it was given, or found below a folder that was.
    var path: String
    private var text: String

    /// Reads a file; `-` is standard input.
    ///
    /// - Throws: a ``Failure`` when there is none, or it is not text.
    init(path: String) throws {
        self.path = path
        guard let text = String(validating: try FileContents.read(path), as: UTF8.self) else {
            throw Failure.usage("The file \(path) is not UTF-8 text.")
        }
        self.text = text
    }

    /// What the file says.
    func document() throws(SchemaTextError) -> SchemaDocument { try SchemaDocument(parsing: text) }

    /// What the file says, or a ``Failure`` with every mistake and its position.
    func validDocument() throws -> SchemaDocument {
        do {
            return try document()
        } catch {
            throw Failure("The schema in \(path) is not valid.\n" + Self.text(error, path: path))
        }
    }

    /// The mistakes of a file as compilers write them.
    static func text(_ error: SchemaTextError, path: String) -> String {
        error.errors.map { "\(path):\($0.line):\($0.column): \($0.message)\n\($0.caret)\n\($0.remedy)" }
            .joined(separator: "\n\n")
    }

    /// The files that paths name: a folder stands for all `.ckdb` files in it.
    ///
    /// - Throws: a ``Failure`` when a folder has none.
    static func paths(_ paths: [String]) throws -> [String] {
        var files: [String] = []
        for path in paths {
            var isDirectory: ObjCBool = false
            let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
            guard exists, isDirectory.boolValue else {
                files.append(path)
                continue
            }
            let found = names(in: path).map { (path.hasSuffix("/") ? path : path + "/") + $0 }
            guard !found.isEmpty else {
                throw Failure.usage("The folder \(path) has no \(ending) files.")
            }
            files += found
        }
        return files
    }

    /// The `.ckdb` files of a folder and the folders in it, sorted; hidden folders are left out.
    private static func names(in folder: String) -> [String] {
        guard let enumerator = FileManager.default.enumerator(atPath: folder) else { return [] }
        var names: [String] = []
        while let name = enumerator.nextObject() as? String {
            if name.split(separator: "/").last?.hasPrefix(".") == true {
                enumerator.skipDescendants()
            } else if name.lowercased().hasSuffix(ending) {
                names.append(name)
            }
        }
        return names.sorted()
    }
}
