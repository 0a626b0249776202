public import Foundation

extension MappingDocument {
    /// Reads the keyed archive of an `NSMappingModel`: the bytes of a `.cdm` file.
    ///
    /// Untested against Apple's compiler, of which no file was at hand.
    /// - Throws: ``ModelDocumentError`` that names the mapping and the field; `name` stands for the file in it.
    public init(archive data: Data, name: String = "archive") throws {
        var reader = ArchivedMappingReader(name: name)
        self = try reader.read(data)
    }

    /// Reads a `.cdm` file.
    ///
    /// - Throws: ``ModelDocumentError`` that names the file, the mapping and the field.
    public init(contentsOf url: URL) throws {
        try self.init(archive: ModelFiles.data(url), name: url.path)
    }

    /// The mapping model as a keyed archive with the fields of Apple's; equal ones give equal bytes.
    public func archive() -> Data { ArchivedMappingWriter.write(self) }
}

extension MappingSource {
    /// Reads the text of an `xcmapping.xml`.
    ///
    /// - Throws: ``ModelDocumentError`` with the line; `name` stands for the file in it.
    public init(xml data: Data, name: String = "xcmapping.xml") throws {
        var reader = XMLMappingReader(file: name)
        self = try reader.read(data)
    }

    /// Reads an `.xcmappingmodel` folder, or the `xcmapping.xml` in it.
    ///
    /// - Throws: ``ModelDocumentError`` with the file and the line.
    public init(contentsOf url: URL) throws {
        let file = ModelFiles.isFolder(url) ? url.appendingPathComponent("xcmapping.xml") : url
        try self.init(xml: ModelFiles.data(file), name: file.path)
    }
}
