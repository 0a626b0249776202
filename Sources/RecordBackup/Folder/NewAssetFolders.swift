import AssetStorageFiles
import RecordModel

/// The folders of files that are being copied: made when the first file comes into one, brought to the disk at the end.
struct NewAssetFolders {
    private let paths: AssetPaths
    private var made: Set<String>

    /// Makes the folder of all.
    init(_ paths: AssetPaths) throws {
        self.paths = paths
        made = [paths.root]
        try Files.makeFolder(paths.root)
    }

    /// The path of a file, in a folder that is there.
    mutating func path(of digest: AssetDigest) throws -> String {
        let (outer, inner) = paths.folders(of: digest)
        if made.insert(inner).inserted {
            try Files.makeFolder(inner)
            made.insert(outer)
        }
        return paths.path(of: digest)
    }

    /// Brings the names in them to the disk; the files are there already.
    func sync() throws {
        for folder in made { try Files.sync(folder) }
    }
}
