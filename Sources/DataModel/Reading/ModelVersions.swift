public import Foundation

/// The versions of a model: what an `.xcdatamodeld` or `.momd` folder holds, without reading the models.
public struct ModelVersions: Sendable, Hashable {
    /// The name of the current version, without its extension.
    public let currentName: String
    /// Where each version is, by its name without extension.
    public let urls: [String: URL]

    /// The names of all versions in natural order: `Note 2` before `Note 10`.
    public var names: [String] { Self.sorted(Array(urls.keys)) }

    let currentURL: URL

    /// Finds the versions in a folder.
    ///
    /// The current one is named by `.xccurrentversion` or `VersionInfo.plist`. Where neither says it, or
    /// what it names is missing, the last by natural order is current.
    ///
    /// - Throws: ``ModelDocumentError`` where the folder cannot be read or holds no version.
    public init(contentsOf url: URL) throws {
        guard ModelFiles.exists(url) else {
            throw ModelDocumentError(.unreadable("it does not exist"), file: url.path)
        }
        guard ModelFiles.isFolder(url), let found = try Self.list(in: url) else {
            throw ModelDocumentError(.noModel("this is not a folder of versions"), file: url.path)
        }
        self = found
    }

    /// Reads one version.
    ///
    /// - Throws: ``ModelDocumentError``, also for a name that is not among ``names``.
    public func document(named name: String) throws -> ModelDocument {
        guard let url = urls[name] else {
            throw ModelDocumentError(.unknownName(name, what: "version"), file: currentURL.path)
        }
        return try ModelDocument(contentsOf: url)
    }

    private init(currentName: String, currentURL: URL, urls: [String: URL]) {
        self.currentName = currentName
        self.currentURL = currentURL
        self.urls = urls
    }

    /// The versions in a folder; nil where it holds none.
    static func list(in folder: URL) throws -> ModelVersions? {
        var urls: [String: URL] = [:]
        for file in try ModelFiles.names(in: folder) {
            let url = folder.appendingPathComponent(file)
            if ["xcdatamodel", "mom"].contains(url.pathExtension) {
                urls[url.deletingPathExtension().lastPathComponent] = url
            }
        }
        guard let last = sorted(Array(urls.keys)).last else { return nil }
        let said = current(in: folder).map { name in
            ["xcdatamodel", "mom"].contains((name as NSString).pathExtension)
                ? (name as NSString).deletingPathExtension : name
        }
        let name = said.flatMap { urls[$0] == nil ? nil : $0 } ?? last
        guard let url = urls[name] else { return nil }
        return ModelVersions(currentName: name, currentURL: url, urls: urls)
    }

    private static func current(in folder: URL) -> String? {
        let places = [
            (".xccurrentversion", "_XCCurrentVersionName"),
            ("VersionInfo.plist", "NSManagedObjectModel_CurrentVersionName"),
        ]
        for (file, key) in places {
            // The folder works without these files, so a damaged one only loses what it says.
            if let data = try? Data(contentsOf: folder.appendingPathComponent(file)), data.count < 16 << 20 {
                if let name = string(key, in: data) { return name }
            }
        }
        return nil
    }

    private static func string(_ key: String, in data: Data) -> String? {
        if data.starts(with: Array("bplist".utf8)) {
            guard let list = try? BinaryPlist(data) else { return nil }
            return list.entries(of: list.root)?[key].flatMap { list.string($0) }
        }
        return XMLPropertyList.strings(in: data)[key]
    }

    static func sorted(_ names: [String]) -> [String] {
        names.sorted { first, second in
            let order = first.compare(second, options: [.numeric, .caseInsensitive])
            return order == .orderedSame ? first < second : order == .orderedAscending
        }
    }
}

/// The top-level strings of a property list in XML.
enum XMLPropertyList {
    static func strings(in data: Data) -> [String: String] {
        let text = String(decoding: data, as: UTF8.self)
        var result: [String: String] = [:]
        var rest = text[...]
        while let key = between("<key>", "</key>", &rest) {
            let value = rest.drop { $0.isWhitespace }
            guard value.hasPrefix("<string>") else { continue }
            rest = value
            if let string = between("<string>", "</string>", &rest) { result[key] = string }
        }
        return result
    }

    private static func between(_ start: String, _ end: String, _ rest: inout Substring) -> String? {
        guard let first = rest.range(of: start),
            let last = rest.range(of: end, range: first.upperBound..<rest.endIndex)
        else { return nil }
        let text = String(rest[first.upperBound..<last.lowerBound])
        rest = rest[last.upperBound...]
        let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")]
        return entities.reduce(text) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
    }
}
