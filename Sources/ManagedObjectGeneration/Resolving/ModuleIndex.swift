import Foundation

/// The declarations of one module, read from its files as far as they are asked for.
///
/// A file is scanned when it holds `@NSManaged`, or a name that has to be resolved.
final class ModuleIndex {
    let name: String
    private let files: [SourceFile]
    private var scanned: [String: FileDeclarations] = [:]
    private var typesByPath: [[String]: [TypeDeclaration]] = [:]
    private var aliasesByPath: [[String]: [AliasDeclaration]] = [:]
    private var searchedNames: Set<String> = []

    init(name: String, files: [SourceFile]) {
        self.name = name
        self.files = files
    }

    /// The files that mention the word, scanned.
    @discardableResult
    func files(mentioning word: String) -> [FileDeclarations] {
        files.compactMap { $0.mentions(word) ? scan($0) : nil }
    }

    /// What all files say about classes and their superclasses, without a scan.
    lazy var superclassHints: [SuperclassHint] = files.flatMap(\.superclassHints)

    /// The types of that path: several where `#if` blocks declare it more than once.
    func types(at path: [String]) -> [TypeDeclaration] {
        search(for: path)
        return typesByPath[path] ?? []
    }

    /// The types of that name, nested ones too.
    func types(named name: String) -> [TypeDeclaration] {
        search(for: [name])
        return typesByPath.filter { $0.key.last == name }.flatMap(\.value)
    }

    func aliases(at path: [String]) -> [AliasDeclaration] {
        search(for: path)
        return aliasesByPath[path] ?? []
    }

    /// Whether a declaration of this name is at the top of the module.
    func declares(_ name: String) -> Bool {
        !types(at: [name]).isEmpty || !aliases(at: [name]).isEmpty
    }

    /// Whether any file has the word in it.
    func mentions(_ word: String) -> Bool {
        files.contains { $0.mentions(word) }
    }

    private func search(for path: [String]) {
        guard let name = path.last, searchedNames.insert(name).inserted else { return }
        files(mentioning: name)
    }

    private func scan(_ file: SourceFile) -> FileDeclarations {
        if let known = scanned[file.path] { return known }
        let declarations = SourceScanner.scan(path: file.path, bytes: file.bytes)
        scanned[file.path] = declarations
        for type in declarations.types {
            typesByPath[type.head.context + [type.head.name], default: []].append(type)
        }
        for alias in declarations.aliases {
            aliasesByPath[alias.head.context + [alias.head.name], default: []].append(alias)
        }
        return declarations
    }
}

/// A Swift file of a target.
public struct SourceFile: Sendable {
    /// Where it is; shown in diagnostics.
    public var path: String
    let bytes: [UInt8]

    /// Takes the text of a file.
    public init(path: String, text: String) {
        self.path = path
        bytes = Array(text.utf8)
    }

    /// Reads a file.
    ///
    /// - Throws: `CocoaError` where it cannot be read.
    public init(contentsOf path: String) throws {
        self.path = path
        bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// Whether the bytes of the word occur, be it inside another word.
    func mentions(_ word: String) -> Bool {
        let word = Array(word.utf8)
        return bytes.withUnsafeBytes { Self.position(of: word, in: $0, from: 0) } != nil
    }

    /// Where those bytes occur next.
    static func position(of word: [UInt8], in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard let first = word.first, let base = text.baseAddress else { return word.isEmpty ? start : nil }
        var position = start
        while text.count - position >= word.count,
            let found = memchr(base + position, Int32(first), text.count - position - word.count + 1)
        {
            if memcmp(found, word, word.count) == 0 { return UnsafeRawPointer(found) - base }
            position = UnsafeRawPointer(found) - base + 1
        }
        return nil
    }
}
