import Foundation
public import RecordModel
public import RecordStorage

/// Where the files of assets are: `ab/cd/abcd…`, by the digits of their digests, so that no folder grows large.
public struct AssetPaths: Sendable {
    /// The folder of all files.
    public let root: String
    /// The folder of what is on its way in.
    public var uploads: String { root + "/uploads" }

    /// The folder of the files by whose locks processes keep out of each other's way.
    var locks: String { root + "/locks" }

    /// The name of the folder in a data directory.
    public static let folderName = "assets"

    /// Names the folder.
    public init(root: String) { self.root = root }

    /// The outer and the inner folder of a file.
    public func folders(of digest: AssetDigest) -> (outer: String, inner: String) {
        let hex = digest.hex
        let outer = root + "/" + hex.prefix(2)
        return (outer, outer + "/" + hex.dropFirst(2).prefix(2))
    }

    /// The path of a file.
    public func path(of digest: AssetDigest) -> String { folders(of: digest).inner + "/" + digest.hex }

    /// The file that is locked for a content, and for one of 256 others.
    func lock(of digest: AssetDigest) -> String { locks + "/" + digest.hex.prefix(2) }

    /// Some of the files, in the order of their digests, after a given one; names that are no digests are
    /// passed over.
    public func digests(after digest: AssetDigest?, limit: Int) -> [AssetDigest] {
        let start = digest?.hex ?? ""
        var found: [AssetDigest] = []
        for outer in Self.names(in: root, length: 2) where outer >= start.prefix(2) {
            for inner in Self.names(in: root + "/" + outer, length: 2) where outer + inner >= start.prefix(4)
            {
                let files = Self.names(in: root + "/\(outer)/\(inner)", length: 2 * AssetDigest.byteCount)
                for name in files where name > start && name.hasPrefix(outer + inner) {
                    guard let digest = AssetDigest(hex: name) else { continue }
                    found.append(digest)
                    if found.count == limit { return found }
                }
            }
        }
        return found
    }

    /// The names of what is on its way in; of a folder that cannot be read none, and the next start asks again.
    public var unfinished: [String] {
        // As said: the next start asks again.
        ((try? FileManager.default.contentsOfDirectory(atPath: uploads)) ?? []).sorted()
    }

    private static func names(in folder: String, length: Int) -> [String] {
        // Most folders of a young store are not there. One that cannot be read shows when its files are looked at one by
        // one; here it only means that nothing of it is swept.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.utf8.count == length }.sorted()
    }
}

extension AssetPaths {
    /// A file as it is on disk; nil where there is none.
    ///
    /// - Throws: `StorageError` where it cannot be looked at, for example in a folder that this process may not
    ///   enter.
    public func file(_ digest: AssetDigest) throws -> AssetFile? {
        try FileSystem.status(of: path(of: digest)).map {
            AssetFile(digest: digest, size: $0.size, modifiedAt: $0.modifiedAt)
        }
    }
}
