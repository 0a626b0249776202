public import DataModel
public import Foundation

/// A model of a target: an `.xcdatamodeld` or a bare `.xcdatamodel`.
public struct ModelFile: Sendable {
    /// One version.
    public struct Version: Sendable {
        /// The name, without extension.
        public var name: String
        /// The text of the `contents` file.
        public var contents: String

        /// Makes a version.
        public init(name: String, contents: String) {
            self.name = name
            self.contents = contents
        }
    }

    /// The name that `NSPersistentContainer(name:)` is given.
    public var name: String
    /// Where it is.
    public var path: String
    /// All versions that are text.
    public var versions: [Version]
    /// The name of the version that classes are made from.
    public var currentVersion: String
    /// The current version.
    public var document: ModelDocument
    /// Versions that cannot be bundled, with the reason.
    public var skipped: [String]

    /// Makes a model from its parts.
    public init(
        name: String, path: String, versions: [Version], currentVersion: String, document: ModelDocument
    ) {
        self.name = name
        self.path = path
        self.versions = versions
        self.currentVersion = currentVersion
        self.document = document
        skipped = []
    }

    /// Reads a model.
    ///
    /// - Throws: `ModelDocumentError` where the current version cannot be read.
    public init(contentsOf url: URL) throws {
        name = url.deletingPathExtension().lastPathComponent
        path = url.path
        document = try ModelDocument(contentsOf: url)
        var urls = [name: url]
        currentVersion = name
        if url.pathExtension == "xcdatamodeld" {
            let found = try ModelVersions(contentsOf: url)
            urls = found.urls
            currentVersion = found.currentName
        }
        versions = []
        skipped = []
        for (version, url) in urls.sorted(by: { $0.key < $1.key }) {
            do {
                let text = try Data(contentsOf: url.appendingPathComponent("contents"))
                versions.append(Version(name: version, contents: String(decoding: text, as: UTF8.self)))
            } catch {
                skipped.append(version)
            }
        }
    }
}
