public import Foundation

extension ModelDocument {
    /// Reads the keyed archive of an `NSManagedObjectModel`: the bytes of a `.mom` file.
    ///
    /// Properties that an archive repeats in subentities are left to their own entity.
    ///
    /// - Throws: ``ModelDocumentError`` that names the element and the field.
    public init(archive data: Data) throws {
        var reader = ArchivedModelReader()
        self = try reader.read(data)
    }

    /// Reads the content of `Z_MODELCACHE` of a store: the same archive, compressed without a header.
    ///
    /// - Throws: ``ModelDocumentError``; more than 64 MiB of archive are not inflated.
    public init(modelCache data: Data) throws {
        try self.init(archive: RawDeflate.inflate(data))
    }

    /// The model as a keyed archive with the fields of Apple's archives.
    ///
    /// Reading it gives the same model: what Apple's fields do not hold, such as the order of properties, is
    /// in fields of our own beside them. Equal models give equal bytes.
    ///
    /// - Throws: ``ModelDocumentError`` for equal names, for a parent that is missing or a descendant, and
    ///   for a decimal that is not a number.
    public func archive() throws -> Data {
        var writer = ArchivedModelWriter(self)
        return try writer.write()
    }

    /// The archive as `Z_MODELCACHE` of a store holds it.
    ///
    /// - Throws: ``ModelDocumentError`` as ``archive()`` does.
    public func modelCache() throws -> Data {
        try RawDeflate.deflate(archive())
    }
}
