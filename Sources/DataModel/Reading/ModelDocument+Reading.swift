public import Foundation

extension ModelDocument {
    /// Reads the model at a place.
    ///
    /// That may be an `.xcdatamodeld` or `.momd` folder, of which the current version is read, an
    /// `.xcdatamodel` folder of any age, its `contents` or `elements` file, or a `.mom` file. The bytes
    /// decide, not the name.
    ///
    /// - Throws: ``ModelDocumentError`` that names the file, and for XML the line, element and attribute.
    public init(contentsOf url: URL) throws {
        self = try ModelDocument.read(contentsOf: url).document
    }

    /// Reads the model at a place as ``init(contentsOf:)`` does, and also says what was odd.
    ///
    /// - Throws: ``ModelDocumentError``.
    public static func read(contentsOf url: URL) throws -> ModelReading {
        try read(contentsOf: url, depth: 0)
    }

    /// Reads the text of a `contents` file.
    ///
    /// - Throws: ``ModelDocumentError``; `name` stands for the file in it.
    public init(xml data: Data, name: String = "contents") throws {
        var reader = XMLModelReader(file: name)
        self = try reader.read(data)
    }

    private static func read(contentsOf url: URL, depth: Int) throws -> ModelReading {
        guard ModelFiles.isFolder(url) else {
            return try read(ModelFiles.data(url), name: url.path)
        }
        // A folder of versions holds folders of a version, which hold files: no deeper.
        guard depth < 2 else {
            throw ModelDocumentError(.noModel("the folders nest too deeply"), file: url.path)
        }
        let versions = try ModelVersions.list(in: url)
        if let versions { return try read(contentsOf: versions.currentURL, depth: depth + 1) }
        for name in ["contents", "elements"] {
            let file = url.appendingPathComponent(name)
            if ModelFiles.exists(file), !ModelFiles.isFolder(file) {
                return try read(ModelFiles.data(file), name: file.path)
            }
        }
        throw ModelDocumentError(
            .noModel("the folder holds no version, no 'contents' and no 'elements'"), file: url.path)
    }

    private static func read(_ data: Data, name: String) throws -> ModelReading {
        if data.starts(with: Array("bplist".utf8)) {
            var reader = ArchivedModelReader(name: name)
            let document = try reader.read(data)
            return ModelReading(document: document, warnings: reader.warnings)
        }
        if data.starts(with: Array("momv2".utf8)) {
            throw ModelDocumentError(
                .noModel("an optimised model (.omo) is not read; the .mom beside it holds the same"),
                file: name)
        }
        var reader = XMLModelReader(file: name)
        let document = try reader.read(data)
        return ModelReading(document: document, warnings: reader.warnings)
    }
}

/// The few questions that are asked of the file system.
enum ModelFiles {
    static let maximumBytes = 256 << 20

    static func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

    static func isFolder(_ url: URL) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) && isFolder.boolValue
    }

    static func data(_ url: URL) throws -> Data {
        let size: Int?
        let data: Data
        do {
            size = try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int
            guard (size ?? 0) <= maximumBytes else {
                throw ModelDocumentError(.tooLarge("\(size ?? 0) bytes"), file: url.path)
            }
            data = try Data(contentsOf: url)
        } catch let error as ModelDocumentError {
            throw error
        } catch {
            let why = exists(url) ? error.localizedDescription : "it does not exist"
            throw ModelDocumentError(.unreadable(why), file: url.path, cause: error)
        }
        return data
    }

    static func names(in url: URL) throws -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: url.path)
        } catch {
            throw ModelDocumentError(.unreadable(error.localizedDescription), file: url.path, cause: error)
        }
    }
}
