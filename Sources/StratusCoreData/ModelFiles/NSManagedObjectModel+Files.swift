package import DataModel

extension NSManagedObjectModel {
    /// Reads a model: an `.xcdatamodeld`, `.xcdatamodel`, `.momd` or `.mom`, or the `contents` file itself.
    ///
    /// Of a folder with versions the current one is read.
    /// - Returns: nil where it cannot be read; ``CoreDataLog`` has the reason. ``init(readingFrom:)`` throws it.
    public convenience init?(contentsOf url: URL) {
        do {
            try self.init(readingFrom: url)
        } catch {
            CoreDataLog.report(error.localizedDescription)
            return nil
        }
    }

    /// Reads a model as ``init(contentsOf:)`` does, and says what is wrong where it cannot.
    ///
    /// - Throws: `CocoaError` whose description names the file, and for XML the line, the element and the attribute.
    public convenience init(readingFrom url: URL) throws {
        let document: ModelDocument
        do {
            document = try ModelDocument(contentsOf: url)
        } catch {
            throw CoreDataError.unreadableModel(error)
        }
        self.init(document: document)
    }

    /// Makes the model that a document describes.
    package convenience init(document: ModelDocument) {
        self.init()
        var builder = ModelBuilder(document)
        builder.build(into: self)
    }

    /// The model as a document, for `Z_MODELCACHE` and for archives.
    package var document: ModelDocument {
        var describer = ModelDescriber()
        return describer.document(of: self)
    }

    /// Reads a model, and also says what was odd about it.
    ///
    /// - Throws: `ModelDocumentError`, which names file, line, element and attribute.
    package static func reading(
        contentsOf url: URL
    ) throws -> (model: NSManagedObjectModel, warnings: [String]) {
        let reading = try ModelDocument.read(contentsOf: url)
        let built = building(reading.document)
        return (built.model, reading.warnings + built.warnings.map { "\(url.path), \($0)" })
    }

    /// Makes the model that a document describes, and also says what was odd about it.
    package static func building(
        _ document: ModelDocument
    ) -> (model: NSManagedObjectModel, warnings: [String]) {
        let model = NSManagedObjectModel()
        var builder = ModelBuilder(document)
        builder.build(into: model)
        return (model, builder.warnings)
    }
}

extension CoreDataError {
    static func unreadableModel(_ error: any Error) -> CocoaError {
        guard let error = error as? ModelDocumentError else {
            return CoreDataError(259, "The model cannot be read.", cause: error).cocoa
        }
        let lines = error.description.split(separator: "\n", maxSplits: 1).map(String.init)
        var info: [String: Any] = [:]
        info[NSFilePathErrorKey] = error.file
        return CoreDataError(
            259, lines.first ?? error.message, remedy: error.remedy, userInfo: info, cause: error
        ).cocoa
    }
}
