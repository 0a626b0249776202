import RecordModel
import Synchronization

/// Makes the folders of files, and knows which of them the disk has.
///
/// That a folder is there does not mean that it stays: another upload may have made it a moment ago and not
/// yet have brought it to the disk. Only what was brought there since the start is taken for durable.
final class DurableFolders: Sendable {
    private let paths: AssetPaths
    private let durable = Mutex<Set<String>>([])

    init(paths: AssetPaths) { self.paths = paths }

    /// The inner folder of a file, made where it is missing, and on disk.
    func make(for digest: AssetDigest) throws -> String {
        let (outer, inner) = paths.folders(of: digest)
        if durable.withLock({ $0.contains(inner) }) { return inner }
        try make(outer, in: paths.root)
        try make(inner, in: outer)
        return inner
    }

    private func make(_ folder: String, in parent: String) throws {
        if durable.withLock({ $0.contains(folder) }) { return }
        try FileSystem.makeFolder(folder)
        try FileSystem.sync(folder: parent)
        durable.withLock { _ = $0.insert(folder) }
    }
}
