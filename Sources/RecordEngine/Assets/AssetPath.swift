public import RecordModel
import RecordStorage
import RecordWire

/// The addresses of files beside the protocol's own.
public enum AssetPath {
    /// What uploads begin with; a token follows.
    public static let upload = "/assets/upload"
    /// What downloads begin with; the name of a file and `${f}` follow.
    public static let download = "/assets/get"
    /// What clients replace by the file name that they want (Documentation/Protocol.md, 'Assets').
    public static let fileNameMark = "${f}"

    /// The first part of what follows a prefix, and the rest without its `/`.
    static func parts(_ path: Substring) -> (first: Substring, rest: Substring) {
        let path = path.drop { $0 == "/" }
        guard let slash = path.firstIndex(of: "/") else { return (path, "") }
        return (path[..<slash], path[path.index(after: slash)...])
    }
}

extension RecordService {
    /// Where an operator's browser finds a file, for a while; it ends in a file name of the caller's choice.
    public func assetAddress(_ digest: AssetDigest) -> String {
        let end = AssetAddress.end(now: environment.now())
        return AssetPath.download + "/" + AssetAddress.make(digest, expiresAt: end, secret: secret) + "/"
    }
}

extension CallContext {
    /// Gives the addresses of files in answers; nil where no record of the tenant can hold one.
    func assetURLs(_ schema: Schema, _ secret: ServiceSecret) -> (@Sendable (String) -> String?)? {
        schema.hasAssets ? assetURLs(secret, areForEverybody: schema.filesAreReadableByEverybody) : nil
    }

    /// Gives the addresses of files in answers.
    ///
    /// Those of records that everybody may read never change, so that everybody may keep what is there; those of others
    /// are for a while, and no longer than for a part of it the same.
    /// - Parameter areForEverybody: whether everybody may read the records, where the database is public.
    func assetURLs(
        _ secret: ServiceSecret, areForEverybody: Bool
    ) -> @Sendable (String) -> String? {
        let expiresAt = database.owner == nil && areForEverybody ? nil : AssetAddress.end(now: now)
        let start = baseURL + AssetPath.download + "/"
        return { checksum in
            AssetDigest(checksum: checksum).map { digest in
                start + AssetAddress.make(digest, expiresAt: expiresAt, secret: secret) + "/"
                    + AssetPath.fileNameMark
            }
        }
    }
}
