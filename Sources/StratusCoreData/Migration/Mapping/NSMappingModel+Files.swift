internal import DataModel

extension NSMappingModel {
    /// Reads a mapping model: a compiled `.cdm`, or an `.xcmappingmodel` whose two models the program can find.
    ///
    /// The models of an `.xcmappingmodel` are looked for at the paths that it names, from its own folder upwards, and
    /// among the versions that the program has. Files of Apple's compiler were not at hand to try this on.
    /// - Returns: nil where it cannot be read; ``CoreDataLog`` has the reason. ``init(readingFrom:)`` throws it.
    public convenience init?(contentsOf url: URL?) {
        guard let url else { return nil }
        do {
            try self.init(readingFrom: url)
        } catch {
            CoreDataLog.report(error.localizedDescription)
            return nil
        }
    }

    /// Reads a mapping model as ``init(contentsOf:)`` does, and says what is wrong where it cannot.
    ///
    /// - Throws: `CocoaError` whose description names the file, and the mapping or the line.
    public convenience init(readingFrom url: URL) throws {
        let document: MappingDocument
        do {
            document = try Self.document(at: url)
        } catch {
            throw CoreDataError.unreadableModel(error)
        }
        try self.init(document: document)
    }

    /// Makes the mapping model that a document describes.
    ///
    /// - Throws: `CocoaError` with code 134110 for an expression that cannot be read.
    convenience init(document: MappingDocument) throws {
        self.init()
        entityMappings = try document.entityMappings.map { try NSEntityMapping(document: $0) }
    }

    private static func document(at url: URL) throws -> MappingDocument {
        guard MappingFile.isSource(url) else { return try MappingDocument(contentsOf: url) }
        let source = try MappingSource(contentsOf: url)
        let older = try MappingFile.model(at: source.sourceModelPath, from: url)
        let newer = try MappingFile.model(at: source.destinationModelPath, from: url)
        return try source.compiled(from: older, to: newer)
    }
}

extension NSEntityMapping {
    fileprivate convenience init(document: EntityMappingDocument) throws {
        self.init()
        name = document.name
        mappingType =
            NSEntityMappingType(rawValue: UInt(document.kind.rawValue)) ?? .undefinedEntityMappingType
        sourceEntityName = document.sourceEntityName
        sourceEntityVersionHash = document.sourceVersionHash
        destinationEntityName = document.destinationEntityName
        destinationEntityVersionHash = document.destinationVersionHash
        sourceExpression = try Self.expression(document.sourceExpression, of: document.name)
        entityMigrationPolicyClassName = document.policyClassName
        if !document.userInfo.isEmpty { userInfo = document.userInfo }
        attributeMappings = try document.attributeMappings.map { try Self.property($0, of: document.name) }
        relationshipMappings = try document.relationshipMappings.map {
            try Self.property($0, of: document.name)
        }
    }

    private static func property(_ document: PropertyMappingDocument, of mapping: String) throws
        -> NSPropertyMapping
    {
        let property = NSPropertyMapping(
            name: document.name,
            valueExpression: try expression(document.valueExpression, of: "\(mapping).\(document.name)"))
        if !document.userInfo.isEmpty { property.userInfo = document.userInfo }
        return property
    }

    private static func expression(_ format: String?, of mapping: String) throws -> Predicates.NSExpression? {
        guard let format else { return nil }
        do {
            return Predicates.NSExpression(tree: try ExpressionTree(parsing: format))
        } catch {
            throw CoreDataError(
                134110, "The mapping '\(mapping)' has an expression that cannot be read: \(format)",
                cause: error
            ).cocoa
        }
    }
}

/// The files of mapping models, and where their models are.
enum MappingFile {
    static let extensions = ["cdm", "xcmappingmodel"]

    static func isSource(_ url: URL) -> Bool { ["xcmappingmodel", "xml"].contains(url.pathExtension) }

    /// A version at a path as a project recorded it: from the folder of the mapping model upwards, else by its name
    /// among the versions that the program has.
    ///
    /// - Throws: `ModelDocumentError` that names the path.
    static func model(at path: String?, from url: URL) throws -> ModelDocument {
        let path = path ?? ""
        let parts = path.split(separator: "/").map(String.init).filter { $0 != ".." && $0 != "." }
        var folder = url.standardizedFileURL
        for _ in 0..<folder.pathComponents.count where !parts.isEmpty {
            folder.deleteLastPathComponent()
            // The path begins at the project; the mapping model lies somewhere below it.
            for count in 1...min(parts.count, 2) {
                let place = parts.suffix(count).joined(separator: "/")
                for candidate in [parts.joined(separator: "/"), place] {
                    let model = folder.appendingPathComponent(candidate)
                    if FileManager.default.fileExists(atPath: model.path) {
                        return try ModelDocument(contentsOf: model)
                    }
                }
            }
        }
        let name = ((parts.last ?? "") as NSString).deletingPathExtension
        let known = ModelLibrary.sources(in: nil).filter { $0.version == name }
        // A model that cannot be read is one that was not found, which is thrown below.
        if known.count == 1, let model = try? known[0].load() { return model.document }
        throw ModelDocumentError.missingModel(path, of: url.path)
    }
}
