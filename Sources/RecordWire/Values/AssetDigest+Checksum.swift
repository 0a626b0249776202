public import RecordModel

extension AssetDigest {
    /// In front of the digest's bytes, so that another digest can take its place one day.
    private static let checksumVersion: UInt8 = 1

    /// The checksum by which clients know the file: base64, opaque to them.
    public var checksum: String { Base64.encode([Self.checksumVersion] + bytes) }

    /// The digest of a checksum; nil for any other text.
    public init?(checksum: String) {
        guard checksum.utf8.count <= 64, let bytes = Base64.decode(checksum),
            bytes.first == Self.checksumVersion
        else { return nil }
        self.init(bytes: Array(bytes.dropFirst()))
    }
}

extension Asset {
    /// The value that records hold for a file.
    ///
    /// Nothing is encrypted with the wrapping key: clients of private databases expect one, and hand it back.
    public init(_ content: AssetContent) {
        let checksum = content.digest.checksum
        self.init(
            fileChecksum: checksum, size: content.size, referenceChecksum: checksum,
            wrappingKey: Base64.encode(Array(content.digest.bytes.suffix(16))))
    }
}
