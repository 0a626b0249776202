import RecordModel
import Synchronization

/// Makes the folders of files, and knows which of them the disk has.
///
/// That a folder is there does not mean that it stays: another upload may have made it a moment ago and not
/// yet have brought it to the disk. Only what was brought there since the start is taken for durable.
final class DurableFolders: Sendable {
    private let paths: AssetPaths
    private let durable = Mutex<Set<String>>([])

    /// Makes all of the outer folders, of which there are 256.
    init(paths: AssetPaths) throws {
        self.paths = paths
        for number in 0..<256 {
            let name = String(number, radix: 16)
            try FileSystem.makeFolder(paths.root + "/" + (number < 16 ? "0" : "") + name)
        }
        try FileSystem.sync(folder: paths.root)
    }

    /// The inner folder of a file, made where it is missing, and on disk.
    func make(for digest: AssetDigest) throws -> String {
        let (outer, inner) = paths.folders(of: digest)
        if durable.withLock({ $0.contains(inner) }) { return inner }
        try FileSystem.makeFolder(inner)
        try FileSystem.sync(folder: outer)
        durable.withLock { _ = $0.insert(inner) }
        return inner
    }
}
