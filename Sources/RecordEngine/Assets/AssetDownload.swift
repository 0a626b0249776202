public import RecordModel
public import RecordStorage

/// A file that an address leads to.
public struct AssetDownload: Sendable {
    /// Which file it is.
    public let digest: AssetDigest
    /// Its bytes.
    public let reader: any AssetReader
    /// What the client calls the file, as the address has it: still percent-encoded, and empty for nothing.
    public let fileName: Substring
    /// For how many milliseconds more the address is good; nil for ever.
    public let remaining: Int64?
}

extension RecordService {
    /// The file of an address.
    ///
    /// - Parameter path: what follows ``AssetPath/download`` in the address.
    /// - Throws: `ServiceError`: `NOT_FOUND` where there is no such file, `ACCESS_DENIED` for an address that has
    ///   expired.
    public func download(_ path: Substring) async throws -> AssetDownload {
        guard let assets else { throw ServiceError.storesNoFiles }
        let (name, fileName) = AssetPath.parts(path)
        let now = environment.now()
        let (digest, expiresAt) = try AssetAddress.open(String(name), secret: secret, now: now)
        guard let reader = try await assets.store.open(digest) else {
            throw ServiceError(
                .notFound, "There is no file at this address any more.",
                remedy: "Fetch the record again; it may have another file now.")
        }
        return AssetDownload(
            digest: digest, reader: reader, fileName: fileName, remaining: expiresAt.map { $0 - now })
    }
}
